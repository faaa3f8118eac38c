//! The tables of scalar operations: one row per operation, everything else is derived.

mod binary;
mod compare;
mod ternary;
mod unary;
