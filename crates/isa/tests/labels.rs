//! Labels in disassembled code: which addresses have one, how they are numbered, and that they come back.

mod common;

use common::{assemble, description};
use warpwise_isa::Section;

const MACHINE: &str = "
__DefImmediateType UImm8<8>
__DefImmediateType Near<16>
    Signed;
    Scale<4>;
    Relative<16>;
    Label<\"`(.L_0)\">;

__DefOpcode GO
  __Encoding
    field<0, 8> UImm8 op == 0x01;
    field<16, 16> Near to;
  __OperandInfo
    InList<to>;
    Order<to>;
  __Syntax
```asm
GO to ;
```

__DefReference JUMP
  __Encoding
    ignored<0, 128>;
    field<0, 8> UImm8 op == 0x02;
    field<32, 16> Near to;

__DefImmediateType Table<16>
    Signed;
    Scale<4>;
    Relative<16>;
    IndirectLabel<\"`(.L_0)\">;

__DefReference JUMP_BY
  __Encoding
    ignored<0, 128>;
    field<0, 8> UImm8 op == 0x03;
    field<32, 16> Table to;
";

/// The word at `from` that goes to `to`; `op` 1 is described, 2 only refers, 3 adds a register.
fn word(op: u128, from: i64, to: i64) -> u128 {
    let steps = u128::from(((to - from - 16) / 4) as u16);
    op | steps << if op == 1 { 16 } else { 32 }
}

fn texts(sections: &[Section]) -> Vec<String> {
    let out = description(MACHINE).disassemble_sections(sections);
    out.lines().map(|line| line.split("/*").next().unwrap_or_default().trim_end().into()).collect()
}

#[test]
fn numbers_follow_the_words_that_name_addresses() {
    let raw = |word: u128| format!(".word {word:#034x} ;");
    let jump = word(2, 0, 0x20);
    let words = vec![jump, word(1, 0x10, 0), word(1, 0x20, 0x20), word(1, 0x30, 0x40)];
    let first = Section { name: "one".into(), words, ..Section::default() };
    let mut second = first.clone();
    second.symbols = vec![(0, "start".into()), (0x20, "$far".into()), (8, "between".into())];
    let expected = [
        ".section one".into(),
        ".L_1:".into(),
        raw(jump),
        "GO `(.L_1) ;".into(),
        ".L_0:".into(),
        "GO `(.L_0) ;".into(),
        "GO `(.L_2) ;".into(),
        ".L_2:".into(),
        ".section one".into(),
        "start:".into(),
        raw(jump),
        "GO `(start) ;".into(),
        "$far:".into(),
        "GO `($far) ;".into(),
        "GO `(.L_3) ;".into(),
        ".L_3:".to_owned(),
    ];
    assert_eq!(texts(&[first.clone(), second.clone()]), expected);
    let both = description(MACHINE).disassemble_sections(&[first.clone(), second.clone()]);
    assert_eq!(assemble(&description(MACHINE), &both), Ok([first.words, second.words].concat()));
}

#[test]
fn an_address_without_a_word_stays_a_number() {
    let words = vec![word(1, 0, 8), word(1, 0x10, 0x40), word(1, 0x20, -0x10)];
    let section = Section { name: "one".into(), words: words.clone(), ..Section::default() };
    let expected = [".section one", "GO 0x8 ;", "GO 0x40 ;", "GO -0x10 ;"];
    assert_eq!(texts(std::slice::from_ref(&section)), expected);
    let out = description(MACHINE).disassemble_sections(&[section]);
    assert_eq!(assemble(&description(MACHINE), &out), Ok(words));
}

#[test]
fn relocations_are_numbered_first_and_names_are_not_used_twice() {
    let one = Section {
        name: "one".into(),
        words: vec![word(1, 0, 0x20), word(1, 0x10, 0)],
        symbols: vec![(0, ".L_1".into()), (0x10, "twice".into())],
        relocations: vec![(1, 0x10), (0, 0x10), (7, 0), (0, 4)],
        ..Section::default()
    };
    let two = Section { symbols: vec![(0, "twice".into())], ..one.clone() };
    let two = Section { relocations: Vec::new(), name: "two".into(), ..two };
    let found = texts(&[one, two]);
    let expected = [
        ".section one",
        ".L_1:",
        "GO `(.L_3) ;",
        ".L_2:",
        "GO `(.L_1) ;",
        ".L_3:",
        ".section two",
        ".L_5:",
        "GO `(.L_4) ;",
        ".L_0:",
        "GO `(.L_5) ;",
        ".L_4:",
    ];
    assert_eq!(found, expected);
}

#[test]
fn indirect_jumps_take_numbers_in_files_to_be_linked() {
    let raw = |word: u128| format!(".word {word:#034x} ;");
    // To the function itself, to an address with a label, to one without.
    let jumps = [word(3, 0x10, 0), word(3, 0x20, 0), word(3, 0x30, 0x20)];
    let words = [&[word(1, 0, 0x10)], &jumps[..], &[word(1, 0x40, 0x20)]].concat();
    let symbols = vec![(0, "start".into())];
    let name = "one".to_owned();
    let linked = Section { name, words, symbols, ..Section::default() };
    let lines = |sections: &[Section], second: &str, last: &str| {
        let expected = vec![
            ".section one".into(),
            "start:".into(),
            "GO `(.L_0) ;".into(),
            ".L_0:".into(),
            raw(jumps[0]),
            second.to_owned(),
            raw(jumps[1]),
            raw(jumps[2]),
            last.to_owned(),
        ];
        assert_eq!(texts(sections), expected);
    };
    lines(std::slice::from_ref(&linked), ".L_1:", "GO `(.L_1) ;");
    // The numbers 1 and 2 name the start, which has a name.
    lines(&[Section { relocatable: true, ..linked }], ".L_3:", "GO `(.L_3) ;");
}

#[test]
fn a_label_may_be_written_bare() {
    let text = ".a$b: GO `(.a$b) ; GO .a$b ; GO end ; end:";
    let wanted = vec![word(1, 0, 0), word(1, 0x10, 0), word(1, 0x20, 0x30)];
    assert_eq!(assemble(&description(MACHINE), text), Ok(wanted));
}
