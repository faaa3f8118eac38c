//! Which crate may use which, and which foreign crates nobody may.

use super::breach::Breach;
use std::path::Path;
use std::process::Command;

/// The crates of the workspace that each may use, by their short names. Indirect uses count: who may use
/// `ptx` may use what `ptx` uses.
const MAY_USE: [(&str, &[&str]); 19] = [
    ("diag", &[]),
    ("numeric", &[]),
    ("lanes", &["numeric"]),
    ("ir", &["lanes", "numeric"]),
    ("ptx", &["diag", "ir", "lanes"]),
    ("isa", &["diag"]),
    ("machine", &["isa", "ir", "diag", "lanes"]),
    ("jit", &["ir", "lanes"]),
    ("vm", &["ir", "jit", "lanes", "numeric"]),
    ("sanitize", &["vm", "diag", "ir", "lanes"]),
    ("warpwise", &["diag", "numeric", "lanes", "ir", "ptx", "isa", "machine", "vm", "sanitize"]),
    ("cli", &["warpwise"]),
    ("cuda", &["warpwise"]),
    ("cudart", &[]),
    ("filetest", &[]),
    ("generate", &["ir", "lanes", "vm"]),
    ("conformance", &["generate", "numeric", "warpwise"]),
    ("bench", &["numeric", "warpwise"]),
    ("python", &["warpwise"]),
];

/// Crates that compile or look for code in other languages: whoever builds Warpwise needs Rust alone.
const FOREIGN_COMPILERS: [&str; 6] = ["cc", "cmake", "bindgen", "nasm-rs", "pkg-config", "vcpkg"];

/// Checks that no dependency, direct or not, needs a compiler other than Rust's.
pub(super) fn check_lock(lock: &str, breaches: &mut Vec<Breach>) {
    for (nth, line) in lock.lines().enumerate() {
        let name = line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"'));
        let Some(name) = name.filter(|name| FOREIGN_COMPILERS.contains(name)) else { continue };
        let what =
            format!("`{name}` needs a C compiler; `cargo tree -i {name} -e all` says who has it");
        breaches.push(Breach { file: "Cargo.lock".to_owned(), line: nth + 1, what });
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_with_a_c_compiler_is_found() {
        let mut breaches = Vec::new();
        let lock = "[[package]]\nname = \"ccc\"\n\n[[package]]\nname = \"cc\"\n";
        check_lock(lock, &mut breaches);
        assert!(breaches.len() == 1 && breaches[0].line == 5, "{breaches:?}");
    }
}
