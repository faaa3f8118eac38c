//! Any words: each decodes or is unknown, and the text of all of them assembles to the same words, as one
//! section or as several with symbols and relocations. Any file that begins as a cubin is read or refused.

#![no_main]

use diag::Sources;
use isa::{Description, Section};
use libfuzzer_sys::fuzz_target;
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
    if machine::cubin::is_elf(bytes) {
        let _ = machine::cubin::text_sections(bytes);
        return;
    }
    let [choice, seed, rest @ ..] = bytes else { return };
    let machine = &machines()[usize::from(*choice) % machines().len()];
    // Random words are seldom instructions: the fixed bits of some opcode are put in.
    let opcode = &machine.opcodes()[usize::from(*seed) % machine.opcodes().len()];
    let fixed = opcode.fixed_bits();
    let words: Vec<u128> = rest
        .as_chunks::<16>()
        .0
        .iter()
        .map(|bytes| u128::from_le_bytes(*bytes) & !fixed.mask | fixed.value)
        .collect();
    for word in &words {
        if let Ok(instruction) = machine.decode(*word) {
            assert_eq!(instruction.word(), Some(*word));
        }
    }
    round_trip(machine, machine.disassemble(&words, 0), &words);
    let sections = sections(&words, rest);
    round_trip(machine, machine.disassemble_sections(&sections), &words);
});

fn round_trip(machine: &Description, text: String, words: &[u128]) {
    let mut sources = Sources::new();
    let file = sources.add("fuzz.s", text);
    let assembly = machine.assemble(&sources, file).expect("it was disassembled");
    assert!(assembly.words.iter().map(|word| word.word).eq(words.iter().copied()));
}

/// The words as sections of a few words each. The bytes are the addresses of symbols and the targets of
/// relocations as well; many name no word, or no section.
fn sections(words: &[u128], bytes: &[u8]) -> Vec<Section> {
    let size = 1 + bytes.first().map_or(0, |byte| usize::from(byte % 8));
    words
        .chunks(size)
        .zip(bytes.chunks(16 * size))
        .enumerate()
        .map(|(nth, (words, bytes))| Section {
            name: format!(".text.{nth}"),
            words: words.to_vec(),
            relocatable: size % 2 == 0,
            symbols: bytes
                .iter()
                .take(4)
                .map(|byte| (u64::from(*byte), format!(".L_x_{}", byte % 16)))
                .collect(),
            relocations: bytes
                .iter()
                .rev()
                .take(4)
                .map(|byte| (usize::from(byte % 4), u64::from(*byte) & !7))
                .collect(),
        })
        .collect()
}
