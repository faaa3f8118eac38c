//! A program that is waited for: what its libraries found decides how the command ends.

use super::document;
use super::refusal::not_started;
use crate::arguments::ExecArguments;
use crate::report::Stop;
use crate::status::Status;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

/// Runs the program, and returns the exit status of the command.
pub(super) fn run(mut command: Command, arguments: &ExecArguments) -> Result<u8, Stop> {
    let fail = |why: io::Error| Stop::rejected(format!("cannot make a temporary file: {why}"));
    // Every process that finds something writes to the first, and its table to the second.
    let findings = tempfile::NamedTempFile::new().map_err(fail)?;
    let folder = tempfile::tempdir().map_err(fail)?;
    let stats = folder.path().join("stats");
    command.env("WARPWISE_FINDINGS", findings.path());
    if arguments.stats {
        command.env("WARPWISE_STATS", &stats);
    }
    let carried = tempfile::NamedTempFile::new().map_err(fail)?;
    if document::is_asked_for(arguments) {
        command.env("WARPWISE_FORMAT", "carried").env("WARPWISE_REPORT", carried.path());
    } else if let Some(report) = &arguments.library.report {
        begin_anew(report)
            .map_err(|why| Stop::rejected(format!("cannot write {}: {why}", report.display())))?;
    }
    let ended = code(spawn_and_wait(&mut command)?);
    if arguments.stats {
        // Nobody may be there to read it.
        let _ = io::stderr().write_all(&tables(folder.path(), &stats));
    }
    let found = findings.as_file().metadata().is_ok_and(|file| file.len() > 0);
    let (status, code) = match ended {
        0 if found => (Status::Findings, Status::Findings.number()),
        0 => (Status::Fine, 0),
        // A program that fails is as it was written; what is wrong with it, it says itself.
        code => (if found { Status::Findings } else { Status::Fine }, code),
    };
    if document::is_asked_for(arguments) {
        document::write(arguments, carried.path(), ended, status)?;
    }
    Ok(code)
}

/// What an earlier run has found goes away: processes write behind what a file holds. A command around this one may write there, too.
fn begin_anew(report: &Path) -> io::Result<()> {
    let path = std::path::absolute(report)?;
    let is_shared =
        std::env::var_os("WARPWISE_REPORT").is_some_and(|other| Path::new(&other) == path);
    match path.is_file() && !is_shared {
        true => std::fs::File::create(path).map(drop),
        false => Ok(()),
    }
}

/// The tables of kernels of all processes: those that ended by themselves have written to the file; others have left a copy beside it.
fn tables(folder: &Path, file: &Path) -> Vec<u8> {
    let mut out = std::fs::read(file).unwrap_or_default();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut copies: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    copies.sort();
    for copy in copies {
        let process = copy.extension().and_then(|end| end.to_str()?.parse::<u32>().ok());
        if let (Some(process), Ok(table)) = (process, std::fs::read(&copy)) {
            out.extend(format!("process {process} was stopped; until then:\n").bytes());
            out.extend(table);
        }
    }
    out
}

/// The number that a shell gives to the end of a process.
#[cfg(unix)]
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(unix)]
fn spawn_and_wait(command: &mut Command) -> Result<ExitStatus, Stop> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::Signals;
    let fail = |why: io::Error| Stop::rejected(format!("cannot wait for the program: {why}"));
    let mut signals = Signals::new([SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])
        .map_err(fail)?;
    let handle = signals.handle();
    let mut child: Child =
        command.spawn().map_err(|why| not_started(command.get_program(), &why))?;
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let forwarding = std::thread::spawn(move || {
        for signal in signals.forever() {
            // What the keyboard sends, the program gets, too.
            let from_keyboard = [SIGINT, SIGQUIT].contains(&signal) && in_foreground();
            let signal = rustix::process::Signal::from_named_raw(signal);
            if let (Some(pid), Some(signal), false) = (pid, signal, from_keyboard) {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    });
    let status = child.wait().map_err(fail);
    handle.close();
    let _ = forwarding.join();
    status
}

/// Whether the keyboard's signals come to this process.
#[cfg(unix)]
fn in_foreground() -> bool {
    let group = rustix::termios::tcgetpgrp(io::stdin());
    group.is_ok_and(|group| group == rustix::process::getpgrp())
}

#[cfg(not(unix))]
fn spawn_and_wait(command: &mut Command) -> Result<ExitStatus, Stop> {
    command.status().map_err(|why| not_started(command.get_program(), &why))
}
