//! Rewriting the expected output of tests.

use crate::execute::execute;
use crate::parse::{Mark, is_ptx, marked, parse};
use std::path::Path;

/// What blessing a file came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blessed {
    /// Its `>` lines are what the commands print.
    Unchanged,
    /// The text that it must have.
    Changed(String),
}

/// The text of a test file with the `>` lines that its commands print now. Commands without such lines, and
/// all other lines, stay as they are.
///
/// # Errors
/// The file is malformed, or a command cannot be started.
pub fn bless(binary: &Path, file: &Path) -> Result<Blessed, String> {
    let text = std::fs::read_to_string(file).map_err(|why| why.to_string())?;
    let script = parse(&text)?;
    let in_ptx = is_ptx(&text);
    let prefix = if in_ptx { "//" } else { "" };
    let mut cases = script.cases.iter();
    let mut pending: Option<String> = None;
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match marked(line.trim_end_matches('\n'), in_ptx)? {
            Some((Mark::Command, _)) => {
                out.push_str(line);
                pending = match cases.next().filter(|case| case.output.is_some()) {
                    Some(case) => Some(execute(binary, file, case, None)?.output),
                    None => None,
                };
            }
            Some((Mark::Output, _)) => {
                // The first line stands for all.
                for printed in pending.take().unwrap_or_default().lines() {
                    let space = if printed.is_empty() { "" } else { " " };
                    out.push_str(&format!("{prefix}>{space}{printed}\n"));
                }
            }
            Some((Mark::Status | Mark::Error | Mark::Same, _)) | None => out.push_str(line),
        }
    }
    Ok(if out == text { Blessed::Unchanged } else { Blessed::Changed(out) })
}
