//! The IR text of every kernel of the examples and tests is the text of that kernel.

use std::path::{Path, PathBuf};
use warpwise::{Module, ir};

fn modules(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a committed folder") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            modules(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

#[test]
fn the_text_of_every_kernel_parses_to_that_kernel() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["examples", "tests"] {
        modules(&root.join(folder), &mut paths);
    }
    let mut kernels = 0;
    for path in paths {
        // Some are tests of what is refused.
        let Ok(module) = Module::from_ptx_file(&path) else { continue };
        for name in module.kernels() {
            let Ok(kernel) = module.kernel(name) else { continue };
            let text = kernel.ir().to_string();
            let again = ir::text::parse(&text);
            let again = again.unwrap_or_else(|error| panic!("{}, {name}: {error}", path.display()));
            assert!(again == *kernel.ir(), "{}, {name}\n{again}", path.display());
            kernels += 1;
        }
    }
    assert!(kernels >= 1000, "{kernels}");
}
