//! Findings as data: those of the file tests follow the schema, and every kind is shown by one of them.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Kinds that no file of `tests/check` shows: the command frees no memory.
const ELSEWHERE: [&str; 1] = ["freed"];

/// The checks of a file test, as command lines.
fn commands(file: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(file).expect("a file test");
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let checks = lines.filter_map(|line| line.strip_prefix("//$ warpwise check "));
    let name = file.to_str().expect("a plain name");
    let word = |word: &str| if word == "%s" { name.to_owned() } else { word.to_owned() };
    let plain = checks.filter(|line| !line.contains(['"', '\'', '|']));
    plain.map(|line| line.split_whitespace().map(word).collect()).collect()
}

#[test]
fn findings_follow_their_schema_and_each_kind_has_a_test() {
    let schema = root().join("docs/schemas/finding.json");
    let schema = std::fs::read_to_string(schema).expect("the schema is there");
    let schema: Value = serde_json::from_str(&schema).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let kinds =
        schema["$defs"]["Detail"]["oneOf"].as_array().expect("a detail is one of its kinds");
    let kinds = kinds.iter().filter_map(|kind| kind["properties"]["kind"]["const"].as_str());
    let mut missing: BTreeSet<&str> = kinds.collect();
    assert!(missing.len() > 20, "{schema:#}");
    let folder = std::fs::read_dir(root().join("tests/check")).expect("the folder is there");
    let files = folder.map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| path.extension().is_some_and(|it| it == "ptx"));
    for words in files.flat_map(|file| commands(&file)) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        let ran = command.arg("check").args(&words).arg("--json").output();
        let printed = ran.expect("the command starts").stdout;
        let document: Value = serde_json::from_slice(&printed).expect("a document");
        let told = document["diagnostics"].as_array().into_iter().flatten();
        for finding in told.filter_map(|told| told.get("finding")) {
            let errors: Vec<String> =
                validator.iter_errors(finding).map(|error| error.to_string()).collect();
            assert_eq!(errors, [""; 0], "{words:?}\n{finding:#}");
            missing.retain(|kind| finding["detail"]["kind"] != **kind);
            let places = finding["locations"].as_array().expect("places");
            assert!(places.iter().any(|at| at["place"] == finding["place"]), "{finding:#}");
        }
    }
    assert_eq!(missing, BTreeSet::from(ELSEWHERE), "which kinds no file test shows");
}
