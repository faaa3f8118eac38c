//! Runs a program with its output in a file and a limit of time.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often a running program is looked at.
const PACE: Duration = Duration::from_millis(2);

/// How a program ended.
pub(super) enum Ended {
    /// By itself, after this time.
    Itself(ExitStatus, Duration),
    /// It was stopped at the limit.
    Late,
}

/// Runs a command without input; what it says goes to a file.
///
/// # Errors
/// The command cannot be started or the file not be written.
pub(super) fn execute(command: &mut Command, log: File, limit: Duration) -> io::Result<Ended> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::Itself(status, started.elapsed()));
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::Late);
        }
        std::thread::sleep(PACE);
    }
}

/// `warpwise exec` of a program in a folder, where it may have data.
pub(super) fn under(warpwise: &Path, options: &[String], program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(warpwise);
    command.arg("exec").args(options).arg("--").arg(program).current_dir(folder);
    command
}
