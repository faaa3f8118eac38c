//! `warpwise exec` and `warpwise driver`.

mod document;
mod environment;
mod place;
mod refusal;
mod supervise;

pub(crate) use document::{Body, FORM};

use crate::arguments::{DriverArguments, ExecArguments};
use crate::report::{self, Stop};
use crate::status::Status;
use refusal::not_started;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs a program with our libraries in front. Where nothing is to be said at its end, the program takes the place of the command.
pub(crate) fn run(arguments: &ExecArguments) -> ExitCode {
    let ended = place::folder().map_err(Stop::rejected).and_then(|folder| {
        let mut command = command(arguments, &folder)?;
        match arguments.library.check || arguments.stats {
            true => supervise::run(command, arguments),
            false => Err(replace(&mut command)),
        }
    });
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(stop) => report::finish(Err(stop)).into(),
    }
}

/// Prints where the libraries are, or how a program is to find them.
pub(crate) fn driver(arguments: &DriverArguments) -> Status {
    let told = place::folder().and_then(|folder| match arguments.env {
        false => Ok(format!("{}\n", folder.display())),
        true => {
            let set = environment::settings(&arguments.library, arguments.python, &folder)?;
            let line = |(name, value): (&str, OsString)| format!("{name}={}\n", value.display());
            Ok(set.into_iter().map(line).collect())
        }
    });
    report::finish(told.map_err(Stop::rejected))
}

fn command(arguments: &ExecArguments, folder: &Path) -> Result<Command, Stop> {
    let Some((program, rest)) = arguments.program.split_first() else {
        return Err(Stop::usage("there is no program to run"));
    };
    let mut command = Command::new(program);
    command.args(rest);
    let is_python = environment::is_python(arguments);
    let set = environment::settings(&arguments.library, is_python, folder);
    for (name, value) in set.map_err(Stop::rejected)? {
        command.env(name, value);
    }
    Ok(command)
}

#[cfg(unix)]
fn replace(command: &mut Command) -> Stop {
    use std::os::unix::process::CommandExt;
    let why = command.exec();
    not_started(command.get_program(), &why)
}

#[cfg(not(unix))]
fn replace(_command: &mut Command) -> Stop {
    Stop::rejected("CUDA programs run on Linux alone")
}
