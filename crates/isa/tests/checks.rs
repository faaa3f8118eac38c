//! `tests/isa/check/*.isa`: each file begins with the diagnostics that checking it gives.
//!
//! A line `// expect: SEVERITY CODE LINE [LINE…]` names the lines of all places of one diagnostic, the
//! primary one first; `// expect: nothing` stands in a file that is right.

mod common;

use common::{from_text, render, repository, shipped};
use diag::Sources;
use warpwise_isa::PRELUDE_NAME;

#[test]
fn descriptions_give_the_expected_diagnostics() {
    let folder = repository("tests/isa/check");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("committed folder")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    assert!(files.len() >= 30);
    let mut failures = String::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("readable");
        let mut sources = Sources::new();
        let found = match from_text(&text, &mut sources) {
            Ok(description) => description.check(),
            Err(diagnostics) => diagnostics,
        };
        let mut lines: Vec<String> = found
            .iter()
            .map(|diagnostic| {
                let places = diagnostic.labels.iter().map(|label| {
                    match sources.file(label.span.file).name() {
                        PRELUDE_NAME => " prelude".to_owned(),
                        _ => format!(" {}", sources.location(label.span).line),
                    }
                });
                let places: String = places.collect();
                format!("{} {}{places}", diagnostic.severity.word(), diagnostic.code)
            })
            .collect();
        if lines.is_empty() {
            lines.push("nothing".into());
        }
        let expected: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("// expect: ")).collect();
        let helpless = found.iter().any(|diagnostic| diagnostic.help.is_none());
        if lines != expected || helpless {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            failures += &format!("== {name}: {lines:?}\n{}", render(&sources, &found));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Also those that are there to be included: whoever opens one can check it.
#[test]
fn every_shipped_file_is_right_by_itself() {
    let files = std::fs::read_dir(repository("isa")).expect("committed folder");
    let names = files.map(|entry| entry.expect("readable").file_name());
    let names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(names.len() >= 20, "{names:?}");
    for name in names {
        shipped(&name);
    }
}
