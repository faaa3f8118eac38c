//! Any text: it assembles or is refused. What assembles disassembles to text that assembles to the same
//! words, and becomes a well-formed kernel or is refused.

#![no_main]

use diag::Sources;
use isa::Description;
use libfuzzer_sys::fuzz_target;
use machine::{Meaning, Program};
use std::sync::OnceLock;

fn machines() -> &'static [Description] {
    static MACHINES: OnceLock<Vec<Description>> = OnceLock::new();
    MACHINES.get_or_init(|| {
        let load = |name: &str| {
            let path = format!("{}/../isa/{name}", env!("CARGO_MANIFEST_DIR"));
            Description::load(&path, &mut isa::FileLoader, &mut Sources::new())
                .expect("it is correct")
        };
        ["warp.isa", "sm_75.isa", "sm_90.isa", "sm_100.isa"].map(load).into()
    })
}

fuzz_target!(|bytes: &[u8]| {
    let [choice, text @ ..] = bytes else { return };
    let machine = &machines()[usize::from(*choice) % machines().len()];
    let mut sources = Sources::new();
    let file = sources.add("fuzz.s", String::from_utf8_lossy(text));
    for meaning in [Meaning::BuiltIn, Meaning::PseudoCode] {
        if let Ok(program) = Program::new(machine, &sources, file, meaning) {
            ir::verify(&program.kernel).expect("the kernel is well formed");
        }
    }
    let Ok(assembly) = machine.assemble(&sources, file) else { return };
    let words: Vec<u128> = assembly.words.iter().map(|word| word.word).collect();
    let printed = sources.add("printed.s", machine.disassemble(&words, 0));
    let again = machine.assemble(&sources, printed).expect("it was disassembled");
    assert!(again.words.iter().map(|word| word.word).eq(words));
});
