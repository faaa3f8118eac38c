//! Outcomes as JUnit XML, which CI systems show as tests.

use crate::{Diagnostic, Severity, Sources, render};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// Cases that belong together: those of a command, of a file, of a plan.
#[derive(Clone, Debug)]
pub struct Suite {
    /// What it is called.
    pub name: String,
    /// Its cases, in the order in which they are told.
    pub cases: Vec<Case>,
}

/// One thing that was tried: a kernel, a file, a launch.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where it stands, such as the file; viewers group by it.
    pub class: String,
    /// What it is called.
    pub name: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Codes of what went wrong, the worst first.
    codes: Vec<&'static str>,
    /// What went wrong in one sentence.
    summary: String,
    /// Everything that was told, as people read it.
    text: String,
    /// How long it took; left out where equal runs shall have equal documents.
    pub time: Option<Duration>,
}

/// What came of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is right.
    Passed,
    /// It was tried, and is wrong.
    Failed,
    /// It could not be tried.
    Broken,
    /// It was not tried.
    Skipped,
}

impl Case {
    /// A case about which diagnostics were told, each with the texts that they point into.
    pub fn new(
        class: impl Into<String>,
        name: impl Into<String>,
        verdict: Verdict,
        told: &[(&Sources, &[Diagnostic])],
    ) -> Case {
        let told = told.iter();
        let told =
            || told.clone().flat_map(|(sources, all)| all.iter().map(move |it| (*sources, it)));
        let of = |severity| told().map(|(_, it)| it).filter(move |it| it.severity == severity);
        let mut worst: Vec<&Diagnostic> = of(Severity::Error).collect();
        if worst.is_empty() {
            worst.extend(of(Severity::Warning));
        }
        let mut codes = Vec::new();
        for code in worst.iter().map(|it| it.code).filter(|code| !code.is_empty()) {
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        let mut summary = worst.first().map_or(String::new(), |first| first.message.clone());
        if let others @ 1.. = worst.len().saturating_sub(1) {
            summary = format!("{summary} (and {others} more)");
        }
        let text = told().map(|(sources, it)| render::text(sources, it, false)).collect();
        Case { class: class.into(), name: name.into(), verdict, codes, summary, text, time: None }
    }

    fn element(&self) -> TestCase {
        let status = match self.verdict {
            Verdict::Passed => TestCaseStatus::success(),
            Verdict::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Verdict::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
            Verdict::Skipped => TestCaseStatus::skipped(),
        };
        let mut case = TestCase::new(self.name.as_str(), status);
        case.set_classname(self.class.as_str());
        if let Some(time) = self.time {
            case.set_time(time);
        }
        if self.verdict == Verdict::Passed {
            // What deserves a look and is no failure.
            if !self.text.is_empty() {
                case.set_system_out(self.text.as_str());
            }
            return case;
        }
        if !self.codes.is_empty() {
            case.status.set_type(self.codes.join(" "));
        }
        case.status.set_message(self.summary.as_str());
        case.status.set_description(self.text.as_str());
        case
    }
}

/// The document about some suites. Characters that XML has not are left out.
pub fn document(suites: &[Suite]) -> String {
    let mut report = Report::new("warpwise");
    for Suite { name, cases } in suites {
        let mut suite = TestSuite::new(name.as_str());
        suite.add_test_cases(cases.iter().map(Case::element));
        report.add_test_suite(suite);
    }
    // Writing to memory does not fail.
    report.to_string().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn failures_carry_code_message_and_text() {
        let mut sources = Sources::new();
        let file = sources.add("k<1>.ptx", "ret & go;\n");
        let span = Span::new(file, 4, 5);
        let found = [
            Diagnostic::warning(span, "a look").code("P101"),
            Diagnostic::error(span, "`a < b` \u{1b}[0m").code("W001"),
            Diagnostic::error(span, "again").code("W001"),
        ];
        let told: &[(&Sources, &[Diagnostic])] = &[(&sources, &found)];
        let case = |name: &str, verdict| Case::new("k<1>.ptx", name, verdict, told);
        let cases = vec![
            case("wrong", Verdict::Failed),
            case("unread", Verdict::Broken),
            Case::new("k", "right", Verdict::Passed, &[(&sources, &found[..1])]),
            Case::new("k", "clean", Verdict::Passed, &[]),
        ];
        let text = document(&[Suite { name: "check".to_owned(), cases }]);
        for part in [
            r#"<testsuites name="warpwise" tests="4" skipped="0" failures="1" errors="1">"#,
            r#"<testcase name="wrong" classname="k&lt;1&gt;.ptx">"#,
            r#"<failure message="`a &lt; b`  (and 1 more)" type="W001">"#,
            r#"<error message="`a &lt; b`  (and 1 more)" type="W001">"#,
            "1 | ret &amp; go;",
            r#"<testcase name="clean" classname="k"/>"#,
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(!text.contains('\u{1b}') && text.matches("<system-out>").count() == 1, "{text}");
    }
}
