//! Makes a list of switches shorter while it still shows the same.

use super::subject::{Run, Subject};
use std::cell::Cell;
use std::time::{Duration, Instant};
use vm::{Switch, Switching};

/// Runs that are spent on one list, and time after which none is begun.
const RUNS: usize = 1000;
const TIME: Duration = Duration::from_secs(5);

/// A list from which no part could be left out, and what it shows; `None` if not even the whole list shows it again.
pub(super) fn shorten<S: Subject, T>(
    subject: &mut S,
    mut switches: Vec<Switch>,
    shows: impl Fn(&S, &Run) -> Option<T>,
) -> Result<(Vec<Switch>, Option<T>), S::Error> {
    let interrupted = Cell::new(false);
    let mut run = |switches: &[Switch]| -> Result<Option<T>, S::Error> {
        let mut chooser = Switching::new(switches);
        let shown = subject.run(&mut chooser, None)?;
        // What an interrupted run has not done says nothing.
        interrupted.set(subject.interrupted());
        Ok(if interrupted.get() { None } else { shows(subject, &shown) })
    };
    let Some(mut shown) = run(&switches)? else { return Ok((switches, None)) };
    let (mut runs, started) = (1, Instant::now());
    let mut part = switches.len();
    // Leaves out ever smaller parts, the latest first: what comes late often follows from what came before.
    while part > 0 {
        let (before, mut end) = (switches.len(), switches.len());
        while end > 0 && runs < RUNS && started.elapsed() < TIME && !interrupted.get() {
            let start = end.saturating_sub(part);
            let mut fewer = switches.clone();
            fewer.drain(start..end);
            runs += 1;
            if let Some(found) = run(&fewer)? {
                (switches, shown) = (fewer, found);
            }
            end = start;
        }
        // What was left out may have been all that another single switch was for.
        if part > 1 || switches.len() == before || runs == RUNS {
            part /= 2;
        }
    }
    Ok((switches, Some(shown)))
}
