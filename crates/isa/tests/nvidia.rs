//! The descriptions of real targets against words and texts recorded from NVIDIA's disassembler.

mod common;

use common::{TARGETS, assemble, repository, shipped};
use std::collections::BTreeMap;
use warpwise_isa::Description;

struct Vector {
    target: String,
    word: u128,
    text: String,
}

fn vectors(file: &str) -> Vec<Vector> {
    let text = std::fs::read_to_string(repository("tests/isa").join(file)).expect("committed file");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut columns = line.split('\t').map(str::to_owned);
            let mut column = || columns.next().expect("three columns");
            let (target, word, text) = (column(), column(), column());
            let word = u128::from_str_radix(&word, 16).expect("a hexadecimal word");
            Vector { target, word, text }
        })
        .collect()
}

fn descriptions() -> BTreeMap<&'static str, Description> {
    TARGETS.into_iter().map(|target| (target, shipped(&format!("{target}.isa")))).collect()
}

#[test]
fn text_of_recorded_words_is_nvdisasms() {
    let descriptions = descriptions();
    let all = vectors("nvdisasm-words.tsv");
    assert!(all.len() >= 7200);
    let mut wrong = Vec::new();
    for vector in &all {
        let line = descriptions[vector.target.as_str()].disassemble_word(vector.word, 0);
        let text = line.split("/*").next().unwrap_or("").trim_end();
        if text != vector.text {
            wrong.push(format!(
                "{} {:032x}: {line}\n  nvdisasm: {}",
                vector.target, vector.word, vector.text
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        all.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

#[test]
fn disassembled_words_assemble_to_the_same_words() {
    let descriptions = descriptions();
    for target in TARGETS {
        let words: Vec<u128> = vectors("nvdisasm-words.tsv")
            .into_iter()
            .filter(|vector| vector.target == target)
            .map(|vector| vector.word)
            .collect();
        let description = &descriptions[target];
        let text = description.disassemble(&words, 0);
        let again =
            assemble(description, &text).unwrap_or_else(|error| panic!("{target}: {error}"));
        assert_eq!(again, words, "{target}");
    }
}

/// NVIDIA's text alone, without any comment, gives every bit that is not control or junk.
#[test]
fn recorded_text_assembles_to_the_bits_that_it_states() {
    let descriptions = descriptions();
    for vector in vectors("nvdisasm-words.tsv") {
        let description = &descriptions[vector.target.as_str()];
        let words = assemble(description, &vector.text).unwrap_or_else(|e| panic!("{e}"));
        let [word] = words[..] else { panic!("{} is not one word", vector.text) };
        let instruction = description.decode(word).expect("it was assembled");
        let hidden = instruction.fields().filter(|(field, _)| field.name.is_control());
        let hidden =
            hidden.fold(instruction.opcode().ignored_bits().mask, |m, (f, _)| m | f.mask());
        assert_eq!(word & !hidden, vector.word & !hidden, "{} {}", vector.target, vector.text);
    }
}

/// Words that differ from a recorded one in one bit, and words of random bits: what the disassembler makes of
/// each, or that it refuses the word.
#[test]
fn flipped_and_random_bits_are_read_as_nvdisasm_reads_them() {
    let descriptions = descriptions();
    let mut seen = 0;
    let mut wrong = Vec::new();
    let files = ["nvdisasm-flips.tsv", "nvdisasm-random.tsv"];
    for vector in files.into_iter().flat_map(vectors) {
        seen += 1;
        let description = &descriptions[vector.target.as_str()];
        let decoded = description.decode(vector.word);
        let text = decoded.as_ref().ok().and_then(|i| i.text(0)).map(|text| format!("{text} ;"));
        // A word of another instruction, which is not described here, is unknown too.
        let expected = (vector.text != "-").then_some(vector.text.as_str());
        if text.as_deref() != expected {
            wrong.push(format!(
                "{} {:032x}: {decoded:?}\n  nvdisasm: {}",
                vector.target, vector.word, vector.text
            ));
        }
    }
    assert!(seen > 12_000, "{seen}");
    assert!(
        wrong.is_empty(),
        "{} of {seen}\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
