//! The Python package: how it is built and tried.

mod clients;
mod suites;
mod venv;
mod wheel;

pub(crate) use clients::clients;
pub(crate) use wheel::{Make, wheel};
