//! Finds the form that an instruction is written in.

use super::availability::{Need, Since};
use super::entry::{CompiledEntry, CompiledForm, Matched, Word};
use super::lack::Lack;
use super::miss::{Miss, Part};
use super::pattern::{self, AddressSpace, Length, OperandPattern, OperandType, Shape, Slot};
use super::{entries, entry, words};
use crate::nearest::nearest;
use crate::rules;
use crate::syntax::ast::{Instruction, Name, Operand, OperandKind};
use crate::syntax::{ScalarType, Space};
use crate::target::Target;
use crate::types::Fit;
use diag::{Diagnostic, Span};

impl<'a> Matched<'a> {
    /// Whether the first operand is a pair both halves of which are received: `setp.… p|q, …`, `shfl.… d|p, …`.
    pub(crate) fn has_two_results(&self) -> bool {
        self.instruction.operands.first().is_some_and(|operand| {
            matches!(&operand.kind, OperandKind::Pair(_, second) if !matches!(second.kind, OperandKind::Sink))
        })
    }

    /// An instruction whose suffixes fill the slots of a form with these words.
    pub(super) fn new(
        form: &'static CompiledForm,
        instruction: &'a Instruction,
        words: Vec<Word>,
    ) -> Self {
        Matched { form, instruction, repeated: None, words }
    }

    /// Whether the words stand in another order than in the form.
    pub(crate) fn is_out_of_order(&self) -> bool {
        let written = self.instruction.suffixes.iter().map(|suffix| suffix.as_str());
        !written.eq(self.words.iter().flatten().copied())
    }

    /// The mnemonic with its words in the order of the form.
    pub(crate) fn in_order(&self) -> String {
        self.words
            .iter()
            .flatten()
            .fold(self.instruction.opcode.to_string(), |name, word| name + "." + word)
    }

    /// Makes an instruction that works with binary32, and may flush subnormal numbers, one that does.
    pub(crate) fn flush(&mut self) {
        let is_single = |name: &str| self.operand_type(name) == ScalarType::F32;
        if is_single("d") || is_single("a") {
            let slot = self.form.pattern.slot("ftz").and_then(|slot| self.words.get_mut(slot));
            if let Some(word) = slot {
                *word = Some("ftz");
            }
        }
    }

    /// Whether an optional word is there.
    pub fn has(&self, name: &str) -> bool {
        self.word(name).is_some()
    }

    /// The word chosen at the slot of that name.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        self.words[self.form.pattern.slot(name)?]
    }

    /// The state space that the instruction names: at the slot `ss`, or by a literal word.
    pub fn space(&self) -> Option<&'static str> {
        self.word("ss").or_else(|| self.word("global"))
    }

    /// The state space of an address of the form; `None` for generic addresses.
    pub(crate) fn space_of(&self, pattern: &OperandPattern) -> Option<Space> {
        let word = match pattern.space {
            AddressSpace::Named => self.space(),
            AddressSpace::Slot(slot) => self.words[slot],
            AddressSpace::Fixed(space) => return Some(space),
            AddressSpace::Any | AddressSpace::Tensor | AddressSpace::Fabric => None,
        };
        word.and_then(|word| word.split("::").next()).and_then(Space::from_word)
    }

    /// The suffix that fills the slot of that name.
    fn written(&self, name: &str) -> Option<&'a Name> {
        filler(&self.words, &self.instruction.suffixes, self.form.pattern.slot(name)?)
    }

    /// Where the suffix stands that gives an operand its type.
    pub(crate) fn type_word(&self, pattern: &OperandPattern) -> Option<Span> {
        match pattern.ty {
            OperandType::Slot(slot) => self.place(slot),
            OperandType::Fixed(_) | OperandType::Untyped => None,
        }
    }

    /// Where the suffix stands that says how long an operand's vector is.
    pub(crate) fn length_word(&self, pattern: &OperandPattern) -> Option<Span> {
        match pattern.shape {
            Shape::Results(length) | Shape::Values(length) => match length {
                Length::Vec => self.place(self.form.pattern.slot("vec")?),
                Length::Word { slot, .. } => self.place(slot),
                Length::Fragment(fragment) => self.place(fragment.shape),
                Length::Packed
                | Length::Exactly(_)
                | Length::AtMost(_)
                | Length::AtLeast(_)
                | Length::Free => None,
            },
            Shape::Coordinates(slot) => self.place(slot),
            Shape::Result
            | Shape::ResultAndMaybePredicate
            | Shape::ResultAndPredicate
            | Shape::Value
            | Shape::Constant
            | Shape::Predicate
            | Shape::Address
            | Shape::Label
            | Shape::Table
            | Shape::Dropped => None,
        }
    }

    /// Where the suffix stands that names the state space of an address.
    pub(crate) fn space_word(&self, pattern: &OperandPattern) -> Option<Span> {
        let slot = |name| self.form.pattern.slot(name);
        match pattern.space {
            AddressSpace::Slot(slot) => self.place(slot),
            AddressSpace::Named => self.place(slot("ss").or_else(|| slot("global"))?),
            AddressSpace::Fixed(_)
            | AddressSpace::Any
            | AddressSpace::Tensor
            | AddressSpace::Fabric => None,
        }
    }

    fn place(&self, slot: usize) -> Option<Span> {
        filler(&self.words, &self.instruction.suffixes, slot).map(|word| word.span)
    }

    /// The word at a slot.
    pub(crate) fn word_at(&self, slot: usize) -> Option<&'static str> {
        self.words[slot]
    }

    /// How many elements a vector of that length has, of elements of a type; `None` if it is no vector.
    pub(crate) fn count(&self, length: Length, ty: ScalarType) -> Option<usize> {
        let digits = |slot: usize| {
            let word = self.words[slot]?;
            let start = word.find(|char: char| char.is_ascii_digit())?;
            let digits = &word[start..];
            let end = digits.find(|char: char| !char.is_ascii_digit()).unwrap_or(digits.len());
            digits[..end].parse::<usize>().ok()
        };
        match length {
            Length::Vec => self.form.pattern.slot("vec").and_then(digits),
            Length::Packed | Length::Free => None,
            Length::Exactly(count) | Length::AtMost(count) | Length::AtLeast(count) => Some(count),
            Length::Word { slot, factor, less } => {
                digits(slot).map(|count| (count * factor).saturating_sub(less))
            }
            Length::Fragment(fragment) => fragment.registers(self.words[fragment.shape]?, ty),
        }
    }

    /// The type chosen at the slot of that name, where `type` is the instruction's type even if the form
    /// fixes it; `.b32` where the form has none.
    pub fn ty(&self, name: &str) -> ScalarType {
        let fixed =
            || (name == "type").then(|| pattern::instruction_type(&self.form.pattern.slots));
        let chosen =
            self.form.pattern.slot(name).map(OperandType::Slot).or_else(|| fixed().flatten());
        chosen.map_or(ScalarType::B32, |ty| self.resolve(ty))
    }

    /// The operand of that name, when it is there.
    pub fn operand(&self, name: &str) -> Option<&'a Operand> {
        self.instruction.operands.get(self.position(name)?)
    }

    /// The type of the operand of that name; `.b32` where the form gives it none.
    pub fn operand_type(&self, name: &str) -> ScalarType {
        let operand = self.form.pattern.operands.iter().find(|operand| operand.name == name);
        operand.map_or(ScalarType::B32, |operand| self.resolve(operand.ty))
    }

    /// The operands with their patterns.
    pub(crate) fn operands(&self) -> impl Iterator<Item = (&'static OperandPattern, &'a Operand)> {
        self.form.pattern.operands_with(&self.words).zip(&self.instruction.operands)
    }

    /// The type that an operand's pattern wants, and how closely a register must fit it.
    pub(crate) fn wanted(&self, pattern: &OperandPattern) -> (ScalarType, Fit) {
        let fit = match (pattern.ty, pattern.relaxed) {
            (_, true) => Fit::Wider,
            (OperandType::Slot(_), false) => Fit::Instruction,
            (OperandType::Fixed(_), false) if pattern.said => Fit::Instruction,
            (OperandType::Fixed(_) | OperandType::Untyped, false) => Fit::Strict,
        };
        (self.resolve(pattern.ty), fit)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.form.pattern.operands_with(&self.words).position(|operand| operand.name == name)
    }

    fn resolve(&self, ty: OperandType) -> ScalarType {
        match ty {
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
    let Some(found) = entry(instruction) else {
        return Err(Box::new(unknown(opcode)));
    };
    if found.forms.is_empty() {
        let message = format!("`{opcode}` is not implemented");
        let note = format!("PTX ISA 9.1, {}", found.entry.section);
        return Err(Box::new(Diagnostic::unsupported(opcode.span, message).note(note)));
    }
    let any = |_: &Matched<'_>, _: &OperandPattern, _: &Operand| true;
    select(found, instruction, None).map_err(|miss| {
        let mut error = miss.explain(found, instruction, any);
        rules::in_section(&mut error, found.entry.section);
        Box::new(error)
    })
}

/// There is no such instruction.
pub(crate) fn unknown(opcode: &Name) -> Diagnostic {
    let message = format!("`{opcode}` is not an instruction of PTX");
    let error = rules::INSTRUCTION.at(opcode.span, message);
    let plain = entries().map(|entry| entry.name).filter(|name| !name.contains('.'));
    match nearest(opcode, plain) {
        Some(name) => error.help(format!("did you mean `{name}`?")).fix(opcode.span, name),
        None => error,
    }
}

/// The form of an instruction, among those of its entry: the first whose words and operand shapes it has.
/// With a target, one that the target has, if any.
pub(crate) fn select<'a>(
    entry: &'static CompiledEntry,
    instruction: &'a Instruction,
    target: Option<Target>,
) -> Result<Matched<'a>, Miss<'a>> {
    let mut nearest = None;
    let mut forms = candidates(entry, instruction, target, &mut nearest);
    let first = forms.next();
    drop(forms);
    first.ok_or(nearest.map_or(Miss::NoForm, |(_, miss)| miss))
}

/// The forms that fit an instruction so far as its words and the shapes of its operands go. What the
/// nearest of the others lacks is left in `nearest`, with how much that is.
pub(crate) fn candidates<'a, 'm>(
    entry: &'static CompiledEntry,
    instruction: &'a Instruction,
    target: Option<Target>,
    nearest: &'m mut Option<(usize, Miss<'a>)>,
) -> impl Iterator<Item = Matched<'a>> + use<'a, 'm> {
    entry.forms.iter().filter_map(move |form| {
        let miss = match candidate(form, instruction, target) {
            Ok(matched) => return Some(matched),
            Err(miss) => miss,
        };
        // A form that the target lacks is nobody's first guess.
        let is_absent = target.is_some_and(|target| target.lacks_form(form.form).is_some());
        let distance = miss.distance().saturating_add(if is_absent { 150 } else { 0 });
        if nearest.as_ref().is_none_or(|(best, _)| distance < *best) {
            *nearest = Some((distance, miss));
        }
        None
    })
}

/// What is wrong with the words of an instruction whatever its operands are: one of them is in no form.
pub(crate) fn foreign_word<'a>(
    entry: &'static CompiledEntry,
    instruction: &'a Instruction,
) -> Option<Miss<'a>> {
    let slots = entry.forms.iter().flat_map(|form| &form.pattern.slots);
    let is_known = |word: &Name| slots.clone().any(|slot| slot.words.contains(&&**word));
    if instruction.suffixes.iter().all(is_known) {
        return None;
    }
    let misses = entry.forms.iter().map(|form| assign_words(form, &instruction.suffixes).err());
    misses.flatten().min_by_key(Miss::distance)
}

fn candidate<'a>(
    form: &'static CompiledForm,
    instruction: &'a Instruction,
    target: Option<Target>,
) -> Result<Matched<'a>, Miss<'a>> {
    let (words, repeated) = assign_words(form, &instruction.suffixes)?;
    check_shapes(form, &words, instruction)?;
    let matched = Matched { form, instruction, repeated, words };
    match target.and_then(|target| lack(&matched, target)) {
        None => Ok(matched),
        Some(miss) => Err(miss),
    }
}

/// What accesses of more than 128 bits need (PTX ISA 9.1, ld).
const WIDE_VECTORS: Since = Since { ptx: (8, 8), sm: 100 };

/// What a predicate behind the results of a texture access needs (PTX ISA 9.1, tex).
const SPARSE: Since = Since { ptx: (7, 1), sm: 60 };

/// What a target lacks to have the form, or words of it.
fn lack<'a>(matched: &Matched<'a>, target: Target) -> Option<Miss<'a>> {
    let form = matched.form;
    if let Some(lack) = target.lacks_form(form.form) {
        return Some(Miss::Target { form, part: None, lack, target });
    }
    // Vectors of 32 bytes have forms of their own.
    let count = matched.word("vec").and_then(|word| word[1..].parse::<u32>().ok()).unwrap_or(1);
    if count * matched.ty("type").bits() > 128 && form.form.since.sm < WIDE_VECTORS.sm {
        let lack = target.lacks(WIDE_VECTORS).unwrap_or(Lack::Version(WIDE_VECTORS.ptx));
        let part = matched.written("vec").map(Part::Word);
        return Some(Miss::Target { form, part, lack, target });
    }
    let resident = |(pattern, operand): (&OperandPattern, &'a Operand)| match &operand.kind {
        OperandKind::Pair(_, second) if pattern.resident => Some(Part::Operand(second)),
        _ => None,
    };
    if let Some(part) = matched.operands().find_map(resident)
        && let Some(lack) = target.lacks(SPARSE)
    {
        return Some(Miss::Target { form, part: Some(part), lack, target });
    }
    // What a form says of a word goes before what holds everywhere.
    matched.instruction.suffixes.iter().find_map(|word| {
        let is_it = |need: &&Need| need.word == &**word;
        let need =
            form.form.needs.iter().find(is_it).or_else(|| words::NEEDS.iter().find(is_it))?;
        let lack = target.lacks_one(need.only, need.since)?;
        Some(Miss::Target { form, part: Some(Part::Word(word)), lack, target })
    })
}

/// The suffix that fills a slot: equal words fill their slots in order.
pub(super) fn filler<'a>(words: &[Word], suffixes: &'a [Name], slot: usize) -> Option<&'a Name> {
    let word = words.get(slot).copied().flatten()?;
    let nth = words[..slot].iter().filter(|other| **other == Some(word)).count();
    suffixes.iter().filter(|suffix| &***suffix == word).nth(nth)
}

/// A word for each slot of a form, and a word that repeats another.
type Assigned<'a> = (Vec<Word>, Option<&'a Name>);

/// Modifiers that may be repeated; the assembler takes them as flags.
const REPEATABLE: &[&str] =
    &["sync", "sat", "satfinite", "NaN", "cc", "relu", "uni", "shiftamt", "approx"];

/// Gives each word of the instruction to the first free slot that accepts it. The order of the words
/// is free, except that types and state spaces keep theirs: the first is the result's, the next an operand's.
pub(super) fn assign_words<'a>(
    form: &'static CompiledForm,
    suffixes: &'a [Name],
) -> Result<Assigned<'a>, Miss<'a>> {
    let slots = &form.pattern.slots;
    let mut words: Vec<Word> = vec![None; slots.len()];
    let mut unknown = Vec::new();
    let mut repeated = None;
    let (mut types_from, mut spaces_from) = (0, 0);
    for suffix in suffixes {
        let is_type = ScalarType::from_word(suffix).is_some();
        let is_space = suffix.split("::").next().and_then(Space::from_word).is_some();
        let from = match (is_type, is_space) {
            (true, _) => types_from,
            (false, true) => spaces_from,
            (false, false) => 0,
        };
        let fit = slots.iter().enumerate().skip(from).find_map(|(at, slot)| {
            let word = slot.words.iter().find(|word| **word == &**suffix)?;
            let leads = || words[at..].iter().all(Option::is_none) && unknown.is_empty();
            let follows = || at > 0 && words[at - 1].is_some();
            let fits =
                words[at].is_none() && (!slot.leading || leads()) && (!slot.follows || follows());
            fits.then_some((at, *word))
        });
        match fit {
            Some((at, word)) => {
                words[at] = Some(word);
                if is_type {
                    types_from = at + 1;
                }
                if is_space {
                    spaces_from = at + 1;
                }
            }
            None if REPEATABLE.contains(&&**suffix) && words.contains(&Some(&**suffix)) => {
                repeated = Some(suffix);
            }
            None => unknown.push(suffix),
        }
    }
    let is_wanted = |slot: &Slot| {
        let goes_with =
            |(other, word): (&Slot, &Option<&str>)| other.group == slot.group && word.is_some();
        !slot.optional || !slot.spare && slots.iter().zip(&words).any(goes_with)
    };
    let missing: Vec<usize> =
        (0..slots.len()).filter(|at| words[*at].is_none() && is_wanted(&slots[*at])).collect();
    if unknown.is_empty() && missing.is_empty() {
        return Ok((words, repeated));
    }
    Err(Miss::Words { unknown, missing, words, form })
}

pub(super) fn check_shapes<'a>(
    form: &'static CompiledForm,
    words: &[Word],
    instruction: &Instruction,
) -> Result<(), Miss<'a>> {
    let (least, most) = form.pattern.operand_count(words);
    if !(least..=most).contains(&instruction.operands.len()) {
        return Err(Miss::Count { form, words: words.to_vec(), least, most });
    }
    let pairs = form.pattern.operands_with(words).zip(&instruction.operands).enumerate();
    for (at, (pattern, operand)) in pairs {
        if !fits_shape(pattern, &operand.kind) {
            return Err(Miss::Shape { at, pattern, form });
        }
    }
    Ok(())
}

pub(super) fn fits_shape(pattern: &OperandPattern, operand: &OperandKind) -> bool {
    use OperandKind as K;
    let name = match operand {
        K::Name(_) => !pattern.selected,
        K::Component(..) => true,
        _ => false,
    };
    let dropped = matches!(operand, K::Pair(_, second) if matches!(second.kind, K::Sink));
    let register = name || pattern.sink && matches!(operand, K::Sink);
    let value = name
        || matches!(operand, K::Constant(_))
        || !pattern.plain && matches!(operand, K::NamePlus(..))
        || pattern.minus && matches!(operand, K::Minus(_));
    let element = pattern.variable && matches!(operand, K::Element(..));
    match pattern.shape {
        Shape::Result => register || dropped,
        Shape::ResultAndMaybePredicate => register || matches!(operand, K::Pair(..)),
        Shape::ResultAndPredicate => matches!(operand, K::Pair(..)),
        Shape::Results(_) => {
            register
                || dropped
                || matches!(operand, K::Vector(_))
                || pattern.resident && matches!(operand, K::Pair(..))
        }
        Shape::Value => value || element || dropped && pattern.first,
        Shape::Values(_) => value || element || matches!(operand, K::Vector(_)),
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
        Shape::Address => match operand {
            K::Address(address) => {
                let optional = pattern.rest.iter().filter(|it| it.optional).count();
                (pattern.rest.len() - optional..=pattern.rest.len()).contains(&address.rest.len())
            }
            _ => pattern.rest.is_empty() && matches!(operand, K::Element(..)),
        },
        Shape::Label | Shape::Table => matches!(operand, K::Name(_)),
        Shape::Dropped => matches!(operand, K::Sink),
        Shape::Coordinates(_) => value || matches!(operand, K::Vector(_)),
    }
}
