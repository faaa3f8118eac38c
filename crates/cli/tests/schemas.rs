//! JSON documents follow the schemas of docs/schemas, whatever comes of the command; and those are what `warpwise schema`
//! prints.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a command line in the root of the repository; what it prints, and its exit status.
fn warpwise(words: &str) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    let ran = command.args(words.split(' ')).current_dir(root()).output();
    let ran = ran.expect("the command starts");
    (String::from_utf8(ran.stdout).expect("text"), ran.status.code().unwrap_or(-1))
}

/// The names of all forms.
fn forms() -> Vec<String> {
    let (list, _) = warpwise("schema");
    list.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

fn schema(form: &str) -> Value {
    let path = root().join(format!("docs/schemas/{form}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{form}: {why}"));
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// What is wrong with a document.
fn wrong(form: &str, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(&schema(form)).expect("the schema is a schema");
    let errors = validator.iter_errors(document);
    errors.map(|error| format!("{error} at {}", error.instance_path())).collect()
}

#[test]
fn the_files_are_what_the_command_prints() {
    let forms = forms();
    for form in &forms {
        let (printed, status) = warpwise(&format!("schema {}", form.replace('-', " ")));
        assert_eq!(status, 0, "{form}");
        let printed: Value = serde_json::from_str(&printed).expect("a schema is JSON");
        assert!(printed == schema(form), "run `cargo xtask bless`: {form}");
    }
    let files = std::fs::read_dir(root().join("docs/schemas")).expect("the folder is there");
    assert_eq!(files.count(), forms.len(), "a file for each form, and no other");
}

/// Command lines, and the exit status that each ends with.
const COMMANDS: &[(&str, i32)] = &[
    ("run tests/run/arguments.ptx --entry nothing --grid 1 --block 1", 0),
    ("run tests/check/m001.ptx --grid 1 --block 32 --arg u32[32]=0", 4),
    ("run tests/check/w001.ptx --grid 1 --block 32 --arg u32[32]=iota --print 0:3 --stats", 0),
    ("run tests/run/arguments.ptx --entry nothing --grid 1 --block 1025", 2),
    ("run tests/run/none.ptx --grid 1 --block 1", 3),
    ("run", 2),
    ("check tests/run/arguments.ptx --entry nothing --grid 1 --block 1", 0),
    ("check tests/check/w001.ptx --grid 1 --block 32 --arg u32[32]=0", 1),
    ("check tests/check/w001.ptx --grid 1 --block 32 --arg u32[32]=0 --explore 3", 1),
    ("check tests/check/m001.ptx --grid 1 --block 32 --arg u32[32]=0", 1),
    ("check tests/run/none.ptx --grid 1 --block 1", 3),
    ("check tests/check/w001.ptx --grid 0", 2),
    ("test examples/counting_sort/counting_sort.toml", 0),
    ("test examples/counting_sort/counting_sort.toml --list", 0),
    ("test examples/counting_sort/counting_sort.toml --exact --filter nothing", 0),
    ("test tests/plan/failing.toml", 1),
    ("test tests/plan/mistakes.toml", 3),
    ("test", 2),
    ("info examples/counting_sort/counting_sort.sm_90.ptx", 0),
    ("info tests/cubin/labels.sm_100.cubin", 3),
    ("info", 2),
    ("lint tests/check/w001.ptx", 0),
    ("lint tests/cubin/warp_ops.cu", 1),
    ("lint tests/run/none.ptx", 3),
    ("lint --target sm_1", 2),
    ("lint --list", 0),
    ("explain nonsense", 3),
    ("explain", 2),
    ("isa check isa/warp.isa", 0),
    ("isa check tests/check/w001.ptx", 3),
    ("isa check", 2),
    ("isa list isa/warp.isa", 0),
    ("isa list isa/none.isa", 3),
    ("isa list", 0),
    ("isa list --nothing", 2),
    ("disasm tests/machine/words.bin --isa isa/warp.isa", 0),
    ("disasm tests/check/w001.ptx --isa isa/warp.isa", 3),
    ("disasm", 2),
    (
        "sim examples/described_machine/scan.s --isa examples/described_machine/invented.isa \
         --state examples/described_machine/state.toml --check",
        0,
    ),
    ("sim examples/described_machine/scan.s --isa isa/none.isa", 3),
    ("sim", 2),
    ("lower examples/inclusive_scan/inclusive_scan.sm_90.ptx --entry scan --isa isa/warp.isa", 0),
    ("lower examples/inclusive_scan/inclusive_scan.sm_90.ptx --isa isa/none.isa", 3),
    ("lower", 2),
    ("asm tests/check/w001.ptx --isa isa/warp.isa -o /dev/null", 3),
    ("asm", 2),
];

#[test]
fn documents_follow_their_schemas() {
    let mut seen: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
    for (words, expected) in COMMANDS {
        let (printed, status) = warpwise(&format!("{words} --format json"));
        assert_eq!(status, *expected, "{words}: {printed}");
        let document: Value = serde_json::from_str(&printed)
            .unwrap_or_else(|why| panic!("{words}: {why}: {printed}"));
        // The list of rules is an array.
        let form = document["schema"].as_str().unwrap_or("rules").to_owned();
        let not_followed = wrong(&form, &document);
        assert!(not_followed.is_empty(), "{words}: {not_followed:#?}\n{document:#}");
        let told = document["diagnostics"].as_array().into_iter().flatten();
        for finding in told.filter_map(|told| told.get("finding")) {
            let not_followed = wrong("finding", finding);
            assert!(not_followed.is_empty(), "{words}: {not_followed:#?}\n{finding:#}");
            seen.entry("finding".to_owned()).or_default().insert(0);
        }
        seen.entry(form).or_default().insert(status);
        // The short form says the same, unless it tells times or how the command is used.
        if words.contains("--stats") {
            assert!(document["stats"]["seconds"].is_number(), "{words}");
            continue;
        } else if status == 2 {
            continue;
        }
        assert_eq!(document.pointer("/stats/seconds"), None, "{words}");
        assert_eq!(warpwise(&format!("{words} --json")), (printed, status), "{words}");
    }
    let spaced = [
        vec!["explain", "shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff", "--json"],
        vec!["explain", "vote.sync.any.pred p, q, 0xff;", "--format", "json"],
        vec!["explain", "__match_any_sync(-1, a)", "--json"],
    ];
    for words in spaced {
        let ran = Command::new(env!("CARGO_BIN_EXE_warpwise")).args(&words).output();
        let ran = ran.expect("the command starts");
        let document: Value = serde_json::from_slice(&ran.stdout).expect("a document");
        assert_eq!(wrong("explain", &document), [""; 0], "{document:#}");
        assert_eq!(document["explanation"]["executing"], u32::MAX);
        seen.entry("explain".to_owned()).or_default().insert(0);
    }
    // Where the folder can be written to.
    let folder = tempfile::tempdir().expect("a folder");
    let program = root().join("examples/described_machine/scan.s");
    let isa = root().join("examples/described_machine/invented.isa");
    let ran = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .arg("asm")
        .args([&program, Path::new("--isa"), &isa])
        .args(["-o", "scan.bin", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .expect("the command starts");
    let document: Value = serde_json::from_slice(&ran.stdout).expect("a document");
    assert_eq!(wrong("asm", &document), [""; 0], "{document:#}");
    assert_eq!(document["output"], "scan.bin");
    seen.entry("asm".to_owned()).or_default().insert(0);

    let written = folder.path().join("known.json");
    let words = "check tests/check/w001.ptx --grid 1 --block 32 --arg u32[32]=0 --write-baseline";
    assert_eq!(warpwise(&format!("{words} {}", written.display())).1, 0);
    let text = std::fs::read_to_string(&written).expect("it was written");
    let baseline: Value = serde_json::from_str(&text).expect("a document");
    assert_eq!(wrong("baseline", &baseline), [""; 0], "{baseline:#}");
    seen.entry("baseline".to_owned()).or_default().insert(0);

    // Of what is read there are no documents: the test below has some.
    // That of `exec` does not go to standard output: its own test has one.
    let has_documents = |form: &String| !["test-plan", "exec"].contains(&form.as_str());
    for form in forms().into_iter().filter(has_documents) {
        let statuses = seen.get(&form).unwrap_or_else(|| panic!("no document of {form}"));
        assert!(statuses.contains(&0), "{form}: no document of a success");
        assert!(
            ["rules", "baseline", "finding"].contains(&form.as_str()) || statuses.contains(&2),
            "{form}: no document of a refusal"
        );
    }
}

#[test]
fn plans_follow_their_schema() {
    let plan = |path: &str| -> Value {
        let text = std::fs::read_to_string(root().join(path)).expect("the plan is there");
        serde_json::to_value(toml::from_str::<toml::Table>(&text).expect("it is TOML"))
            .expect("plain")
    };
    for path in ["examples/counting_sort/counting_sort.toml", "tests/plan/failing.toml"] {
        assert_eq!(wrong("test-plan", &plan(path)), [""; 0], "{path}");
    }
    for path in
        ["tests/plan/unknown_key.toml", "tests/plan/no_module.toml", "tests/plan/mistakes.toml"]
    {
        assert!(!wrong("test-plan", &plan(path)).is_empty(), "{path}");
    }
}

#[test]
fn schemas_refuse_what_is_no_document() {
    let (printed, _) = warpwise("lint tests/cubin/warp_ops.cu --json");
    let document: Value = serde_json::from_str(&printed).expect("a document");
    assert_eq!(wrong("lint", &document), [""; 0]);
    assert!(!wrong("check", &document).is_empty(), "of another command");
    for field in ["schema", "version", "status", "diagnostics"] {
        let mut broken = document.clone();
        broken[field] = Value::Null;
        assert!(!wrong("lint", &broken).is_empty(), "{field}");
    }
    let mut broken = document;
    broken["diagnostics"][0]["places"][0]["line"] = "one".into();
    assert!(!wrong("lint", &broken).is_empty());
}
