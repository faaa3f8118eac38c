//! Step limit for runs that already have findings and show no new ones.
//!
//! A mistake often leads to a loop without end: a counter that is never reached, lanes that never leave. Reporting what was found
//! comes before running on. The limit counts instructions, not time, so that equal runs have equal reports.

use crate::finding::Findings;
use foldhash::{HashMap, HashMapExt};
use vm::View;

/// Remembers when there was something new: a finding, or a CTA that ended.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Warp instructions for which a run goes on after the last new thing.
    most: u64,
    found: usize,
    /// Warp instructions since then.
    since: u64,
    /// Warp instructions that each CTA had issued when it was last looked at.
    issued: HashMap<u64, u64>,
}

impl Patience {
    pub(crate) fn new(most: u64) -> Patience {
        Patience { most, found: 0, since: 0, issued: HashMap::new() }
    }

    /// A CTA has ended.
    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.issued.remove(&view.cta());
        self.since = 0;
    }

    /// A CTA has run for long. Whether patience is at an end: never before something was found.
    pub(crate) fn look_up(&mut self, view: &View<'_>, found: &Findings) -> bool {
        let now = view.issued();
        let before = self.issued.insert(view.cta(), now).unwrap_or(0);
        self.since += now.saturating_sub(before);
        if self.found != found.harmful() {
            (self.found, self.since) = (found.harmful(), 0);
        }
        self.found > 0 && self.since > self.most
    }
}
