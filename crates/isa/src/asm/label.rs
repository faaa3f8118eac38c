//! Names of addresses: which words name one, and what the disassembler calls it.

use super::WORD_BYTES;
use super::section::Section;
use crate::model::{Description, Opcode};
use crate::types::{LabelForm, is_label_char};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl Description {
    /// The address that a word at `address` names, and how labels for it are written. The word is an
    /// instruction, or matches a `__DefReference`.
    pub(crate) fn target(&self, word: u128, address: u64) -> Option<(i128, &LabelForm)> {
        if let Ok(instruction) = self.decode(word) {
            return target_of(instruction.opcode(), word, address);
        }
        self.reference_tree
            .candidates(word)
            .iter()
            .map(|index| &self.references[*index])
            .find(|reference| reference.accepts(word))
            .and_then(|reference| target_of(reference, word, address))
    }
}

fn target_of(opcode: &Opcode, word: u128, address: u64) -> Option<(i128, &LabelForm)> {
    opcode.fields.iter().find_map(|field| {
        let immediate = field.relative()?;
        let shown = immediate.shown(field.extract(word), field.width(), address);
        Some((shown, immediate.label.as_ref()?))
    })
}

/// The names of addresses of some sections.
pub(super) struct Names {
    /// By section and address.
    names: HashMap<(usize, u64), String>,
}

impl Names {
    /// Symbols first; then labels, numbered as relocations and words name them.
    pub(super) fn new(description: &Description, sections: &[Section]) -> Self {
        let mut names = symbols(sections);
        let used: BTreeSet<String> = names.values().cloned().collect();
        let mut next: BTreeMap<&str, u64> = BTreeMap::new();
        for Mention { section, target, stem, anew } in mentions(description, sections) {
            let whole = u64::try_from(target).ok().filter(|target| sections[section].has(*target));
            let Some(target) = whole else { continue };
            let place = names.entry((section, target));
            if anew || matches!(place, Entry::Vacant(_)) {
                let number = next.entry(stem).or_default();
                place.or_insert(unused(number, stem, &used));
            }
        }
        Names { names }
    }

    pub(super) fn get(&self, section: usize, address: i128) -> Option<&str> {
        let address = u64::try_from(address).ok()?;
        self.names.get(&(section, address)).map(String::as_str)
    }
}

/// The first name from a number on that is not used; the number is then the next one.
fn unused(number: &mut u64, stem: &str, used: &BTreeSet<String>) -> String {
    loop {
        let name = format!("{stem}{number}");
        *number += 1;
        if !used.contains(&name) {
            return name;
        }
    }
}

/// An address that is named.
struct Mention<'d> {
    /// The number of the section in which the address is.
    section: usize,
    target: i128,
    /// The label without its number.
    stem: &'d str,
    /// Takes a number even if the address has a name.
    anew: bool,
}

/// The addresses that are named, in the order in which labels are numbered.
fn mentions<'d>(description: &'d Description, sections: &[Section]) -> Vec<Mention<'d>> {
    let types = description.opcodes.iter().chain(&description.references);
    let form = types
        .flat_map(|opcode| &opcode.fields)
        .find_map(|field| field.relative().and_then(|immediate| immediate.label.as_ref()));
    let Some(form) = form else { return Vec::new() };
    let relocations = sections.iter().flat_map(|section| &section.relocations);
    let mut found: Vec<_> = relocations
        .filter(|(section, _)| *section < sections.len())
        .map(|(section, target)| Mention {
            section: *section,
            target: (*target).into(),
            stem: &form.stem,
            anew: false,
        })
        .collect();
    for (section, code) in sections.iter().enumerate() {
        for (word, address) in code.words.iter().zip((0..).step_by(WORD_BYTES as usize)) {
            let target = description.target(*word, address);
            let target = target.filter(|(_, form)| code.relocatable || !form.indirect);
            found.extend(target.map(|(target, form)| Mention {
                section,
                target,
                stem: &form.stem,
                anew: form.indirect,
            }));
        }
    }
    found
}

/// The symbols that can be labels: of an address with an instruction, and each name once in the file.
fn symbols(sections: &[Section]) -> HashMap<(usize, u64), String> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for (_, name) in sections.iter().flat_map(|section| &section.symbols) {
        *count.entry(name).or_default() += 1;
    }
    let mut names = HashMap::new();
    for (nth, section) in sections.iter().enumerate() {
        for (address, name) in &section.symbols {
            if section.has(*address) && is_label(name) && count.get(name.as_str()) == Some(&1) {
                names.entry((nth, *address)).or_insert_with(|| name.clone());
            }
        }
    }
    names
}

/// Whether assembly text can name an address so.
pub(crate) fn is_label(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(is_label_char)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
