//! The commands about machine code.

use super::Answering;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use warpwise::Schedule;

pub(super) const STATE_HELP: &str = "\
The state is TOML:
  active = 0x0000ffff     the lanes that run; all, if it is left out
  R0 = \"iota\"             0, 1, 2, ... in lanes 0, 1, 2, ...
  R1 = [5, 6, ...]        one number a lane, 32 of them
  R2 = -1                 the same in all lanes; 1.5 is the bits of a binary32
  R3 = \"rand:42\"          reproducible random numbers
  P0 = 0x0000ffff         one bit a lane; true or false for all lanes
  UR0 = 5                 one number for the warp
  UP0 = true              one bit for the warp
  memory = [1, 2, 3]      words of 32 bits from address 0 on
  memory_bytes = 4096     the size of memory, if it is larger; zero behind the words

What is left out is zero, and with --check undefined in registers of the lanes. The state after the run is printed in
the same form.

Exit status: 0 fine, 1 findings of --check, 2 wrong usage, 3 input rejected, 4 the program was stopped.";

/// Which machine assembly is for.
#[derive(Args, Debug)]
pub(crate) struct MachineArguments {
    /// The description of the machine: a file, or if there is none of that name, one that comes with Warpwise, such as sm_90
    /// (`warpwise isa list` names them).
    #[arg(long, value_name = "X.isa|sm_XX")]
    pub(crate) isa: PathBuf,
}

/// The arguments of `asm`.
#[derive(Args, Debug)]
pub(crate) struct AsmArguments {
    /// The program, as assembly text.
    #[arg(value_name = "F.s")]
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    /// The file to write: 16 bytes a word, little endian.
    #[arg(short, long = "output", value_name = "F.bin")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) answering: Answering,
}

/// The arguments of `disasm`.
#[derive(Args, Debug)]
pub(crate) struct DisasmArguments {
    /// The words, 16 bytes each, little endian; or a cubin.
    #[arg(value_name = "F.bin|F.cubin")]
    pub(crate) words: PathBuf,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    #[command(flatten)]
    pub(crate) answering: Answering,
}

/// The arguments of `sim`.
#[derive(Args, Debug)]
pub(crate) struct SimArguments {
    /// The program, as assembly text.
    #[arg(value_name = "F.s")]
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    /// The registers and memory before the run; see below.
    #[arg(long, value_name = "S.toml")]
    pub(crate) state: Option<PathBuf>,
    /// Run every instruction from its pseudo-code, if it has some.
    #[arg(long)]
    pub(crate) pseudo_code: bool,
    /// Report what is undefined in the program, as `warpwise check` does for PTX: reads of lanes that do not take part
    /// or of registers that nothing set, wrong masks, deadlocks, races.
    #[arg(long)]
    pub(crate) check: bool,
    /// With --check, also report what is undefined and does not matter.
    #[arg(long, requires = "check")]
    pub(crate) pedantic: bool,
    /// How free choices are made: `fair`, `seed:N` for pseudo-random ones, or `apart:N` or `switch:...` from a report.
    #[arg(long, value_name = "STRING", default_value_t)]
    pub(crate) schedule: Schedule,
    /// Stop the program after so many warp operations.
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    #[command(flatten)]
    pub(crate) answering: Answering,
}

/// The arguments of `lower`.
#[derive(Args, Debug)]
pub(crate) struct LowerArguments {
    /// The module, as PTX text.
    #[arg(value_name = "K.ptx")]
    pub(crate) module: PathBuf,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    /// The kernel; may be left out if the module has one kernel.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    #[command(flatten)]
    pub(crate) answering: Answering,
}

/// What to do with a description.
#[derive(Debug, Subcommand)]
pub(crate) enum IsaCommand {
    /// Report what is wrong with a description.
    Check {
        /// The description.
        #[arg(value_name = "X.isa|sm_XX")]
        description: PathBuf,
        #[command(flatten)]
        answering: Answering,
    },
    /// Write the manual of a described machine: Markdown, or one HTML page.
    Doc {
        /// The description.
        #[arg(value_name = "X.isa|sm_XX")]
        description: PathBuf,
        /// The file to write; one that ends in `.html` becomes a page. Without it, Markdown is printed.
        #[arg(short, long = "output", value_name = "FILE")]
        output: Option<PathBuf>,
        /// The form of the manual, whatever the file's name.
        #[arg(long, value_name = "FORM")]
        format: Option<ManualFormat>,
    },
    /// List the forms of a described machine's instructions.
    List {
        /// The description; without one, the descriptions that come with Warpwise are listed.
        #[arg(value_name = "X.isa|sm_XX")]
        description: Option<PathBuf>,
        #[command(flatten)]
        answering: Answering,
    },
}

/// The form of a manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ManualFormat {
    /// Markdown.
    Markdown,
    /// One self-contained HTML page.
    Html,
}
