//! What is said of the tests of plans: lines as other test runners print them, JSON, or JUnit.

use super::attempt::{Compared, Launched, Outcome, Verdict};
use super::read::Test;
use crate::arguments::{TestArguments, TestFormat};
use crate::form::Form;
use crate::json::{JsonComparison, JsonStats};
use crate::report;
use crate::status::Status;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use warpwise::diag::{Diagnostic, JsonDiagnostic, Listing, Log, Sources, junit};

/// The form of its document.
pub(crate) const FORM: Form<Body> = Form::new("test");

/// Diagnostics with the texts that they point into.
type Shown<'a> = Vec<(&'a Sources, &'a [Diagnostic])>;

/// What the tests of a run have shown. The diagnostics of the document are what is wrong with the plans; nothing ran then.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// Tests that are right.
    passed: usize,
    /// Tests that are not.
    failed: usize,
    /// Tests that were left out because their plan says so.
    ignored: usize,
    /// Tests that were not asked for.
    filtered: usize,
    /// The tests that were asked for, in the order of the plans.
    tests: Vec<JsonTest>,
    /// The names of the tests that would run, with `--list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<Vec<String>>,
}

/// A test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Test")]
struct JsonTest {
    /// The name of the plan and its own.
    name: String,
    /// What came of it.
    verdict: Verdict,
    /// Why it is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    ignored: Option<String>,
    /// How long it took on the host's clock; with `--times` only, as it differs from run to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// The launches that were made, in order.
    launches: Vec<JsonLaunch>,
    /// The results that were compared, in order.
    expectations: Vec<JsonCompared>,
    /// Why it failed.
    diagnostics: Vec<JsonDiagnostic>,
}

/// A launch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Launch")]
struct JsonLaunch {
    /// What C++ calls the kernel.
    kernel: String,
    /// What it did, as far as it got.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<JsonStats>,
    /// The codes of what was found, whether the plan names them or not.
    findings: Vec<&'static str>,
    /// What stopped the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'static str>,
}

/// A result beside what was expected of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Compared")]
struct JsonCompared {
    /// The buffer or variable.
    of: String,
    /// What it should equal, as the plan writes it.
    expected: String,
    #[serde(flatten)]
    found: JsonComparison,
}

fn log(told: Shown<'_>) -> Log<'_> {
    Log { told, ..Log::default() }
}

/// The document about plans that cannot be read.
pub(super) fn refused(format: TestFormat, told: &Shown<'_>, status: Status) -> String {
    match format {
        TestFormat::Text => String::new(),
        TestFormat::Json => FORM.write(status, &log(told.clone()), &Body::default()),
        TestFormat::Junit => {
            let case = junit::Case::new("plan", "plan", junit::Verdict::Broken, told);
            let suite = junit::Suite { name: "warpwise test".to_owned(), cases: vec![case] };
            junit::document(&[suite])
        }
    }
}

/// The names of tests.
pub(super) fn list(format: TestFormat, tests: &[Test]) -> String {
    match format {
        TestFormat::Text | TestFormat::Junit => {
            tests.iter().map(|test| format!("{}: test\n", test.name)).collect()
        }
        TestFormat::Json => {
            let listed = Some(tests.iter().map(|test| test.name.clone()).collect());
            FORM.write(Status::Fine, &Log::default(), &Body { listed, ..Body::default() })
        }
    }
}

/// Says how many tests run.
pub(super) fn begin(count: usize) {
    let plural = if count == 1 { "" } else { "s" };
    say(&format!("running {count} test{plural}\n"));
}

/// Says how a test ended.
pub(super) fn ended(test: &Test, outcome: &Outcome, times: bool) {
    let verdict = match outcome.verdict {
        Verdict::Passed => "\u{1b}[32mok\u{1b}[0m".to_owned(),
        Verdict::Failed => "\u{1b}[31mFAILED\u{1b}[0m".to_owned(),
        Verdict::Interrupted => "\u{1b}[31minterrupted\u{1b}[0m".to_owned(),
        Verdict::Ignored => {
            let why = test.ignore.as_deref().unwrap_or_default();
            format!("\u{1b}[33mignored\u{1b}[0m, {why}")
        }
    };
    // Reports of equal runs are equal, unless times are asked for.
    let time = match times {
        true => format!(" ({:.1} s)", outcome.elapsed.as_secs_f64()),
        false => String::new(),
    };
    say(&format!("test {} ... {verdict}{time}\n", test.name));
}

/// Prints while other tests run. A reader that has gone away wants no more.
fn say(text: &str) {
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
}

/// What is said in the end.
pub(super) fn summary(
    arguments: &TestArguments,
    all: &[(&Test, &Outcome)],
    filtered: usize,
    status: Status,
) -> String {
    match arguments.format() {
        TestFormat::Text => {
            say(&text(all, filtered, status));
            String::new()
        }
        TestFormat::Json => {
            FORM.write(status, &Log::default(), &body(all, filtered, arguments.times))
        }
        TestFormat::Junit => suites(all),
    }
}

fn count(all: &[(&Test, &Outcome)], verdict: Verdict) -> usize {
    all.iter().filter(|(_, outcome)| outcome.verdict == verdict).count()
}

fn text(all: &[(&Test, &Outcome)], filtered: usize, status: Status) -> String {
    let mut out = String::new();
    for (test, outcome) in all {
        let mut told = String::new();
        for (sources, found) in &outcome.told {
            told += &Listing::all(sources, found, true);
        }
        if !told.is_empty() {
            let _ = write!(out, "\n---- {} ----\n{told}", test.name);
        }
    }
    let ended = match status {
        Status::Fine => "ok",
        Status::Interrupted => "interrupted",
        Status::Findings | Status::Usage | Status::Rejected | Status::Faulted => "FAILED",
    };
    let _ = writeln!(
        out,
        "\ntest result: {ended}. {} passed; {} failed; {} ignored; {filtered} filtered out",
        count(all, Verdict::Passed),
        count(all, Verdict::Failed),
        count(all, Verdict::Ignored),
    );
    out
}

fn body(all: &[(&Test, &Outcome)], filtered: usize, times: bool) -> Body {
    let tests = all.iter().map(|(test, outcome)| JsonTest {
        name: test.name.clone(),
        verdict: outcome.verdict,
        ignored: test.ignore.clone(),
        seconds: times.then_some(outcome.elapsed.as_secs_f64()),
        launches: outcome.launches.iter().map(launch).collect(),
        expectations: outcome.compared.iter().map(compared).collect(),
        diagnostics: log(report::borrowed(&outcome.told)).json(),
    });
    Body {
        passed: count(all, Verdict::Passed),
        failed: count(all, Verdict::Failed),
        ignored: count(all, Verdict::Ignored),
        filtered,
        tests: tests.collect(),
        listed: None,
    }
}

fn launch(launched: &Launched) -> JsonLaunch {
    JsonLaunch {
        kernel: launched.kernel.clone(),
        stats: launched.stats.as_ref().map(JsonStats::from),
        findings: launched.findings.iter().map(|code| code.word()).collect(),
        fault: launched.fault,
    }
}

fn compared(Compared { of, expected, found, shape }: &Compared) -> JsonCompared {
    let found = JsonComparison::new(found, shape);
    JsonCompared { of: of.clone(), expected: expected.clone(), found }
}

/// A suite for each plan.
fn suites(all: &[(&Test, &Outcome)]) -> String {
    let mut suites: Vec<junit::Suite> = Vec::new();
    for (test, outcome) in all {
        let (plan, name) = test.name.split_once("::").unwrap_or(("", &test.name));
        let verdict = match outcome.verdict {
            Verdict::Passed => junit::Verdict::Passed,
            Verdict::Failed => junit::Verdict::Failed,
            Verdict::Ignored => junit::Verdict::Skipped,
            Verdict::Interrupted => junit::Verdict::Broken,
        };
        let mut case = junit::Case::new(plan, name, verdict, &report::borrowed(&outcome.told));
        case.time = Some(outcome.elapsed).filter(|elapsed| *elapsed > std::time::Duration::ZERO);
        match suites.last_mut() {
            Some(suite) if suite.name == plan => suite.cases.push(case),
            _ => suites.push(junit::Suite { name: plan.to_owned(), cases: vec![case] }),
        }
    }
    junit::document(&suites)
}
