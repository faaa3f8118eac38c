//! Which crate may use which.

use super::Breach;
use std::path::Path;
use std::process::Command;

/// The crates of the workspace that each may use, by their short names. Indirect uses count: who may use
/// `ptx` may use what `ptx` uses.
const MAY_USE: [(&str, &[&str]); 13] = [
    ("diag", &[]),
    ("numeric", &[]),
    ("lanes", &["numeric"]),
    ("ir", &["lanes", "numeric"]),
    ("ptx", &["diag", "ir", "lanes"]),
    ("isa", &["diag"]),
    ("machine", &["isa", "ir", "diag", "lanes"]),
    ("vm", &["ir", "lanes", "numeric"]),
    ("sanitize", &["vm", "diag", "ir", "lanes"]),
    ("warpwise", &["diag", "numeric", "lanes", "ir", "ptx", "isa", "machine", "vm", "sanitize"]),
    ("cli", &["warpwise"]),
    ("filetest", &[]),
    ("bench", &["warpwise"]),
];

/// The short name of a package of the workspace.
fn short(package: &str) -> &str {
    package.strip_prefix("warpwise-").unwrap_or(package)
}

/// Checks the dependencies of every crate; those of tests are free.
///
/// # Errors
/// `cargo metadata` does not work.
pub(super) fn check(root: &Path) -> Result<Vec<Breach>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let said = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|why| format!("cannot run cargo: {why}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&said.stdout).map_err(|why| format!("cargo metadata: {why}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let is_ours = |name: &str| packages.iter().any(|package| package["name"] == name);
    let mut breaches = Vec::new();
    for package in packages {
        let name = short(package["name"].as_str().unwrap_or(""));
        let mut breach = |what| {
            breaches.push(Breach { file: format!("crate {name}"), line: 0, what });
        };
        if name == "xtask" {
            continue;
        }
        let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
            breach("it is not in the table of who may use whom".to_owned());
            continue;
        };
        let none = Vec::new();
        for dependency in package["dependencies"].as_array().unwrap_or(&none) {
            let used = dependency["name"].as_str().unwrap_or("");
            let in_product = dependency["kind"] != "dev";
            if in_product && is_ours(used) && !allowed.contains(&short(used)) {
                breach(format!("it may not use {}", short(used)));
            }
        }
    }
    Ok(breaches)
}
