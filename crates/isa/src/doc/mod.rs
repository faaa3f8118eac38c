//! The manual of a described machine.
