//! The clients' own tests on our driver, and the table of how they fared.

use super::process::ended;
use super::record::{Record, Verdicts, explanation};
use super::suites::{EVERY, PLUGIN, RECORD, SAMPLE, SUITES, Suite};
use super::venv::{Venv, output};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Where the table goes.
const TABLE: &str = "docs/clients/suites.md";

/// How suites are run.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// One test of so many.
    pub(crate) every: u32,
    /// Of these, so many that are drawn by chance.
    pub(crate) sample: Option<u32>,
    /// Processes that run tests.
    pub(crate) jobs: u32,
    /// What was written down before counts.
    pub(crate) goes_on: bool,
    /// Of what was written down before, those that failed are run again.
    pub(crate) again: bool,
    /// How long a suite may take.
    pub(crate) limit: Duration,
}

/// Runs the suites, and writes the table.
///
/// # Errors
/// A suite did not run, or one of its tests fails and nobody knows why.
pub(super) fn run(
    root: &Path,
    venv: &Venv,
    work: &Path,
    plan: Plan,
    is_meant: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    let plugin = work.join(PLUGIN.0).with_extension("py");
    fs::write(&plugin, PLUGIN.1).map_err(|why| format!("{}: {why}", plugin.display()))?;
    let mut table = String::from(
        "# Suites of clients\n\nThe clients' own tests on Warpwise's driver, as `cargo xtask clients --suites` runs them. Skipped are tests that the suite itself leaves out,\n\
         for want of a second device or of a package. *Not run* is what there was no time for; tests run in an\norder that their names make, numba-cuda's module by module, so that those that ran are a sample; `--sample N` draws so many of those\nthat have not run by chance, with a fixed seed.\n\n\
         | suite | of | device | tests | passed | failed | skipped | not run | of those that ran |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut failures, mut unknown) = (String::new(), 0);
    for suite in &SUITES {
        let told = match is_meant(suite.client) {
            true => outcome(venv, work, suite, plan)?,
            // The table goes on telling of it.
            false => record(work, suite).read()?,
        };
        if told.passed == 0 {
            continue;
        }
        let row = row(suite, &told, &version(venv, suite.package)?);
        print!("{row}");
        table += &row;
        unknown += explained(&mut failures, suite, &told);
    }
    let file = root.join(TABLE);
    fs::write(&file, table + &failures).map_err(|why| format!("{}: {why}", file.display()))?;
    match unknown {
        0 => Ok(()),
        _ => Err(format!(
            "{unknown} tests fail, and xtask/src/python/failures.tsv does not say why; {TABLE} names them"
        )),
    }
}

fn row(suite: &Suite, told: &Verdicts, version: &str) -> String {
    let Verdicts { passed, skipped, failed, all } = told;
    let ran = passed + failed.len();
    let share = 100.0 * *passed as f64 / ran.max(1) as f64;
    let left = all.saturating_sub(ran + skipped);
    let failed = failed.len();
    format!(
        "| {} | {} {version} | {} | {all} | {passed} | {failed} | {skipped} | {left} | {share:.1} % |\n",
        suite.name, suite.package, suite.device
    )
}

/// Writes why tests of a suite fail, and returns of how many that is not known.
fn explained(text: &mut String, suite: &Suite, told: &Verdicts) -> usize {
    let (mut known, mut unknown) = (BTreeMap::<&str, Vec<&str>>::new(), Vec::new());
    for (test, why) in &told.failed {
        match explanation(suite.package, test, why) {
            Some(explanation) => known.entry(explanation).or_default().push(test),
            None => unknown.push((test, why)),
        }
    }
    // Writing to a string does not fail.
    if !told.failed.is_empty() {
        let _ = write!(text, "\n## What fails of {}\n", suite.name);
    }
    for (explanation, tests) in known {
        let _ = write!(text, "\n{explanation}: {}\n\n", tests.len());
        tests.iter().for_each(|test| {
            let _ = writeln!(text, "- `{test}`");
        });
    }
    if !unknown.is_empty() {
        let _ = write!(text, "\nNot known why: {}\n\n", unknown.len());
        unknown.iter().for_each(|(test, why)| {
            let _ = writeln!(text, "- `{test}`: {why}");
        });
    }
    unknown.len()
}

/// What is written down of a suite.
fn record(work: &Path, suite: &Suite) -> Record {
    Record(work.join(suite.package).with_extension("record"))
}

fn outcome(venv: &Venv, work: &Path, suite: &Suite, plan: Plan) -> Result<Verdicts, String> {
    let log = work.join(suite.package).with_extension("log");
    let record = record(work, suite);
    if !plan.goes_on || plan.again {
        record.forget(plan.again)?;
    }
    let out = fs::File::create(&log).map_err(|why| format!("{}: {why}", log.display()))?;
    let err = out.try_clone().map_err(|why| format!("{}: {why}", log.display()))?;
    let mut python = Command::new(venv.bin("python"));
    suite.prepare(&mut python, plan.jobs)?;
    python.stdout(out).stderr(err);
    python.env(RECORD, &record.0).env(EVERY, plan.every.to_string()).env("PYTHONPATH", work);
    if let Some(sample) = plan.sample {
        python.env(SAMPLE, sample.to_string());
    }
    // A suite with failures ends with another status than 0.
    if let Err(why) = ended(&mut python, plan.limit) {
        println!("{}: {why}; what is told ran until then, and `--go-on` runs the rest", suite.name);
    }
    let told = record.read()?;
    match told.passed {
        0 => Err(format!("{} did not run: {} says why", suite.name, log.display())),
        _ => Ok(told),
    }
}

fn version(venv: &Venv, package: &str) -> Result<String, String> {
    let code = format!("import importlib.metadata as it; print(it.version({package:?}))");
    let told = output(Command::new(venv.bin("python")).args(["-c", &code]))?;
    Ok(told.trim().to_owned())
}
