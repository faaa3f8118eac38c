//! Finds the form that an instruction is written in.

use super::pattern::{OperandType, Shape};
use super::{CompiledEntry, CompiledForm, entries, entry};
use crate::nearest::nearest;
use crate::syntax::ScalarType;
use crate::syntax::ast::{Instruction, Name, Operand, OperandKind};
use diag::Diagnostic;

/// An instruction together with the form that it is written in.
#[derive(Debug)]
pub struct Matched<'a> {
    /// The form.
    pub form: &'static CompiledForm,
    /// The instruction.
    pub instruction: &'a Instruction,
    words: Vec<Option<&'static str>>,
}

impl<'a> Matched<'a> {
    /// Whether an optional word is there.
    pub fn has(&self, name: &str) -> bool {
        self.word(name).is_some()
    }

    /// The word chosen at the slot of that name.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        self.words[self.form.pattern.slot(name)?]
    }

    /// The type chosen at the slot of that name; `.b32` where the form has none.
    pub fn ty(&self, name: &str) -> ScalarType {
        self.word(name).and_then(ScalarType::from_word).unwrap_or(ScalarType::B32)
    }

    /// The operand of that name, when it is there.
    pub fn operand(&self, name: &str) -> Option<&'a Operand> {
        self.instruction.operands.get(self.position(name)?)
    }

    /// The type of the operand of that name; `.b32` where the form gives it none.
    pub fn operand_type(&self, name: &str) -> ScalarType {
        self.position(name).map_or(ScalarType::B32, |at| self.type_at(at))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.form.pattern.operands.iter().position(|operand| operand.name == name)
    }

    fn type_at(&self, at: usize) -> ScalarType {
        match self.form.pattern.operands[at].ty {
            OperandType::Fixed(ty) => ty,
            OperandType::Slot(slot) => {
                self.words[slot].and_then(ScalarType::from_word).unwrap_or(ScalarType::B32)
            }
            OperandType::Untyped => ScalarType::B32,
        }
    }
}

/// Finds the form of an instruction by its words and the shapes of its operands.
///
/// # Errors
/// The instruction is unknown, not implemented, or fits no form; the diagnostic points to the word or
/// operand that the nearest form does not have.
pub fn find(instruction: &Instruction) -> Result<Matched<'_>, Box<Diagnostic>> {
    let opcode = &instruction.opcode;
    let Some(found) = entry(opcode) else {
        let mut error = Diagnostic::unsupported(
            opcode.span,
            format!("`{opcode}` is not an instruction that this version knows"),
        );
        if let Some(name) = nearest(opcode, entries().map(|entry| entry.name)) {
            error = error.help(format!("did you mean `{name}`?")).fix(opcode.span, name);
        }
        return Err(Box::new(error));
    };
    if found.forms.is_empty() {
        let message = format!("`{opcode}` is not implemented");
        let note = format!("PTX ISA 9.1, {}", found.entry.section);
        return Err(Box::new(Diagnostic::unsupported(opcode.span, message).note(note)));
    }
    let mut nearest_miss: Option<(usize, Miss<'_>)> = None;
    for form in &found.forms {
        let miss = match assign_words(form, &instruction.suffixes) {
            Ok(words) => match check_shapes(form, instruction) {
                Ok(()) => return Ok(Matched { form, instruction, words }),
                Err(miss) => miss,
            },
            Err(miss) => miss,
        };
        let distance = miss.distance();
        if nearest_miss.as_ref().is_none_or(|(best, _)| distance < *best) {
            nearest_miss = Some((distance, miss));
        }
    }
    let Some((_, miss)) = nearest_miss else {
        return Err(Box::new(Diagnostic::unsupported(opcode.span, "no form is implemented")));
    };
    Err(Box::new(miss.explain(found, instruction)))
}

/// Why an instruction is not of a form.
enum Miss<'a> {
    /// Words that no slot accepts, and slots that no word fills.
    Words { unknown: Vec<&'a Name>, missing: Vec<usize>, form: &'static CompiledForm },
    /// Too few or too many operands.
    Count { form: &'static CompiledForm },
    /// An operand of the wrong shape.
    Shape { at: usize, form: &'static CompiledForm },
}

impl Miss<'_> {
    fn distance(&self) -> usize {
        match self {
            Miss::Shape { .. } => 0,
            Miss::Count { .. } => 1,
            Miss::Words { unknown, missing, .. } => 2 + 2 * unknown.len() + missing.len(),
        }
    }

    fn explain(self, entry: &CompiledEntry, instruction: &Instruction) -> Diagnostic {
        let opcode = &instruction.opcode;
        let forms = |form: &CompiledForm| format!("the form is `{}`", form.form.syntax);
        let diagnostic = match self {
            Miss::Words { unknown, missing, form } => {
                let fits = |slot: &usize| {
                    let words = &form.pattern.slots[*slot].words;
                    words.iter().map(|word| format!("`.{word}`")).collect::<Vec<_>>().join(", ")
                };
                match (unknown.first(), missing.first()) {
                    (Some(word), slot) => {
                        let known = form.pattern.slots.iter().any(|s| s.words.contains(&&***word));
                        let what = if known { "too often" } else { "not a modifier here" };
                        let message = format!("`.{word}` of `{opcode}`: {what}");
                        let error = Diagnostic::error(word.span, message);
                        match slot {
                            Some(slot) => error.help(format!("use one of {}", fits(slot))),
                            None => error,
                        }
                    }
                    (None, Some(slot)) => {
                        let message = format!("`{opcode}` lacks a modifier");
                        Diagnostic::error(opcode.span, message)
                            .help(format!("add one of {}", fits(slot)))
                    }
                    (None, None) => Diagnostic::error(opcode.span, "no such form"),
                }
                .note(forms(form))
            }
            Miss::Count { form } => {
                let most = form.pattern.operands.len();
                let least = form.pattern.operands.iter().filter(|o| !o.optional).count();
                let wanted =
                    if least == most { format!("{most}") } else { format!("{least} to {most}") };
                let found = instruction.operands.len();
                Diagnostic::error(
                    instruction.span,
                    format!("`{opcode}` takes {wanted} operands here, not {found}"),
                )
                .note(forms(form))
            }
            Miss::Shape { at, form } => {
                let operand = &form.pattern.operands[at];
                let wanted = match operand.shape {
                    Shape::Result => "a register for the result",
                    Shape::ResultAndMaybePredicate => "a register, or `register|predicate`",
                    Shape::ResultAndPredicate => "`register|predicate`",
                    Shape::Results => "a register or a vector `{…}` of them",
                    Shape::Value => "a register or a constant",
                    Shape::Values => "a register, a constant or a vector `{…}` of them",
                    Shape::Constant => "a constant",
                    Shape::Predicate => "a predicate, which may be negated with `!`",
                    Shape::Address => "an address in brackets",
                    Shape::Label => "a label",
                };
                Diagnostic::error(
                    instruction.operands[at].span,
                    format!("operand `{}` of `{opcode}` must be {wanted}", operand.name),
                )
                .note(forms(form))
            }
        };
        diagnostic.note(format!("PTX ISA 9.1, {}", entry.entry.section))
    }
}

/// Gives each word of the instruction to the first free slot that accepts it. The order of the words
/// is free, except that types keep theirs: the first is the result's, the next an operand's.
fn assign_words<'a>(
    form: &'static CompiledForm,
    suffixes: &'a [Name],
) -> Result<Vec<Option<&'static str>>, Miss<'a>> {
    let slots = &form.pattern.slots;
    let mut words: Vec<Option<&'static str>> = vec![None; slots.len()];
    let mut unknown = Vec::new();
    let mut types_from = 0;
    for suffix in suffixes {
        let is_type = ScalarType::from_word(suffix).is_some();
        let from = if is_type { types_from } else { 0 };
        let fit = slots.iter().enumerate().skip(from).find_map(|(at, slot)| {
            let word = slot.words.iter().find(|word| **word == &**suffix)?;
            words[at].is_none().then_some((at, *word))
        });
        match fit {
            Some((at, word)) => {
                words[at] = Some(word);
                if is_type {
                    types_from = at + 1;
                }
            }
            // A repeated `.sync` changes nothing, and compilers' inline assembly has it.
            None if &**suffix == "sync" && words.contains(&Some("sync")) => {}
            None => unknown.push(suffix),
        }
    }
    let missing: Vec<usize> =
        (0..slots.len()).filter(|at| words[*at].is_none() && !slots[*at].optional).collect();
    if unknown.is_empty() && missing.is_empty() {
        return Ok(words);
    }
    Err(Miss::Words { unknown, missing, form })
}

fn check_shapes<'a>(
    form: &'static CompiledForm,
    instruction: &Instruction,
) -> Result<(), Miss<'a>> {
    let patterns = &form.pattern.operands;
    let least = patterns.iter().filter(|operand| !operand.optional).count();
    if !(least..=patterns.len()).contains(&instruction.operands.len()) {
        return Err(Miss::Count { form });
    }
    for (at, operand) in instruction.operands.iter().enumerate() {
        if !fits_shape(patterns[at].shape, &operand.kind) {
            return Err(Miss::Shape { at, form });
        }
    }
    Ok(())
}

fn fits_shape(shape: Shape, operand: &OperandKind) -> bool {
    use OperandKind as K;
    let register = matches!(operand, K::Name(_) | K::Component(..) | K::Sink);
    let value = matches!(operand, K::Name(_) | K::Component(..) | K::Constant(_) | K::NamePlus(..));
    match shape {
        Shape::Result => register,
        Shape::ResultAndMaybePredicate => register || matches!(operand, K::Pair(..)),
        Shape::ResultAndPredicate => matches!(operand, K::Pair(..)),
        Shape::Results => register || matches!(operand, K::Vector(_)),
        Shape::Value => value,
        Shape::Values => value || matches!(operand, K::Vector(_)),
        Shape::Constant => matches!(operand, K::Constant(_)),
        Shape::Predicate => match operand {
            K::Negated(inner) => matches!(inner.kind, K::Name(_) | K::Constant(_)),
            K::Name(_) | K::Constant(_) => true,
            K::Component(..)
            | K::NamePlus(..)
            | K::Minus(_)
            | K::Sink
            | K::Pair(..)
            | K::Vector(_)
            | K::Address(_)
            | K::Element(..)
            | K::List(_) => false,
        },
        Shape::Address => matches!(operand, K::Address(_) | K::Element(..)),
        Shape::Label => matches!(operand, K::Name(_)),
    }
}
