//! Machine code on disk, which processes share.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `out[0]` becomes the sum of all numbers below a thousand.
const PTX: &str = ".version 7.0
.target sm_75
.address_size 64
.visible .entry sum(.param .u64 out)
{
    .reg .b64 %rd<2>; .reg .b32 %r<3>; .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
again:
    add.u32 %r1, %r1, %r2;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 1000;
    @%p bra again;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// A folder for the module and the cache.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        fs::write(place.0.path().join("sum.ptx"), PTX).expect("written");
        place
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        command.arg("run").arg(self.0.path().join("sum.ptx"));
        command.args(["--grid", "1", "--block", "32", "--arg", "u32[1]=0", "--print", "0"]);
        command.args(["--engine", "jit"]);
        command.env("WARPWISE_CACHE_DIR", self.cache()).env_remove("WARPWISE_CACHE");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn is_right(out: &Output) {
    assert!(out.status.success(), "{out:?}");
    assert_eq!(String::from_utf8_lossy(&out.stdout), "0: 499500\n");
}

fn files(cache: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(cache.join("code")).expect("a folder");
    all.map(|entry| entry.expect("a file").path()).collect()
}

fn has_native() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[test]
fn processes_share_code_and_mend_what_is_damaged() {
    if !has_native() {
        return;
    }
    let place = Place::new();
    let started: Vec<_> = (0..6).map(|_| place.command().spawn().expect("it runs")).collect();
    for child in started {
        is_right(&child.wait_with_output().expect("it ends"));
    }
    let [file] = &files(&place.cache())[..] else { panic!("{:?}", files(&place.cache())) };
    let whole = fs::read(file).expect("a file");
    for damaged in [&whole[..whole.len() / 2], &[], &[&whole[..], &[0]].concat()] {
        fs::write(file, damaged).expect("written");
        is_right(&place.command().output().expect("it runs"));
        assert_eq!(fs::read(file).expect("a file"), whole);
    }
}

#[test]
fn without_a_cache_nothing_is_written() {
    if !has_native() {
        return;
    }
    let place = Place::new();
    is_right(&place.command().env("WARPWISE_CACHE", "0").output().expect("it runs"));
    assert!(!place.cache().exists());
    // A folder that is not there and cannot be made is no reason not to run.
    fs::write(place.cache(), b"a file").expect("written");
    is_right(&place.command().output().expect("it runs"));
}
