//! `cargo xtask programs FOLDER --rows FILE`: programs with a makefile each, such as those of HeCBench, with the arguments that a
//! table gives them; they say themselves whether their results are right.

use super::execution::{Ended, execute, under};
use super::verdict::{Verdict, first_error, last_line};
use super::{built_command, compiler};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The architecture that makefiles pass to the compiler, where they leave it open.
const ARCHITECTURE: &str = "ARCH=sm_80";

/// Words by which programs say that a result is wrong, in small letters.
const BAD: [&str; 7] =
    ["fail", "mismatch", "not match", "incorrect", "wrong result", "unsuccessful", "error at"];

/// Words by which programs say that all results are right, in small letters.
const GOOD: [&str; 5] = ["pass", "success", "correct", "verified", "match"];

/// A row of the table: a folder, the name of its program, and the arguments of each run.
struct Row {
    folder: PathBuf,
    name: String,
    program: String,
    runs: Vec<Vec<String>>,
}

/// Builds and runs the programs of a table, and prints how each fared.
///
/// # Errors
/// The table cannot be read or has a row that is none, or a program did not pass.
pub(crate) fn run(
    root: &Path,
    folder: &Path,
    rows: &Path,
    limit: Duration,
    options: &[String],
) -> Result<(), String> {
    let warpwise = built_command(root)?;
    let text =
        fs::read_to_string(root.join(rows)).map_err(|why| format!("{}: {why}", rows.display()))?;
    let rows = read(&root.join(folder), &text)?;
    let logs = root.join("target/programs");
    fs::create_dir_all(&logs).map_err(|why| format!("{}: {why}", logs.display()))?;
    println!("| program | | why not |\n|---|---|---|");
    let mut good = 0;
    for row in &rows {
        let verdict = match make(&row.folder) {
            Ok(()) => try_out(&warpwise, options, row, &logs, limit),
            Err(why) => Verdict::NotCompiled(why),
        };
        let why = verdict.why().unwrap_or_default();
        println!("| {} | {} | {} |", row.name, verdict.word(), why.replace('|', "\\|"));
        good += usize::from(verdict.why().is_none());
    }
    match good == rows.len() {
        true => Ok(()),
        false => Err(format!("{} of {} did not pass", rows.len() - good, rows.len())),
    }
}

/// Lines `folder<TAB>program<TAB>arguments`, where `;` stands between the arguments of several runs; `#` begins what is not read.
fn read(folder: &Path, text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let row = |(nth, line): (usize, &str)| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, program, arguments] = columns[..] else {
            return Err(format!("line {}: a row has a folder, a program and arguments", nth + 1));
        };
        let words = |run: &str| run.split_whitespace().map(str::to_owned).collect();
        let runs = arguments.split(';').map(words).collect();
        let (folder, program) = (folder.join(name), program.to_owned());
        Ok(Row { folder, name: name.to_owned(), program, runs })
    };
    lines.map(row).collect()
}

/// Builds the program of a folder anew.
fn make(folder: &Path) -> Result<(), String> {
    let mut command = Command::new("make");
    command.arg("-B").arg("-C").arg(folder).arg(format!("CC={}", compiler())).arg(ARCHITECTURE);
    let said = command.output().map_err(|why| format!("cannot run make: {why}"))?;
    match said.status.success() {
        true => Ok(()),
        false => Err(first_error(&[said.stdout, said.stderr].concat())),
    }
}

/// All runs of a program; the first that does not pass decides.
fn try_out(
    warpwise: &Path,
    options: &[String],
    row: &Row,
    logs: &Path,
    limit: Duration,
) -> Verdict {
    let mut whole = Duration::ZERO;
    for (nth, arguments) in row.runs.iter().enumerate() {
        let log = logs.join(format!("{}.{nth}.log", row.name.replace('/', "-")));
        let program = row.folder.join(&row.program);
        let folder = program.parent().unwrap_or(&row.folder);
        let mut command = under(warpwise, options, &program, folder);
        command.args(arguments);
        let ended = File::create(&log).and_then(|out| execute(&mut command, out, limit));
        let (status, time) = match ended {
            Err(why) => return Verdict::Failed(why.to_string()),
            Ok(Ended::Late) => return Verdict::late(limit),
            Ok(Ended::Itself(status, time)) => (status, time),
        };
        let text = fs::read(&log).unwrap_or_default();
        match (status.success(), says(&String::from_utf8_lossy(&text))) {
            (true, Ok(())) => whole += time,
            (true, Err(why)) => return Verdict::Failed(why),
            (false, _) => return Verdict::Failed(format!("{status}: {}", last_line(&text))),
        }
    }
    Verdict::Passed(whole)
}

/// Whether a program says that its results are right; otherwise the line that says what is wrong.
fn says(text: &str) -> Result<(), String> {
    let has = |line: &str, words: &[&str]| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(word))
    };
    if let Some(bad) = text.lines().find(|line| has(line, &BAD) && !counts_none(line)) {
        return Err(bad.trim().to_owned());
    }
    match text.lines().any(|line| has(line, &GOOD)) {
        true => Ok(()),
        false => Err("it says nothing of its results".to_owned()),
    }
}

/// Whether a line counts what is wrong, and there is nothing: `failures: 0`, `0 mismatches`.
fn counts_none(line: &str) -> bool {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split(|letter: char| !letter.is_alphanumeric()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let is_bad = |word: &str| BAD.iter().any(|bad| word.starts_with(bad));
    words.windows(2).any(|pair| match pair {
        ["0", word] | [word, "0"] => is_bad(word),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_names_programs_and_their_runs() {
        let rows =
            read(Path::new("/x"), "# comment\nscan-cuda\tmain\t16 1;32 1\nace-cuda\tmain\t\n");
        let rows = rows.expect("rows");
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].folder, Path::new("/x/scan-cuda"));
        assert_eq!(rows[0].runs, [["16", "1"], ["32", "1"]]);
        assert_eq!(rows[1].runs, [Vec::<String>::new()]);
        assert!(read(Path::new("/x"), "scan-cuda main").is_err());
    }

    #[test]
    fn programs_say_whether_they_are_right() {
        assert_eq!(says("time 3 ms\nPASS\n"), Ok(()));
        assert_eq!(says("PASS\nkernel 2: FAIL\n"), Err("kernel 2: FAIL".to_owned()));
        assert!(says("results do not match").is_err());
        assert!(says("time 3 ms").is_err());
        assert_eq!(says("Number of failures: 0 out of 1\nPASS"), Ok(()));
        assert_eq!(says("0 mismatches: correct"), Ok(()));
        assert!(says("10 mismatches\nPASS").is_err());
    }
}
