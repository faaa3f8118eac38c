//! The findings of a run, equal ones folded.

use crate::code::Code;
pub use crate::detail::Finding;
use crate::traffic::Traffic;
use foldhash::HashMap;
use ir::Place;

/// Findings of one code that are kept; what comes after them is counted and dropped.
pub const MAX_FINDINGS: usize = 1000;

/// The least rank of what is no harmless race ([`Findings::report_worst`]).
pub(crate) const HARMFUL: u8 = 8;

/// What a run has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What is wrong, in the order in which it first happened.
    pub findings: Vec<Finding>,
    /// How often something else happened after so many findings that no more were kept.
    pub dropped: u64,
    /// Collectives with a mask from `activemask` that are wrong, W009, if the memory that the kernel leaves depends on the lanes in it.
    pub suspected: Vec<Finding>,
    /// What the launch accessed, if that was asked for.
    pub traffic: Option<Traffic>,
}

/// The findings of a run so far.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<Finding>,
    /// Where each is in `found`, and how bad the worst of its kind was.
    index: HashMap<(Code, Place, Option<Place>), (usize, u8)>,
    /// How many there are of each code, harmless ones apart: what there is much of keeps nothing else out.
    of_code: HashMap<(Code, bool), usize>,
    /// How many are not harmless.
    harmful: usize,
    dropped: u64,
}

impl Findings {
    /// Reports a finding at an instruction, together with another one that makes it a different finding. Only
    /// the first of equal ones is made; the others are counted.
    pub fn report(
        &mut self,
        code: Code,
        place: Place,
        other: Option<Place>,
        make: impl FnOnce() -> Finding,
    ) {
        self.report_worst(code, (place, other), HARMFUL, make);
    }

    /// The same, but of equal ones the first of those that are worst is made. Harmless ones have ranks below `HARMFUL`.
    pub fn report_worst(
        &mut self,
        code: Code,
        (place, other): (Place, Option<Place>),
        rank: u8,
        make: impl FnOnce() -> Finding,
    ) {
        if let Some((at, worst)) = self.index.get_mut(&(code, place, other)) {
            let known = &mut self.found[*at];
            let count = known.count + 1;
            if rank > *worst {
                self.harmful += usize::from(known.is_harmless() && rank >= HARMFUL);
                (*worst, *known) = (rank, make());
            }
            known.count = count;
            return;
        }
        let of_code = self.of_code.entry((code, rank < HARMFUL)).or_default();
        if *of_code >= MAX_FINDINGS {
            self.dropped += 1;
        } else {
            *of_code += 1;
            self.harmful += usize::from(rank >= HARMFUL);
            self.index.insert((code, place, other), (self.found.len(), rank));
            let finding = make();
            debug_assert_eq!(finding.code(), code);
            self.found.push(finding);
        }
    }

    /// How many there are that are not harmless.
    pub(crate) fn harmful(&self) -> usize {
        self.harmful
    }

    /// Adds what stopped the kernel, even when no more are kept.
    pub(crate) fn stopped(&mut self, finding: Finding) {
        self.harmful += 1;
        self.found.push(finding);
    }

    /// Consumes the set.
    pub fn into_found(self) -> Found {
        Found { findings: self.found, dropped: self.dropped, ..Found::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detail::{Access, At, BarrierCount, Race, Strength};
    use ir::Space;
    use vm::ThreadId;

    fn report(findings: &mut Findings, place: u32) {
        let (code, place) = (Code::R001, Place(place));
        let thread = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
        let access = Access { place, thread, writes: true, strength: Strength::Weak };
        let at = At { space: Space::Shared, address: 0, bytes: 4 };
        let (earlier, later) = (access, access);
        let race = Race { at, earlier, later, read: None, same_value: false };
        findings.report(code, place, None, || Finding::new(place, thread, race));
    }

    #[test]
    fn what_comes_after_so_many_is_counted_only() {
        let mut findings = Findings::default();
        let places = MAX_FINDINGS as u32 + 3;
        (0..places).for_each(|place| report(&mut findings, place));
        // One that is kept, and one that is not.
        report(&mut findings, 0);
        report(&mut findings, places);
        let found = findings.into_found();
        assert_eq!(found.findings.len(), 1000);
        assert_eq!(found.findings[0].count, 2);
        assert_eq!(found.dropped, 4);
    }

    #[test]
    fn what_there_is_much_of_keeps_nothing_else_out() {
        let mut findings = Findings::default();
        (0..2000).for_each(|place| report(&mut findings, place));
        let thread = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
        let other = || Finding::new(Place(0), thread, BarrierCount { threads: 33 });
        findings.report(Code::B001, Place(0), None, other);
        let found = findings.into_found().findings;
        assert_eq!(found.last().map(Finding::code), Some(Code::B001));
    }
}
