//! What file tests cannot say about the command: its JSON, the files that it leaves, and closed pipes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run")
}

fn command(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.arg("run").arg(tests().join("arguments.ptx"));
    command.args(words.split_whitespace()).args(["--grid", "1", "--block", "1"]);
    command
}

fn run(words: &str) -> Output {
    command(words).output().expect("the command starts")
}

fn document(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).expect("standard output is one JSON document")
}

#[test]
fn json_holds_everything_about_a_run() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("out.npy");
    let output = command(
        "--entry copy --arg f32[2]=0.1 --arg u8[8]=0 --arg u32:8 --json --stats --print 0 --print 1:2",
    )
    .arg("--out")
    .arg(format!("1={}", file.display()))
    .output()
    .expect("the command starts");
    let found = document(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(found["status"], "fine");
    assert_eq!(found["kernel"], "copy");
    // Three loads, eight turns of eight instructions, the test and the branch out, and `ret`.
    assert_eq!(found["stats"]["thread_instructions"], 3 + 8 * 8 + 2 + 1);
    assert_eq!(found["stats"]["warp_instructions"], 3 + 8 * 8 + 2 + 1);
    assert_eq!(found["stats"]["divergences"], 0);
    assert_eq!(found["stats"]["threads"], 1);
    assert!(found["stats"]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    let shown = serde_json::json!({"parameter": 0, "type": "f32", "values": [0.1, 0.1]});
    assert_eq!(found["prints"][0].to_string(), shown.to_string());
    // 0.1 is 0x3dcccccd.
    assert_eq!(found["prints"][1]["values"], serde_json::json!([0xcd, 0xcc]));
    assert_eq!(found["outputs"][0]["type"], "|u1");
    assert_eq!(found["outputs"][0]["shape"], serde_json::json!([8]));
    assert_eq!(found["diagnostics"], serde_json::json!([]));
    assert!(file.is_file());
}

#[test]
fn json_places_faults_and_keeps_values_that_json_lacks() {
    let output = run("--entry copy --arg u8[4]=0 --arg u8[8]=0 --arg u32:8 --json --print 1");
    let found = document(&output);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(found["status"], "faulted");
    assert_eq!(found["prints"], serde_json::json!([]));
    assert_eq!(found["diagnostics"][0]["class"], "undefined");
    assert_eq!(found["diagnostics"][0]["places"][0]["line"], 54);
    let output =
        run("--entry copy --arg f64[1]=nan --arg b8[1]=7 --arg u32:0 --json --print 0 --print 1");
    let found = document(&output);
    assert_eq!(found["prints"][0]["values"], serde_json::json!(["nan"]));
    assert_eq!(found["prints"][1]["values"], serde_json::json!(["0x07"]));
}

#[test]
fn a_run_that_did_not_finish_leaves_files_alone() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("out.npy");
    std::fs::write(&file, "old").expect("the folder can be written to");
    let copy = |count: u32| {
        command(&format!("--entry copy --arg u8[4]=1 --arg u8[8]=0 --arg u32:{count}"))
            .arg("--out")
            .arg(format!("1={}", file.display()))
            .output()
            .expect("the command starts")
    };
    assert_eq!(copy(8).status.code(), Some(4));
    assert_eq!(std::fs::read(&file).ok().as_deref(), Some(&b"old"[..]));
    assert_eq!(copy(4).status.code(), Some(0));
    let written = std::fs::read(&file).expect("the run finished");
    assert!(written.starts_with(b"\x93NUMPY") && written.ends_with(&[1, 1, 1, 1, 0, 0, 0, 0]));
    let entries = std::fs::read_dir(folder.path()).expect("the folder is there").count();
    assert_eq!(entries, 1, "a temporary file is left");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child =
        command("--entry copy --arg u32[100000]=iota --arg u8[1]=0 --arg u32:0 --print 0")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("the command ends");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}

#[cfg(unix)]
#[test]
fn a_file_that_lint_mends_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("k.ptx");
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    \
                .reg .b32 %r<3>;\n    .reg .pred %p;\n    vote.ballot.sync.b32 %r1, %p, 0xffffffff;\n    \
                ret;\n}\n";
    std::fs::write(&file, text).expect("the file can be written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("it is ours");
    let output = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(["lint", "--fix"])
        .arg(&file)
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mended = std::fs::read_to_string(&file).expect("the file is there");
    assert_eq!(mended, text.replace("vote.ballot.sync", "vote.sync.ballot"));
    let mode = std::fs::metadata(&file).expect("the file is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

/// The values of `%globaltimer` themselves, which the manual leaves open, are those of the run before.
#[test]
fn counted_time_is_repeated() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("time.ptx");
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\
        .reg .b32 %r<2>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %ctaid.x;\n\
        mul.wide.u32 %rd1, %r0, 8;\nadd.u64 %rd0, %rd0, %rd1;\nmov.u64 %rd2, %globaltimer;\n\
        mov.u64 %rd3, %clock64;\nadd.u64 %rd2, %rd2, %rd3;\nst.global.u64 [%rd0], %rd2;\nret;\n}\n";
    std::fs::write(&file, text).expect("a file can be written");
    for how in [
        &["run", "--deterministic"][..],
        &["run", "--schedule", "seed:7"],
        &["run", "--schedule", "switch:1=1"],
        &["check"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        command.arg(how[0]).arg(&file).args(&how[1..]);
        command.args("--grid 8 --block 1 --arg u64[8]=0 --print 0".split_whitespace());
        let [one, other] = [0; 2].map(|_| command.output().expect("the command starts").stdout);
        let text = String::from_utf8_lossy(&one);
        assert!(text.starts_with("0: ") && !text.contains(" 0 "), "{how:?}: {text}");
        assert_eq!(one, other, "{how:?}");
    }
}
