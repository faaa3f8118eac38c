//! Where cargo puts the shared libraries that the tests use.

use std::path::PathBuf;

/// A shared library of the workspace, which is built with the tests: `libcuda.so`.
pub(crate) fn library(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let folder = test.parent().expect("it is in a folder");
    let path = folder.join(name);
    assert!(path.is_file(), "{} is not there", path.display());
    path
}
