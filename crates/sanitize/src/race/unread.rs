//! Racing writes to shared memory whose result has not been read yet.
//!
//! The order of two writes only affects those who read the location. Code in which all threads without a slot of their own write to
//! one dummy slot that is never read is common, and right. A CTA that reads no shared memory at all is not of that kind: there
//! the reads are missing, and the race is reported.

use super::step::Step;
use crate::detail::{Detail, Reader};
use crate::finding::{Finding, Findings};
use foldhash::HashMap;
use ir::Place;
use std::ops::Range;

/// The two instructions of a race; the second only if it is another.
pub(super) type Pair = (Place, Option<Place>);

/// A byte that holds one of two values.
#[derive(Clone, Copy, Debug)]
struct Byte {
    of: Pair,
    writes: [Step; 2],
}

/// The races of a CTA that are held back until a thread reads what they left.
#[derive(Debug, Default)]
pub(super) struct Unread {
    bytes: HashMap<u64, Byte>,
    /// What to tell, and how bad it is.
    findings: HashMap<Pair, (u8, Finding)>,
    /// Whether the CTA has read any shared memory.
    pub(super) any_reads: bool,
}

impl Unread {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.findings.clear();
        self.any_reads = false;
    }

    /// The CTA has finished.
    pub(super) fn end(&mut self, found: &mut Findings) {
        if !self.any_reads {
            let mut findings: Vec<_> = self.findings.drain().collect();
            findings.sort_unstable_by_key(|((low, high), _)| (low.0, high.map(|high| high.0)));
            for (of, (rank, finding)) in findings {
                found.report_worst(finding.code(), of, rank, || finding);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Two writes to some bytes race.
    pub(super) fn hold(
        &mut self,
        bytes: Range<u64>,
        of: Pair,
        writes: [Step; 2],
        (rank, make): (u8, impl FnOnce() -> Finding),
    ) {
        if self.findings.get(&of).is_none_or(|(worst, _)| rank > *worst) {
            self.findings.insert(of, (rank, make()));
        }
        self.bytes.extend(bytes.map(|byte| (byte, Byte { of, writes })));
    }

    /// Bytes are read by an instruction: races that left them are told.
    pub(super) fn read(&mut self, bytes: Range<u64>, reader: Reader, found: &mut Findings) {
        let mut told = None;
        for byte in bytes {
            let Some(Byte { of, .. }) = self.bytes.remove(&byte) else { continue };
            if told.replace(of) == Some(of) {
                continue;
            }
            if let Some((rank, finding)) = self.findings.get(&of) {
                let make = || {
                    let mut finding = finding.clone();
                    if let Detail::Race(race) = &mut finding.detail {
                        race.read = Some(reader);
                    }
                    finding
                };
                found.report_worst(finding.code(), of, *rank, make);
            }
        }
    }

    /// Bytes are written: races of writes that all happened before are over.
    pub(super) fn written(&mut self, bytes: Range<u64>, before: impl Fn(&Step) -> bool) {
        for byte in bytes {
            if self.bytes.get(&byte).is_some_and(|held| held.writes.iter().all(&before)) {
                self.bytes.remove(&byte);
            }
        }
    }
}
