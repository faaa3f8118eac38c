//! The Python package: how it is built and tried.

mod clients;
mod own_tests;
mod pages;
mod process;
mod record;
mod suites;
mod venv;
mod wheel;

pub(crate) use clients::clients;
pub(crate) use own_tests::Plan;
pub(crate) use wheel::{Make, wheel};
