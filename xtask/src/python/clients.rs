//! `cargo xtask clients`: libraries of Python with ours. The programs of their pages, and their own suites on our driver.

use super::own_tests::{self, Plan};
use super::pages;
use super::venv::Venv;
use super::wheel::{self, Make};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The clients whose own tests are run, with the compilers that they use and what the tests need. Pages say themselves what they install.
const PACKAGES: [&str; 20] = [
    "numpy",
    "scipy",
    "ml_dtypes",
    "psutil",
    "cffi",
    "pytest",
    "pytest-benchmark",
    "pytest-timeout",
    "pytest-xdist",
    "filecheck",
    "hypothesis",
    "numba-cuda",
    "numba",
    "cupy-cuda13x",
    "torch",
    "triton",
    "cuda-core",
    "cuda-bindings",
    "tinygrad",
    "cuda-toolkit[nvrtc,nvcc,cudart,nvvm,cccl,crt,curand]",
];

/// Runs the programs of the pages of clients, or the clients' own tests, and prints how they fared.
///
/// # Errors
/// A program failed, or a suite did not run.
pub(crate) fn clients(
    root: &Path,
    only: &[String],
    suites: Option<Plan>,
    limit: Duration,
) -> Result<(), String> {
    let wheel = wheel::build(root, Make::Here)?;
    let place = root.join("target/python/clients");
    let venv = Venv::new(&place)?;
    let package = wheel.display().to_string();
    venv.install(&[&package])?;
    venv.install(&["--force-reinstall", "--no-deps", &package])?;
    let is_meant = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);
    let work = place.join("run");
    fs::create_dir_all(&work).map_err(|why| format!("{}: {why}", work.display()))?;
    match suites {
        None => pages::run(root, &venv, &work, limit, &is_meant),
        Some(plan) => {
            venv.install(&PACKAGES)?;
            own_tests::run(root, &venv, &work, plan, &is_meant)
        }
    }
}
