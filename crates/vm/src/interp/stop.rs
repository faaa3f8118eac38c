//! Why a group stops.

use crate::fault::FaultKind;
use ir::Place;

/// Returned by handlers that end the group's turn; [`Frame::stop`] says why.
pub(crate) const STOP: usize = usize::MAX;

/// Why a group's turn ended.
#[derive(Clone, Debug, Default)]
pub(crate) enum Stop {
    /// The group stands before this code, where others wait or which others have not reached.
    #[default]
    Limit,
    /// The group stands before this code and has used up its turn.
    Yield(usize),
    /// The group stands before this code, whose branch its lanes take in different directions:
    /// per warp, the lanes that go to the target.
    Diverge {
        /// The branch.
        at: usize,
    },
    /// The group's lanes exit.
    Exit,
    /// The group stands at this collective, where some lanes have to wait.
    Collective(usize),
    /// The group stands at this barrier.
    Barrier(usize),
    /// The kernel must stop.
    Fault(Box<FaultAt>),
}

/// A fault before its thread is known by coordinates.
#[derive(Clone, Debug)]
pub(crate) struct FaultAt {
    pub(crate) kind: FaultKind,
    pub(crate) place: Place,
    pub(crate) warp: usize,
    pub(crate) lane: u32,
}
