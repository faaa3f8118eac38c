//! Who meets whom: the lanes that execute a collective, by the membermask that they pass.
//!
//! Source: PTX ISA 9.1, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`, `elect.sync`, `bar.warp.sync`: a lane waits for
//! those lanes of its membermask that execute the same instruction with the same membermask. Lanes that execute one
//! instruction together may pass different membermasks.

use crate::{LaneMask, Lanes};

/// Lanes that execute a collective with the same membermask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The membermask.
    pub membermask: LaneMask,
    /// The lanes that pass it, those included that it does not name.
    pub lanes: LaneMask,
}

impl Group {
    /// The lanes that take part: those of the membermask. The result of the others is undefined, and nobody sees
    /// their value.
    #[inline(always)]
    pub const fn participants(self) -> LaneMask {
        LaneMask(self.lanes.0 & self.membermask.0)
    }
}

/// The lanes of `executing` by the membermask that each passes, the group of the lowest lane first.
#[inline]
pub fn groups(membermasks: &Lanes<u32>, executing: LaneMask) -> Groups<'_> {
    Groups { membermasks, left: executing }
}

/// Iterator over the groups of lanes that execute a collective.
#[derive(Clone, Debug)]
pub struct Groups<'m> {
    membermasks: &'m Lanes<u32>,
    left: LaneMask,
}

impl Iterator for Groups<'_> {
    type Item = Group;

    #[inline]
    fn next(&mut self) -> Option<Group> {
        let membermask = self.membermasks[self.left.lowest()? as usize];
        let same = LaneMask::from_fn(|lane| self.membermasks[lane] == membermask);
        let lanes = self.left & same;
        self.left -= lanes;
        Some(Group { membermask: LaneMask(membermask), lanes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LANE_IDS, splat};
    extern crate std;
    use std::vec::Vec;

    #[test]
    fn one_membermask_is_one_group_and_names_who_takes_part() {
        let found: Vec<Group> = groups(&splat(0xff), LaneMask(0xffff)).collect();
        assert_eq!(found, [Group { membermask: LaneMask(0xff), lanes: LaneMask(0xffff) }]);
        assert_eq!(found[0].participants(), LaneMask(0xff));
    }

    #[test]
    fn lanes_of_different_membermasks_are_apart_and_idle_lanes_do_not_count() {
        let halves = LANE_IDS.map(|lane| if lane < 16 { 0xffff } else { 0xffff_0000 });
        let found: Vec<Group> = groups(&halves, LaneMask(0x00ff_ff00)).collect();
        let expected = [(0xffff, 0xff00), (0xffff_0000, 0x00ff_0000)];
        let expected = expected
            .map(|(mask, lanes)| Group { membermask: LaneMask(mask), lanes: LaneMask(lanes) });
        assert_eq!(found, expected);
        assert_eq!(groups(&halves, LaneMask::EMPTY).next(), None);
    }
}
