//! The program asks Warpwise's own driver, through the driver's public interface.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The shared library that cargo has built with the tests.
fn libcuda() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let path = test.parent().expect("it is in a folder").join("libcuda.so");
    assert!(path.is_file(), "{} is not there", path.display());
    path
}

fn ask(options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise-conformance"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WARPWISE_")) {
        command.env_remove(name);
    }
    command.arg("--libcuda").arg(libcuda()).args(options).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn everything_is_as_it_should_be() {
    let out = ask(&["--kernels", "150", "--stride", "65537"]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}{}", text(&out.stderr));
    assert!(said.starts_with("NVIDIA GeForce RTX 5090, compute capability 12.0; "), "{said}");
    assert!(said.ends_with(" as they should be, 0 that differ, 0 not run\n"), "{said}");
}

#[test]
fn another_device_runs_what_it_has() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise-conformance"));
    command.arg("--libcuda").arg(libcuda()).args(["--kernels", "60", "--stride", "1048573"]);
    let out = command.env("WARPWISE_DEVICE", "sm_80").output().expect("it runs");
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}{}", text(&out.stderr));
    assert!(said.contains("compute capability 8.0"), "{said}");
}

/// A recording of our own driver has no distances; held to one with a distance, what differs is told.
#[test]
fn recordings_hold_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recording.json").display().to_string();
    let options = ["--only", "functions", "--stride", "16777213"];
    let recorded = ask(&[&options[..], &["--record", &file]].concat());
    assert_eq!(recorded.status.code(), Some(0), "{}", text(&recorded.stdout));
    let held = ask(&["--only", "functions", "--hold", &file]);
    assert_eq!(held.status.code(), Some(0), "{}", text(&held.stdout));
    let recording = std::fs::read_to_string(&file).expect("it is there");
    // 31 functions, each of one run.
    assert!(recording.len() < 8000, "{} bytes", recording.len());
    let mut changed: serde_json::Value = serde_json::from_str(&recording).expect("it is JSON");
    // One run of the distance 1 (zigzag 2), 257 long (0x81 0x02): an LZ4 block of three literals.
    let functions = changed["functions"].as_array_mut().expect("functions");
    let ex2 = functions.iter_mut().find(|it| it["name"] == "ex2.approx.f32").expect("it is there");
    assert_eq!(ex2["count"], 257);
    ex2["runs"] = "0300000030028102".into();
    std::fs::write(&file, changed.to_string()).expect("it can be written");
    let held = ask(&["--only", "functions", "--hold", &file]);
    let said = text(&held.stdout);
    assert_eq!(held.status.code(), Some(1), "{said}");
    assert!(said.contains("differs  ex2.approx.f32"), "{said}");
    assert!(said.contains("257 of 257 results differ, by 1 at most"), "{said}");
}

#[test]
fn a_launch_that_leaves_something_else_is_told_by_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("launch.json");
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\
        .reg .b32 %r; .reg .b64 %d;\nld.param.u64 %d, [out];\nmov.u32 %r, 7;\nst.global.u32 [%d+4], %r;\n}\n";
    let launch = serde_json::json!({
        "name": "k", "ptx": ptx, "kernel": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "cluster": null,
        "dynamic_shared": 0,
        "parameters": [{"bytes": "0000000000000000", "pointers": [{"offset": 0, "buffer": 0}]}],
        "memory": [{"variable": null, "before": "0000000000000000", "after": "0000000008000000"}],
    });
    std::fs::write(&file, launch.to_string()).expect("it can be written");
    let path = file.display().to_string();
    let out = ask(&["--only", "launches", "--launches", &path]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("buffer 0, word 1: 0x00000007, not 0x00000008"), "{said}");
}

/// A file of `recordings`.
fn recording(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    folder.join(name).display().to_string()
}

/// Makes the launches that a GPU has made, and says what differs.
fn made_again(recorded: &str, engine: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise-conformance"));
    command.arg("--libcuda").arg(libcuda()).args(["--only", "launches", "--launches"]);
    command.arg(recording(recorded));
    command.env("WARPWISE_DEVICE", "sm_90").env("WARPWISE_ENGINE", engine);
    let out = command.output().expect("it runs");
    format!("{}{}", text(&out.stdout), text(&out.stderr))
}

/// Products of random matrices, infinities and NaNs among them, as an H200 made them: `mma` of every type of float, `wgmma`.
#[test]
fn products_of_matrices_are_those_of_a_gpu() {
    for engine in ["interp", "interp:portable"] {
        let said = made_again("nvidia-h200-products.lz4", engine);
        assert!(said.contains(" as they should be, 0 that differ, 0 not run"), "{engine}: {said}");
    }
}

/// Every form of `cvt` between integers and floats of 16 to 64 bits, of 256 bit patterns, as an H100 made it.
#[test]
fn conversions_are_those_of_a_gpu() {
    for engine in warpwise::EngineChoice::available() {
        let said = made_again("nvidia-h100-conversions.lz4", &engine.to_string());
        let all = "12 as they should be, 0 that differ, 0 not run";
        assert!(said.contains(all), "{engine}: {said}");
    }
}

/// What the ISA fixes, and what it bounds, is the same on an H200.
#[test]
fn functions_are_those_of_a_gpu() {
    let held = recording("nvidia-h200.json");
    let out = ask(&["--only", "functions", "--hold", &held]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}{}", text(&out.stderr));
    assert!(said.ends_with("31 as they should be, 0 that differ, 0 not run\n"), "{said}");
}

/// A kernel that is stopped takes its process with it; the launches behind it are made all the same, and counted once.
#[test]
fn behind_a_kernel_that_is_stopped_a_new_process_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let launch = |name: &str, last: &str| {
        let ptx = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
             .reg .b64 %d;\nld.param.u64 %d, [out];\nst.global.u32 [%d], 7;\n{last}\n}}\n"
        );
        let launch = serde_json::json!({
            "name": name, "ptx": ptx, "kernel": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "cluster": null,
            "dynamic_shared": 0,
            "parameters": [{"bytes": "0000000000000000", "pointers": [{"offset": 0, "buffer": 0}]}],
            "memory": [{"variable": null, "before": "00000000", "after": "07000000"}],
        });
        format!("{launch}\n")
    };
    let launches = [("a", "ret;"), ("b", "trap;"), ("c", "ret;"), ("d", "trap;"), ("e", "ret;")];
    let launches: String = launches.map(|(name, last)| launch(name, last)).concat();
    std::fs::write(path("launches.json"), launches).expect("it can be written");
    let (from, to) = (path("launches.json"), path("left.json"));
    let out = ask(&["--only", "launches", "--launches", &from, "--record-launches", &to]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("differs  launch b\n         cuCtxSynchronize: "), "{said}");
    assert!(said.contains("differs  launch d\n"), "{said}");
    assert!(said.ends_with("3 as they should be, 2 that differ, 0 not run\n"), "{said}");
    assert_eq!(said.matches("compute capability").count(), 1, "{said}");
    let left = std::fs::read_to_string(&to).expect("it is written");
    assert_eq!(left.lines().count(), 3, "{left}");
}

#[test]
fn a_driver_that_is_not_there_is_told() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise-conformance"));
    let out = command.args(["--libcuda", "no-such-library.so"]).output().expect("it runs");
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("no-such-library.so"), "{}", text(&out.stderr));
}
