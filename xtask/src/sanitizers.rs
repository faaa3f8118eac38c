//! `cargo xtask sanitizers`: the tests of clients of the driver, under the compiler's own sanitizers.

use std::path::Path;
use std::process::Command;

/// A sanitizer: its name, and whether the standard library must be built with it.
const ALL: [(&str, bool); 2] = [("address", false), ("thread", true)];

/// The tests that call the driver from many threads or use much of it.
const TESTS: [&str; 2] = ["client", "graphs"];

/// Runs the tests with a toolchain that has the sanitizers, nightly; `only` is one of them.
///
/// # Errors
/// There is no such toolchain, or a test fails or is found fault with.
pub(crate) fn run(root: &Path, only: Option<&str>) -> Result<(), String> {
    let chosen: Vec<_> =
        ALL.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        let names = ALL.map(|(name, _)| name).join(", ");
        return Err(format!("there is no such sanitizer; there are {names}"));
    }
    let host = host()?;
    for (name, builds_std) in chosen {
        println!("== {name}");
        let mut cargo = Command::new("cargo");
        cargo.args(["+nightly", "test", "--release", "-p", "warpwise-cuda", "--target", &host]);
        for test in TESTS {
            cargo.args(["--test", test]);
        }
        if *builds_std {
            cargo.arg("-Zbuild-std");
        }
        cargo
            .env("RUSTFLAGS", format!("-Zsanitizer={name}"))
            .env("CARGO_TARGET_DIR", root.join("target/sanitizers"))
            // Memory of devices is one large range; what the process keeps to its end is no leak.
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .env("TSAN_OPTIONS", format!("suppressions={}", root.join(SUPPRESSIONS).display()))
            .env_remove("CARGO")
            .env_remove("RUSTUP_TOOLCHAIN")
            .current_dir(root);
        let status = cargo.status().map_err(|why| format!("cannot run cargo: {why}"))?;
        if !status.success() {
            return Err(format!("{name}: {status}"));
        }
    }
    Ok(())
}

/// Races that programs may have: those of kernels with themselves and with the host.
const SUPPRESSIONS: &str = "crates/cuda/tests/thread.supp";

/// The target that the compiler is for.
fn host() -> Result<String, String> {
    let said = Command::new("rustc")
        .args(["+nightly", "-vV"])
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .map_err(|why| format!("cannot run rustc: {why}"))?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| {
        "the sanitizers need a nightly toolchain: `rustup toolchain install nightly --component rust-src`"
            .to_owned()
    })
}
