//! Cubins that NVIDIA's compiler made: every word of every section of code, against the recorded text of
//! NVIDIA's disassembler, and back to the same bytes.

mod common;

use common::{Machine, Random, repository};
use diag::Sources;
use std::collections::BTreeMap;
use warpwise_machine::cubin::{is_elf, text_sections};

const TARGETS: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

fn cubin(target: &str) -> Vec<u8> {
    let path = repository(&format!("tests/cubin/warp_ops.{target}.cubin"));
    std::fs::read(path).expect("a committed file")
}

/// The disassembler's text by section and address.
fn recorded(target: &str) -> BTreeMap<(String, u64), String> {
    let path = repository(&format!("tests/cubin/warp_ops.{target}.tsv"));
    let text = std::fs::read_to_string(path).expect("a committed file");
    text.lines()
        .map(|line| {
            let mut columns = line.split('\t').map(str::to_owned);
            let mut next = || columns.next().expect("three columns");
            let (section, address, text) = (next(), next(), next());
            ((section, u64::from_str_radix(&address, 16).expect("an address")), text)
        })
        .collect()
}

#[test]
fn text_is_nvdisasms_and_bytes_survive() {
    for target in TARGETS {
        let machine = Machine::shipped(&format!("isa/{target}.isa"));
        let bytes = cubin(target);
        let texts = recorded(target);
        let mnemonics: Vec<&str> =
            machine.description.opcodes().iter().filter_map(|opcode| opcode.mnemonic()).collect();
        assert!(is_elf(&bytes));
        let sections = text_sections(&bytes).expect("a whole file");
        assert_eq!(sections.iter().map(|s| s.words.len()).sum::<usize>(), texts.len(), "{target}");
        let mut described = 0;
        for section in &sections {
            let out = machine.description.disassemble(&section.words, 0);
            for (nth, line) in out.lines().enumerate() {
                let place = (section.name.clone(), nth as u64 * 16);
                let wanted =
                    texts.get(&place).unwrap_or_else(|| panic!("{place:?} is not recorded"));
                let found = line.split("/*").next().unwrap_or_default().trim_end();
                let words = wanted.split([' ', '.', ';']);
                let mnemonic =
                    words.into_iter().find(|word| !word.is_empty() && !word.starts_with('@'));
                if mnemonics.contains(&mnemonic.unwrap_or_default()) {
                    described += 1;
                    assert_eq!(found, wanted, "{target} {place:?}");
                } else {
                    assert!(
                        found.starts_with(".word 0x"),
                        "{target} {place:?}: {found} for {wanted}"
                    );
                }
            }
            let mut sources = Sources::new();
            let file = sources.add("out.s", out);
            let assembly =
                machine.description.assemble(&sources, file).expect("it was disassembled");
            let again = assembly.bytes();
            let is_there = bytes.windows(again.len()).any(|window| window == again);
            assert!(is_there, "{target} {}: other bytes than in the file", section.name);
        }
        assert!(described > 20, "{target}: {described}");
    }
}

/// Any bytes: an error, or sections.
#[test]
fn broken_files() {
    let whole = cubin("sm_90");
    let mut random = Random(5);
    let mut read = 0;
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(6) {
            // Headers are where damage hurts.
            let at = match random.below(3) {
                0 => random.below(64),
                1 => whole.len() - 1 - random.below(1500),
                _ => random.below(whole.len()),
            };
            bytes[at] = random.word() as u8;
        }
        bytes.truncate(if random.below(4) == 0 { random.below(whole.len()) } else { whole.len() });
        read += usize::from(text_sections(&bytes).is_ok());
    }
    assert!(read > 100 && read < 3000, "{read}");
    assert!(text_sections(&[]).is_err() && text_sections(b"\x7fELF").is_err());
}
