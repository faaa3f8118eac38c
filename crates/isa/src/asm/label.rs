//! Names of addresses: which words name one, and what the disassembler calls it.

use super::{Section, WORD_BYTES};
use crate::model::{Description, Opcode};
use crate::types::{LabelForm, is_label_char};
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
        for (section, target, form) in mentions(description, sections) {
            let whole = u64::try_from(target).ok().filter(|target| sections[section].has(*target));
            let Some(target) = whole else { continue };
            names.entry((section, target)).or_insert_with(|| {
                let number = next.entry(&form.stem).or_default();
                loop {
                    let name = format!("{}{number}", form.stem);
                    *number += 1;
                    if !used.contains(&name) {
                        return name;
                    }
                }
            });
        }
        Names { names }
    }

    pub(super) fn get(&self, section: usize, address: i128) -> Option<&str> {
        let address = u64::try_from(address).ok()?;
        self.names.get(&(section, address)).map(String::as_str)
    }
}

/// The addresses that are named, in the order in which labels are numbered: a section, and an address in it.
fn mentions<'d>(
    description: &'d Description,
    sections: &[Section],
) -> Vec<(usize, i128, &'d LabelForm)> {
    let types = description.opcodes.iter().chain(&description.references);
    let form = types
        .flat_map(|opcode| &opcode.fields)
        .find_map(|field| field.relative().and_then(|immediate| immediate.label.as_ref()));
    let Some(form) = form else { return Vec::new() };
    let relocations = sections.iter().flat_map(|section| &section.relocations);
    let mut found: Vec<_> = relocations
        .filter(|(section, _)| *section < sections.len())
        .map(|(section, target)| (*section, i128::from(*target), form))
        .collect();
    for (nth, section) in sections.iter().enumerate() {
        for (word, address) in section.words.iter().zip((0..).step_by(WORD_BYTES as usize)) {
            found.extend(description.target(*word, address).map(|(to, form)| (nth, to, form)));
        }
    }
    found
}

impl Section {
    /// Whether a word begins, or the section ends, at an address.
    fn has(&self, address: u64) -> bool {
        address.is_multiple_of(WORD_BYTES) && address <= self.words.len() as u64 * WORD_BYTES
    }
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
