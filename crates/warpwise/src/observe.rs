//! What an observer of a run is made of ([`Kernel::observe`](crate::Kernel::observe)).
//!
//! An [`Observer`] is told of every event of a run before it takes effect and, if it has [`Observer::EFFECTS`], after it. A
//! [`View`] shows threads, registers and memory as they stand then. Events name instructions of the warp IR
//! ([`Inst`](crate::ir::Inst)), to which PTX is lowered, one or several for each; [`Kernel::instruction`](crate::Kernel::instruction)
//! leads from their place to the PTX, [`Kernel::register_name`](crate::Kernel::register_name) from registers to names.
//! `(a, b)`, `&mut a` and `Some(a)` are observers if `a` and `b` are.

pub use vm::{
    Arrival, BarrierArrival, BarrierPart, Candidate, Firing, Location, Observer, Part, ThreadId,
    Verdict, View, Waiting, WaitingFor,
};
