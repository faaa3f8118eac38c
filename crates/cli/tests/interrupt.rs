//! Ctrl-C: the command ends soon, says what it knows and that it is not all, and has a status of its own.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Threads of many warps add to one word, time and again, and look at what they find there (of which they use a bit that is
/// 0): what is left is the same in any order, and there are more orders than can be run.
const KERNEL: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 turns)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r2, [turns];
    mov.u32 %r1, 0;
AGAIN:
    atom.global.add.u32 %r0, [%rd0], 1;
    bar.sync 0;
    shr.u32 %r0, %r0, 31;
    add.u32 %r1, %r1, %r0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p0, %r1, %r2;
    @%p0 bra AGAIN;
    ret;
}
";

fn start(folder: &Path, words: &str) -> Child {
    let file = folder.join("k.ptx");
    std::fs::write(&file, KERNEL).expect("a file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    let (verb, words) = words.split_once(' ').expect("a command with arguments");
    command.arg(verb).arg(file).args(words.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

/// Waits until the command handles the signal: before, it would end by it.
fn handles(child: &Child, signal: u32) {
    let begun = Instant::now();
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.expect("the command runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.is_some_and(|mask| mask >> (signal - 1) & 1 != 0) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the signal is never handled");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupted(words: &str, (signal, number): (&str, u32), after: Duration) -> Output {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let child = start(folder.path(), words);
    handles(&child, number);
    std::thread::sleep(after);
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    let output = child.wait_with_output().expect("the command ends");
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{words}: {said}");
    assert!(said.contains("interrupted"), "{words}: {said}");
    assert!(!said.contains("depends on the schedule"), "{words}: {said}");
    output
}

const SIGINT: (&str, u32) = ("-INT", 2);
const SIGTERM: (&str, u32) = ("-TERM", 15);

#[test]
fn an_interrupted_run_has_a_status_of_its_own() {
    let words = "run --grid 64 --block 256 --arg u32[1]=0 --arg u32:1000000000 --json";
    let output = interrupted(words, SIGINT, Duration::ZERO);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["status"], "interrupted");
}

/// Starts a command that reads its input from a pipe that never says anything, and ends it there.
fn interrupted_while_reading(words: &str, (signal, number): (&str, u32)) -> Output {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    for word in words.split_whitespace() {
        match word {
            "PIPE" => command.arg(&pipe),
            word => command.arg(word),
        };
    }
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the command starts");
    handles(&child, number);
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    let output = child.wait_with_output().expect("the command ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{words}: {said}");
    assert!(said.contains("error: interrupted"), "{words}: {said}");
    output
}

#[test]
fn a_command_that_knows_nothing_yet_ends_at_once() {
    for words in [
        "run PIPE --grid 1 --block 32 --json",
        "check PIPE --grid 1 --block 32 --format sarif",
        "check PIPE --grid 1 --block 32 --explore all --json",
        "lint PIPE --format json",
        "isa check PIPE --json",
    ] {
        let output = interrupted_while_reading(words, SIGTERM);
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let said = found.to_string();
        assert!(said.contains("\"interrupted\""), "{words}: {said}");
    }
    for words in
        ["lint PIPE", "lower PIPE", "disasm PIPE", "asm PIPE -o out", "sim PIPE", "isa doc PIPE"]
    {
        let isa = concat!(env!("CARGO_MANIFEST_DIR"), "/../../isa/sm_90.isa");
        let words = match words.split(' ').next() {
            Some("lint" | "isa") => words.to_owned(),
            _ => format!("{words} --isa {isa}"),
        };
        assert_eq!(interrupted_while_reading(&words, SIGINT).stdout, b"", "{words}");
    }
}

/// One instruction after another, without a branch: a turn ends within a block, too.
#[test]
fn a_long_block_can_be_interrupted() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("long.ptx");
    let adds = "add.u32 %r0, %r0, %r1;\nadd.u32 %r1, %r1, %r0;\n".repeat(100_000);
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n";
    let text = format!(
        "{head}.reg .b32 %r<2>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\n{adds}ret;\n}}\n"
    );
    std::fs::write(&file, text).expect("a file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.arg("check").arg(&file).args(["--grid", "1000", "--block", "1024", "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the command starts");
    handles(&child, SIGINT.1);
    // Whether it has come to the CTA or not, it ends; in all it would take hours.
    std::thread::sleep(Duration::from_secs(2));
    let sent = Command::new("kill").args([SIGINT.0, &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(130));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["status"], "interrupted");
}

#[test]
fn an_interrupted_check_ends() {
    let words = "check --grid 64 --block 1024 --arg u32[1]=0 --arg u32:1000000000";
    interrupted(words, SIGTERM, Duration::from_millis(300));
}

#[test]
fn an_interrupted_exploration_tells_what_it_knows() {
    for how in ["1000000", "all"] {
        for (after, signal) in [(0, SIGTERM), (700, SIGINT)] {
            let words = format!(
                "check --grid 1 --block 256 --arg u32[1]=0 --arg u32:12 --json --explore {how}"
            );
            let output = interrupted(&words, signal, Duration::from_millis(after));
            let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(found["status"], "interrupted");
            assert_ne!(found["explored"]["complete"], true);
        }
    }
}
