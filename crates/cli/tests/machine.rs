//! What file tests cannot say about the commands for described machines: the files that they write.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn warpwise(words: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.current_dir(folder).args(words).output().expect("the command starts")
}

fn assert_fine(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Assembling what the disassembler printed gives the same bytes, for words and for cubins.
#[test]
fn disassembled_files_assemble_to_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |name: &str| folder.path().join(name);
    let mut cases = vec![("tests/machine/words.bin".to_owned(), "warp".to_owned())];
    for target in ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] {
        cases.push((format!("tests/cubin/warp_ops.{target}.cubin"), target.to_owned()));
    }
    for (file, machine) in cases {
        let isa = text(&repository(&format!("isa/{machine}.isa")));
        let file = repository(&file);
        let printed = warpwise(&["disasm", &text(&file), "--isa", &isa], folder.path());
        assert_fine(&printed);
        std::fs::write(at("out.s"), &printed.stdout).expect("the folder can be written to");
        assert_fine(&warpwise(&["asm", "out.s", "--isa", &isa, "-o", "out.bin"], folder.path()));
        let again = std::fs::read(at("out.bin")).expect("it was written");
        let original = std::fs::read(&file).expect("a committed file");
        let sections = String::from_utf8_lossy(&printed.stdout).matches(".section ").count();
        if sections == 0 {
            assert_eq!(again, original);
            continue;
        }
        // The words of each section stand together in the file.
        let lines = String::from_utf8(printed.stdout).expect("text");
        let mut from = 0;
        for section in lines.split(".section ").skip(1) {
            // Behind the section's name: words, and labels.
            let words = section.lines().skip(1).filter(|line| !line.ends_with(':'));
            let bytes = 16 * words.count();
            let words = &again[from..from + bytes];
            assert!(original.windows(bytes).any(|window| window == words), "{}", file.display());
            from += bytes;
        }
        assert_eq!(from, again.len());
    }
}

/// The text that `lower` prints assembles, and what `sim` prints is a state that `sim` reads.
#[test]
fn commands_read_what_others_print() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |name: &str| folder.path().join(name);
    let isa = text(&repository("isa/warp.isa"));
    let kernel = text(&repository("tests/machine/warp_ops.ptx"));
    let lowered = warpwise(&["lower", &kernel, "--isa", &isa], folder.path());
    assert_fine(&lowered);
    std::fs::write(at("k.s"), lowered.stdout).expect("the folder can be written to");
    assert_fine(&warpwise(&["asm", "k.s", "--isa", &isa, "-o", "k.bin"], folder.path()));
    assert_fine(&warpwise(&["disasm", "k.bin", "--isa", &isa], folder.path()));
    let program = text(&repository("tests/machine/divergent.s"));
    let first = warpwise(&["sim", &program, "--isa", &isa], folder.path());
    assert_fine(&first);
    std::fs::write(at("state.toml"), &first.stdout).expect("the folder can be written to");
    std::fs::write(at("nothing.s"), "").expect("the folder can be written to");
    let words = ["sim", "nothing.s", "--isa", &isa, "--state", "state.toml"];
    let second = warpwise(&words, folder.path());
    assert_fine(&second);
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn manuals_are_markdown_or_one_page() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let isa = text(&repository("isa/warp.isa"));
    assert_fine(&warpwise(&["isa", "doc", &isa, "-o", "manual.html"], folder.path()));
    let page = std::fs::read_to_string(folder.path().join("manual.html")).expect("it was written");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    for outside in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(outside), "the page needs another file: {outside}");
    }
    let printed = warpwise(&["isa", "doc", &isa], folder.path());
    assert_fine(&printed);
    assert!(String::from_utf8_lossy(&printed.stdout).contains("## SHFL"));
    let printed = warpwise(&["isa", "doc", &isa, "--format", "html"], folder.path());
    assert_eq!(printed.stdout, page.into_bytes());
}

/// A file that was there stays as it is when the input is refused, and nothing else is left behind.
#[test]
fn refused_input_leaves_files_alone() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("out.bin"), "old").expect("the folder can be written to");
    let isa = text(&repository("isa/warp.isa"));
    let wrong = text(&repository("tests/machine/wrong.s"));
    let output = warpwise(&["asm", &wrong, "--isa", &isa, "-o", "out.bin"], folder.path());
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error[A003]"));
    assert_eq!(std::fs::read(at("out.bin")).ok().as_deref(), Some(&b"old"[..]));
    let entries = std::fs::read_dir(folder.path()).expect("the folder is there").count();
    assert_eq!(entries, 1, "a temporary file is left");
}
