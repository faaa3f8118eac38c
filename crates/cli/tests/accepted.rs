//! What the user accepts is not reported and does not change the exit status: codes, functions, baselines.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command printed, said and ended with.
struct Ran {
    printed: String,
    said: String,
    status: i32,
}

impl Ran {
    fn document(&self) -> Value {
        serde_json::from_str(&self.printed).unwrap_or_else(|why| panic!("{why}: {}", self.printed))
    }
}

fn twins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/check/twins")
}

fn warpwise_in(folder: &Path, words: &[&str]) -> Ran {
    let ran = Command::new(env!("CARGO_BIN_EXE_warpwise")).args(words).current_dir(folder).output();
    let ran = ran.expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ran {
        printed: text(ran.stdout),
        said: text(ran.stderr),
        status: ran.status.code().unwrap_or(-1),
    }
}

/// Checks a kernel of `called.cu`, or of another module, with more arguments.
fn check(module: &str, kernel: &str, more: &[&str]) -> Ran {
    let launch = "--grid 1 --block 64 --arg s32[64]=iota --arg s32[64]=0";
    let mut words = vec!["check", module, "--entry", kernel];
    words.extend(launch.split(' '));
    words.extend(more);
    warpwise_in(&twins(), &words)
}

const CALLED: &str = "called.sm_90.ptx";

#[test]
fn codes_are_allowed_everywhere_or_in_a_function() {
    for (module, kernel, code, function) in [
        (CALLED, "wrong_exchange", "R001", None),
        (CALLED, "wrong_mask", "W001", Some("wrong_mask")),
        // Device functions that are called: the ABI's name, and those of C++.
        (CALLED, "wrong_mask", "W001", Some("_Z7next_ofij")),
        (CALLED, "wrong_mask", "W001", Some("next_of(int, unsigned int)")),
        (CALLED, "wrong_mask", "W001", Some("next_of")),
        (CALLED, "wrong_exchange", "R001", Some("get")),
        // One that the compiler has inlined.
        ("templates.sm_90.ptx", "wrong_tree", "R001", Some("WarpTree::operator()")),
        (
            "templates.sm_90.ptx",
            "wrong_tree",
            "R001",
            Some("WarpTree<int, Max, false>::operator()(int, Max) const"),
        ),
    ] {
        // What the wrong mask gives is stored, in the kernel itself.
        let allow = match function {
            Some(function) => format!("W010,{code}:{function}"),
            None => code.to_owned(),
        };
        let ran = check(module, kernel, &["--allow", &allow, "--format", "json"]);
        let found = ran.document();
        assert_eq!(ran.status, 0, "{allow}: {}", ran.printed);
        assert_eq!(found["diagnostics"], serde_json::json!([]), "{allow}");
        assert!(found["suppressed"]["allowed"].as_u64() >= Some(1), "{allow}");
    }
    for allow in ["W001:right_mask", "W001:put", "W002", "R001,W010:next_of"] {
        let ran = check(CALLED, "wrong_mask", &["--allow", allow]);
        assert_eq!(ran.status, 1, "{allow}");
        for part in ["error[W001]", "error[W010]", "nothing suppressed"] {
            assert!(ran.said.contains(part), "{allow}: {part}: {}", ran.said);
        }
    }
}

#[test]
fn unknown_codes_are_refused_with_the_nearest() {
    for (allow, words) in [
        ("W01", "did you mean `W001`?"),
        ("r001", "did you mean `R001`?"),
        ("everything", "docs/findings.md"),
        ("P012", "is an error and cannot be allowed"),
    ] {
        let ran = check(CALLED, "wrong_mask", &["--allow", allow]);
        assert_eq!(ran.status, 2, "{allow}");
        assert!(ran.said.contains(words), "{allow}: {}", ran.said);
    }
}

#[test]
fn a_baseline_takes_what_is_known_and_leaves_what_is_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("known.json");
    let file = file.to_str().expect("a name");
    let written = check(CALLED, "wrong_mask", &["--write-baseline", file]);
    assert_eq!((written.status, written.printed.as_str()), (0, ""), "{}", written.said);
    assert!(written.said.contains("2 suppressed by the baseline"), "{}", written.said);

    let known = check(CALLED, "wrong_mask", &["--baseline", file, "--format", "sarif"]);
    assert_eq!(known.status, 0);
    let result = &known.document()["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "W001");
    assert_eq!(result["suppressions"][0]["kind"], "external");
    let junit = check(CALLED, "wrong_mask", &["--baseline", file, "--format", "junit"]);
    assert!(junit.printed.contains(r#"failures="0""#), "{}", junit.printed);
    let github = check(CALLED, "wrong_mask", &["--baseline", file, "--format", "github"]);
    assert_eq!((github.printed.as_str(), github.status), ("", 0));

    // What another kernel shows is new; when it is written, too, both are known.
    assert_eq!(check(CALLED, "wrong_exchange", &["--baseline", file]).status, 1);
    assert_eq!(check(CALLED, "wrong_exchange", &["--write-baseline", file]).status, 0);
    for kernel in ["wrong_mask", "wrong_exchange"] {
        let ran = check(CALLED, kernel, &["--baseline", file]);
        assert_eq!(ran.status, 0, "{kernel}: {}", ran.said);
        assert!(!ran.said.contains("which was not found"), "{}", ran.said);
    }

    // What is gone is mentioned, and goes away when the file is written again.
    let text = std::fs::read_to_string(file).expect("it was written");
    std::fs::write(file, text.replace("\"wrong_mask\"", "\"right_mask\"")).expect("written");
    let ran = check(CALLED, "right_mask", &["--baseline", file]);
    assert_eq!(ran.status, 0);
    assert!(ran.said.contains("the baseline has W001 at"), "{}", ran.said);
    check(CALLED, "right_mask", &["--write-baseline", file]);
    let ran = check(CALLED, "right_mask", &["--baseline", file]);
    assert!(!ran.said.contains("which was not found"), "{}", ran.said);
    assert_eq!(check(CALLED, "wrong_exchange", &["--baseline", file]).status, 0);
}

#[test]
fn files_that_are_no_baseline_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, words) in [
        ("", "EOF"),
        ("[]", ""),
        (r#"{"schema":"check","version":1,"accepted":[]}"#, "its schema is `check`"),
        (r#"{"schema":"baseline","version":2,"accepted":[]}"#, "version 2"),
        (r#"{"schema":"baseline","version":1}"#, "accepted"),
    ] {
        let file = folder.path().join("b.json");
        std::fs::write(&file, text).expect("written");
        let name = file.to_str().expect("a name");
        for option in ["--baseline", "--write-baseline"] {
            let ran = check(CALLED, "wrong_mask", &[option, name]);
            assert_eq!(ran.status, 3, "{option} {text}: {}", ran.said);
            assert!(ran.said.contains(words), "{option} {text}: {}", ran.said);
        }
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text);
    }
    let none = folder.path().join("none.json");
    let ran = check(CALLED, "wrong_mask", &["--baseline", none.to_str().expect("a name")]);
    assert_eq!(ran.status, 3);
}

#[test]
fn lint_keeps_baselines_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = |register: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{{\n    .reg .b32 %r<3>;\n    \
             mov.u32 %r1, {register};\n    ret;\n}}\n"
        )
    };
    let write = |text: String| std::fs::write(folder.path().join("k.ptx"), text).expect("written");
    let lint = |words: &[&str]| warpwise_in(folder.path(), &[&["lint", "k.ptx"], words].concat());
    write(module("%f1"));
    assert_eq!(lint(&[]).status, 1);
    let written = lint(&["--write-baseline", "known.json"]);
    assert_eq!((written.status, written.printed.as_str()), (0, "k.ptx: 0 errors, 0 warnings\n"));
    // It is known when lines come before it.
    write(format!("// a remark\n\n{}", module("%f1")));
    assert_eq!(lint(&["--baseline", "known.json"]).status, 0);
    write(module("%f2"));
    let ran = lint(&["--baseline", "known.json", "--json"]);
    assert_eq!(ran.status, 1);
    let found = ran.document();
    assert_eq!(found["suppressed"]["baseline"], 0);
    assert_eq!(found["suppressed"]["gone"][0]["place"], "k.ptx:7:18");
}

#[test]
fn a_stop_that_is_accepted_is_said() {
    let folder = twins();
    let folder = folder.parent().expect("a folder above");
    let words = "check m001.ptx --grid 1 --block 32 --arg u32[32]=0 --allow M001 --print 0";
    let ran = warpwise_in(folder, &words.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.status, ran.printed.as_str()), (0, ""));
    assert!(ran.said.contains("nothing behind it was looked at"), "{}", ran.said);
}

#[test]
fn a_clean_check_says_what_it_covered() {
    let ran = check(CALLED, "right_mask", &[]);
    assert_eq!((ran.status, ran.printed.as_str()), (0, ""));
    let line = ran.said.trim_end();
    for part in ["right_mask", "sm_90", "1 CTA of 64 threads", "warp instructions", "1 run"] {
        assert!(line.contains(part) && !line.contains('\n'), "{part}: {line}");
    }
    assert!(!line.contains("not looked at"), "nothing depends on the order: {line}");
    let ran = check(CALLED, "right_mask", &["--json"]);
    assert_eq!(ran.said, "");
    let covered = &ran.document()["covered"];
    assert_eq!(covered["block"], serde_json::json!([64, 1, 1]));
    assert_eq!(covered["runs"], 1);
    assert_eq!(covered["not_looked_at"], serde_json::json!([]));
    // What was found is not clean.
    assert_eq!(check(CALLED, "wrong_mask", &["--json"]).document()["covered"], Value::Null);
}
