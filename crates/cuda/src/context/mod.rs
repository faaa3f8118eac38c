//! Contexts: what a program does on a device, which of them is current in which thread, and what has gone wrong.

mod current;
mod entries;
mod object;
mod primary;

pub(crate) use current::{current, named_or_current};
pub(crate) use entries::*;
pub(crate) use object::{Context, STACK, find};
pub(crate) use primary::*;
