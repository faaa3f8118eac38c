//! Global memory as it was before a launch, for running it again.

use sanitize::Traffic;
use std::ops::Range;
use vm::Memory;
use vm::memory::Snapshot;

/// Memory, and what it held at the start. Of a launch among others nothing is written back but what its runs have written: the
/// rest of the program goes on meanwhile.
pub(crate) struct Rewind<'a> {
    pub(crate) memory: &'a Memory,
    start: Snapshot,
    /// What runs have written so far; `None` if nobody else uses the memory.
    written: Option<Vec<Range<u64>>>,
}

impl<'a> Rewind<'a> {
    /// Remembers memory as it is. `among` says whether others use it meanwhile.
    pub(crate) fn to_now(memory: &'a Memory, among: bool) -> Rewind<'a> {
        Rewind { memory, start: memory.snapshot(), written: among.then(Vec::new) }
    }

    /// Whether others use the memory meanwhile: then it must be known what each run has accessed.
    pub(crate) fn is_among_others(&self) -> bool {
        self.written.is_some()
    }

    /// What it was.
    pub(crate) fn start(&self) -> &Snapshot {
        &self.start
    }

    /// What a run has left that began at the start; `traffic` is what it accessed, which is asked for only among others.
    pub(crate) fn left(&mut self, traffic: Option<&Traffic>) -> Snapshot {
        let (Some(written), Some(traffic)) = (&mut self.written, traffic) else {
            return self.memory.snapshot();
        };
        let mut own = Vec::new();
        traffic.add_written_to(&mut own);
        traffic.add_written_to(written);
        self.memory.snapshot_within(&self.start, &own)
    }

    /// Makes memory what it was at the start.
    pub(crate) fn back(&self) {
        self.back_to(&self.start);
    }

    /// Makes memory what a run has left.
    pub(crate) fn back_to(&self, left: &Snapshot) {
        match &self.written {
            Some(written) => self.memory.restore_within(left, written),
            None => self.memory.restore(left),
        }
    }
}
