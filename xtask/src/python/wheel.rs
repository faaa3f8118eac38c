//! `cargo xtask wheel`: the Python package as a wheel.

use super::venv::{self, Venv, output, run};
use crate::release::{self, Machine};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the package has inside, beside its module: the command, and the libraries that programs load.
const COMMAND: &str = "warpwise";
const LIBRARIES: [&str; 2] = ["libcuda.so", "libcudart.so"];

/// What builds the wheel.
const MATURIN: &str = "maturin>=1.8,<2";
const PORTABLE: [&str; 2] = [MATURIN, "ziglang"];

/// What the tests need beside the package.
const FOR_TESTS: [&str; 4] = ["pytest>=8", "pytest-xdist", "numpy", "mypy"];

/// Where what is for old systems is built.
const PLACE: &str = "target/dist/build";

/// How a wheel is made.
#[derive(Clone, Copy)]
pub(crate) enum Make {
    /// For this machine.
    Here,
    /// For every Linux of the last ten years.
    Portable(Machine),
    /// For this machine, around the command and the libraries that `cargo test` has built. If Python or its packages are not to be had, a line says so,
    /// and that is no error.
    AfterTests,
}

/// Builds the wheel, and prints where it is. With `test`, installs it in an environment of its own and runs its tests there.
///
/// # Errors
/// Something does not build, or a test fails.
pub(crate) fn wheel(root: &Path, test: bool, make: Make) -> Result<(), String> {
    if let (Make::AfterTests, Err(why)) = (make, prepared(root)) {
        let why = why.trim().lines().last().unwrap_or_default().to_owned();
        println!("LEFT OUT: the Python package was neither built nor tested: {why}");
        return Ok(());
    }
    let wheel = build(root, make)?;
    println!("{}", wheel.display());
    if test { try_out(root, &wheel) } else { Ok(()) }
}

/// Looks whether there is a Python with all that the wheel and its tests need, and gets what is missing.
fn prepared(root: &Path) -> Result<(), String> {
    venv::is_recent()?;
    tools(root)?.get(&[MATURIN])?;
    tests(root)?.get(&FOR_TESTS)
}

fn tools(root: &Path) -> Result<Venv, String> {
    Venv::new(&root.join("target/python/tools"))
}

fn tests(root: &Path) -> Result<Venv, String> {
    Venv::new(&root.join("target/python/test"))
}

/// Builds the wheel.
pub(super) fn build(root: &Path, make: Make) -> Result<PathBuf, String> {
    let package = root.join("python");
    let native = package.join("warpwise/native");
    fs::create_dir_all(&native).map_err(|why| format!("{}: {why}", native.display()))?;
    for from in inside(root, make)? {
        let to = native.join(from.file_name().unwrap_or_default());
        fs::copy(&from, to).map_err(|why| format!("{}: {why}", from.display()))?;
    }
    let tools = tools(root)?;
    let machine = match make {
        Make::Portable(machine) => Some(machine),
        Make::Here | Make::AfterTests => None,
    };
    tools.install(if machine.is_some() { &PORTABLE } else { &[MATURIN] })?;
    let wheels = root.join("target/wheels");
    let _ = fs::remove_dir_all(&wheels);
    let mut maturin = Command::new(tools.bin("maturin"));
    maturin.args(["build", "--release", "--quiet", "--out"]).arg(&wheels).current_dir(&package);
    if let Some(machine) = machine {
        maturin.args(["--zig", "--compatibility", "manylinux2014"]);
        maturin.args(["--target", &machine.of_libraries()]);
        // The module names no place of this machine, and the bill of materials no time but the commit's.
        release::same_anywhere(&mut maturin, root, &root.join(PLACE));
        maturin.env(release::TIME, release::time(root)?);
    }
    run(&mut maturin)?;
    let mut built = fs::read_dir(&wheels).map_err(|why| format!("{}: {why}", wheels.display()))?;
    match built.next() {
        Some(Ok(entry)) => Ok(entry.path()),
        _ => Err("maturin has built no wheel".to_owned()),
    }
}

/// Builds what the package has inside, and returns the files.
fn inside(root: &Path, make: Make) -> Result<Vec<PathBuf>, String> {
    let all = |command: PathBuf, libraries: &Path| {
        [vec![command], LIBRARIES.map(|name| libraries.join(name)).to_vec()].concat()
    };
    let built = root.join("target/release");
    match make {
        Make::AfterTests => Ok(all(built.join(COMMAND), &built.join("deps"))),
        Make::Here => {
            let packages = ["-p", "warpwise-cli", "-p", "warpwise-cuda", "-p", "warpwise-cudart"];
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let quiet = ["build", "--release", "--quiet"];
            run(Command::new(cargo).args(quiet).args(packages).current_dir(root))?;
            Ok(all(built.join(COMMAND), &built))
        }
        Make::Portable(machine) => {
            let target = root.join(PLACE);
            let built = release::libraries(root, &target, machine)?;
            Ok(all(release::command(root, &target, &built, machine)?, &built))
        }
    }
}

/// Installs the wheel as a new user would, and runs its tests.
fn try_out(root: &Path, wheel: &Path) -> Result<(), String> {
    let package = root.join("python");
    let venv = tests(root)?;
    venv.install(&FOR_TESTS)?;
    let wheel = wheel.display().to_string();
    venv.install(&["--force-reinstall", "--no-deps", &wheel])?;
    // Beside the sources, Python would find the package there.
    let elsewhere = root.join("target/python/test/run");
    fs::create_dir_all(&elsewhere).map_err(|why| format!("{}: {why}", elsewhere.display()))?;
    let python = || {
        let mut command = Command::new(venv.bin("python"));
        command.current_dir(&elsewhere);
        command
    };
    let stubs = ["-m", "mypy.stubtest", "--ignore-disjoint-bases", "warpwise._warpwise"];
    output(python().args(stubs))?;
    let config = package.join("pyproject.toml");
    run(python().args(["-m", "mypy", "--config-file"]).arg(&config).arg("-p").arg("warpwise"))?;
    run(python().args(["-m", "pytest", "-q", "-c"]).arg(&config).arg(package.join("tests")))
}
