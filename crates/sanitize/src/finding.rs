//! Findings as data, equal ones folded.

use crate::code::Code;
use crate::detail::{Detail, WarpLanes};
use foldhash::HashMap;
use ir::Place;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use vm::{ThreadId, Waiting};

/// Findings of one code that are kept; what comes after them is counted and dropped.
pub const MAX_FINDINGS: usize = 1000;

/// Something wrong with a kernel that a run has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The instruction.
    pub place: Place,
    /// The first thread that it happened to.
    pub thread: ThreadId,
    /// What it is about, with the facts of the first time.
    pub detail: Detail,
    /// The lanes of the warp, the first time.
    pub lanes: Option<WarpLanes>,
    /// How many warp instructions it happened in.
    pub count: u64,
}

/// The least rank of what is no harmless race ([`Findings::report_worst`]).
pub(crate) const HARMFUL: u8 = 8;

impl Finding {
    /// A finding that happened once.
    pub fn new(place: Place, thread: ThreadId, detail: impl Into<Detail>) -> Finding {
        Finding { place, thread, detail: detail.into(), lanes: None, count: 1 }
    }

    /// Adds the lanes of the warp.
    pub(crate) fn lanes(self, lanes: WarpLanes) -> Finding {
        Finding { lanes: Some(lanes), ..self }
    }

    /// The code that reports print.
    pub fn code(&self) -> Code {
        self.detail.code()
    }

    /// Whether nothing can come of it with these inputs: then it is a warning.
    pub fn is_harmless(&self) -> bool {
        self.detail.is_harmless()
    }

    /// Whether another finding is of the same code at the same place.
    pub fn is_like(&self, other: &Finding) -> bool {
        (self.code(), self.place) == (other.code(), other.place)
    }

    /// The instruction, and the others that belong to it.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        std::iter::once(self.place).chain(self.detail.related())
    }

    /// All instructions that its facts name.
    pub fn all_places(&self) -> Vec<Place> {
        let waiting = self.detail.waiting().iter().map(|group: &Waiting| group.place);
        let mut all: Vec<Place> = self.places().chain(waiting).collect();
        all.extend(self.detail.shown().into_iter().flat_map(Finding::all_places));
        all
    }
}

/// The fields, and the code.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Finding", 6)?;
        fields.serialize_field("code", &self.code())?;
        fields.serialize_field("place", &self.place)?;
        fields.serialize_field("thread", &self.thread)?;
        fields.serialize_field("count", &self.count)?;
        fields.serialize_field("lanes", &self.lanes)?;
        fields.serialize_field("detail", &self.detail)?;
        fields.end()
    }
}

/// What a run has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What is wrong, in the order in which it first happened.
    pub findings: Vec<Finding>,
    /// How often something else happened after so many findings that no more were kept.
    pub dropped: u64,
    /// Collectives with a mask from `activemask` that are wrong, W009, if what the kernel leaves depends on whom it names.
    pub suspected: Vec<Finding>,
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
        Found { findings: self.found, dropped: self.dropped, suspected: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detail::{Access, At, BarrierCount, Race, Strength};
    use ir::Space;

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
