//! Runs the file tests below `tests/` and `examples/` with the command that was built, by every engine and level of vector
//! instructions that this machine has.

use std::path::Path;
use std::process::ExitCode;
use warpwise::EngineChoice;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let binary = Path::new(env!("CARGO_BIN_EXE_warpwise"));
    let engines: Vec<String> = EngineChoice::available().map(|engine| engine.to_string()).collect();
    filetest::main(binary, &root, &["tests", "examples"], &engines)
}
