//! Findings as data, equal ones folded.

use crate::code::Code;
use crate::strip::Strip;
use foldhash::HashMap;
use ir::Place;
use vm::{ThreadId, Waiting};

/// Findings of one code that are kept; what comes after them is counted and dropped.
pub const MAX_FINDINGS: usize = 1000;

/// Another instruction that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The instruction.
    pub place: Place,
    /// What it did.
    pub text: String,
}

/// Something wrong with a kernel that a run has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub code: Code,
    /// The instruction.
    pub place: Place,
    /// The first thread that it happened to.
    pub thread: ThreadId,
    /// One sentence with the values of the first time.
    pub message: String,
    /// What the instruction did, in a few words.
    pub label: String,
    /// Other instructions that belong to it.
    pub related: Vec<Related>,
    /// The lanes of the warp, the first time.
    pub strip: Option<Strip>,
    /// Further facts, one line or paragraph each.
    pub facts: Vec<String>,
    /// For deadlocks: who waits where for whom.
    pub waiting: Vec<Waiting>,
    /// How many warp instructions it happened in.
    pub count: u64,
    /// A race in which every access finds and leaves the same value with these inputs, whatever their order: a warning.
    pub is_harmless: bool,
    /// What to do.
    pub help: &'static str,
}

/// The least rank of what is no harmless race ([`Findings::report_worst`]).
pub(crate) const HARMFUL: u8 = 8;

impl Finding {
    /// Whether another finding is of the same code at the same place.
    pub fn is_like(&self, other: &Finding) -> bool {
        (self.code, self.place) == (other.code, other.place)
    }

    /// A finding with nothing but its sentence.
    pub fn new(code: Code, place: Place, thread: ThreadId, message: impl Into<String>) -> Finding {
        Finding {
            code,
            place,
            thread,
            message: message.into(),
            label: String::new(),
            related: Vec::new(),
            strip: None,
            facts: Vec::new(),
            waiting: Vec::new(),
            count: 1,
            is_harmless: false,
            help: code.help(),
        }
    }

    /// Calls it harmless with these inputs.
    pub fn harmless(mut self) -> Finding {
        self.is_harmless = true;
        self
    }

    /// Says what the instruction did.
    pub fn label(mut self, text: impl Into<String>) -> Finding {
        self.label = text.into();
        self
    }

    /// Adds another instruction.
    pub fn related(mut self, place: Place, text: impl Into<String>) -> Finding {
        self.related.push(Related { place, text: text.into() });
        self
    }

    /// Says what to do, where it is not what the code's findings usually need.
    pub fn help(mut self, text: &'static str) -> Finding {
        self.help = text;
        self
    }

    /// Adds the picture of the warp.
    pub fn strip(mut self, strip: Strip) -> Finding {
        self.strip = Some(strip);
        self
    }

    /// Adds a fact.
    pub fn fact(mut self, text: impl Into<String>) -> Finding {
        self.facts.push(text.into());
        self
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
                self.harmful += usize::from(known.is_harmless && rank >= HARMFUL);
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
            self.found.push(make());
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

    fn report(findings: &mut Findings, place: u32) {
        let (code, place) = (Code::R001, Place(place));
        let thread = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
        findings.report(code, place, None, || Finding::new(code, place, thread, "it"));
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
        let other = || Finding::new(Code::M004, Place(0), thread, "another");
        findings.report(Code::M004, Place(0), None, other);
        assert_eq!(findings.into_found().findings.last().map(|last| last.code), Some(Code::M004));
    }
}
