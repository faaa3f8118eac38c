//! A progress bar for runs that last.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// How far a command has come.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// CTAs that are done.
    pub(crate) ctas: AtomicU64,
    /// How often the kernel ran again, under other schedules.
    pub(crate) repeats: AtomicU64,
}

/// How much there is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Total {
    /// CTAs of a run.
    pub(crate) ctas: u64,
    /// Other schedules, if their number is known.
    pub(crate) repeats: Option<u64>,
}

/// Runs `work` and shows, on a terminal and after a second, how many CTAs are done, and then how many other schedules. `work`
/// reports through the counters.
pub(crate) fn watch<T>(total: Total, work: impl FnOnce(&Progress) -> T) -> T {
    let done = Progress::default();
    if !std::io::stderr().is_terminal() {
        return work(&done);
    }
    std::thread::scope(|scope| {
        let (finished, wait) = mpsc::channel::<()>();
        let done = &done;
        scope.spawn(move || {
            if wait.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                show(total, done, &wait);
            }
        });
        let result = work(done);
        drop(finished);
        result
    })
}

/// Draws until the work is finished.
fn show(total: Total, done: &Progress, finished: &Receiver<()>) {
    let bar = ProgressBar::new(total.ctas);
    let style = |template: &str| {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("#>-"));
        }
    };
    style("{elapsed_precise} [{wide_bar}] {human_pos}/{human_len} CTAs {eta}");
    let mut repeats = false;
    let tick = Duration::from_millis(100);
    while finished.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
        let again = done.repeats.load(Ordering::Relaxed);
        if again > 0 && !repeats {
            repeats = true;
            match total.repeats {
                Some(count) => {
                    bar.set_length(count);
                    style("{elapsed_precise} [{wide_bar}] {human_pos}/{human_len} other schedules");
                }
                None => style("{elapsed_precise} {spinner} {human_pos} other schedules"),
            }
        }
        bar.set_position(if repeats { again } else { done.ctas.load(Ordering::Relaxed) });
        bar.tick();
    }
    bar.finish_and_clear();
}
