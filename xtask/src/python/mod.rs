//! The Python package: how it is built and tried.

mod venv;
mod wheel;

pub(crate) use wheel::wheel;
