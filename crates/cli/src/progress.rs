//! A progress bar for runs that last.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Runs `work` and shows, on a terminal and after a second, how many of `total` CTAs are done. `work`
/// reports through the counter.
pub(crate) fn watch<T>(total: u64, work: impl FnOnce(&AtomicU64) -> T) -> T {
    let done = AtomicU64::new(0);
    if !std::io::stderr().is_terminal() {
        return work(&done);
    }
    std::thread::scope(|scope| {
        let (finished, wait) = mpsc::channel::<()>();
        let done = &done;
        scope.spawn(move || {
            if wait.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let bar = ProgressBar::new(total);
                let template = "{elapsed_precise} [{wide_bar}] {human_pos}/{human_len} CTAs {eta}";
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style.progress_chars("#>-"));
                }
                let tick = Duration::from_millis(100);
                while wait.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                    bar.set_position(done.load(Ordering::Relaxed));
                    bar.tick();
                }
                bar.finish_and_clear();
            }
        });
        let result = work(done);
        drop(finished);
        result
    })
}
