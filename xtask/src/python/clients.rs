//! `cargo xtask clients`: libraries of Python with ours. The programs of their pages, and their own suites on our driver.

use super::suites::{EVERY, SAMPLE, SUITES, Suite, Verdicts};
use super::venv::{Venv, output};
use super::wheel::{self, Make};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The clients as a new user installs them, with the compilers that they use, and what their suites need.
const PACKAGES: [&str; 19] = [
    "numpy",
    "scipy",
    "ml_dtypes",
    "psutil",
    "cffi",
    "pytest",
    "pytest-timeout",
    "pytest-xdist",
    "filecheck",
    "numba-cuda",
    "cupy-cuda13x",
    "triton",
    "cuda-core",
    "cuda-bindings",
    "tinygrad",
    "ray",
    "dask[distributed]",
    "numba",
    "cuda-toolkit[nvrtc,nvcc,cudart,nvvm,cccl,crt,curand]",
];

/// Where the pages are, and where the table of the suites goes.
const PAGES: &str = "docs/clients";
const TABLE: &str = "docs/clients/suites.md";

/// What a suite may take longer, to write its report.
const GRACE: Duration = Duration::from_secs(600);

/// How often a running program is looked at.
const PACE: Duration = Duration::from_millis(20);

/// Runs the programs of the pages of clients, or every so-manieth of the clients' own tests, and prints how they fared.
///
/// # Errors
/// A program failed, or a suite did not run.
pub(crate) fn clients(
    root: &Path,
    only: &[String],
    suites: Option<usize>,
    limit: Duration,
) -> Result<(), String> {
    let wheel = wheel::build(root, Make::Here)?;
    let place = root.join("target/python/clients");
    let venv = Venv::new(&place)?;
    venv.install(&PACKAGES)?;
    venv.install(&["--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
    let is_meant = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);
    let work = place.join("run");
    fs::create_dir_all(&work).map_err(|why| format!("{}: {why}", work.display()))?;
    match suites {
        None => pages(root, &venv, &work, limit, &is_meant),
        Some(every) => run_suites(root, &venv, &work, (every, limit), &is_meant),
    }
}

fn pages(
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
        if program.is_empty() || !is_meant(&name) {
            continue;
        }
        all += 1;
        // Called as on the page, and alone: a program with the name of its library would be imported in its place.
        let place = work.join("pages").join(&name);
        fs::create_dir_all(&place).map_err(|why| format!("{}: {why}", place.display()))?;
        let file = place.join("program.py");
        fs::write(&file, program).map_err(|why| format!("{}: {why}", file.display()))?;
        let mut python = Command::new(venv.bin("python"));
        // The options are those that the page says.
        python.args(["-m", "warpwise"]).args(options(&text)).arg(&file).current_dir(&place);
        let began = Instant::now();
        let verdict = match ended_well(&mut python, limit) {
            Ok(()) => {
                good += 1;
                format!("passed ({:.1} s)", began.elapsed().as_secs_f64())
            }
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

/// The options of `python -m warpwise` in the commands of a page.
fn options(text: &str) -> Vec<&str> {
    let lines = blocks(text, "sh").into_iter().flat_map(str::lines);
    let command = lines.filter_map(|line| line.split_once("-m warpwise ")).map(|(_, rest)| rest);
    let words = command.take(1).flat_map(str::split_whitespace);
    words.take_while(|word| !word.ends_with(".py")).collect()
}

/// Runs a program that must end well.
fn ended_well(command: &mut Command, limit: Duration) -> Result<(), String> {
    match ended(command.stdout(Stdio::null()), limit)? {
        status if status.success() => Ok(()),
        status => Err(status.to_string()),
    }
}

/// Runs a program to its end, or to the end of its time.
fn ended(command: &mut Command, limit: Duration) -> Result<ExitStatus, String> {
    let began = Instant::now();
    let mut child = command.spawn().map_err(|why| why.to_string())?;
    loop {
        match child.try_wait().map_err(|why| why.to_string())? {
            Some(status) => return Ok(status),
            None if began.elapsed() > limit => {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {} s", limit.as_secs()));
            }
            None => std::thread::sleep(PACE),
        }
    }
}

fn run_suites(
    root: &Path,
    venv: &Venv,
    work: &Path,
    (every, limit): (usize, Duration),
    is_meant: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    let plugin = work.join(SAMPLE.0).with_extension("py");
    fs::write(&plugin, SAMPLE.1).map_err(|why| format!("{}: {why}", plugin.display()))?;
    let mut table = format!(
        "# Suites of clients\n\nThe clients' own tests on Warpwise's driver, as `cargo xtask clients --suites` runs them. Skipped are tests that the suite itself leaves out,\n\
         for want of a second device or of a package. The pages of the clients explain what fails.{}\n\n\
         | suite | of | device | passed | failed | skipped | of those that ran |\n|---|---|---|---|---|---|---|\n",
        if every == 1 { String::new() } else { format!(" One test of {every} was run.") },
    );
    let mut failures = String::new();
    for suite in SUITES.iter().filter(|suite| is_meant(suite.client)) {
        let told = outcome(venv, work, suite, (every, limit))?;
        let Verdicts { passed, failed, skipped } = &told;
        let ran = passed + failed.len();
        let share = 100.0 * *passed as f64 / ran.max(1) as f64;
        let version = version(venv, suite.package)?;
        let row = format!(
            "| {} | {} {version} | {} | {passed} | {} | {skipped} | {share:.1} % |\n",
            suite.name,
            suite.package,
            suite.device,
            failed.len()
        );
        print!("{row}");
        table += &row;
        if !failed.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(failures, "\n## What fails of {}\n\n", suite.name);
            failed.iter().for_each(|name| failures += &format!("- `{name}`\n"));
        }
    }
    let file = root.join(TABLE);
    fs::write(&file, table + &failures).map_err(|why| format!("{}: {why}", file.display()))
}

fn outcome(
    venv: &Venv,
    work: &Path,
    suite: &Suite,
    (every, limit): (usize, Duration),
) -> Result<Verdicts, String> {
    let log = work.join(format!("{}.log", suite.client));
    let report = work.join(format!("{}.xml", suite.client));
    let _ = fs::remove_file(&report);
    let out = fs::File::create(&log).map_err(|why| format!("{}: {why}", log.display()))?;
    let err = out.try_clone().map_err(|why| format!("{}: {why}", log.display()))?;
    let mut python = Command::new(venv.bin("python"));
    python.args(suite.command(&report, every, limit)?).current_dir(work).stdout(out).stderr(err);
    python.env(EVERY, every.to_string()).env("PYTHONPATH", work);
    // A suite with failures ends with another status than 0; those of pytest end by themselves when their time is over.
    if let Err(why) = ended(&mut python, limit + GRACE) {
        println!("{}: {why}; what is told ran until then", suite.name);
    }
    let log = fs::read_to_string(&log).map_err(|why| format!("{}: {why}", log.display()))?;
    let told = suite.read(&log, &report);
    match told.passed {
        0 => Err(format!("{} did not run: {}", suite.name, log.lines().last().unwrap_or_default())),
        _ => Ok(told),
    }
}

fn version(venv: &Venv, package: &str) -> Result<String, String> {
    let code = format!("import importlib.metadata as it; print(it.version({package:?}))");
    let told = output(Command::new(venv.bin("python")).args(["-c", &code]))?;
    Ok(told.trim().to_owned())
}
