//! Running a command and judging what it did.

use crate::compare::same_array;
use crate::parse::Case;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
    /// The folder that it ran in, with the files that it wrote.
    folder: TempDir,
}

/// Where the command looks for the engine that executes kernels.
const ENGINE: &str = "WARPWISE_ENGINE";

/// Runs a command of a test file in a new folder, with one engine or the usual one. The first word must be `warpwise`; it
/// means `binary`.
///
/// # Errors
/// The command line is malformed, or the program cannot be started.
pub fn execute(
    binary: &Path,
    file: &Path,
    case: &Case,
    engine: Option<&str>,
) -> Result<Ran, String> {
    let beside = file.parent().unwrap_or(Path::new("."));
    let words = words(&case.command);
    if words.first() != Some(&"warpwise") {
        return Err("the command is not `warpwise`".to_owned());
    }
    let words = words.windows(2).map(|pair| match (pair[0], pair[1].split_once('=')) {
        // Files that are read; those of `--out` are written.
        ("--expect", Some((what, name))) => format!("{what}={}", reach(name, file, beside)),
        _ => reach(pair[1], file, beside),
    });
    let folder = TempDir::new().map_err(|why| format!("cannot make a folder: {why}"))?;
    let ran = Command::new(binary)
        .args(words)
        .envs(engine.map(|engine| (ENGINE, engine)))
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|why| format!("cannot run {}: {why}", binary.display()))?;
    // Messages name files as they were given; tests name them as they stand beside the test.
    let beside = format!("{}{}", beside.display(), std::path::MAIN_SEPARATOR);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&beside, "");
    Ok(Ran {
        status: ran.status.code(),
        output: text(&ran.stdout),
        errors: text(&ran.stderr),
        folder,
    })
}

/// A word of a command with the file beside the test that it names, if it names one.
fn reach(word: &str, file: &Path, beside: &Path) -> String {
    if word == "%s" {
        return file.display().to_string();
    }
    let known = |name: &str| {
        let path = beside.join(name);
        (!name.is_empty() && path.is_file()).then(|| path.display().to_string())
    };
    let Some((before, named)) = word.split_once('@') else {
        return known(word).unwrap_or_else(|| word.to_owned());
    };
    // `@FILE`, perhaps among the fields of a structure.
    let named = named.split('@').map(|part| {
        let (name, rest) = part.split_at(part.find(';').unwrap_or(part.len()));
        format!("@{}{rest}", known(name).unwrap_or_else(|| name.to_owned()))
    });
    before.to_owned() + &named.collect::<String>()
}

/// Compares what a command did with what it must do.
///
/// # Errors
/// Every difference, in words.
pub fn check(file: &Path, case: &Case, ran: &Ran) -> Result<(), Vec<String>> {
    let mut problems = Vec::new();
    if ran.status != Some(case.status) {
        let status = ran.status.map_or("a signal".to_owned(), |status| format!("status {status}"));
        problems.push(format!("it ended with {status}, not with status {}", case.status));
    }
    if let Some(wanted) = &case.output {
        let output: Vec<&str> = ran.output.lines().collect();
        if !wanted.iter().map(String::as_str).eq(output.iter().copied()) {
            problems.push(difference(wanted, &output));
        }
    }
    for wanted in case.errors.iter().filter(|wanted| !ran.errors.contains(wanted.as_str())) {
        problems.push(format!("standard error does not contain `{wanted}`"));
    }
    let checks = words(&case.command).get(1) == Some(&"check");
    for finding in unnamed(&case.errors, &ran.errors).into_iter().filter(|_| checks) {
        problems.push(format!("no `!` line names the finding `{finding}`"));
    }
    if ran.status == Some(case.status) {
        let beside = file.parent().unwrap_or(Path::new("."));
        for (left, right) in &case.same {
            if let Err(why) = same_array(&find(left, ran, beside), &find(right, ran, beside)) {
                problems.push(format!("{left} and {right}: {why}"));
            }
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    if !ran.errors.is_empty() {
        problems.push(format!("standard error was:\n{}", clip(&ran.errors)));
    }
    Err(problems)
}

/// The findings among what a command said that a test does not name: those whose headline, `error[W001]: ...`, contains none
/// of its texts.
fn unnamed<'r>(named: &[String], errors: &'r str) -> Vec<&'r str> {
    let is_unnamed =
        |line: &&str| is_finding(line) && !named.iter().any(|text| line.contains(text.as_str()));
    errors.lines().filter(is_unnamed).collect()
}

/// Whether a line is the headline of a finding. Rules of modules (P001) are none.
fn is_finding(line: &str) -> bool {
    let rest = ["error[", "warning["].iter().find_map(|level| line.strip_prefix(level));
    rest.is_some_and(|rest| rest.contains("]:") && !rest.starts_with('P'))
}

/// A file that the command wrote, else one beside the test.
fn find(name: &str, ran: &Ran, beside: &Path) -> PathBuf {
    let written = ran.folder.path().join(name);
    if written.exists() { written } else { beside.join(name) }
}

/// The first line at which two outputs differ.
fn difference(wanted: &[String], output: &[&str]) -> String {
    let same = wanted.iter().zip(output).take_while(|(wanted, got)| wanted == *got).count();
    let show = |line: Option<&str>| line.map_or("nothing".to_owned(), |line| format!("`{line}`"));
    format!(
        "line {} of standard output is {}, not {}",
        same + 1,
        show(output.get(same).copied()),
        show(wanted.get(same).map(String::as_str)),
    )
}

/// The first lines of a text.
fn clip(text: &str) -> String {
    const LINES: usize = 24;
    let mut lines: Vec<&str> = text.lines().take(LINES + 1).collect();
    if lines.len() > LINES {
        lines[LINES] = "…";
    }
    lines.join("\n")
}

/// The words of a command line: between blanks, or between single quotes.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word);
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_named_by_their_codes() {
        let errors =
            "error[W001]: lane 1 is bad\n --> k.ptx:1\nwarning[R002]: race\nerror[P001]: x\n";
        let unnamed = |named: &[&str]| {
            let named: Vec<String> = named.iter().map(|text| (*text).to_owned()).collect();
            unnamed(&named, errors).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(unnamed(&["error[W001]", "[R002]"]), [""; 0]);
        assert_eq!(unnamed(&["lane 1 is bad", "[R001]"]), ["warning[R002]: race"]);
        assert_eq!(
            unnamed(&["error[W001]: lane 2", "[R002]: stale"]),
            ["error[W001]: lane 1 is bad", "warning[R002]: race"]
        );
    }
}
