//! The rows of the recorded tables in which lint differs from the assembler on purpose.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// Table, row, and the reason.
const DEVIATIONS: &str = "deviations.tsv";

/// The text of a recorded table.
pub(crate) fn table(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/lint");
    std::fs::read_to_string(folder.join(name)).expect("the table is there")
}

/// Compares the rows of a table in which lint differs with those that are listed.
pub(crate) fn check(of: &str, found: &BTreeSet<String>) {
    let text = table(DEVIATIONS);
    let mut listed = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, row, reason] = cells[..] else { panic!("{line}") };
        assert!(!reason.is_empty(), "{line}");
        if name == of {
            assert!(listed.insert(row.to_owned()), "listed twice: {row}");
        }
    }
    let list = |rows: &BTreeSet<String>, but: &BTreeSet<String>| {
        rows.difference(but).map(String::as_str).collect::<Vec<_>>().join("\n")
    };
    let (new, gone) = (list(found, &listed), list(&listed, found));
    assert!(new.is_empty() && gone.is_empty(), "not listed:\n{new}\nlisted and equal:\n{gone}");
}
