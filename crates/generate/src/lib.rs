//! Random kernels of the IR, a reference that evaluates them, and a comparison of the VM with it.
//!
//! A [`Case`] is a kernel with a launch and its memory. It is made of [`Choices`], which are bytes: random ones of a
//! seed, or those of a fuzzer. Whatever the choices, the kernel ends, and every schedule gives the same result:
//!
//! * loops count, or wait for what other threads do before they wait, and what the kernel is made of is limited;
//! * every register is written before it is read;
//! * every collective names the lanes that come to it: where lanes part, a ballot makes the membermasks of both sides; what
//!   a shuffle reads from a lane that does not take part is replaced;
//! * a thread writes its own bytes of memory, or bytes that barriers keep apart from their readers, or adds to what
//!   nobody reads by operations that commute;
//! * barrier objects live between barriers, and each phase gets the arrivals and transfers that it expects;
//! * what a CTA of a cluster does in the memory of another one lies between barriers of the cluster, and no thread exits before.
//!
//! [`reference`](mod@reference) runs it one lane at a time with the evaluators of the tables in [`ir::table`] and the functions of crate
//! [`lanes`]; [`compare`] runs it on the VM in every way that must not make a difference.
#![deny(clippy::wildcard_enum_match_arm)]

mod build;
mod case;
mod choices;
mod compare;
pub mod ptx;
pub mod reference;
mod shrink;

pub use build::{generate, generate_for};
pub use case::{Buffers, Case};
pub use choices::Choices;
pub use compare::{Mismatch, compare};
pub use shrink::shrink;
