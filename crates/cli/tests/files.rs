//! Runs the file tests below `tests/` and `examples/` with the command that was built.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    filetest::main(Path::new(env!("CARGO_BIN_EXE_warpwise")), &root, &["tests", "examples"])
}
