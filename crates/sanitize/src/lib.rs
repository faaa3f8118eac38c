//! Detectors: undefined warp code, races, deadlocks and bad accesses, seen lane by lane.
//!
//! A [`Sanitizer`] observes a run of the VM ([`vm::launch_observed`]) and feeds every event to the detectors, one module each. None of them
//! changes what the kernel does. What they find are [`Finding`]s: data, equal ones folded and counted. [`report`]
//! makes diagnostics of them.
//!
//! | module | finds |
//! |---|---|
//! | `collectives` | W001, W003, W005, W006 |
//! | `definedness` | W002, W010, M004, M005 |
//! | `activemask` | W009 |
//! | `barriers` | B001, W006 |
//! | `phases` | B001: conflicting uses of one barrier |
//! | `objects` | B001 of barrier objects |
//! | `bounds` | M001 inside of local memory and parameters |
//! | `deadlock` | W003, W004, W007, B001 |
//! | `endless` | W007 of loops |
//! | `faults` | M001, M002, M003, M007 |
//! | `heap` | M006 |
//! | `race` | R001, R002 |
//! | `constants` | R002 of memory that is read as constant |
//! | `asynchronous` | R001 of asynchronous copies |
//!
//! Module [`explore`] repeats the run under other schedules, and finds W008.

// Invariant 3 of ARCHITECTURE.md: what is forgotten is a compile error.
#![deny(clippy::wildcard_enum_match_arm)]

mod activemask;
mod after_barrier;
mod alike;
mod anew;
mod asynchronous;
mod barriers;
mod bounds;
mod code;
mod collectives;
mod constants;
mod deadlock;
mod definedness;
pub mod detail;
mod endless;
pub mod explore;
mod faults;
mod finding;
mod heap;
mod meeting;
mod objects;
mod others;
mod patience;
mod per_cta;
mod phases;
mod race;
mod reg_set;
pub mod report;
mod sanitizer;
mod shadow;
mod straight;
mod strip;
mod touch;
mod traffic;
mod words;

pub use code::Code;
pub use detail::{At, Detail, WarpLanes};
pub use finding::{Finding, Findings, Found, MAX_FINDINGS};
pub use others::{Others, Outside};
pub use sanitizer::{Options, Sanitizer};
pub use strip::{Cell, Strip};
pub use traffic::{Traffic, Watch};
pub use words::Words;
