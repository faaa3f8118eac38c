//! Whether a launch that waits for a change of memory can still get one from outside.

use crate::others::Outside;
use std::time::{Duration, Instant};

/// How long a launch waits for somebody who could write, and does not.
const SILENCE: Duration = Duration::from_secs(30);

/// What is left to hope for.
#[derive(Debug, Default)]
pub(super) struct Hope {
    outside: Outside,
    /// What the launch waits in, and since when.
    waits: Option<(u64, Instant)>,
    /// Somebody could have written, and has not.
    pub(super) is_met_by_silence: bool,
}

impl Hope {
    pub(super) fn in_others(outside: Outside) -> Hope {
        Hope { outside, ..Hope::default() }
    }

    /// Whether somebody else may still write memory while the launch waits in this state, as it does now.
    pub(super) fn is_left(&mut self, state: u64, now: Instant) -> bool {
        match &self.outside {
            Outside::Nobody => false,
            Outside::Gone => true,
            Outside::There(others) => {
                let since = match self.waits {
                    Some((known, since)) if known == state => since,
                    _ => now,
                };
                self.waits = Some((state, since));
                let may_write = others.may_write();
                self.is_met_by_silence = may_write && now.duration_since(since) > SILENCE;
                may_write && !self.is_met_by_silence
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::others::Others;
    use crate::traffic::Traffic;
    use std::sync::Arc;

    #[derive(Debug)]
    struct Program {
        runs: bool,
    }

    impl Others for Program {
        fn may_write(&self) -> bool {
            self.runs
        }

        fn have_rested(&self) -> bool {
            false
        }

        fn may_have_told(&self, _: &Traffic) -> bool {
            true
        }
    }

    #[test]
    fn hope_is_left_while_others_may_write_and_something_changes() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let hope = |runs| Hope::in_others(Outside::There(Arc::new(Program { runs })));
        assert!(!Hope::default().is_left(1, start));
        assert!(Hope::in_others(Outside::Gone).is_left(1, start));
        let mut nobody = hope(false);
        assert!(!nobody.is_left(1, start) && !nobody.is_met_by_silence);
        let mut somebody = hope(true);
        let asked =
            [(1, 0), (1, 29), (2, 30), (2, 60)].map(|(state, s)| somebody.is_left(state, at(s)));
        assert_eq!((asked, somebody.is_met_by_silence), ([true; 4], false));
        assert!(!somebody.is_left(2, at(61)) && somebody.is_met_by_silence);
    }
}
