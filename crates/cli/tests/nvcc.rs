//! The command under the name of NVIDIA's compiler, called as programs call it that compile as they run.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// Two folders: one with the command as `nvcc`, and one with a compiler that prints its arguments and ends with 3.
fn folders() -> (tempfile::TempDir, tempfile::TempDir) {
    let [own, other] = [0; 2].map(|_| tempfile::tempdir().expect("a folder"));
    let command = env!("CARGO_BIN_EXE_warpwise");
    std::os::unix::fs::symlink(command, own.path().join("nvcc")).expect("a link");
    let script = other.path().join("nvcc");
    fs::write(&script, "#!/bin/sh\necho \"$@\"\nexit 3\n").expect("it is written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("its owner may");
    (own, other)
}

fn nvcc(own: &Path, path: &[&Path], words: &[&str]) -> Output {
    let path = std::env::join_paths(path).expect("paths without a colon");
    let ran = Command::new(own.join("nvcc")).args(words).env("PATH", path).output();
    ran.expect("the command starts")
}

#[test]
fn the_next_compiler_makes_ptx_where_machine_code_is_asked_for() {
    let (own, other) = folders();
    let path = [own.path(), other.path(), Path::new("/bin"), Path::new("/usr/bin")];
    for (words, expected) in [
        (&["--version"][..], "--version"),
        (
            // As PyCUDA 2026.1 does.
            &["--cubin", "-arch", "sm_86", "-I/a", "kernel.cu"],
            "--fatbin -I/a kernel.cu -gencode arch=compute_86,code=compute_86 -o kernel.cubin",
        ),
    ] {
        let ran = nvcc(own.path(), &path, words);
        assert_eq!(String::from_utf8_lossy(&ran.stdout).trim_end(), expected);
        assert_eq!(ran.status.code(), Some(3), "the compiler's status");
    }
}

#[test]
fn without_another_compiler_it_says_so() {
    let (own, _other) = folders();
    let ran = nvcc(own.path(), &[own.path()], &["--version"]);
    assert_eq!(ran.status.code(), Some(127));
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(said.contains("no other nvcc in PATH"), "{said}");
}
