//! Lint against the assembler's verdicts on modules with one mistake.

use super::{TABLE, apply};
use crate::deviations;
use diag::{Severity, Sources};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[test]
fn one_mistake_is_found_where_it_is() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let table = std::fs::read_to_string(root.join(TABLE)).expect("the table is there");
    let (mut rows, mut refused, mut places) = (0, 0, Vec::new());
    let mut differing = BTreeSet::new();
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [path, line, mutant, why] = cells[..] else { panic!("{row}") };
        let line: usize = line.parse().expect("a number");
        let text = apply(&root.join(path), line - 1, mutant).expect("the module is there");
        let mut sources = Sources::new();
        let file = sources.add(path, text);
        let found = ptx::lint(&sources, file, None);
        let error = found.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        rows += 1;
        match (why.is_empty(), error) {
            (true, None) => {}
            (true, Some(_)) => _ = differing.insert(format!("accept {path} {line} {mutant}")),
            (false, None) => _ = differing.insert(format!("reject {path} {line} {mutant}")),
            (false, Some(error)) => {
                refused += 1;
                let at = error.span().map(|span| sources.location(span).line as usize);
                if at != Some(line) {
                    places.push(format!("{row}\n    line {at:?}: {}", error.message));
                }
            }
        }
    }
    assert!(rows > 1000 && refused > rows / 2, "{refused} of {rows}");
    deviations::check("mutations.tsv", &differing);
    assert!(places.len() * 200 <= rows, "{} of {rows}:\n{}", places.len(), places.join("\n"));
}
