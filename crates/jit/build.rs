//! Names what makes machine code, so that code which is kept on disk is used by no other version.
//!
//! In a checkout that is the sources of this crate and of those that it computes with, and the versions of its dependencies. In a package it is
//! the version, with the sources of this crate: those of the others follow from it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::{env, fs};

fn main() {
    let mut hasher = DefaultHasher::new();
    env::var("CARGO_PKG_VERSION").unwrap_or_default().hash(&mut hasher);
    let parts =
        ["build.rs", "src", "../ir/src", "../lanes/src", "../numeric/src", "../../Cargo.lock"];
    for part in parts.map(Path::new).into_iter().filter(|part| part.exists()) {
        println!("cargo:rerun-if-changed={}", part.display());
        add(part, &mut hasher);
    }
    println!("cargo:rustc-env=WARPWISE_COMPILER={:016x}", hasher.finish());
}

/// Adds a file, or all in a folder, in the order of names.
fn add(part: &Path, hasher: &mut DefaultHasher) {
    let Ok(entries) = fs::read_dir(part) else {
        return fs::read(part).unwrap_or_default().hash(hasher);
    };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        path.file_name().hash(hasher);
        add(&path, hasher);
    }
}
