//! The command `warpwise`: arguments, files, progress and words. Everything else is in the library.

mod arguments;
mod asm;
mod buffers;
mod check;
mod disasm;
mod explain;
mod interrupt;
mod isa;
mod json;
mod lint;
mod literal;
mod lower;
mod machine;
mod misuse;
mod npy;
mod output;
mod progress;
mod report;
mod run;
mod sim;
mod spec;
mod state;
mod status;

use arguments::{Arguments, Command, IsaCommand};
use clap::Parser;
use report::Stop;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => Arc::new(arguments),
        Err(why) => return misuse::explain(&why).into(),
    };
    let same = Arc::clone(&arguments);
    interrupt::watch(move |stop| document(&same.command, stop));
    let status = match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Lint(arguments) => lint::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Asm(arguments) => asm::run(arguments),
        Command::Disasm(arguments) => disasm::run(arguments),
        Command::Sim(arguments) => sim::run(arguments),
        Command::Lower(arguments) => lower::run(arguments),
        Command::Isa(command) => isa::run(command),
    };
    status.into()
}

/// What a command prints on standard output that was stopped before it knew anything.
fn document(command: &Command, stop: &Stop) -> String {
    match command {
        Command::Run(arguments) => run::document(arguments, stop),
        Command::Check(arguments) => run::document(&arguments.run, stop),
        Command::Lint(arguments) => lint::stopped(arguments, stop),
        Command::Sim(arguments) if arguments.json => sim::stopped(stop).to_string() + "\n",
        Command::Isa(IsaCommand::Check { json: true, .. }) => {
            isa::checked(stop.status, &stop.sources, &stop.diagnostics)
        }
        Command::Sim(_)
        | Command::Isa(_)
        | Command::Explain(_)
        | Command::Asm(_)
        | Command::Disasm(_)
        | Command::Lower(_) => String::new(),
    }
}
