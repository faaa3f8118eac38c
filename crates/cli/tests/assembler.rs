//! The command under the name of NVIDIA's assembler, called as compilers call it.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use warpwise::fatbin::{Fatbin, Kind};

/// A folder with the assembler, which is removed in the end.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let command = env!("CARGO_BIN_EXE_warpwise");
    std::os::unix::fs::symlink(command, folder.path().join("ptxas")).expect("a link");
    folder
}

fn ptxas(folder: &Path, words: &[&str]) -> Output {
    let ran = Command::new(folder.join("ptxas")).args(words).current_dir(folder).output();
    ran.expect("the command starts")
}

fn said(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stderr).into_owned()
}

fn kernel() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fatbin/add.ptx")
}

#[test]
fn a_module_becomes_a_fat_binary_with_its_ptx() {
    let folder = folder();
    let text = std::fs::read_to_string(kernel()).expect("a committed file");
    std::fs::write(folder.path().join("k.ptx"), &text).expect("it is written");
    // As Triton, nvcc and clang spell it.
    for words in [
        &["-lineinfo", "-v", "--opt-level", "0", "--gpu-name=sm_120a", "k.ptx", "-o", "k.cubin"][..],
        &["-arch=sm_90", "-m64", "k.ptx", "-o", "k.cubin"],
        &["-m64", "-O3", "-v", "--gpu-name", "sm_90", "--output-file", "k.cubin", "k.ptx", "-c"],
    ] {
        let ran = ptxas(folder.path(), words);
        assert!(ran.status.success(), "{words:?}: {}", said(&ran));
        let bytes = std::fs::read(folder.path().join("k.cubin")).expect("it was written");
        let fatbin = Fatbin::parse(&bytes).expect("it is a fat binary");
        let [entry] = fatbin.entries.as_slice() else { panic!("{words:?}: {fatbin:?}") };
        assert_eq!((entry.kind, entry.text()), (Kind::Ptx, Ok(text.clone())), "{words:?}");
        std::fs::remove_file(folder.path().join("k.cubin")).expect("it is there");
    }
}

#[test]
fn it_says_which_release_it_stands_for() {
    let ran = ptxas(folder().path(), &["--version"]);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let (_, release) = text.split_once("release ").expect("a release");
    let (release, _) = release.split_once(',').expect("a release");
    let numbers: Vec<u32> = release.split('.').filter_map(|part| part.parse().ok()).collect();
    let (major, minor) = warpwise::target::versions().last().expect("a version");
    assert_eq!(numbers, [major + 4, minor]);
}

#[test]
fn what_cannot_be_assembled_is_refused_as_the_assembler_does() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    write("late.ptx", head).expect("it is written");
    write("bad.ptx", &format!("{head}.entry k() {{ frobnicate; }}")).expect("it is written");
    for (words, why) in [
        (&["bad.ptx", "-o", "out"][..], "bad.ptx:4"),
        (&["late.ptx", "-arch=sm_75", "-o", "out"], "written for sm_90"),
        (&["late.ptx", "-arch=sm_1", "-o", "out"], "not an architecture"),
        (&["none.ptx", "-o", "out"], "none.ptx"),
        (&["late.ptx", "bad.ptx", "-o", "out"], "one module at a time"),
        (&["late.ptx", "-o"], "-o has no value"),
        (&["-ias", "x", "-o", "out"], "give the module as a file"),
        (&[], "no module is given"),
    ] {
        let ran = ptxas(folder.path(), words);
        assert_eq!(ran.status.code(), Some(255), "{words:?}");
        assert!(said(&ran).contains(why), "{words:?}: {}", said(&ran));
        assert!(!folder.path().join("out").exists(), "{words:?}");
    }
}
