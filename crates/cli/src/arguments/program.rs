//! The arguments of commands about CUDA programs.

use super::reporting::ReportFormat;
use clap::Args;
use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;
use warpwise::{EngineChoice, Properties};

pub(super) const EXEC_HELP: &str = "\
The program, and every program that it starts, finds Warpwise's libcuda and libcudart in place of NVIDIA's; a runtime that is
linked into it, as nvcc does, is replaced by name. The program needs PTX inside (`nvcc -arch=sm_XX` puts it in) and its
symbols, or the shared runtime (`nvcc -cudart shared`).

Exit status: that of the program; 1 if that is 0 and --check has found something; 2 wrong usage; 3 the program cannot be
started.";

/// What the libraries are to do, as their variables say it.
#[derive(Args, Debug)]
pub(crate) struct LibraryArguments {
    /// Look for undefined uses, races, deadlocks and bad accesses in every launch.
    #[arg(long)]
    pub(crate) check: bool,
    /// Report memory that is not freed at the end, too.
    #[arg(long, requires = "check")]
    pub(crate) leaks: bool,
    /// Write what is found to this file instead of to standard error.
    #[arg(long, value_name = "FILE", requires = "check")]
    pub(crate) report: Option<PathBuf>,
    /// How to report what is found: text for people as it is found, or one document at the end, about all processes; it goes to --report, or
    /// to standard error.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text, requires = "check")]
    pub(crate) format: ReportFormat,
    /// The architecture of the devices that the program finds.
    #[arg(long, value_name = "sm_XX", value_parser = device)]
    pub(crate) device: Option<String>,
    /// How many devices the program finds.
    #[arg(long, value_name = "N")]
    pub(crate) devices: Option<NonZero<u32>>,
    /// What executes kernels: `interp`, the interpreter; `jit`, machine code, where this machine can run it; or `auto` (the default),
    /// which interprets a kernel until machine code pays. `interp:portable`, `interp:avx2`, `interp:avx512`, `jit:avx2` and `jit:avx512` name the
    /// vector instructions, too.
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    pub(crate) engine: Option<String>,
    /// Check this kernel alone; the others run at full speed.
    #[arg(long, value_name = "KERNEL", requires = "check")]
    pub(crate) only: Option<String>,
    /// Do not check this kernel.
    #[arg(long, value_name = "KERNEL", requires = "check")]
    pub(crate) skip: Option<String>,
    /// Check the first N launches of each kernel.
    #[arg(long, value_name = "N", requires = "check")]
    pub(crate) first: Option<NonZero<u64>>,
}

/// The arguments of `exec`.
#[derive(Args, Debug)]
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) library: LibraryArguments,
    /// Print a table of the kernels at the end: launches, time, instructions.
    #[arg(long)]
    pub(crate) stats: bool,
    /// The program and its arguments.
    #[arg(
        value_name = "PROGRAM",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) program: Vec<OsString>,
}

/// The arguments of `driver`.
#[derive(Args, Debug)]
pub(crate) struct DriverArguments {
    /// Print the folder with libcuda and libcudart, for LD_LIBRARY_PATH.
    #[arg(long, required_unless_present = "env")]
    pub(crate) path: bool,
    /// Print the variables that `exec` sets for a program, a line each: NAME=VALUE.
    #[arg(long, conflicts_with = "path")]
    pub(crate) env: bool,
    /// The program is Python, whose packages need more.
    #[arg(long, requires = "env")]
    pub(crate) python: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArguments,
}

/// A device that is known.
fn device(name: &str) -> Result<String, String> {
    match Properties::of(name) {
        Some(_) => Ok(name.to_owned()),
        None => {
            let known: Vec<String> = Properties::targets().collect();
            Err(format!("there is no such device; there are {}", known.join(", ")))
        }
    }
}

/// An engine that there is; the program gets its name.
fn engine(name: &str) -> Result<String, String> {
    EngineChoice::from_str(name).map(|_| name.to_owned()).map_err(|why| why.to_string())
}
