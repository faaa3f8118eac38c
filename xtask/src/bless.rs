//! `cargo xtask bless`.

use filetest::Blessed;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Rewrites the expected output of the file tests and the schemas of documents, or finds out whether that would change anything.
///
/// # Errors
/// The command cannot be built or run, a test is malformed, or `check` found a difference.
pub(crate) fn bless(root: &Path, check: bool, filter: Option<&str>) -> Result<(), String> {
    let binary = build(root)?;
    let mut stale = Vec::new();
    for folder in ["tests", "examples"] {
        let files = filetest::discover(&root.join(folder)).map_err(|why| why.to_string())?;
        for file in files {
            let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            if filter.is_some_and(|filter| !name.contains(filter)) {
                continue;
            }
            match filetest::bless(&binary, &file).map_err(|why| format!("{name}: {why}"))? {
                Blessed::Unchanged => {}
                Blessed::Changed(_) if check => stale.push(name),
                Blessed::Changed(text) => {
                    std::fs::write(&file, text).map_err(|why| format!("{name}: {why}"))?;
                    println!("{name}");
                }
            }
        }
    }
    if filter.is_none() {
        schemas(&binary, &root.join("docs/schemas"), check, &mut stale)?;
    }
    match stale.is_empty() {
        true => Ok(()),
        false => Err(format!("`cargo xtask bless` would change\n{}", stale.join("\n"))),
    }
}

/// Writes the schemas of JSON documents as the command prints them, or finds out which would change.
fn schemas(
    binary: &Path,
    folder: &Path,
    check: bool,
    stale: &mut Vec<String>,
) -> Result<(), String> {
    let printed = |words: &[&str]| {
        let ran = Command::new(binary).arg("schema").args(words).output();
        let ran = ran.map_err(|why| format!("{}: {why}", binary.display()))?;
        String::from_utf8(ran.stdout).map_err(|why| why.to_string())
    };
    std::fs::create_dir_all(folder).map_err(|why| why.to_string())?;
    for name in printed(&[])?.lines().filter_map(|line| line.split_whitespace().next()) {
        let (path, schema) = (folder.join(format!("{name}.json")), printed(&[name])?);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == schema) {
            continue;
        }
        match check {
            true => stale.push(path.display().to_string()),
            false => {
                std::fs::write(&path, schema).map_err(|why| why.to_string())?;
                println!("{}", path.display());
            }
        }
    }
    Ok(())
}

/// Builds the command, as the tests have it and with them: nothing is compiled again behind a run of all tests. Returns where
/// it is.
fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["test", "--release", "--workspace", "--no-run", "--message-format", "json"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|why| format!("cannot run cargo: {why}"))?;
    if !built.status.success() {
        return Err("the command does not build".to_owned());
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let executable = messages.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        // The command's own tests have its name, too.
        let is_it = message["target"]["name"] == "warpwise" && message["profile"]["test"] == false;
        message["executable"].as_str().filter(|_| is_it).map(PathBuf::from)
    });
    executable.ok_or_else(|| "cargo names no executable".to_owned())
}
