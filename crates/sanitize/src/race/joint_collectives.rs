//! Which lanes of a warp took part in a collective together, and when they did last.

use smallvec::SmallVec;

/// Sets of lanes that are kept; code rarely has more than two or three.
const MANY: usize = 8;

/// The last collectives of a warp, one of each set of participants, the latest at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct JointCollectives {
    latest: SmallVec<[(u32, u32); 2]>,
}

impl JointCollectives {
    /// None so far.
    pub(super) fn forget(&mut self) {
        self.latest.clear();
    }

    /// Lanes take part in a collective. `time` is the stamp of their next accesses.
    pub(super) fn meet(&mut self, lanes: u32, time: u32) {
        // Most are of those who took part in the last one.
        if let Some((known, at)) = self.latest.last_mut()
            && *known == lanes
        {
            *at = time;
            return;
        }
        self.latest.retain(|(known, _)| *known != lanes);
        if self.latest.len() == MANY {
            self.latest.remove(0);
        }
        self.latest.push((lanes, time));
    }

    /// Whether two lanes took part in one collective after an access with such a stamp.
    pub(super) fn since(&self, stamp: u32, both: u32) -> bool {
        self.latest.iter().any(|(lanes, time)| stamp < *time && lanes & both == both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_have_met_if_one_collective_had_both_after_the_access() {
        let mut met = JointCollectives::default();
        met.meet(0xffff, 5);
        met.meet(0xffff_0000, 7);
        assert!(met.since(4, 0b11) && !met.since(5, 0b11), "5 is what came behind it");
        assert!(met.since(6, 0x3_0000) && !met.since(4, 0x1_8000), "of different halves");
        met.meet(0xffff, 9);
        assert!(met.since(8, 0b11));
        for time in 10..=17 {
            met.meet(1 << time, time);
        }
        assert!(!met.since(0, 0b11), "that was too many sets ago");
    }
}
