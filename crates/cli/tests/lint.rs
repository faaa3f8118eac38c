//! `warpwise lint --fix`: what it writes, and what it leaves alone.

use std::path::Path;
use std::process::{Command, Output};

const CLEAN: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n    ret;\n}\n";

fn lint(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .arg("lint")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the command runs")
}

fn with(body: &str) -> String {
    CLEAN.replace("    ret;\n", &format!("    .reg .b32 %r<3>;\n{body}    ret;\n"))
}

#[test]
fn replacements_are_applied_until_none_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.ptx");
    std::fs::write(
        &file,
        with("    shfl.sync.sync.b32.idx %r1, %r2, 0, 31, 0xffffffff;\n    ad.u32 %r1, %r1, 1;\n"),
    )
    .expect("it can be written");
    let said = lint(folder.path(), &["k.ptx", "--fix"]);
    assert!(said.status.success(), "{said:?}");
    let text = std::fs::read_to_string(&file).expect("the file is there");
    assert_eq!(
        text,
        with("    shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffffffff;\n    add.u32 %r1, %r1, 1;\n")
    );
}

#[test]
fn files_without_replacements_are_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.ptx");
    for text in [CLEAN.to_owned(), with("    mov.b32 %r1, %r9;\n"), "garbage \u{fc}".to_owned()] {
        std::fs::write(&file, &text).expect("it can be written");
        let before = std::fs::metadata(&file).and_then(|it| it.modified()).expect("a time");
        lint(folder.path(), &["k.ptx", "--fix"]);
        assert_eq!(std::fs::read_to_string(&file).expect("the file is there"), text);
        let after = std::fs::metadata(&file).and_then(|it| it.modified()).expect("a time");
        assert_eq!(before, after);
    }
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 1, "no temporary file stays");
}

#[test]
fn formats_are_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.ptx"), with("    mov.u32 %r1, %f1;\n")).expect("written");
    for (format, pointer) in
        [("json", "/diagnostics/0/code"), ("sarif", "/runs/0/results/0/ruleId")]
    {
        let said = lint(folder.path(), &["k.ptx", "--format", format]);
        assert_eq!(said.status.code(), Some(1));
        let document: serde_json::Value =
            serde_json::from_slice(&said.stdout).expect("one JSON document");
        assert_eq!(document.pointer(pointer), Some(&serde_json::json!("P012")), "{document:#}");
    }
}
