//! `cargo xtask tidy`: rules of the house.

mod breach;
mod circles;
mod crates;
mod files;
mod opcodes;
mod purpose;
mod tokens;

use breach::Breach;
use std::path::{Path, PathBuf};
use tokens::Source;

/// A folder of the workspace that is not searched.
fn is_skipped(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    matches!(name, "corpus" | "artifacts" | "node_modules" | "__pycache__")
        || name.starts_with("target")
        || (name.starts_with('.') && name != ".ci")
}

/// All files below a folder, sorted.
fn walk(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |why: std::io::Error| format!("{}: {why}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            if !is_skipped(&path) {
                found.extend(walk(&path)?);
            }
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Checks every rule.
///
/// # Errors
/// A report of all breaches, or a file that cannot be read.
pub(crate) fn tidy(root: &Path) -> Result<(), String> {
    let mut breaches = crates::check(root)?;
    let lock = std::fs::read_to_string(root.join("Cargo.lock"));
    let lock = lock.map_err(|why| format!("Cargo.lock: {why}"))?;
    crates::check_lock(&lock, &mut breaches);
    for path in walk(root)? {
        let Some(kind) = path.extension().and_then(|extension| extension.to_str()) else {
            continue;
        };
        let is_text = ["rs", "md", "toml", "test", "sh", "py", "cu", "ptx", "isa", "txt"];
        if !is_text.contains(&kind) {
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let text = std::fs::read(&path).map_err(|why| format!("{name}: {why}"))?;
        let text = String::from_utf8_lossy(&text);
        files::check_text(&name, &text, &mut breaches);
        if kind != "rs" {
            continue;
        }
        if name.ends_with("src/lib.rs") || name.ends_with("src/main.rs") {
            let read = |path: &Path| std::fs::read_to_string(path).ok();
            circles::check(&path, &name, &read, &mut breaches)?;
        }
        match Source::read(&text) {
            Ok(source) => {
                let purpose = purpose::purpose(&name);
                files::check_source(&name, &source, purpose, &mut breaches);
                opcodes::check(&name, &source, purpose, &mut breaches);
            }
            Err((line, why)) => breaches.push(Breach { file: name, line, what: why }),
        }
    }
    if breaches.is_empty() {
        return Ok(());
    }
    let count = breaches.len();
    let mut report: String = breaches
        .iter()
        .map(|Breach { file, line, what }| match line {
            0 => format!("{file}: {what}\n"),
            line => format!("{file}:{line}: {what}\n"),
        })
        .collect();
    report.push_str(&format!("{count} breaches of the rules of the house"));
    Err(report)
}
