//! Tests of the PTX parser and printer.

mod errors;
mod generated;
mod grammar;
mod hostile;
mod roundtrip;
mod support;
