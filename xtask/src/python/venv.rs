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
            let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
            run(Command::new(python).args(["-m", "venv"]).arg(folder))?;
        }
        Ok(venv)
    }

    /// A program of the environment.
    pub(super) fn bin(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    /// Installs packages, with options.
    pub(super) fn install(&self, what: &[&str]) -> Result<(), String> {
        let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(self.bin("python")).args(quiet).args(what))
    }
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
