//! `warpwise lint`.

use crate::arguments::{LintArguments, ReportFormat};
use crate::output;
use crate::report::{self, Stop, tell};
use crate::status::Status;
use std::fmt::Write as _;
use std::path::Path;
use warpwise::diag::{Diagnostic, Fix, Log, RuleInfo, Severity, Sources};
use warpwise::lint;
use warpwise::rules::{self, RULES, Rule};

/// Runs the command and reports.
pub(crate) fn run(arguments: &LintArguments) -> Status {
    if arguments.list {
        return report::print(&list(arguments.format), Status::Fine);
    }
    match attempt(arguments) {
        Ok((sources, found)) => {
            let has_error = found.iter().any(|it| it.severity == Severity::Error);
            let status = if has_error { Status::Findings } else { Status::Fine };
            report::print(&show(arguments, &sources, &found, status), status)
        }
        Err(stop) => {
            tell(&stop.sources, &stop.diagnostics);
            let (sources, found, status) = (&stop.sources, &stop.diagnostics, stop.status);
            let document = document(arguments.format, sources, found, status);
            report::print(&document.unwrap_or_default(), status)
        }
    }
}

fn attempt(arguments: &LintArguments) -> Result<(Sources, Vec<Diagnostic>), Stop> {
    for code in &arguments.allow {
        match rules::rule(code) {
            None => {
                let message = format!("there is no rule `{code}`; `--list` shows them");
                return Err(Stop::usage(message));
            }
            Some(rule) if rule.severity == Severity::Error => {
                return Err(Stop::usage(format!("{code} is an error and cannot be allowed")));
            }
            Some(_) => {}
        }
    }
    let mut texts = Vec::new();
    for file in &arguments.files {
        let text = report::read_text(file)?;
        texts.push((file, if arguments.fix { mend(file, text, arguments)? } else { text }));
    }
    let mut sources = Sources::new();
    let mut found = Vec::new();
    for (file, text) in texts {
        let file = sources.add(file.display().to_string(), text);
        found.extend(diagnose(&sources, file, arguments));
    }
    Ok((sources, found))
}

fn diagnose(
    sources: &Sources,
    file: warpwise::diag::FileId,
    arguments: &LintArguments,
) -> Vec<Diagnostic> {
    let mut found = lint(sources, file, arguments.target.as_deref());
    found.retain(|diagnostic| !arguments.allow.iter().any(|code| code == diagnostic.code));
    found
}

/// Rounds of replacements; each may bring to light what the next one mends.
const MAX_ROUNDS: usize = 10;

/// Applies the replacements of a file's diagnostics, writes the file if that changed it, and returns its text.
fn mend(path: &Path, text: String, arguments: &LintArguments) -> Result<String, Stop> {
    let mut mended = text.clone();
    for _ in 0..MAX_ROUNDS {
        let mut sources = Sources::new();
        let file = sources.add(path.display().to_string(), mended.clone());
        let found = diagnose(&sources, file, arguments);
        let next = apply(&mended, found.iter().filter_map(|diagnostic| diagnostic.fix.as_ref()));
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

fn show(
    arguments: &LintArguments,
    sources: &Sources,
    found: &[Diagnostic],
    status: Status,
) -> String {
    document(arguments.format, sources, found, status).unwrap_or_else(|| {
        tell(sources, found);
        summary(arguments, found)
    })
}

/// The document that a format asks for.
fn document(
    format: ReportFormat,
    sources: &Sources,
    found: &[Diagnostic],
    status: Status,
) -> Option<String> {
    let document = match format {
        ReportFormat::Text => return None,
        ReportFormat::Json => serde_json::json!({
            "status": status.word(),
            "diagnostics": report::json(sources, found),
        }),
        ReportFormat::Sarif => {
            let rules: Vec<RuleInfo<'_>> = RULES.iter().map(|rule| report::info(rule)).collect();
            let ended = (matches!(status, Status::Fine | Status::Findings), status.number());
            let told = vec![(sources, found)];
            Log { told, rules: &rules, ended: Some(ended), properties: None }.sarif()
        }
    };
    Some(format!("{document}\n"))
}

/// One line about all files.
fn summary(arguments: &LintArguments, found: &[Diagnostic]) -> String {
    let count = |severity, what: &str| match found
        .iter()
        .filter(|diagnostic| diagnostic.severity == severity)
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

/// Every rule.
fn list(format: ReportFormat) -> String {
    if format != ReportFormat::Text {
        let all: Vec<serde_json::Value> = RULES
            .iter()
            .map(|rule| {
                serde_json::json!({
                    "code": rule.code,
                    "name": rule.name,
                    "severity": rule.severity.word(),
                    "summary": rule.summary,
                    "section": rule.section,
                })
            })
            .collect();
        return format!("{}\n", serde_json::Value::from(all));
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
