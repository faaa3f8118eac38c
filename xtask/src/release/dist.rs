//! `cargo xtask dist`: the archive of a release.

use super::archive;
use super::initfirst;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The command, statically linked: it runs on every Linux.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// The libraries, which programs of any age load. The version is that of the oldest glibc, the one of `manylinux2014`.
const SHARED: &str = "x86_64-unknown-linux-gnu";
const GLIBC: &str = "2.17";

/// What is made: a folder `tree`, and the archive of it.
const NAME: &str = "warpwise-x86_64-linux";

/// Builds the command and the libraries, and packs them with manual pages and completions into `target/dist`. With `again`, does so a
/// second time elsewhere, and compares.
///
/// # Errors
/// Something does not build, or the second archive is another than the first.
pub(crate) fn dist(root: &Path, again: bool) -> Result<(), String> {
    let place = root.join("target/dist");
    let archive = make(root, &place)?;
    println!("{}", archive.display());
    if again {
        let second = make(root, &root.join("target/dist-again"))?;
        let read = |path: &Path| fs::read(path).map_err(|why| format!("{}: {why}", path.display()));
        if read(&archive)? != read(&second)? {
            let (first, second) = (archive.display(), second.display());
            return Err(format!("two builds differ: `diffoscope {first} {second}` says in what"));
        }
        println!("a second build is the same, byte for byte");
    }
    Ok(())
}

/// Builds for old systems what programs load, and returns the folder with it.
pub(crate) fn libraries(root: &Path, target_dir: &Path) -> Result<PathBuf, String> {
    let mut zig = cargo(root, target_dir);
    zig.args(["zigbuild", "--target", &format!("{SHARED}.{GLIBC}")]);
    zig.args(["-p", "warpwise-cuda", "-p", "warpwise-cudart"]);
    if !has_std(STATIC) {
        // One build for all.
        zig.args(["-p", "warpwise-cli"]);
    }
    done(&mut zig).map_err(|why| {
        format!("{why}\nlibraries for glibc {GLIBC} need cargo-zigbuild and zig: `pip install cargo-zigbuild ziglang`")
    })?;
    let built = target_dir.join(SHARED).join("release");
    initfirst::mark(&built.join("libcudart.so"))?;
    Ok(built)
}

/// Builds the command for old systems, and returns it.
pub(crate) fn command(root: &Path, target_dir: &Path, built: &Path) -> Result<PathBuf, String> {
    if !has_std(STATIC) {
        println!(
            "the command is linked to glibc {GLIBC}: the toolchain has no standard library for {STATIC} (`rustup target add {STATIC}`)"
        );
        return Ok(built.join("warpwise"));
    }
    done(cargo(root, target_dir).args(["build", "--target", STATIC, "-p", "warpwise-cli"]))?;
    Ok(target_dir.join(STATIC).join("release/warpwise"))
}

fn make(root: &Path, place: &Path) -> Result<PathBuf, String> {
    let target_dir = place.join("build");
    let built = libraries(root, &target_dir)?;
    let command = command(root, &target_dir, &built)?;
    let tree = place.join("tree");
    let _ = fs::remove_dir_all(&tree);
    for (from, to) in [
        (command.clone(), "bin/warpwise"),
        (built.join("libcuda.so"), "lib/warpwise/libcuda.so"),
        (built.join("libcudart.so"), "lib/warpwise/libcudart.so"),
        (root.join("README.md"), "share/doc/warpwise/README.md"),
        (root.join("CHANGELOG.md"), "share/doc/warpwise/CHANGELOG.md"),
        (root.join("LICENSE-APACHE"), "share/doc/warpwise/LICENSE-APACHE"),
        (root.join("LICENSE-MIT"), "share/doc/warpwise/LICENSE-MIT"),
    ] {
        let bytes = fs::read(&from).map_err(|why| format!("{}: {why}", from.display()))?;
        archive::put(&tree, to, &bytes)?;
    }
    archive::document(&tree)?;
    archive::pack(root, &tree, &place.join(format!("{NAME}.tar.gz")))
}

/// Cargo, so that what it builds does not depend on where it does.
fn cargo(root: &Path, target_dir: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        home.map(|home| home.join(".cargo"))
    });
    let mut flags: Vec<String> = Vec::new();
    let places = [
        (Some(target_dir.to_owned()), "/target"),
        (Some(root.to_owned()), "/source"),
        (home, "/cargo"),
    ];
    for (path, name) in places {
        if let Some(path) = path {
            flags.push(format!("--remap-path-prefix={}={name}", path.display()));
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    cargo.env("CARGO_TARGET_DIR", target_dir).env("CARGO_INCREMENTAL", "0");
    cargo.env_remove("CARGO").current_dir(root);
    cargo
}

/// Whether the toolchain has the standard library for a target.
fn has_std(target: &str) -> bool {
    let said =
        Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let Ok(said) = said else { return false };
    let folder = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim());
    let mut files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn done(command: &mut Command) -> Result<(), String> {
    command.args(["--release", "--locked", "--quiet"]);
    let status = command.status().map_err(|why| format!("cannot run cargo: {why}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("cargo failed: {status}")),
    }
}
