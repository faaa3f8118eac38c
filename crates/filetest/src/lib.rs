//! Runs the data-driven tests: a test is one file with commands and what they must do.
//!
//! ```text
//! # A comment.
//! $ warpwise run k.sm_75.ptx --entry scan --grid 2 --block 64 --arg @input.npy --arg s32[128]=0 --out 1=out.npy
//! = out.npy expected.npy
//! ```
//!
//! | first character | meaning |
//! |---|---|
//! | `#` | a comment |
//! | `$` | a command; the lines after it, up to the next `$`, say what it must do |
//! | `?` | the exit status; 0 where no line says so |
//! | `>` | a line of standard output; all lines are given, or none |
//! | `!` | a text that standard error contains; the headline of every finding of `check`, `error[W001]: ...`, contains one |
//! | `=` | two `.npy` files that hold the same array: type, shape and every bit |
//!
//! Tests stand in `*.test` files, and in PTX files as comments that begin with `//` and one of these
//! characters; there `%s` is the file itself. A command runs in an empty folder of its own; a word with blanks
//! stands between single quotes. Words of it that name a file beside the test (`@FILE` and `--expect I=FILE` included) reach
//! that file.
//!
//! Data to compare with (`=`) never comes from a run. Lines of output (`>`) may be rewritten from one with
//! [`bless`], for a person to look at.

mod bless;
mod compare;
mod discover;
mod execute;
mod parse;

pub use bless::{Blessed, bless};
pub use compare::same_array;
pub use discover::discover;
pub use execute::{Ran, check, execute};
pub use parse::{Case, Mark, Script, parse};

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs every test below the folders as the test harness does. Names are paths relative to `root`. Commands that launch
/// kernels run once with each of the engines, whose results are equal.
pub fn main(binary: &Path, root: &Path, folders: &[&str], engines: &[String]) -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for folder in folders {
        match discover(&root.join(folder)) {
            Ok(files) => {
                trials.extend(files.into_iter().map(|file| trial(binary, root, file, engines)))
            }
            Err(why) => {
                let name = (*folder).to_owned();
                trials.push(Trial::test(name, move || Err(Failed::from(why.to_string()))));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(binary: &Path, root: &Path, file: PathBuf, engines: &[String]) -> Trial {
    let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
    let binary = binary.to_owned();
    let engines = engines.to_vec();
    Trial::test(name, move || run_file(&binary, &file, &engines).map_err(Failed::from))
}

/// Runs the commands of one file, those that launch kernels with each of the engines.
///
/// # Errors
/// What failed, for people: every command that did not do what its lines say.
pub fn run_file(binary: &Path, file: &Path, engines: &[String]) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|why| why.to_string())?;
    let script = parse(&text).map_err(|why| format!("{}:{why}", file.display()))?;
    if script.cases.is_empty() {
        return Err("the file has no command".to_owned());
    }
    let failures: Vec<String> = script
        .cases
        .iter()
        .flat_map(|case| {
            let launches =
                engines.iter().filter(|_| case.launches()).map(|name| Some(name.as_str()));
            let once = (!case.launches() || engines.is_empty()).then_some(None);
            launches.chain(once).map(move |engine| (case, engine))
        })
        .filter_map(|(case, engine)| {
            let ran = execute(binary, file, case, engine).map_err(|why| vec![why]);
            let problems = ran.and_then(|ran| check(file, case, &ran)).err()?;
            let by = engine.map_or(String::new(), |engine| format!(" (by {engine})"));
            let header = format!("{}:{}: $ {}{by}", file.display(), case.line, case.command);
            Some(format!("{header}\n{}", problems.join("\n")))
        })
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n\n")) }
}
