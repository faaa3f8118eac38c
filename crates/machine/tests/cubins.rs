//! Cubins that NVIDIA's compiler made: every word of every section of code, against the recorded text of
//! NVIDIA's disassembler, and back to the same bytes.

mod common;

use common::{Machine, Random, repository};
use diag::Sources;
use std::collections::BTreeMap;
use warpwise_machine::cubin::{is_elf, text_sections};

/// The files of `tests/cubin` and their targets.
const CUBINS: [(&str, &str); 10] = [
    ("warp_ops.sm_75", "sm_75"),
    ("warp_ops.sm_80", "sm_80"),
    ("warp_ops.sm_90", "sm_90"),
    ("warp_ops.sm_100", "sm_100"),
    ("warp_ops.sm_120", "sm_120"),
    ("labels.sm_90", "sm_90"),
    ("labels.sm_100", "sm_100"),
    ("labels.relocatable.sm_90", "sm_90"),
    ("switch.relocatable.sm_90", "sm_90"),
    ("switch.relocatable.sm_100", "sm_100"),
];

fn cubin(name: &str) -> Vec<u8> {
    let path = repository(&format!("tests/cubin/{name}.cubin"));
    std::fs::read(path).expect("a committed file")
}

/// The disassembler's text by section and address.
fn recorded(name: &str) -> BTreeMap<(String, u64), String> {
    let path = repository(&format!("tests/cubin/{name}.tsv"));
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

/// A line of disassembly: its address and its text without the comment. `None` for labels.
fn instruction(line: &str) -> Option<(u64, &str)> {
    let (text, comment) = line.split_once("/* @0x")?;
    let digits = comment.split(' ').next().unwrap_or_default();
    Some((u64::from_str_radix(digits, 16).expect("an address"), text.trim_end()))
}

fn mnemonic(text: &str) -> &str {
    let words = text.split([' ', '.', ';']);
    words.into_iter().find(|word| !word.is_empty() && !word.starts_with('@')).unwrap_or_default()
}

#[test]
fn text_is_nvdisasms_and_bytes_survive() {
    for (name, target) in CUBINS {
        let machine = Machine::shipped(&format!("isa/{target}.isa"));
        let bytes = cubin(name);
        let texts = recorded(name);
        let mnemonics: Vec<&str> =
            machine.description.opcodes().iter().filter_map(|opcode| opcode.mnemonic()).collect();
        assert!(is_elf(&bytes));
        let sections = text_sections(&bytes).expect("a whole file");
        assert_eq!(sections.iter().map(|s| s.words.len()).sum::<usize>(), texts.len(), "{name}");
        let out = machine.description.disassemble_sections(&sections);
        let (mut described, mut section) = (0, "");
        for line in out.lines() {
            if let Some(name) = line.strip_prefix(".section ") {
                section = name;
                continue;
            }
            let Some((address, found)) = instruction(line) else { continue };
            let place = (section.to_owned(), address);
            let wanted = texts.get(&place).unwrap_or_else(|| panic!("{place:?} is not recorded"));
            // Of MOV, the descriptions have the form with a uniform register as its source.
            let described_form = mnemonic(wanted) != "MOV" || wanted.contains(", UR");
            if mnemonics.contains(&mnemonic(wanted)) && described_form {
                described += 1;
                assert_eq!(found, wanted, "{name} {place:?}");
            } else {
                assert!(found.starts_with(".word 0x"), "{name} {place:?}: {found} for {wanted}");
            }
        }
        assert!(described > 20, "{name}: {described}");
        let mut sources = Sources::new();
        let file = sources.add("out.s", out);
        let assembly = machine.description.assemble(&sources, file).expect("it was disassembled");
        let words: Vec<u128> = sections.iter().flat_map(|section| section.words.clone()).collect();
        assert_eq!(assembly.bytes(), isa::bytes_from_words(words), "{name}");
        for section in &sections {
            let code = isa::bytes_from_words(section.words.iter().copied());
            assert!(bytes.windows(code.len()).any(|window| window == code), "{name}");
        }
    }
}

/// Any bytes: an error, or sections.
#[test]
fn broken_files() {
    let whole = cubin("warp_ops.sm_90");
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
