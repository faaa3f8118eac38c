//! `cargo xtask record mutations`: good modules with one mistake each, and what NVIDIA's assembler says.

mod mutate;
#[cfg(test)]
mod tests;

use crate::oracle::Oracle;
use mutate::Random;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The table: file, line, the line with its mistake, and the assembler's message, empty if it accepts.
const TABLE: &str = "tests/lint/mutations.tsv";

/// How many mistakes are recorded.
const COUNT: usize = 1500;

/// The largest module that mistakes are made in, in bytes.
const MAX_MODULE: u64 = 60_000;

/// Makes mistakes, asks the assembler and writes the table.
///
/// # Errors
/// The assembler cannot be run, or a file cannot be read or written.
pub(crate) fn record(root: &Path) -> Result<(), String> {
    let oracle = Oracle::new()?;
    let mut modules = Vec::new();
    collect(&root.join("tests/kernels"), &mut modules)?;
    modules.sort();
    let mut random = Random::new(1);
    let mut mistakes = Vec::new();
    while mistakes.len() < COUNT {
        let Some(path) = random.choose(&modules) else { return Err("no modules".to_owned()) };
        let text =
            std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
        if let Some((line, mutant)) = mutate::mutate(&text, &mut random) {
            mistakes.push((path.clone(), line, mutant));
        }
    }
    let modules = mistakes.iter().map(|(path, line, mutant)| apply(path, *line, mutant));
    let modules = modules.collect::<Result<Vec<String>, String>>()?;
    let answers = oracle.judge(&modules)?;
    let mut table =
        String::from("# file, line, the line with its mistake, what the assembler says\n");
    for ((path, line, mutant), answer) in mistakes.iter().zip(answers) {
        let path = path.strip_prefix(root).unwrap_or(path).display();
        let mutant = mutant.replace('\t', " ");
        let _ = writeln!(table, "{path}\t{}\t{mutant}\t{}", line + 1, answer.unwrap_or_default());
    }
    let path = root.join(TABLE);
    std::fs::write(&path, table).map_err(|why| format!("{}: {why}", path.display()))
}

/// The module with a line replaced.
fn apply(path: &Path, line: usize, mutant: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let lines = text.lines().enumerate();
    let replaced = lines.map(|(nth, old)| if nth == line { mutant } else { old });
    Ok(replaced.flat_map(|line| [line, "\n"]).collect())
}

/// The modules below a folder that the assembler accepts; those with faults on purpose are left out.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let fail = |why: std::io::Error| format!("{}: {why}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let small = std::fs::metadata(&path).map_err(fail)?.len() <= MAX_MODULE;
        if path.is_dir() && !path.ends_with("faults") {
            collect(&path, found)?;
        } else if small && path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
    Ok(())
}
