//! The command `warpwise`: arguments, files, progress and words. Everything else is in the library.

mod arguments;
mod buffers;
mod json;
mod literal;
mod npy;
mod output;
mod progress;
mod report;
mod run;
mod spec;
mod status;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let status = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
    };
    status.into()
}
