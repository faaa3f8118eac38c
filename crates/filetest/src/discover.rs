//! Finding test files.

use crate::parse::is_ptx;
use std::io;
use std::path::{Path, PathBuf};

/// The test files below a folder, sorted: `*.test`, and PTX files that carry a test.
///
/// # Errors
/// A folder cannot be read.
pub fn discover(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if holds_test(&path)? {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn holds_test(path: &Path) -> io::Result<bool> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("test") => Ok(true),
        Some("ptx") => Ok(is_ptx(&String::from_utf8_lossy(&std::fs::read(path)?))),
        Some(_) | None => Ok(false),
    }
}
