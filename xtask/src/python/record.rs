//! What the tests of a suite told, as the plugin writes it down, and why those that fail do.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Why tests fail: `package`, a part of the test's name or of its reason, and the explanation, in the order in which they are asked.
const FAILURES: &str = include_str!("failures.tsv");

/// The file that a suite's plugin writes.
pub(super) struct Record(pub(super) PathBuf);

/// What the tests of a suite told.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdicts {
    pub(super) passed: usize,
    pub(super) skipped: usize,
    /// Names and reasons.
    pub(super) failed: Vec<(String, String)>,
    /// How many the suite has.
    pub(super) all: usize,
}

impl Record {
    /// Forgets what is written: everything, or what failed.
    pub(super) fn forget(&self, only_failed: bool) -> Result<(), String> {
        let kept = match only_failed {
            false => String::new(),
            true => self
                .text()?
                .lines()
                .filter(|line| !is_failed(line))
                .map(|line| format!("{line}\n"))
                .collect(),
        };
        fs::write(&self.0, kept).map_err(|why| format!("{}: {why}", self.0.display()))
    }

    /// What is written.
    pub(super) fn read(&self) -> Result<Verdicts, String> {
        let all = fs::read_to_string(self.0.with_extension("all")).unwrap_or_default();
        Ok(verdicts(&self.text()?, all.trim().parse().unwrap_or_default()))
    }

    fn text(&self) -> Result<String, String> {
        match fs::read_to_string(&self.0) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            text => text.map_err(|why| format!("{}: {why}", self.0.display())),
        }
    }
}

fn is_failed(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|line| line["verdict"] == "failed")
}

/// The lines of a record: of a test that has several, the last counts. A line that was cut off is no line.
fn verdicts(text: &str, all: usize) -> Verdicts {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let last: BTreeMap<String, (String, String)> = lines
        .map(|line| (word(&line, "test"), (word(&line, "verdict"), word(&line, "why"))))
        .collect();
    let mut told = Verdicts { all, ..Verdicts::default() };
    for (test, (verdict, why)) in last {
        match verdict.as_str() {
            "passed" => told.passed += 1,
            "skipped" => told.skipped += 1,
            _ => told.failed.push((test, why)),
        }
    }
    told
}

/// Why a test of a package fails, if that is known.
pub(super) fn explanation(package: &str, test: &str, why: &str) -> Option<&'static str> {
    let rows = FAILURES.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.filter_map(|line| {
        let mut fields = line.split('\t');
        Some((fields.next()?, fields.next()?, fields.next()?))
    });
    let mut known =
        rows.filter(|(of, part, _)| *of == package && (test.contains(part) || why.contains(part)));
    known.next().map(|(_, _, explanation)| explanation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_test_counts() {
        let text = "{\"test\": \"a\", \"verdict\": \"failed\", \"why\": \"slow\"}\n\
                    {\"test\": \"b\", \"verdict\": \"skipped\", \"why\": \"\"}\n\
                    {\"test\": \"a\", \"verdict\": \"passed\", \"why\": \"\"}\n\
                    {\"test\": \"c\", \"verdict\": \"failed\", \"why\": \"no\"}\n\
                    {\"test\": \"d\", \"verd";
        let failed = vec![("c".to_owned(), "no".to_owned())];
        assert_eq!(verdicts(text, 9), Verdicts { passed: 1, skipped: 1, failed, all: 9 });
    }

    #[test]
    fn what_failed_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = Record(folder.path().join("x.record"));
        assert_eq!(record.read(), Ok(Verdicts::default()));
        let passed = "{\"test\": \"a\", \"verdict\": \"passed\", \"why\": \"\"}\n";
        let failed = "{\"test\": \"b\", \"verdict\": \"failed\", \"why\": \"\"}\n";
        fs::write(&record.0, format!("{failed}{passed}")).expect("a file");
        record.forget(true).expect("written");
        assert_eq!(record.text().as_deref(), Ok(passed));
        record.forget(false).expect("written");
        assert_eq!(record.text().as_deref(), Ok(""));
    }

    #[test]
    fn rows_of_failures_have_three_fields() {
        for line in FAILURES.lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split('\t').filter(|field| !field.is_empty()).count(), 3, "{line}");
        }
    }
}
