//! `warpwise lint`.

use crate::accept::{Acceptance, Suppressed};
use crate::arguments::{LintArguments, ReportFormat};
use crate::form::Form;
use crate::output;
use crate::report::{self, Looked, Outcome, Stop, tell};
use crate::status::Status;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpwise::diag::junit::{Case, Verdict};
use warpwise::diag::{Diagnostic, Fix, Severity, Sources};
use warpwise::rules::{RULES, Rule};
use warpwise::{PtxText, lint, ptx_of_file};

/// The form of its document.
pub(crate) const FORM: Form<Body> = Form::new("lint");

/// What the JSON document has beside what was found.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// What was left out because the user accepts it; with `--allow` and baselines only.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<Suppressed>,
}

/// Runs the command and reports.
pub(crate) fn run(arguments: &LintArguments) -> Status {
    let format = arguments.reporting.format();
    if arguments.list {
        return report::print(&list(format), Status::Fine);
    }
    let mut body = Body::default();
    let (sources, found, status, cases) = match attempt(arguments) {
        Ok((sources, found, suppressed)) => {
            body.suppressed = suppressed;
            let is_error = |it: &Diagnostic| it.severity == Severity::Error;
            let has_error = found.iter().any(|it| it.suppressed.is_none() && is_error(it));
            let status = if has_error { Status::Findings } else { Status::Fine };
            let cases = cases(arguments, &sources, &found);
            (Arc::new(sources), found, status, cases)
        }
        Err(Stop { sources, diagnostics, status, .. }) => {
            tell(&sources, &diagnostics);
            let files: Vec<_> = arguments.files.iter().map(|it| it.display().to_string()).collect();
            let told: &[(&Sources, &[Diagnostic])] = &[(&sources, &diagnostics)];
            let case = Case::new("lint", files.join(" "), status.verdict(), told);
            (sources, diagnostics, status, vec![case])
        }
    };
    let told = vec![(&*sources, found.as_slice())];
    let outcome = Outcome { form: &FORM, body: &body, status, told, cases };
    let text =
        outcome.document(format, Looked::Rules).unwrap_or_else(|| match status.is_answer() {
            true => {
                tell(&sources, &found);
                summary(arguments, &found)
            }
            false => String::new(),
        });
    report::print(&text, status)
}

/// One test a file.
fn cases(arguments: &LintArguments, sources: &Sources, found: &[Diagnostic]) -> Vec<Case> {
    let case = |path: &PathBuf| {
        let name = path.display().to_string();
        // A file may have several modules inside: `app#1`, `app#2`.
        let is_its = |other: &str| {
            let rest = other.strip_prefix(&name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
        };
        let is_here =
            |it: &&Diagnostic| it.span().is_some_and(|span| is_its(sources.file(span.file).name()));
        let here: Vec<Diagnostic> = found.iter().filter(is_here).cloned().collect();
        let is_error = |it: &Diagnostic| it.severity == Severity::Error;
        let is_error = |it: &Diagnostic| it.suppressed.is_none() && is_error(it);
        let verdict = if here.iter().any(is_error) { Verdict::Failed } else { Verdict::Passed };
        Case::new("lint", name, verdict, &[(sources, &here)])
    };
    arguments.files.iter().map(case).collect()
}

/// The texts, what was found in them, and what of it is accepted.
type Linted = (Sources, Vec<Diagnostic>, Option<Suppressed>);

fn attempt(arguments: &LintArguments) -> Result<Linted, Stop> {
    let mut acceptance = Acceptance::new(&arguments.accepting, true)?;
    let mut texts = Vec::new();
    for file in &arguments.files {
        for PtxText { name, text, packed } in ptx_of_file(file)? {
            let text = match (arguments.fix, packed) {
                (true, true) => {
                    let message = format!("{name} is inside another file: --fix writes PTX files");
                    return Err(Stop::usage(message));
                }
                (true, false) => mend(file, text, arguments, &acceptance)?,
                (false, _) => text,
            };
            texts.push((name, text));
        }
    }
    let mut sources = Sources::new();
    let mut found = Vec::new();
    let mut names = Vec::new();
    for (name, text) in texts {
        let file = sources.add(name.as_str(), text);
        let mut here = lint(&sources, file, arguments.target.as_deref());
        acceptance.judge((&name, None), &sources, &mut here);
        found.extend(here);
        names.push(name);
    }
    let subjects: Vec<_> = names.iter().map(|name| (name.as_str(), None)).collect();
    let suppressed = acceptance.finish(&subjects, true)?;
    Ok((sources, found, suppressed))
}

/// Rounds of replacements; each may bring to light what the next one mends.
const MAX_ROUNDS: usize = 10;

/// Applies the replacements of a file's diagnostics, writes the file if that changed it, and returns its text.
fn mend(
    path: &Path,
    text: String,
    arguments: &LintArguments,
    acceptance: &Acceptance,
) -> Result<String, Stop> {
    let mut mended = text.clone();
    for _ in 0..MAX_ROUNDS {
        let mut sources = Sources::new();
        let file = sources.add(path.display().to_string(), mended.clone());
        let found = lint(&sources, file, arguments.target.as_deref());
        // What is allowed stays as it is.
        let found = found.iter().filter(|diagnostic| !acceptance.allows(diagnostic));
        let next = apply(&mended, found.filter_map(|diagnostic| diagnostic.fix.as_ref()));
        if next == mended {
            break;
        }
        mended = next;
    }
    if mended != text {
        output::write_bytes(path, mended.as_bytes()).map_err(Stop::rejected)?;
    }
    Ok(mended)
}

/// The text with its replacements. Of those that overlap, the first is made.
fn apply<'a>(text: &str, fixes: impl Iterator<Item = &'a Fix>) -> String {
    let mut fixes: Vec<&Fix> = fixes.collect();
    fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
    let mut mended = String::with_capacity(text.len());
    let mut at = 0;
    for fix in fixes {
        let (start, end) = (fix.span.start as usize, fix.span.end as usize);
        let Some(before) = text.get(at..start).filter(|_| end <= text.len()) else { continue };
        mended.push_str(before);
        mended.push_str(&fix.replacement);
        at = end;
    }
    mended.push_str(text.get(at..).unwrap_or_default());
    mended
}

/// One line about all files.
fn summary(arguments: &LintArguments, found: &[Diagnostic]) -> String {
    let count = |severity, what: &str| match found
        .iter()
        .filter(|it| it.suppressed.is_none() && it.severity == severity)
        .count()
    {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let files = match arguments.files.as_slice() {
        [file] => file.display().to_string(),
        files => format!("{} files", files.len()),
    };
    format!(
        "{files}: {}, {}\n",
        count(Severity::Error, "error"),
        count(Severity::Warning, "warning")
    )
}

/// A rule in the list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rule")]
pub(crate) struct JsonRule {
    /// Its code.
    code: &'static str,
    /// Its name.
    name: &'static str,
    /// How bad a breach is.
    severity: Severity,
    /// The rule in one sentence.
    summary: &'static str,
    /// Where the manual states it.
    section: &'static str,
}

impl From<&Rule> for JsonRule {
    fn from(rule: &Rule) -> JsonRule {
        let Rule { code, name, severity, summary, section, .. } = *rule;
        JsonRule { code, name, severity, summary, section }
    }
}

/// Every rule.
fn list(format: ReportFormat) -> String {
    if format != ReportFormat::Text {
        let all: Vec<JsonRule> = RULES.iter().copied().map(JsonRule::from).collect();
        return format!("{}\n", json!(all));
    }
    let mut text = String::new();
    for rule in RULES {
        let Rule { code, name, summary, section, .. } = rule;
        let severity = rule.severity.word();
        let _ = writeln!(text, "{code}  {severity:7}  {name}\n      {summary} ({section})");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::apply;
    use warpwise::diag::{Fix, Sources, Span};

    #[test]
    fn replacements_do_not_overlap() {
        let mut sources = Sources::new();
        let file = sources.add("k", "");
        let fix = |start, end, replacement: &str| Fix {
            span: Span::new(file, start, end),
            replacement: replacement.to_owned(),
        };
        let fixes =
            [fix(3, 5, "X"), fix(0, 1, "Y"), fix(4, 6, "Z"), fix(6, 6, ";"), fix(90, 99, "")];
        assert_eq!(apply("abcdefg", fixes.iter()), "YbcXf;g");
        assert_eq!(apply("é", [fix(1, 2, "X")].iter()), "é");
    }
}
