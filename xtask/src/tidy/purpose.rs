//! What files are for.

/// What a file of Rust is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Part of the product.
    Product,
    /// Tests, benchmarks, fuzz targets and development tasks.
    Development,
}

/// What a Rust file is for, by where it stands.
pub(super) fn purpose(name: &str) -> Purpose {
    let mut folders = name.split('/');
    let top = folders.next();
    // crates/NAME/tests, crates/NAME/examples, crates/NAME/benches
    let inner = folders.nth(1);
    match (top, inner) {
        (Some("crates"), Some("tests" | "examples" | "benches")) => Purpose::Development,
        (Some("crates"), _) if !name.starts_with("crates/filetest/") => {
            match name.ends_with("/tests.rs") || name.contains("/tests/") {
                true => Purpose::Development,
                false => Purpose::Product,
            }
        }
        _ => Purpose::Development,
    }
}
