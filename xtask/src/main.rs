//! Development tasks; `cargo xtask --help` lists them.

mod bless;
mod cuda_headers;
mod declarations;
#[cfg(test)]
mod deviations;
mod folded;
mod launches;
mod mutations;
mod oracle;
mod programs;
mod python;
mod record;
mod release;
mod rules;
mod sanitizers;
mod tidy;
mod validity;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Development tasks of Warpwise.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the rules of the house that a program can check.
    Tidy,
    /// Rewrite the `>` lines of file tests and docs/schemas from what the commands print.
    Bless {
        /// Change nothing; fail if something would change.
        #[arg(long)]
        check: bool,
        /// Only files whose path contains this text.
        filter: Option<String>,
    },
    /// Write docs/rules.md from the catalogue and the rules of `lint`.
    Rules {
        /// Change nothing; fail if something would change.
        #[arg(long)]
        check: bool,
    },
    /// Compile CUDA programs with `NVCC`, a compiler with its options, run each under `warpwise exec`, linked with the static and
    /// with the shared runtime, and print how they fared.
    Programs {
        /// The folder with the programs: every source with a `main`, with the sources beside it that have none.
        #[arg(default_value = "tests/programs")]
        folder: PathBuf,
        /// A table of programs in the folder that a makefile each builds, with their arguments: `tests/programs/hecbench.tsv`
        /// for `src` of HeCBench. They pass if they say so.
        #[arg(long, value_name = "FILE")]
        rows: Option<PathBuf>,
        /// Seconds that a program may take.
        #[arg(long, default_value_t = 120)]
        limit: u64,
        /// Options of `warpwise exec`.
        #[arg(last = true)]
        options: Vec<String>,
    },
    /// Run the tests of what is launched at once and of the driver's clients under the compiler's sanitizers (`address`, `thread`; a nightly toolchain with `rust-src`).
    Sanitizers {
        /// Only this one.
        only: Option<String>,
    },
    /// Build every crate from the package that crates.io gets, and install and run the command of them.
    Package {
        /// Build nothing: look whether the packages hold all that their sources read, and all that crates.io shows.
        #[arg(long)]
        check: bool,
    },
    /// Build the archive of a release into target/dist: the command, the libraries for old systems, manual pages, completions.
    Dist {
        /// Build it twice, and fail if the archives differ.
        #[arg(long)]
        again: bool,
    },
    /// Build the Python package as a wheel, in target/wheels, with the interpreter `PYTHON`.
    Wheel {
        /// Install it in an environment of its own, compare its stubs with the module, and run its tests.
        #[arg(long)]
        test: bool,
        /// For every Linux of the last ten years (glibc 2.17); needs cargo-zigbuild and zig.
        #[arg(long)]
        portable: bool,
        /// With `--portable`: the machines that it is for (`rustup target add` has their standard libraries).
        #[arg(long, value_enum, default_value = "x86_64", requires = "portable")]
        machine: release::Machine,
        /// Take the command and the libraries as `cargo test` has built them, and end well, with a line that says so, where there is no Python or no index of its packages.
        #[arg(long, conflicts_with = "portable")]
        after_tests: bool,
    },
    /// Run the programs of docs/clients with the libraries from PyPI on the wheel's driver, or those libraries' own tests.
    Clients {
        /// The clients; all if none is named.
        only: Vec<String>,
        /// Run their own tests, and write docs/clients/suites.md. `WARPWISE_CLIENT_SOURCES` names a folder with the sources of numba-cuda,
        /// cupy, triton, cuda-python and tinygrad. What each test told is written down at once, in target/python/clients/run.
        #[arg(long)]
        suites: bool,
        /// With `--suites`: one test of so many.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        every: u32,
        /// With `--suites`: of these, so many that are drawn by chance, with a fixed seed; with `--go-on` among those that have not run.
        #[arg(long, value_name = "N")]
        sample: Option<u32>,
        /// With `--suites`: so many tests at a time.
        #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
        jobs: u32,
        /// With `--suites`: what was written down before counts, and only other tests are run.
        #[arg(long)]
        go_on: bool,
        /// Like `--go-on`, but those that failed are run again.
        #[arg(long)]
        again: bool,
        /// Seconds that a program or a suite may take.
        #[arg(long, default_value_t = 600)]
        limit: u64,
    },
    /// Compile the CUDA sources below a folder to PTX and recompute expected data. The compiler is
    /// `NVCC`, Python is `PYTHON`. With `validity`, `declarations` or `mutations`, ask the
    /// assembler `WARPWISE_PTXAS` what it accepts; with `folded`, what it computes, read by `WARPWISE_CUOBJDUMP`. With `cuda`,
    /// read the headers in `WARPWISE_CUDA_INCLUDE`.
    Record {
        /// Folders, such as `examples` or `tests/kernels`; or `validity`, `declarations`, `mutations`, `folded`, `launches`, `printf` or `cuda`.
        #[arg(default_value = "examples")]
        folders: Vec<PathBuf>,
        /// Of validity: every instruction that can be generated, not a sample.
        #[arg(long)]
        all: bool,
        /// Of validity: this instruction only.
        #[arg(long)]
        only: Option<String>,
        /// Of validity and declarations: the folder to write to.
        #[arg(long, default_value = "tests/lint")]
        to: PathBuf,
    },
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn main() -> ExitCode {
    let root = root();
    let done = match Arguments::parse().task {
        Task::Tidy => tidy::tidy(&root),
        Task::Bless { check, filter } => bless::bless(&root, check, filter.as_deref()),
        Task::Rules { check } => rules::rules(&root, check),
        Task::Programs { folder, rows, limit, options } => {
            let limit = Duration::from_secs(limit);
            match rows {
                Some(rows) => programs::run_made(&root, &folder, &rows, limit, &options),
                None => programs::run(&root, &folder, limit, &options),
            }
        }
        Task::Sanitizers { only } => sanitizers::run(&root, only.as_deref()),
        Task::Clients { only, suites, every, sample, jobs, go_on, again, limit } => {
            let limit = Duration::from_secs(limit);
            let plan = python::Plan { every, sample, jobs, goes_on: go_on, again, limit };
            python::clients(&root, &only, suites.then_some(plan), limit)
        }
        Task::Dist { again } => release::dist(&root, again),
        Task::Package { check } => release::package(&root, check),
        Task::Wheel { test, portable, machine, after_tests } => {
            let make = match (portable, after_tests) {
                (true, _) => python::Make::Portable(machine),
                (false, true) => python::Make::AfterTests,
                (false, false) => python::Make::Here,
            };
            python::wheel(&root, test, make)
        }
        Task::Record { folders, all, only, to } if folders == [Path::new("validity")] => {
            validity::record(&root.join(to), all, only.as_deref())
        }
        Task::Record { folders, to, .. } if folders == [Path::new("declarations")] => {
            declarations::record(&root.join(to))
        }
        Task::Record { folders, .. } if folders == [Path::new("mutations")] => {
            mutations::record(&root)
        }
        Task::Record { folders, .. } if folders == [Path::new("folded")] => {
            folded::record(&root.join("tests/folded"))
        }
        Task::Record { folders, .. } if folders == [Path::new("launches")] => {
            launches::record(&root)
        }
        Task::Record { folders, .. } if folders == [Path::new("printf")] => record::printf(&root),
        Task::Record { folders, .. } if folders == [Path::new("cuda")] => {
            cuda_headers::record(&root.join("crates/cuda/api"))
        }
        Task::Record { folders, .. } => record::record(&root, &folders),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}", why.trim_end());
            ExitCode::FAILURE
        }
    }
}
