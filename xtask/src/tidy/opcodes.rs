//! Opcode names stand in the catalogue and nowhere else.

use super::breach::Breach;
use super::purpose::Purpose;
use super::tokens::Source;

/// Where opcode names belong.
const CATALOGUE: &str = "crates/ptx/src/catalogue/";

/// The table of CUDA's functions, which says what instruction each stands for.
const CUDA: &str = "crates/warpwise/src/explain/cuda.rs";

/// The text of the IR: a language of its own, whose operations are called after what they do.
const IR_TEXT: &str = "crates/ir/src/text/";

/// Tests of a driver by modules that are written on purpose, without the catalogue: random kernels as PTX, and functions.
const PRINTED: [&str; 2] = ["crates/generate/src/ptx/", "crates/conformance/src/functions.rs"];

/// Words that are opcodes and mean something else in these files.
const OTHER_MEANINGS: [(&str, &[&str]); 6] = [
    // A state space.
    ("crates/ptx/src/syntax/types.rs", &["tex"]),
    // Functions and a statement of pseudo-code in machine descriptions.
    ("crates/machine/src/pseudo/functions.rs", &["min", "max", "abs", "popc", "clz"]),
    ("crates/machine/src/pseudo/parser.rs", &["exit"]),
    // An option.
    ("crates/cli/src/arguments/mod.rs", &["set"]),
    // A feature of x86-64.
    ("crates/jit/src/lib.rs", &["fma"]),
    ("crates/vm/src/simd.rs", &["fma"]),
];

/// Finds string literals that are opcodes, alone or with suffixes.
pub(super) fn check(name: &str, source: &Source, purpose: Purpose, breaches: &mut Vec<Breach>) {
    let is_elsewhere = name.starts_with(CATALOGUE) || name.starts_with(IR_TEXT) || name == CUDA;
    let is_elsewhere = is_elsewhere || PRINTED.iter().any(|folder| name.starts_with(folder));
    if purpose != Purpose::Product || is_elsewhere {
        return;
    }
    let other = OTHER_MEANINGS.iter().find(|(file, _)| *file == name);
    for token in source.tokens.iter().filter(|token| !token.in_test && !token.is_doc) {
        let Some(word) = token.string() else { continue };
        let opcode = word.split('.').next().unwrap_or("");
        let known = ptx::catalogue::entries().any(|entry| entry.name == opcode);
        let is_meant = other.is_some_and(|(_, words)| words.contains(&word));
        if known && !is_meant {
            let what = format!("opcode `{opcode}` outside {CATALOGUE}");
            breaches.push(Breach { file: name.to_owned(), line: token.line, what });
        }
    }
}
