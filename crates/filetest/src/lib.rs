//! Runs the data-driven tests.
