//! What fences let strong writes release.

use super::happens_before::{Group, HappensBefore};
use std::rc::Rc;

/// What a lane's next strong write releases: what it knew and had done at its last fence, or what others of a barrier had at
/// theirs.
#[derive(Clone, Debug)]
pub(super) struct Fenced {
    /// The lane's own accesses with stamps below this.
    pub(super) before: u32,
    pub(super) floor: u32,
    pub(super) warp_floor: u32,
    pub(super) known: Option<Rc<HappensBefore>>,
    pub(super) wide: bool,
}

impl Fenced {
    /// Whether the other is the same but for the lane.
    pub(super) fn is_alike(&self, other: &Fenced) -> bool {
        let same = match (&self.known, &other.known) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let clocks =
            |fenced: &Fenced| (fenced.before, fenced.floor, fenced.warp_floor, fenced.wide);
        same && clocks(self) == clocks(other)
    }

    /// Adds what it releases, if it is one of some lanes of a warp.
    pub(super) fn add_to(&self, released: &mut HappensBefore, (cta, warp): (u32, u8), lanes: u32) {
        if let Some(known) = &self.known {
            released.join(known);
        }
        released.add(cta, Group::All, self.floor);
        released.add(cta, Group::Lanes(warp, u32::MAX), self.warp_floor);
        released.add(cta, Group::Lanes(warp, lanes), self.before);
    }
}
