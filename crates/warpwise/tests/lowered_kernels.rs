//! Every kernel of the examples and tests that can be turned into assembly: the assembly assembles, and its words
//! are those of what the disassembler makes of them.

mod common;

use common::{machine, modules};
use std::path::Path;
use warpwise::Module;
use warpwise::machine::Machine;

/// How many kernels of a module become assembly.
fn kernels(path: &Path, machine: &Machine) -> usize {
    let name = path.display().to_string();
    let Ok(text) = std::fs::read_to_string(path) else { return 0 };
    let Ok(module) = Module::from_ptx(&name, text) else { return 0 };
    let mut made = 0;
    for entry in module.kernels() {
        let Ok(kernel) = module.kernel(entry) else { continue };
        let Ok(lowered) = machine.lower(&kernel) else { continue };
        let words = |text: &str| match machine.assemble("k.s", text) {
            Ok(assembled) => assembled.bytes,
            Err(error) => panic!("{name}, {entry}: {error}\n{text}"),
        };
        let bytes = words(&lowered.text);
        let text = machine.disassemble(&bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(words(&text), bytes, "{name}, {entry}");
        made += 1;
    }
    made
}

#[test]
fn assembly_of_every_kernel_assembles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["examples", "tests"] {
        modules(&root.join(folder), &mut paths);
    }
    paths.sort();
    for (name, least) in [("warp.isa", 1000), ("sm_90.isa", 900)] {
        let machine = machine(name);
        let made: usize = paths.iter().map(|path| kernels(path, &machine)).sum();
        assert!(made >= least, "{name}: {made}");
    }
}
