//! Graphs: work with an order of its own, made by hand or captured of streams.

mod capture;
mod object;

pub(crate) use capture::Capture;
