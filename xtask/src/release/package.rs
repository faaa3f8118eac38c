//! `cargo xtask package`: the crates as crates.io gets them, and the command as `cargo install` makes it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// What crates.io shows of a crate, and `cargo publish` does not insist on.
const WANTED: [&str; 6] =
    ["description", "license", "repository", "keywords", "categories", "readme"];

/// Macros that read a file while the crate is compiled.
const READERS: [&str; 3] = ["include_str!(", "include_bytes!(", "include!("];

/// The command that is published.
const COMMAND: &str = "warpwise-cli";

/// A crate that is published.
struct Published {
    name: String,
    folder: PathBuf,
}

/// Looks at every crate that is published: what crates.io shows of it is there, and no file that its sources read is left out of its
/// package. Without `only_look`, also builds each from its package, as `cargo publish` does, and installs and runs the command of them.
///
/// # Errors
/// A report of what is missing, or something that does not build.
pub(crate) fn package(root: &Path, only_look: bool) -> Result<(), String> {
    let published = published(root)?;
    let mut breaches = String::new();
    for one in &published {
        for file in left_out(root, one)? {
            breaches += &format!("{}: {file}\n", one.name);
        }
    }
    if !breaches.is_empty() {
        return Err(breaches);
    }
    println!("{} crates hold all that they read", published.len());
    match only_look {
        true => Ok(()),
        false => build(root, &published),
    }
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|why| format!("cannot run cargo: {why}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The crates of the workspace that are published, each with all that crates.io shows.
fn published(root: &Path) -> Result<Vec<Published>, String> {
    let said = output(cargo(root).args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&said).map_err(|why| format!("cargo metadata: {why}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let mut found = Vec::new();
    for package in packages.iter().filter(|package| package["publish"].is_null()) {
        let name = package["name"].as_str().unwrap_or_default().to_owned();
        let is_empty = |value: &serde_json::Value| {
            value.is_null() || value.as_array().is_some_and(|list| list.is_empty())
        };
        if let Some(field) = WANTED.iter().find(|field| is_empty(&package[**field])) {
            return Err(format!("{name}: its manifest has no `{field}`"));
        }
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(root).to_owned();
        found.push(Published { name, folder });
    }
    Ok(found)
}

/// The files that the sources of a package read, and that are not in it. What tests read may be left out.
fn left_out(root: &Path, package: &Published) -> Result<Vec<String>, String> {
    let list = ["package", "--list", "--allow-dirty", "--quiet", "-p", &package.name];
    let said = output(cargo(root).args(list))?;
    let files: BTreeSet<PathBuf> =
        String::from_utf8_lossy(&said).lines().map(PathBuf::from).collect();
    let mut found = Vec::new();
    for file in &files {
        if !(file.starts_with("src") && file.extension().is_some_and(|kind| kind == "rs")) {
            continue;
        }
        let full = package.folder.join(file);
        let text = std::fs::read_to_string(&full);
        let text = text.map_err(|why| format!("{}: {why}", full.display()))?;
        let beside = file.parent().unwrap_or(Path::new(""));
        for read in reads(&text) {
            let is_there = normal(&beside.join(read)).is_some_and(|path| files.contains(&path));
            if !is_there {
                found.push(format!("{} reads {read}, which is not in the package", file.display()));
            }
        }
    }
    Ok(found)
}

/// The paths that a source names when it reads files, outside of its tests.
fn reads(text: &str) -> Vec<&str> {
    let product = text.split("#[cfg(test)]").next().unwrap_or(text);
    let calls = READERS.iter().flat_map(|reader| product.split(reader).skip(1));
    calls.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next()).collect()
}

/// A path without `..`; nothing if it leads out of the package.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::Normal(name) => normal.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(normal)
}

/// Builds all packages, installs the command from them, and runs it where nothing else is.
fn build(root: &Path, published: &[Published]) -> Result<(), String> {
    // Below the workspace, an unpacked package would be taken for a part of it.
    let place = tempfile::tempdir().map_err(|why| why.to_string())?;
    let target = place.path().join("target");
    let dry = ["publish", "--dry-run", "--workspace", "--allow-dirty", "--quiet", "--target-dir"];
    done(cargo(root).args(dry).arg(&target))?;
    println!("{} crates build from their packages", published.len());

    let manifest = std::fs::read_to_string(root.join("Cargo.toml"));
    let manifest = manifest.map_err(|why| format!("Cargo.toml: {why}"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = "));
    let version = version.ok_or("Cargo.toml names no version")?.trim_matches('"');
    let unpacked = |name: &str| target.join("package").join(format!("{name}-{version}"));
    let installed = place.path().join("installed");
    let mut install = cargo(place.path());
    install.args(["install", "--quiet", "--root"]).arg(&installed);
    install.arg("--path").arg(unpacked(COMMAND)).arg("--target-dir").arg(&target);
    for Published { name, .. } in published.iter().filter(|one| one.name != COMMAND) {
        let path = unpacked(name).display().to_string();
        install.arg("--config").arg(format!("patch.crates-io.{name}.path={path:?}"));
    }
    done(&mut install)?;
    let mut command = Command::new(installed.join("bin/warpwise"));
    let told = output(command.args(["isa", "list"]).current_dir(&installed))?;
    match String::from_utf8_lossy(&told).contains("sm_90") {
        true => println!("the installed command runs"),
        false => return Err("the installed command does not know its machines".to_owned()),
    }
    Ok(())
}

fn done(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|why| format!("cannot run cargo: {why}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{} failed: {status}", command.get_program().display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_source_reads() {
        let text = "const A: &str = include_str!(\"a.txt\"); let b = include_bytes!(\n \"../b.bin\");\n\
                    include!(concat!(\"x\"));\n#[cfg(test)]\nmod t { include_str!(\"../../../c\") }";
        assert_eq!(reads(text), ["a.txt", "../b.bin"]);
    }

    #[test]
    fn paths_that_lead_out_of_a_package() {
        let path = |text: &str| normal(Path::new(text));
        assert_eq!(path("src/a/../b.txt"), Some(PathBuf::from("src/b.txt")));
        assert_eq!(path("src/../../b.txt"), None);
    }
}
