//! word → text → word and text → word → text on everything that a description accepts.

mod common;

use common::{Random, TARGETS, assemble, shipped};
use warpwise_isa::{Description, Opcode, Reason};

fn all() -> Vec<(String, Description)> {
    let names = TARGETS.iter().map(|target| format!("{target}.isa")).chain(["warp.isa".to_owned()]);
    names.map(|name| (name.clone(), shipped(&name))).collect()
}

/// A word with random fields of an opcode and random ignored bits; most of them are accepted.
fn random_word(opcode: &Opcode, random: &mut Random) -> u128 {
    let fixed = opcode.fixed_bits();
    let free = !(fixed.mask | opcode.reserved_bits());
    let word = fixed.value | random.word() & free;
    if random.below(2) == 0 {
        return word;
    }
    // Requirements refuse most random control fields, so half of the words have the default ones.
    opcode.fields.iter().filter(|field| field.name.is_control()).fold(word, |word, field| {
        field.implied().map_or(word, |number| word & !field.mask() | field.place(number))
    })
}

#[test]
fn accepted_words_survive_text() {
    let mut random = Random(1);
    for (name, description) in all() {
        let mut words = Vec::new();
        for opcode in description.opcodes() {
            let accepted: Vec<u128> = (0..1000)
                .map(|_| random_word(opcode, &mut random))
                .filter(|word| {
                    description.decode(*word).is_ok_and(|i| i.opcode().name == opcode.name)
                })
                .take(100)
                .collect();
            assert!(accepted.len() >= 20, "{name} {}: {}", opcode.name, accepted.len());
            words.extend(accepted);
        }
        let text = description.disassemble(&words, 0);
        let again = assemble(&description, &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, words, "{name}");
        assert_eq!(description.disassemble(&again, 0), text, "{name}");
    }
}

/// Random words and all single-bit flips of accepted ones: each is an instruction or `.word`, and both
/// assemble back to it.
#[test]
fn unknown_words_survive_text() {
    let mut random = Random(2);
    for (name, description) in all() {
        let mut words: Vec<u128> = (0..500).map(|_| random.word()).collect();
        for opcode in description.opcodes() {
            let word = random_word(opcode, &mut random);
            words.extend((0..128).map(|bit| word ^ 1 << bit));
        }
        let text = description.disassemble(&words, 0);
        assert_eq!(text.lines().count(), words.len());
        let again = assemble(&description, &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, words, "{name}");
    }
}

/// Every flip of a fixed or reserved bit changes the opcode or is refused, with the reason and the word.
#[test]
fn flipped_fixed_and_reserved_bits_never_decode_to_the_same_opcode() {
    let warp = shipped("warp.isa");
    for opcode in warp.opcodes() {
        let fields: Vec<(&str, u128)> = opcode
            .fields
            .iter()
            .filter(|field| field.implied().is_none())
            .map(|field| (field.name.text.as_str(), 0))
            .collect();
        let word = opcode.encode(&fields).expect("zero is a value of every free field");
        for bit in 0..128 {
            let flipped = word ^ 1 << bit;
            let decoded = warp.decode(flipped);
            if opcode.fixed_bits().mask >> bit & 1 == 1 {
                assert!(decoded.is_err() || decoded.is_ok_and(|i| i.opcode().name != opcode.name));
            } else if opcode.reserved_bits() >> bit & 1 == 1 {
                let unknown = decoded.expect_err("a reserved bit is set");
                assert_eq!(unknown.word, flipped);
                let expected = Reason::Reserved { opcode: opcode.name.clone(), bits: 1 << bit };
                assert_eq!(unknown.reason, expected);
            } else if let Ok(instruction) = decoded {
                assert_eq!(instruction.word(), Some(flipped));
            } else {
                assert!(matches!(
                    decoded.expect_err("not ok").reason,
                    Reason::Hole { .. } | Reason::NoPair { .. }
                ));
            }
        }
    }
}

#[test]
fn field_values_have_names() {
    let warp = shipped("warp.isa");
    let words = assemble(&warp, "@!P2 MATCH.U64.ALL RZ, P3, R[8:9] ;").expect("legal");
    let instruction = warp.decode(words[0]).expect("assembled");
    assert_eq!(instruction.opcode().name, "MATCH_R");
    assert_eq!(instruction.value("pg"), Some(2));
    assert_eq!(instruction.value_name("pg.not").as_deref(), Some("True"));
    assert_eq!(instruction.value_name("rd").as_deref(), Some("RZ"));
    assert_eq!(instruction.value_name("matchop").as_deref(), Some("ALL"));
    assert_eq!(instruction.value("ra"), Some(8));
    assert_eq!(instruction.operand_bits("ra"), Some(64));
    assert_eq!(instruction.value("nothing"), None);
}
