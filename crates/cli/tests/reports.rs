//! Reports of equal runs are equal, and there is a document about every run, whatever came of it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// Runs a command line; the word behind the command is a file below `tests`.
fn warpwise(words: &str) -> Output {
    let mut words = words.split_whitespace();
    let command = words.next().expect("a command");
    let file = folder().join(words.next().expect("a file"));
    let mut warpwise = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    warpwise.arg(command).arg(file).args(words).output().expect("the command starts")
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {output:?}"))
}

/// Twenty runs, byte for byte.
fn is_the_same(words: &str) -> Output {
    let first = warpwise(words);
    for _ in 1..20 {
        assert_eq!(warpwise(words), first, "{words}");
    }
    first
}

#[test]
fn equal_runs_have_equal_reports() {
    for format in ["text", "json", "sarif", "junit", "github"] {
        for words in [
            "check check/reports.ptx --entry between --grid 2",
            "check check/reports.ptx --entry between --grid 2 --explore 50",
            "check check/reports.ptx --entry beyond --grid 4",
            "run check/reports.ptx --entry beyond --grid 4 --threads 2",
            "run check/reports.ptx --entry beyond --grid 64 --threads 2",
            "run check/reports.ptx --entry beyond --grid 64 --threads 2 --max-steps 20",
        ] {
            let ran =
                is_the_same(&format!("{words} --block 64 --arg u32[200]=0 --format {format}"));
            let text = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
            assert!(!text.contains("0x7f"), "an address of the host: {text}");
        }
    }
}

#[test]
fn the_first_cta_that_fails_is_told() {
    // CTA 3 is the first that stores behind the 200 elements.
    let words =
        "run check/reports.ptx --entry beyond --grid 64 --block 64 --arg u32[200]=0 --threads 2";
    let ran = warpwise(words);
    let text = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(4));
    assert!(text.contains("thread (8,0,0) of CTA (3,0,0)"), "{text}");
}

#[test]
fn results_have_fingerprints() {
    let words = "check check/reports.ptx --entry between --grid 2 --block 64 --arg u32[200]=0 --format sarif --print 0:1";
    let found = document(&warpwise(words));
    let results = found["runs"][0]["results"].as_array().expect("results");
    assert!(!results.is_empty());
    for result in results {
        assert!(result["partialFingerprints"]["warpwise/v1"].is_string(), "{result}");
    }
    let run = &found["runs"][0];
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    assert_eq!(run["properties"]["prints"][0]["parameter"], 0);
}

#[test]
fn prints_of_a_check_are_in_its_document() {
    let words = "check run/variables.ptx --entry scaled --grid 1 --block 4 --arg f32[4]=0 --set table=f32[4]=iota --print 0 --print ns::counter --format json";
    let found = document(&warpwise(words));
    assert_eq!(found["prints"][0]["values"], serde_json::json!([0.0, 2.0, 4.0, 6.0]));
    assert_eq!(found["prints"][1]["name"], "ns::counter");
    assert_eq!(found["prints"][1]["values"], serde_json::json!([4]));
}

#[test]
fn refused_input_has_a_document() {
    for (words, status, message) in [
        ("check run/none.ptx --grid 1 --block 1", 3, "cannot read"),
        ("check run/cube.npy --grid 1 --block 1", 3, "not UTF-8"),
        ("run run/expected.py --grid 1 --block 1", 3, ""),
        ("lint run/none.ptx", 3, "cannot read"),
        (
            "check run/arguments.ptx --entry nothing --grid 1 --block 1 --arg u8:0",
            2,
            "no parameters",
        ),
        ("run run/arguments.ptx --entry nothing --grid 1 --block 1025", 2, "1024"),
        ("check run/arguments.ptx --grid 1 --block 1 --arg x", 2, "invalid value"),
        ("run run/arguments.ptx --block 1", 2, "--grid"),
        ("lint run/arguments.ptx --target sm_1", 2, "sm_1"),
    ] {
        let ran = warpwise(&format!("{words} --format sarif"));
        assert_eq!(ran.status.code(), Some(status), "{words}");
        let run = &document(&ran)["runs"][0];
        assert_eq!(run["invocations"][0]["exitCode"], status, "{words}");
        assert_eq!(run["invocations"][0]["executionSuccessful"], false, "{words}");
        let text = run["results"].to_string();
        assert!(text.contains(message) && text.len() > 10, "{words}: {text}");
        let ran = warpwise(&format!("{words} --format json"));
        assert_eq!(ran.status.code(), Some(status), "{words}");
        let found = document(&ran);
        assert_eq!(found["status"], if status == 2 { "usage" } else { "rejected" });
        assert!(found["diagnostics"].to_string().contains(message), "{words}: {found}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn inputs_without_end_are_refused() {
    let warpwise = |words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        command.args(words.split_whitespace()).output().expect("the command starts")
    };
    for (words, most) in [
        ("run /dev/zero --grid 1 --block 1", "1073741824"),
        ("isa check /dev/zero", "8388608"),
        ("disasm /dev/zero --isa /dev/zero", ""),
    ] {
        let ran = warpwise(words);
        assert_eq!(ran.status.code(), Some(3), "{words}: {ran:?}");
        let text = String::from_utf8_lossy(&ran.stderr);
        assert!(text.contains("has more than") && text.contains(most), "{words}: {text}");
    }
}
