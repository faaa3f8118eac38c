//! Environments of Python that are made for one purpose.

use std::path::{Path, PathBuf};
use std::process::Command;

/// An environment.
pub(super) struct Venv(PathBuf);

impl Venv {
    /// Makes one, unless it is there, of the interpreter `PYTHON`, or `python3`.
    pub(super) fn new(folder: &Path) -> Result<Venv, String> {
        let venv = Venv(folder.to_owned());
        if !venv.bin("python").exists() {
            output(Command::new(python()).args(["-m", "venv"]).arg(folder))?;
        }
        Ok(venv)
    }

    /// A program of the environment.
    pub(super) fn bin(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    /// The variable `PATH` with its programs in front.
    pub(super) fn path(&self) -> Result<std::ffi::OsString, String> {
        let before = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.0.join("bin")).chain(std::env::split_paths(&before));
        std::env::join_paths(all).map_err(|why| why.to_string())
    }

    /// Installs packages, without waiting for long for an index that is not there.
    pub(super) fn get(&self, what: &[&str]) -> Result<(), String> {
        let quick = ["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15"];
        let got = output(Command::new(self.bin("python")).args(quick).args(what));
        got.map(drop).map_err(|_| format!("pip cannot get {}", what.join(", ")))
    }

    /// Installs packages, with options.
    pub(super) fn install(&self, what: &[&str]) -> Result<(), String> {
        let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(self.bin("python")).args(quiet).args(what))
    }
}

/// The interpreter `PYTHON`, or `python3`.
fn python() -> std::ffi::OsString {
    std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}

/// Whether the interpreter can build the package.
pub(super) fn is_recent() -> Result<(), String> {
    let asks = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    output(Command::new(python()).args(["-c", asks])).map(drop).map_err(|_| {
        let python = python();
        format!("{} is no Python 3.10 or later with venv and pip", python.display())
    })
}

/// Runs a command to its end, with the terminal.
pub(super) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|why| cannot(command, &why))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{} failed: {status}", shown(command))),
    }
}

/// Runs a command, and returns what it printed; shows it if it fails.
pub(super) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|why| cannot(command, &why))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => {
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            Err(format!("{out}{err}{} failed: {}", shown(command), output.status))
        }
    }
}

fn cannot(command: &Command, why: &std::io::Error) -> String {
    format!("cannot run {}: {why}", shown(command))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
