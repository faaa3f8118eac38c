//! When to end a run that shows nothing new any more.
//!
//! A mistake often leads to a loop without end: a counter that is never reached, lanes that never leave. What was found
//! before is worth more than what may come.

use crate::finding::Findings;
use std::time::{Duration, Instant};

/// How long a run goes on after the last new thing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Remembers when there was something new: a finding, or a CTA that ended.
#[derive(Debug)]
pub(crate) struct Patience {
    found: usize,
    since: Instant,
}

impl Patience {
    pub(crate) fn new() -> Patience {
        Patience { found: 0, since: Instant::now() }
    }

    /// A CTA has ended.
    pub(crate) fn end(&mut self) {
        if self.found > 0 {
            self.since = Instant::now();
        }
    }

    /// A CTA has run for long. Whether patience is at an end: never before something was found.
    pub(crate) fn look_up(&mut self, found: &Findings) -> bool {
        if self.found != found.len() {
            (self.found, self.since) = (found.len(), Instant::now());
        }
        self.found > 0 && self.since.elapsed() > PATIENCE
    }
}
