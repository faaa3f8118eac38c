//! Any bytes may come: no panic, bounded time, bounded memory.

mod common;

use common::{Random, assemble, from_text, repository, shipped};
use diag::Sources;
use std::time::{Duration, Instant};
use warpwise_isa::doc;

/// Changes a text: pieces removed, repeated, moved, or replaced by other marks.
fn mutate(text: &str, random: &mut Random) -> String {
    const PIECES: [&str; 24] = [
        "<",
        ">",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        ";",
        "==",
        "=",
        ".",
        "$",
        "\"",
        "```",
        "//",
        "/*",
        "*/",
        "~0",
        "0xffffffffffffffffffffffffffffffff",
        "__Refine ",
        "\n__Encoding\n",
        "变",
        "\u{feff}",
    ];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(4) {
            0 => drop(chars.drain(at..end)),
            1 => {
                let copy = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                chars.splice(at..at, piece.chars());
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                chars.splice(at..end, piece.chars());
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_descriptions() {
    let mut random = Random(3);
    let warp = std::fs::read_to_string(repository("isa/warp.isa")).expect("committed");
    let small =
        std::fs::read_to_string(repository("tests/isa/check/clean.isa")).expect("committed");
    for (text, rounds) in [(&warp, 60), (&small, 600)] {
        for _ in 0..rounds {
            let mutated = mutate(text, &mut random);
            let mut sources = Sources::new();
            match from_text(&mutated, &mut sources) {
                Ok(description) => {
                    common::render(&sources, &description.check());
                    let words: Vec<u128> = (0..20).map(|_| random.word()).collect();
                    let text = description.disassemble(&words, 0);
                    assert_eq!(assemble(&description, &text), Ok(words));
                    doc::markdown(&description);
                    doc::html(&description);
                }
                Err(diagnostics) => {
                    common::render(&sources, &diagnostics);
                    assert!(!diagnostics.is_empty());
                }
            }
        }
    }
}

#[test]
fn mutated_assembly() {
    let mut random = Random(4);
    for name in ["warp.isa", "sm_75.isa", "sm_100.isa"] {
        let description = shipped(name);
        let words: Vec<u128> = description
            .opcodes()
            .iter()
            .map(|opcode| {
                opcode.fixed_bits().value
                    | random.word() & !(opcode.fixed_bits().mask | opcode.reserved_bits())
            })
            .collect();
        let text = description.disassemble(&words, 0);
        for _ in 0..300 {
            let mutated = mutate(&text, &mut random);
            if let Ok(words) = assemble(&description, &mutated) {
                assert_eq!(assemble(&description, &description.disassemble(&words, 0)), Ok(words));
            }
        }
    }
}

#[test]
fn sizes_are_bounded() {
    let limit = Duration::from_secs(10);
    let many = |piece: &str, count: usize| piece.repeat(count);
    let opcodes: String =
        (0..3000).map(|n| format!("__DefOpcode O{n}\n__Syntax\n```\nX Rd ;\n```\n")).collect();
    let diamonds: String = std::iter::once("__DefGroup G0 : []\n__DefGroup H0 : []\n".to_owned())
        .chain((1..60).map(|n| {
            format!("__DefGroup G{n} : [G{0}, H{0}]\n__DefGroup H{n} : [G{0}, H{0}]\n", n - 1)
        }))
        .chain(["__DefOpcode X : [G59, H59]\n".to_owned()])
        .collect();
    let choices: String = (0..40).map(|n| format!("    field<{}, 3> T f{n};\n", 3 * n)).collect();
    let ambiguous = format!(
        "__DefBitFieldType T<3>\nA;B;C;\n__DefOpcode X\n__Encoding\n{choices}\n__DefOpcode Y\n__Encoding\n\
         {choices}\n__OperandInfo\nRequire<f0> = 0;\n"
    );
    let braces = format!("__DefOpcode X\n__Syntax\n```\nX {} ;\n```\n", many("{a}", 2000));
    let texts = [
        many("(", 100_000),
        format!("__DefOpcode X\n__OperandInfo\nRequire<a> = {};\n", many("(", 100_000)),
        format!("__DefOpcode X\n__OperandInfo\nRequire<a> = {}1;\n", many("1+", 100_000)),
        format!("__DefOpcode X\n__OperandInfo\nRequire<a> = {}1;\n", many("!", 100_000)),
        format!("__DefOpcode X\n__Syntax\n```\nX {}\n```\n", many("{", 100_000)),
        format!("__DefOpcode X\n__Encoding\n{}", many("field<0, 8> Reg a;\n", 20_000)),
        format!("__DefBitFieldType T<8>\n{}", many("A;\n", 20_000)),
        many("__DefOpcode X\n", 20_000),
        many("__Provenance chosen \"x\";\n", 20_000),
        many("```\n", 50_000),
        opcodes,
        diamonds,
        ambiguous,
        braces,
    ];
    for text in texts {
        let start = Instant::now();
        let mut sources = Sources::new();
        let found = match from_text(&text, &mut sources) {
            Ok(description) => description.check(),
            Err(diagnostics) => diagnostics,
        };
        assert!(found.len() <= 1000, "{} diagnostics for {text:.40}", found.len());
        let took = start.elapsed();
        assert!(took < limit, "{took:?} for {text:.60}");
    }
}

#[test]
fn long_assembly() {
    let warp = shipped("warp.isa");
    let texts = [
        "@".repeat(100_000),
        "MOVM ".repeat(50_000),
        "x:".repeat(50_000),
        "MOVM R1, R2 ;".repeat(20_000),
        "/*".repeat(50_000),
        "MOVM R1, R2 ; /* @0x0 */".repeat(10_000),
    ];
    for text in texts {
        let mut sources = Sources::new();
        let file = sources.add("a.s", text.as_str());
        let start = Instant::now();
        let assembled = warp.assemble(&sources, file);
        assert!(assembled.err().is_none_or(|errors| errors.len() <= 100), "{text:.30}");
        let took = start.elapsed();
        assert!(took < Duration::from_secs(5), "{took:?} for {text:.30}");
    }
}
