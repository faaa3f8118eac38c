//! The command `warpwise`: arguments, files, progress and words. Everything else is in the library.

mod accept;
mod arguments;
mod asm;
mod baseline;
mod buffers;
mod check;
mod covered;
mod disasm;
mod exec;
mod expect;
mod explain;
mod fill;
mod filled;
mod form;
mod forms;
mod info;
mod interrupt;
mod isa;
mod json;
mod lint;
mod literal;
mod lower;
mod machine;
mod manual;
mod misuse;
mod npy;
mod nvcc;
mod output;
mod plan;
mod prepared;
mod progress;
mod ptxas;
mod report;
mod run;
mod save;
mod schema;
mod scouts;
mod sim;
mod spec;
mod state;
mod status;
mod texture;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(arguments) = nvcc::arguments() {
        return nvcc::run(arguments).into();
    }
    if let Some(arguments) = ptxas::arguments() {
        interrupt::watch(misuse::tell_interrupted);
        return ptxas::run(arguments).into();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(why) => return misuse::explain(&why).into(),
    };
    if let Command::Exec(arguments) = &arguments.command {
        // Signals are the program's.
        return exec::run(arguments);
    }
    interrupt::watch(misuse::tell_interrupted);
    let status = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Test(arguments) => plan::test(&arguments),
        Command::Exec(arguments) => return exec::run(&arguments),
        Command::Driver(arguments) => exec::driver(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Asm(arguments) => asm::run(&arguments),
        Command::Disasm(arguments) => disasm::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Lower(arguments) => lower::run(&arguments),
        Command::Isa(command) => isa::run(&command),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { command } => manual::page(&command),
    };
    status.into()
}
