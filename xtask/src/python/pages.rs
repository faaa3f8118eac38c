//! The programs of the clients' pages, by the commands that stand above them.

use super::process::ended;
use super::venv::Venv;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where the pages are.
const PAGES: &str = "docs/clients";

/// Runs the commands of the pages, each in a folder of its own with the page's program, and prints how they fared.
///
/// # Errors
/// One failed.
pub(super) fn run(
    root: &Path,
    venv: &Venv,
    work: &Path,
    limit: Duration,
    is_meant: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    println!("| page | verdict |\n|---|---|");
    let (mut good, mut all) = (0, 0);
    let mut files: Vec<PathBuf> = fs::read_dir(root.join(PAGES))
        .map_err(|why| format!("{PAGES}: {why}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    for page in files {
        let name = page.file_stem().map_or(String::new(), |it| it.to_string_lossy().into_owned());
        let text = fs::read_to_string(&page).map_err(|why| format!("{}: {why}", page.display()))?;
        let program = blocks(&text, "python").join("\n");
        let commands = blocks(&text, "sh").first().copied().unwrap_or_default();
        if program.is_empty() || !is_meant(&name) {
            continue;
        }
        all += 1;
        // Alone in its folder: a program with the name of its library would be imported in its place.
        let place = work.join("pages").join(&name);
        fs::create_dir_all(&place).map_err(|why| format!("{}: {why}", place.display()))?;
        let file = place.join("program.py");
        fs::write(&file, program).map_err(|why| format!("{}: {why}", file.display()))?;
        let mut shell = Command::new("bash");
        shell.args(["-euo", "pipefail", "-c", commands]).current_dir(&place).stdout(Stdio::null());
        // What commands put into the home folder stays here.
        shell.env("PATH", venv.path()?).env("HOME", &place);
        shell.env("PIP_CACHE_DIR", work.join("pip")).env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        let began = Instant::now();
        let verdict = match ended(&mut shell, limit) {
            Ok(status) if status.success() => {
                good += 1;
                format!("passed ({:.1} s)", began.elapsed().as_secs_f64())
            }
            Ok(status) => format!("failed: {status}"),
            Err(why) => format!("failed: {why}"),
        };
        println!("| {name} | {verdict} |");
    }
    match good == all {
        true => Ok(()),
        false => Err(format!("{} of {all} did not pass", all - good)),
    }
}

/// The blocks of a page in a language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let begin = format!("```{language}\n");
    let parts = text.split(begin.as_str()).skip(1);
    parts.filter_map(|part| part.split_once("\n```").map(|(block, _)| block)).collect()
}
