//! Proof that no word is two opcodes, or a word that is.

use crate::bits;
use crate::codes;
use crate::model::{Description, Opcode, Role};
use crate::types::TypeKind;
use diag::Diagnostic;

/// So many partial words are tried for one pair before the search gives up.
const MOST_TRIES: u32 = 50_000;
/// So many for the whole description.
const MOST_TRIES_OVERALL: u32 = 2_000_000;
/// So many pairs are reported; a description with more has one cause for all of them.
const MOST_REPORTED: usize = 50;
/// Fields up to this width are enumerated when a requirement speaks of them.
const WIDEST_ENUMERATED: u32 = 8;

/// How a search ended.
enum Outcome {
    /// Both opcodes accept this word.
    Witness(u128),
    /// No word is both.
    Disjoint,
    /// Too many combinations.
    GaveUp,
}

pub(super) fn check(description: &Description, found: &mut Vec<Diagnostic>) {
    let mut budget = MOST_TRIES_OVERALL;
    for (index, left) in description.opcodes.iter().enumerate() {
        for right in &description.opcodes[..index] {
            if !fixed_bits_agree(left, right) {
                continue;
            }
            let message = format!("opcodes `{}` and `{}`", right.name, left.name);
            let diagnostic = match search(left, right, &mut budget) {
                Outcome::Disjoint => continue,
                Outcome::Witness(word) => {
                    let diagnostic = Diagnostic::error(
                        left.span,
                        format!("{message} both accept the word {word:#034x}"),
                    );
                    open_note(diagnostic, left)
                }
                Outcome::GaveUp => Diagnostic::warning(
                    left.span,
                    format!("{message} have compatible fixed bits; no proof that they differ"),
                ),
            };
            if found.len() >= MOST_REPORTED {
                return;
            }
            let differ = places(left, right);
            found.push(
                diagnostic
                    .label(left.span, format!("fixed {}", bits::describe(fixed_mask(left))))
                    .label(right.span, format!("fixed {}", bits::describe(fixed_mask(right))))
                    .help(format!(
                        "give them different fixed values, `field<…> … == VALUE;`, {differ}"
                    ))
                    .code(codes::AMBIGUOUS),
            );
        }
    }
}

fn places(left: &Opcode, right: &Opcode) -> String {
    let both = fixed_mask(left) & fixed_mask(right);
    match both {
        0 => "at bits that both fix".to_owned(),
        both => format!("at {}, which both fix, or at another place", bits::describe(both)),
    }
}

/// Bits of fixed fields, whether or not their numbers are known.
fn fixed_mask(opcode: &Opcode) -> u128 {
    let fixed = opcode.fields.iter().filter(|field| field.is_fixed());
    fixed.fold(0, |mask, field| mask | field.mask())
}

fn open_note(diagnostic: Diagnostic, opcode: &Opcode) -> Diagnostic {
    let open: Vec<String> = opcode
        .open_fields()
        .filter_map(|field| match &field.role {
            Role::FixedOpen(name) => Some(format!("`{}` is {name}", field.name.text)),
            Role::Fixed(_) | Role::Default(_) | Role::Free => None,
        })
        .collect();
    match open.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!(
            "in that word {}; the description leaves the number open and 0 stands for it",
            open.join(" and ")
        )),
    }
}

fn fixed_bits_agree(left: &Opcode, right: &Opcode) -> bool {
    let both = left.fixed.mask & right.fixed.mask;
    if (left.fixed.value ^ right.fixed.value) & both != 0 {
        return false;
    }
    if left.fixed.value & right.reserved != 0 || right.fixed.value & left.reserved != 0 {
        return false;
    }
    // Constants without a number are taken to differ from every constant but themselves.
    for field in left.open_fields() {
        for other in right.fields.iter().filter(|other| other.is_fixed()) {
            if field.mask() & other.mask() != 0 && field.role != other.role {
                return false;
            }
        }
    }
    for field in right.open_fields() {
        for other in left.fields.iter().filter(|other| matches!(other.role, Role::Fixed(_))) {
            if field.mask() & other.mask() != 0 {
                return false;
            }
        }
    }
    true
}

/// A field whose values are limited, and the words that its values make.
struct Choice {
    mask: u128,
    values: Vec<u128>,
}

fn search(left: &Opcode, right: &Opcode, budget: &mut u32) -> Outcome {
    let mut choices = Vec::new();
    let complete = choices_of(left, &mut choices) & choices_of(right, &mut choices);
    // Few values first: contradictions show early.
    choices.sort_by_key(|choice| choice.values.len());
    let start = left.fixed.value | right.fixed.value;
    let known = left.fixed.mask | right.fixed.mask | left.reserved | right.reserved;
    let mut search = Search { left, right, choices, tries: MOST_TRIES.min(*budget) };
    let before = search.tries;
    let found = search.descend(0, start, known);
    *budget -= before - search.tries;
    match found {
        Some(word) => Outcome::Witness(word),
        None if search.tries == 0 || !complete => Outcome::GaveUp,
        None => Outcome::Disjoint,
    }
}

/// Lists the limited fields; says whether all of them could be listed.
fn choices_of(opcode: &Opcode, into: &mut Vec<Choice>) -> bool {
    let mut required = Vec::new();
    for requirement in &opcode.requirements {
        requirement.expr.fields(&mut required);
    }
    for (index, expr, _) in &opcode.widths {
        if matches!(opcode.fields[*index].ty.kind, TypeKind::Register(_)) {
            expr.fields(&mut required);
        }
    }
    let mut complete = true;
    for (index, field) in opcode.fields.iter().enumerate() {
        if field.is_fixed() {
            continue;
        }
        let values: Vec<u128> = match &field.ty.kind {
            TypeKind::Enumeration(names) if !names.open => {
                names.values.iter().filter_map(|value| value.number).collect()
            }
            _ if !required.contains(&index) => continue,
            _ if field.width() <= WIDEST_ENUMERATED => (0..1 << field.width()).collect(),
            _ => {
                complete = false;
                continue;
            }
        };
        let values = values.into_iter().map(|number| field.place(number)).collect();
        into.push(Choice { mask: field.mask(), values });
    }
    complete
}

struct Search<'a> {
    left: &'a Opcode,
    right: &'a Opcode,
    choices: Vec<Choice>,
    tries: u32,
}

impl Search<'_> {
    fn descend(&mut self, depth: usize, word: u128, known: u128) -> Option<u128> {
        if self.tries == 0 {
            return None;
        }
        self.tries -= 1;
        let Some(choice) = self.choices.get(depth) else {
            return self.both_accept(word).then_some(word);
        };
        let mask = choice.mask;
        for nth in 0..choice.values.len() {
            let value = self.choices[depth].values[nth];
            if (value ^ word) & known & mask == 0
                && let Some(found) = self.descend(depth + 1, word | value, known | mask)
            {
                return Some(found);
            }
        }
        None
    }

    fn both_accept(&self, word: u128) -> bool {
        [self.left, self.right].into_iter().all(|opcode| {
            let values: Vec<u128> = opcode.fields.iter().map(|field| field.extract(word)).collect();
            opcode.validate(&values).is_ok()
        })
    }
}
