//! Completions and manual pages.

use std::process::{Command, Output};

fn warpwise(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.args(words.split_whitespace()).output().expect("the command starts")
}

fn printed(words: &str) -> String {
    let ran = warpwise(words);
    assert_eq!(ran.status.code(), Some(0), "{words}: {ran:?}");
    String::from_utf8(ran.stdout).expect("text")
}

#[test]
fn completions_know_commands_and_formats() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&format!("completions {shell}"));
        for word in ["warpwise", "check", "explore", "junit", "sarif"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("warpwise.bash");
    std::fs::write(&file, printed("completions bash")).expect("written");
    let read = Command::new("bash").arg("-n").arg(&file).output().expect("there is a shell");
    assert!(read.status.success() && read.stderr.is_empty(), "{read:?}");
}

#[test]
fn there_is_a_page_for_each_command() {
    for command in [
        "",
        "run",
        "check",
        "lint",
        "explain",
        "asm",
        "disasm",
        "sim",
        "lower",
        "isa",
        "isa check",
        "isa doc",
        "isa list",
        "schema",
        "completions",
        "man",
    ] {
        let page = printed(&format!("man {command}"));
        let name = format!("warpwise {command}").trim().replace(' ', "-");
        assert!(page.contains(&format!(".TH {name} 1")), "{command}: {page}");
        assert!(page.contains(".SH SYNOPSIS"), "{command}");
    }
    assert_eq!(warpwise("man nothing").status.code(), Some(2));
}
