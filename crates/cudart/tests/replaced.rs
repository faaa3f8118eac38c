//! Static runtimes are replaced by name: a program and a library of Rust that have functions of such names, as `nvcc` puts
//! them into programs, with our library preloaded.

mod common;

use common::library;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a source of this folder, and keeps its symbols.
fn compile(source: &str, options: &[&str], to: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replaced").join(source);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "-O", "-C", "strip=none", "-C", "prefer-dynamic=no"])
        .args(options)
        .arg(&source)
        .arg("-o")
        .arg(to)
        .status()
        .expect("the compiler runs");
    assert!(status.success(), "{}", source.display());
    to.to_owned()
}

/// What a program says with our library in front, and what our library says.
fn said(program: &Path, argument: &Path, preload: bool) -> (String, String) {
    let mut command = Command::new(program);
    command.arg(argument);
    if preload {
        command.env("LD_PRELOAD", library("libcudart.so"));
    }
    // There is no driver, which is what the functions that are ours say.
    let out = command.env_remove("LD_LIBRARY_PATH").output().expect("it runs");
    assert!(out.status.success(), "{out:?}");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr))
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn programs_and_libraries_get_our_functions() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = compile("program.rs", &[], &folder.path().join("program"));
    let fixed =
        compile("program.rs", &["-C", "relocation-model=static"], &folder.path().join("fixed"));
    let plugin =
        compile("plugin.rs", &["--crate-type", "cdylib"], &folder.path().join("libplugin.so"));
    let theirs = "program: device count 777, own function 5\nplugin: early 888, late 888\n";
    let ours = "program: device count 35, own function 5\nplugin: early 35, late 35\n";
    for program in [program, fixed] {
        assert_eq!(said(&program, &plugin, false), (theirs.to_owned(), String::new()));
        let (out, err) = said(&program, &plugin, true);
        assert_eq!(out, ours);
        assert!(err.contains("there is no libcuda.so.1"), "{err}");
    }
}
