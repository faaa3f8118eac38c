//! Where cargo puts the shared libraries that the tests use.
#![allow(dead_code)]

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Once;

/// A shared library of the workspace, which is built with the tests: `libcuda.so`.
pub(crate) fn library(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let folder = test.parent().expect("it is in a folder");
    let path = folder.join(name);
    assert!(path.is_file(), "{} is not there", path.display());
    path
}

/// The driver, by the name under which it is asked for: the loader knows it, once it is loaded.
pub(crate) fn driver() {
    static LOADED: Once = Once::new();
    LOADED.call_once(|| {
        let path = library("libcuda.so");
        let path = CString::new(path.as_os_str().as_bytes()).expect("a path has no NUL");
        // SAFETY: the path is a string.
        let loaded = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!loaded.is_null(), "{}", path.to_string_lossy());
    });
}
