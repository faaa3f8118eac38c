//! `cargo xtask dist`: the archive of a release.

use super::archive;
use super::initfirst;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The machines that something is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Machine {
    #[value(name = "x86_64")]
    X86,
    #[value(name = "aarch64")]
    Arm,
}

impl Machine {
    fn name(self) -> &'static str {
        match self {
            Machine::X86 => "x86_64",
            Machine::Arm => "aarch64",
        }
    }

    /// What the command is linked for, statically: it runs on every Linux.
    fn of_command(self) -> String {
        format!("{}-unknown-linux-musl", self.name())
    }

    /// What libraries are linked for, which programs of any age load.
    pub(crate) fn of_libraries(self) -> String {
        format!("{}-unknown-linux-gnu", self.name())
    }
}

/// The oldest glibc that libraries are linked for, the one of `manylinux2014`.
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
pub(crate) fn libraries(
    root: &Path,
    target_dir: &Path,
    machine: Machine,
) -> Result<PathBuf, String> {
    let mut zig = cargo(root, target_dir);
    zig.args(["zigbuild", "--target", &format!("{}.{GLIBC}", machine.of_libraries())]);
    zig.args(["-p", "warpwise-cuda", "-p", "warpwise-cudart"]);
    if !has_std(&machine.of_command()) {
        // One build for all.
        zig.args(["-p", "warpwise-cli"]);
    }
    done(&mut zig).map_err(|why| {
        format!("{why}\nlibraries for glibc {GLIBC} need cargo-zigbuild and zig: `pip install cargo-zigbuild ziglang`")
    })?;
    let built = target_dir.join(machine.of_libraries()).join("release");
    initfirst::mark(&built.join("libcudart.so"))?;
    Ok(built)
}

/// Builds the command for old systems, and returns it.
pub(crate) fn command(
    root: &Path,
    target_dir: &Path,
    built: &Path,
    machine: Machine,
) -> Result<PathBuf, String> {
    let target = machine.of_command();
    if !has_std(&target) {
        println!(
            "the command is linked to glibc {GLIBC}: the toolchain has no standard library for {target} (`rustup target add {target}`)"
        );
        return Ok(built.join("warpwise"));
    }
    // Rust brings musl, and a linker for its own machine alone.
    let build = if machine.name() == std::env::consts::ARCH { "build" } else { "zigbuild" };
    done(cargo(root, target_dir).args([build, "--target", &target, "-p", "warpwise-cli"]))?;
    Ok(target_dir.join(target).join("release/warpwise"))
}

fn make(root: &Path, place: &Path) -> Result<PathBuf, String> {
    let target_dir = place.join("build");
    let built = libraries(root, &target_dir, Machine::X86)?;
    let command = command(root, &target_dir, &built, Machine::X86)?;
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
    same_anywhere(&mut cargo, root, target_dir);
    cargo.env_remove("CARGO").current_dir(root);
    cargo
}

/// Gives cargo, or a program that calls it, what makes its builds the same wherever they are done.
pub(crate) fn same_anywhere(command: &mut Command, root: &Path, target_dir: &Path) {
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
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    command.env("CARGO_TARGET_DIR", target_dir).env("CARGO_INCREMENTAL", "0");
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
