//! H003: work of two streams that accesses the same memory, and that nothing orders.

use super::ranges::common;
use crate::memory::CallPlace;
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use warpwise::Traffic;
use warpwise::order::Moment;

/// Work that is kept to be compared with what comes later.
const KEPT: usize = 128;
/// Ranges that all of it may have together.
const RANGES: usize = 1 << 22;

/// What a piece of work did.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) moment: Moment,
    /// What people call it.
    pub(super) name: String,
    /// Where the program issued it.
    pub(super) place: Option<CallPlace>,
    pub(super) traffic: Traffic,
}

impl Work {
    fn ranges(&self) -> usize {
        let Traffic { reads, writes, strong_reads, strong_writes } = &self.traffic;
        reads.len() + writes.len() + strong_reads.len() + strong_writes.len()
    }
}

/// Memory that two pieces of work access: where it begins, how many bytes, and whether each writes it.
#[derive(Debug)]
pub(super) struct Clash {
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) writes: [bool; 2],
}

/// What two pieces of work access, and whether each writes it.
type Pair<'t> = (&'t [Range<u64>], &'t [Range<u64>], [bool; 2]);

/// Whether two pieces of work may not be done at once. Strong accesses may meet.
fn clash(one: &Traffic, other: &Traffic) -> Option<Clash> {
    let pairs: [Pair<'_>; 9] = [
        (&one.writes, &other.writes, [true, true]),
        (&one.writes, &other.reads, [true, false]),
        (&one.reads, &other.writes, [false, true]),
        (&one.writes, &other.strong_writes, [true, true]),
        (&one.strong_writes, &other.writes, [true, true]),
        (&one.writes, &other.strong_reads, [true, false]),
        (&one.strong_reads, &other.writes, [false, true]),
        (&one.reads, &other.strong_writes, [false, true]),
        (&one.strong_writes, &other.reads, [true, false]),
    ];
    pairs.iter().find_map(|(one, other, writes)| {
        common(one, other).map(|(at, bytes)| Clash { at, bytes, writes: *writes })
    })
}

/// The work of all streams so far.
#[derive(Debug, Default)]
pub(super) struct Streams {
    done: VecDeque<Work>,
    ranges: usize,
    /// What has been told.
    told: HashSet<(String, String)>,
}

impl Streams {
    /// Notes a piece of work, and shows the clashes with those before it that nothing orders.
    pub(super) fn add(&mut self, work: Work, mut each: impl FnMut(&Work, &Work, &Clash)) {
        for earlier in self.done.iter().filter(|earlier| !work.moment.is_behind(&earlier.moment)) {
            let Some(clash) = clash(&earlier.traffic, &work.traffic) else { continue };
            if self.told.insert((earlier.name.clone(), work.name.clone())) {
                each(earlier, &work, &clash);
            }
        }
        self.ranges += work.ranges();
        self.done.push_back(work);
        while self.done.len() > KEPT || self.ranges > RANGES && self.done.len() > 1 {
            self.ranges -= self.done.pop_front().map_or(0, |gone| gone.ranges());
        }
    }

    /// Nothing that was done so far matters any more.
    pub(super) fn clear(&mut self) {
        self.done.clear();
        self.ranges = 0;
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges are meant")]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_clashes_and_strong_accesses_may_meet() {
        let traffic = |at: usize| {
            let mut lists = [const { Vec::new() }; 4];
            lists[at] = vec![0..4];
            let [reads, writes, strong_reads, strong_writes] = lists;
            Traffic { reads, writes, strong_reads, strong_writes }
        };
        let clashes = |one, other| clash(&traffic(one), &traffic(other)).is_some();
        let table: Vec<Vec<bool>> =
            (0..4).map(|one| (0..4).map(|other| clashes(one, other)).collect()).collect();
        // Reads, writes, strong reads, strong writes.
        let expected = [
            [false, true, false, true],
            [true, true, true, true],
            [false, true, false, false],
            [true, true, false, false],
        ];
        assert_eq!(table, expected);
    }
}
