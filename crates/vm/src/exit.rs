//! Why a group stops.

use crate::fault::FaultKind;
use crate::plan::Pc;
use ir::Place;

/// Why a group's turn ended, and where its lanes stand. An engine may count places in its own way (`P`) until it leaves its
/// code.
#[derive(Clone, Debug)]
pub(crate) enum Stop<P> {
    /// Before this place, where others wait or which others have not reached.
    Limit(P),
    /// Before this place, with the turn used up.
    Yield(P),
    /// Before this branch, which its lanes take in different directions: those of [`Frame::taken`] go to the target.
    ///
    /// [`Frame::taken`]: crate::frame::Frame::taken
    Diverge(P),
    /// The group's lanes exit.
    Exit,
    /// At this collective, where some lanes have to wait.
    Collective(P),
    /// At this barrier.
    Barrier(P),
    /// At this half of the barrier of its cluster.
    Cluster(P),
    /// Warps stand at different places, or have exited.
    Apart {
        /// Lanes of warps, and their place; `None` if they exit.
        splits: Vec<(usize, u32, Option<P>)>,
        /// Whether one of them has used up its turn, and how.
        spent: Spent,
    },
    /// The kernel must stop.
    Fault(Box<FaultAt>),
}

/// Whether warps that stand at different places have used up their turn. Of several it is the last that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spent {
    /// They have not.
    Nothing,
    /// In a loop that nothing makes end that others do.
    Computing,
    /// In a loop that reads what others may write, but not in a way to wait for it.
    Reading,
    /// Others may have to do something first.
    Waiting,
}

/// Why an engine left its code.
pub(crate) type Exit = Stop<Pc>;

impl<P> Stop<P> {
    /// The same with another way to count places.
    pub(crate) fn map<Q>(self, place: impl Fn(P) -> Q) -> Stop<Q> {
        match self {
            Stop::Limit(at) => Stop::Limit(place(at)),
            Stop::Yield(at) => Stop::Yield(place(at)),
            Stop::Diverge(at) => Stop::Diverge(place(at)),
            Stop::Exit => Stop::Exit,
            Stop::Collective(at) => Stop::Collective(place(at)),
            Stop::Barrier(at) => Stop::Barrier(place(at)),
            Stop::Cluster(at) => Stop::Cluster(place(at)),
            Stop::Apart { splits, spent } => {
                let split = |(warp, lanes, at): (_, _, Option<P>)| (warp, lanes, at.map(&place));
                Stop::Apart { splits: splits.into_iter().map(split).collect(), spent }
            }
            Stop::Fault(fault) => Stop::Fault(fault),
        }
    }
}

/// A fault before its thread is known by coordinates.
#[derive(Clone, Debug)]
pub(crate) struct FaultAt {
    pub(crate) kind: FaultKind,
    pub(crate) place: Place,
    pub(crate) warp: usize,
    pub(crate) lane: u32,
}
