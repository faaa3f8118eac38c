//! Processes that may take so long and no longer.

use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often a running program is looked at.
const PACE: Duration = Duration::from_millis(20);

/// Runs a program to its end, or to the end of its time.
pub(super) fn ended(command: &mut Command, limit: Duration) -> Result<ExitStatus, String> {
    let began = Instant::now();
    let mut child = command.spawn().map_err(|why| why.to_string())?;
    loop {
        match child.try_wait().map_err(|why| why.to_string())? {
            Some(status) => return Ok(status),
            None if began.elapsed() > limit => {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {} s", limit.as_secs()));
            }
            None => std::thread::sleep(PACE),
        }
    }
}
