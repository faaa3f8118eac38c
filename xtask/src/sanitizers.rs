//! `cargo xtask sanitizers`: tests of what runs at once, and of the driver's clients, under the compiler's own sanitizers.

use std::path::Path;
use std::process::Command;

/// A sanitizer: its name, and whether the standard library must be built with it.
const ALL: [(&str, bool); 2] = [("address", false), ("thread", true)];

/// Packages with the tests that launch at once, call the driver from many threads, or use much of it. Programs that race on purpose are not among them.
const TESTS: [(&str, &[&str]); 4] = [
    ("warpwise-vm", &["sharing"]),
    ("warpwise", &["launches_at_once", "session"]),
    ("warpwise-cuda", &["client", "decided", "graphs"]),
    ("warpwise-cudart", &["client"]),
];

/// Races that programs may have: those of kernels with themselves and with the host.
const SUPPRESSIONS: &str = "xtask/src/sanitizers/thread.supp";

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
        if *builds_std && !has_source()? {
            return Err(format!("{name}: {MISSING}"));
        }
        println!("== {name}");
        let mut cargo = Command::new("cargo");
        cargo.args(["+nightly", "test", "--release", "--target", &host]);
        for (package, tests) in TESTS {
            cargo.args(["-p", package]);
            for test in tests {
                cargo.args(["--test", test]);
            }
        }
        if *builds_std {
            cargo.arg("-Zbuild-std");
        }
        cargo
            // Libraries that a test opens find the sanitizer in the test.
            .env("RUSTFLAGS", format!("-Zsanitizer={name} -Clink-arg=-rdynamic"))
            .env("CARGO_TARGET_DIR", root.join("target/sanitizers").join(name))
            // Memory of devices is one large range; what the process keeps to its end is no leak.
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .env("TSAN_OPTIONS", format!("suppressions={}", root.join(SUPPRESSIONS).display()))
            // Suppressions and reports go by names.
            .env("CARGO_PROFILE_RELEASE_STRIP", "none")
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

/// What to do where the compiler cannot do it.
const MISSING: &str = "the sanitizers need a nightly toolchain: `rustup toolchain install nightly --component rust-src`";

/// What the nightly compiler prints when it is asked so.
fn ask(argument: &[&str]) -> Result<String, String> {
    let said = Command::new("rustc")
        .arg("+nightly")
        .args(argument)
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .map_err(|why| format!("cannot run rustc: {why}"))?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => Err(MISSING.to_owned()),
    }
}

/// The target that the compiler is for.
fn host() -> Result<String, String> {
    let text = ask(&["-vV"])?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "the compiler does not say what it is for".to_owned())
}

/// Whether the source of the standard library is there.
fn has_source() -> Result<bool, String> {
    let root = ask(&["--print", "sysroot"])?;
    Ok(Path::new(root.trim()).join("lib/rustlib/src/rust/library/std").is_dir())
}
