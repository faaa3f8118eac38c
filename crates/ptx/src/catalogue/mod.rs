//! The instruction catalogue: one [`Entry`] per instruction, in one file per family.
//!
//! An entry states everything about an instruction that is not common to all: its forms as the manual
//! prints them, what PTX version and target each needs, what it does (its lowering to warp IR), how exact
//! that is, and where the manual describes it. Opcode names stand nowhere else.

mod arithmetic;
mod asynchronous;
mod atomics;
mod availability;
mod barrier_objects;
mod bits;
mod calls;
mod cluster;
mod compare;
mod control;
mod convert;
mod entry;
mod explain;
mod extended;
mod fabric;
mod functions;
mod lack;
mod logic;
mod matching;
mod matrix;
mod memory;
mod miss;
mod moves;
mod multimem;
mod opcode;
pub mod pattern;

mod stack;
mod step;
mod tensor;
mod tensor_maps;
mod textures;
mod video;
mod warp;
mod warpgroup;
mod words;

pub use availability::{Need, Only, Removed, Since};
pub use entry::{CompiledEntry, CompiledForm, Entry, Fidelity, Form, Matched, Role, Samplers};
use entry::{hint, not_implemented};
pub(crate) use lack::Lack;
pub use matching::find;
pub(crate) use matching::{candidates, foreign_word, unknown};
pub(crate) use memory::access;
pub(crate) use miss::Miss;
pub(crate) use opcode::{CALL, STACK};

use crate::syntax::ast::Instruction;
use foldhash::HashMap;
use pattern::Pattern;
use std::sync::OnceLock;

/// One file a family.
const FAMILIES: &[&[Entry]] = &[
    arithmetic::ENTRIES,
    asynchronous::ENTRIES,
    atomics::ENTRIES,
    barrier_objects::ENTRIES,
    bits::ENTRIES,
    calls::ENTRIES,
    cluster::ENTRIES,
    compare::ENTRIES,
    control::ENTRIES,
    convert::ENTRIES,
    extended::ENTRIES,
    fabric::ENTRIES,
    functions::ENTRIES,
    logic::ENTRIES,
    matrix::ENTRIES,
    memory::ENTRIES,
    moves::ENTRIES,
    multimem::ENTRIES,
    stack::ENTRIES,
    tensor::ENTRIES,
    textures::ENTRIES,
    video::ENTRIES,
    warp::ENTRIES,
    warpgroup::ENTRIES,
];

/// Every entry, in catalogue order.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// Whether an instruction's mnemonic is or begins with a word.
pub(crate) fn is_opcode(word: &str) -> bool {
    let compiled = compiled();
    compiled.entries.contains_key(word) || compiled.longer.iter().any(|it| it.opcode == word)
}

/// The entry of an instruction.
pub fn entry(instruction: &Instruction) -> Option<&'static CompiledEntry> {
    let compiled = compiled();
    let opcode = instruction.opcode.as_str();
    let is_there = |word: &str| instruction.suffixes.iter().any(|suffix| suffix == word);
    let mut longer = compiled.longer.iter().filter(|entry| entry.opcode == opcode);
    // Where only longer names begin with the opcode, one of them says which word is wrong.
    let nearest = longer.clone().next();
    longer
        .find(|entry| entry.words.iter().all(|word| is_there(word)))
        .and_then(|entry| compiled.entries.get(entry.name))
        .or_else(|| compiled.entries.get(opcode))
        .or_else(|| compiled.entries.get(nearest?.name))
}

/// The name of an entry that has several parts.
struct LongName {
    name: &'static str,
    opcode: &'static str,
    words: Vec<&'static str>,
}

/// The catalogue, compiled.
struct Compiled {
    entries: HashMap<&'static str, CompiledEntry>,
    /// The names of several parts, those with most of them first.
    longer: Vec<LongName>,
}

fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    let compiled = |form: &'static Form| {
        // A line that does not compile is found by the test below; here its form is left out.
        let pattern = Pattern::compile(form.syntax).ok()?;
        Some(CompiledForm { form, pattern })
    };
    let build = || {
        let compile = |entry: &'static Entry| {
            let forms = entry.forms.iter().filter_map(compiled).collect();
            (entry.name, CompiledEntry { entry, forms })
        };
        let long_name = |entry: &'static Entry| {
            let (opcode, words) = entry.name.split_once('.')?;
            Some(LongName { name: entry.name, opcode, words: words.split('.').collect() })
        };
        let mut longer: Vec<LongName> = entries().filter_map(long_name).collect();
        longer.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
        Compiled { entries: entries().map(compile).collect(), longer }
    };
    COMPILED.get_or_init(build)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_syntax_line_compiles_and_starts_with_its_entrys_name() {
        for entry in entries() {
            for form in entry.forms {
                let pattern = Pattern::compile(form.syntax);
                assert!(pattern.is_ok(), "{}: {}", form.syntax, pattern.unwrap_err());
                let opcode = form.syntax.split(['.', ' ', '{']).next();
                assert_eq!(opcode, Some(entry.opcode()), "{}", form.syntax);
            }
        }
    }

    #[test]
    fn no_instruction_has_two_entries() {
        let mut names: Vec<_> = entries().map(|entry| entry.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
