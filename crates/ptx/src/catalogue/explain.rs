//! Explains why an instruction is not of a form, and where in its text that is.

use super::availability::Since;
use super::entry::{CompiledEntry, CompiledForm, Matched, Word};
use super::lack::Lack;
use super::matching::{assign_words, check_shapes, filler, fits_shape};
use super::miss::{Miss, Part};
use super::pattern::{OperandPattern, Shape};
use crate::nearest::nearest;
use crate::rules;
use crate::syntax::ast::{Instruction, Name, Operand, OperandKind};
use crate::target::Target;
use diag::{Diagnostic, Span};

impl<'a> Miss<'a> {
    /// What to tell the user; the section of the instruction is left to the caller. `fits` says whether an operand can stand at a place of the form.
    pub(crate) fn explain(
        self,
        entry: &'static CompiledEntry,
        instruction: &'a Instruction,
        fits: impl FnMut(&Matched<'a>, &'static OperandPattern, &'a Operand) -> bool,
    ) -> Diagnostic {
        let opcode = &instruction.opcode;
        let syntax = |form: &CompiledForm| format!("the form is `{}`", form.form.syntax);
        match self {
            Miss::NoForm => Diagnostic::unsupported(opcode.span, "no form is implemented"),
            Miss::Words { unknown, missing, words, form } => {
                let error = match (unknown.first(), missing.first()) {
                    (Some(word), _) => {
                        explain_unknown(entry, instruction, form, word, missing.first())
                    }
                    (None, missing) => explain_missing(instruction, form, words, missing),
                };
                error.note(syntax(form))
            }
            Miss::Count { form, words, least, most } => {
                explain_count(instruction, form, &words, (least, most), fits).note(syntax(form))
            }
            Miss::Shape { at, pattern, form } => {
                let error = explain_shape(instruction, pattern, &instruction.operands[at]);
                let other = chooses(entry, instruction);
                match other {
                    Some(word) => {
                        error.label(word.span, format!("without `.{word}` it could stand"))
                    }
                    None => error,
                }
                .note(syntax(form))
            }
            Miss::Target { form, part, lack, target } => {
                let since = form.form.since;
                let word = match &part {
                    Some(_) => None,
                    None => only_absent(entry, instruction, target),
                };
                explain_lack(instruction, part, word, lack, target, since).note(syntax(form))
            }
        }
    }
}

/// The mnemonic with all its words.
fn full_name(instruction: &Instruction) -> String {
    let mut name = instruction.opcode.to_string();
    for suffix in &instruction.suffixes {
        name.push('.');
        name.push_str(suffix);
    }
    name
}

/// The mnemonic with all its words.
fn mnemonic(instruction: &Instruction) -> Span {
    let opcode = &instruction.opcode;
    opcode.span.to(instruction.suffixes.last().unwrap_or(opcode).span)
}

/// The point before the first character of a span.
fn before(span: Span) -> Span {
    Span { end: span.start, ..span }
}

/// The point behind the last character of a span.
fn behind(span: Span) -> Span {
    Span { start: span.end, ..span }
}

/// Words as a sentence lists them.
fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`.{word}`")).collect::<Vec<_>>().join(", ")
}

/// A modifier is missing: it belongs behind the last of those that the form has before it.
fn explain_missing(
    instruction: &Instruction,
    form: &'static CompiledForm,
    words: Vec<Word>,
    missing: Option<&usize>,
) -> Diagnostic {
    let slot = missing.copied().unwrap_or_default();
    let earlier = (0..slot).rev();
    let last = earlier.filter_map(|at| filler(&words, &instruction.suffixes, at)).next();
    let at = behind(last.unwrap_or(&instruction.opcode).span);
    let name = full_name(instruction);
    let slots = &form.pattern.slots;
    let Some(wanted) = slots.get(slot) else {
        return rules::MISSING_MODIFIER.at(at, format!("`{name}` lacks a modifier"));
    };
    match wanted.words.as_slice() {
        [word] => {
            let message = format!("`{name}` lacks the modifier `.{word}`");
            let error = rules::MISSING_MODIFIER.at(at, message).label(at, "it belongs here");
            let mut mended = words;
            mended[slot] = Some(word);
            let is_whole =
                slots.iter().zip(&mended).all(|(slot, word)| slot.optional || word.is_some());
            if is_whole && check_shapes(form, &mended, instruction).is_ok() {
                error.fix(at, format!(".{word}"))
            } else {
                error
            }
        }
        words => {
            let what = wanted.name;
            let message = format!("`{name}` lacks its `.{what}`: one of {}", list(words));
            rules::MISSING_MODIFIER.at(at, message).label(at, format!("`.{what}` belongs here"))
        }
    }
}

/// A modifier is not one of the form's, or not there, or not again.
fn explain_unknown(
    entry: &CompiledEntry,
    instruction: &Instruction,
    form: &CompiledForm,
    word: &Name,
    missing: Option<&usize>,
) -> Diagnostic {
    let opcode = &instruction.opcode;
    let slots = &form.pattern.slots;
    let wanted = missing.map(|slot| slots[*slot].words.as_slice());
    let holds = |form: &CompiledForm| {
        form.pattern.slots.iter().position(|slot| slot.words.contains(&word.as_str()))
    };
    let others: Vec<_> = entry.forms.iter().filter_map(holds).collect();
    let here = holds(form);
    let suffixes = &instruction.suffixes;
    let twin = suffixes.iter().find(|other| *other == word && other.span != word.span);
    let mut rival = None;
    let message = match here {
        None if others.is_empty() => format!("`.{word}` is not a modifier of `{opcode}`"),
        None => format!("`.{word}` does not go with the other modifiers of this `{opcode}`"),
        Some(_) if twin.is_some() => {
            rival = twin;
            format!("`.{word}` stands more than once")
        }
        Some(slot) if slots[slot].leading => {
            format!("`.{word}` must follow `{opcode}` directly")
        }
        Some(slot) => {
            rival = suffixes
                .iter()
                .find(|other| *other != word && slots[slot].words.contains(&other.as_str()));
            match rival {
                Some(rival) => format!("`.{rival}` and `.{word}` exclude each other"),
                None => format!("`.{word}` is not a modifier of this form of `{opcode}`"),
            }
        }
    };
    let mut error = rules::MODIFIER.at(word.span, message);
    if let Some(rival) = rival {
        error =
            error.label(rival.span, if twin.is_some() { "it stands here" } else { "the other" });
    }
    let candidates = || {
        let slots = entry.forms.iter().flat_map(|form| &form.pattern.slots);
        slots.flat_map(|slot| slot.words.iter().copied())
    };
    match wanted {
        Some([only]) => error.help(format!("write `.{only}`")),
        Some(words) => match nearest(word, words.iter().copied()).filter(|_| here.is_none()) {
            Some(near) => error
                .help(format!("did you mean `.{near}`? Here stands one of {}", list(words)))
                .fix(word.span, format!(".{near}")),
            None => error.help(format!("use one of {}", list(words))),
        },
        None if here.is_some() => error.help("remove it").fix(word.span, ""),
        None => match nearest(word, candidates()).filter(|_| others.is_empty()) {
            Some(near) => {
                error.help(format!("did you mean `.{near}`?")).fix(word.span, format!(".{near}"))
            }
            None => error.help("remove it"),
        },
    }
}

/// Operands are missing, or there are too many. One that is missing or too many is found where the
/// others fit the form; the last such place, since people forget what comes last.
fn explain_count<'a>(
    instruction: &'a Instruction,
    form: &'static CompiledForm,
    words: &[Word],
    (least, most): (usize, usize),
    mut fits: impl FnMut(&Matched<'a>, &'static OperandPattern, &'a Operand) -> bool,
) -> Diagnostic {
    let wanted = match (least, most) {
        (0, 0) => "no operands".to_owned(),
        (1, 1) => "1 operand".to_owned(),
        (least, most) if least == most => format!("{most} operands"),
        (least, most) => format!("{least} to {most} operands"),
    };
    let operands = &instruction.operands;
    let found = operands.len();
    let message = format!("`{}` takes {wanted}, not {found}", full_name(instruction));
    let matched = Matched::new(form, instruction, words.to_vec());
    let mut fit = |mut pairs: &mut dyn Iterator<Item = (&'static OperandPattern, &'a Operand)>| {
        Iterator::all(&mut pairs, |(pattern, operand)| {
            fits_shape(pattern, &operand.kind) && fits(&matched, pattern, operand)
        })
    };
    let all: Vec<_> = form.pattern.operands_with(words).collect();
    if found > most {
        let single = (0..found).rev().find(|at| {
            let others = operands.iter().enumerate().filter(|(nth, _)| nth != at);
            found == most + 1 && fit(&mut all.iter().copied().zip(others.map(|(_, it)| it)))
        });
        let first = single.unwrap_or(most);
        let span = operands[first].span.to(operands[single.unwrap_or(found - 1)].span);
        return rules::OPERAND_COUNT.at(span, message);
    }
    let wanted: Vec<_> = all.into_iter().filter(|it| !it.optional || it.with.is_some()).collect();
    let single = (0..=found).rev().find(|at| {
        let others = wanted.iter().copied().enumerate().filter(|(nth, _)| nth != at);
        found + 1 == least && fit(&mut others.map(|(_, it)| it).zip(operands))
    });
    let gap = single.unwrap_or(found);
    let span = match operands.get(gap) {
        Some(next) => before(next.span),
        None => behind(operands.last().map_or_else(|| mnemonic(instruction), |last| last.span)),
    };
    let missing = wanted.iter().skip(gap).take(least - found);
    let names: Vec<String> = missing.map(|pattern| format!("`{}`", pattern.name)).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    let error = rules::OPERAND_COUNT
        .at(span, message)
        .label(span, format!("{} {verb} missing here", names.join(", ")));
    let joined = operands
        .iter()
        .rfind(|it| matches!(it.kind, OperandKind::Pair(..) | OperandKind::NamePlus(..)));
    match joined {
        Some(joined) => error.label(joined.span, "this is one operand"),
        None => error,
    }
}

/// An operand is none of the kind that the form has there.
fn explain_shape(
    instruction: &Instruction,
    pattern: &OperandPattern,
    operand: &Operand,
) -> Diagnostic {
    use OperandKind as K;
    let opcode = &instruction.opcode;
    let name = pattern.name;
    match (pattern.shape, &operand.kind) {
        (Shape::Result | Shape::Results(_), K::Pair(first, second)) => {
            let message = format!("`{}` has no predicate result", full_name(instruction));
            let extra = behind(first.span).to(second.span);
            rules::OPERAND_KIND.at(extra, message).help("remove `|` and what follows it")
        }
        (Shape::ResultAndPredicate, K::Name(_)) => {
            let message = format!("`{}` has two results: `{name}|p`", full_name(instruction));
            let at = behind(operand.span);
            rules::OPERAND_KIND.at(at, message).label(at, "`|p` is missing here")
        }
        (Shape::Address, K::Address(address)) => {
            let (wanted, found) = (pattern.rest.len(), address.rest.len());
            let listed: Vec<_> = pattern.rest.iter().map(|it| format!("`{}`", it.name)).collect();
            match address.rest.get(wanted) {
                Some(extra) if wanted == 0 => rules::OPERAND_KIND
                    .at(extra.span, format!("the address `{name}` of `{opcode}` stands alone")),
                Some(extra) => {
                    let message = format!("nothing follows {} in the brackets", listed.join(", "));
                    rules::OPERAND_KIND.at(extra.span, message)
                }
                None => {
                    let message = format!(
                        "the brackets of `{opcode}` hold the address `{name}` and {}",
                        listed.join(", ")
                    );
                    let last = address.rest.last().map(|last| behind(last.span));
                    let at = last.unwrap_or_else(|| behind(address.base.span));
                    let what = listed.get(found).map_or("", String::as_str);
                    rules::OPERAND_KIND.at(at, message).label(at, format!("{what} is missing here"))
                }
            }
        }
        (shape, kind) => {
            let rule = match kind {
                K::Sink => &rules::SINK,
                _ => &rules::OPERAND_KIND,
            };
            let message = format!("operand `{name}` of `{opcode}` must be {}", shape.describe());
            rule.at(operand.span, message)
        }
    }
}

/// The modifier without which the operands would fit another form.
fn chooses<'a>(entry: &'static CompiledEntry, instruction: &'a Instruction) -> Option<&'a Name> {
    entry.forms.iter().find_map(|form| {
        let Err(Miss::Words { unknown, missing, words, form }) =
            assign_words(form, &instruction.suffixes)
        else {
            return None;
        };
        let [word] = unknown.as_slice() else { return None };
        (missing.len() <= 1 && check_shapes(form, &words, instruction).is_ok()).then_some(*word)
    })
}

/// The first modifier that no form on the target has, when it has forms.
fn only_absent<'a>(
    entry: &'static CompiledEntry,
    instruction: &'a Instruction,
    target: Target,
) -> Option<&'a Name> {
    let present = || entry.forms.iter().filter(|form| target.lacks_form(form.form).is_none());
    present().next()?;
    let is_known = |word: &Name| {
        let mut slots = present().flat_map(|form| &form.pattern.slots);
        slots.any(|slot| slot.words.contains(&word.as_str()))
    };
    instruction.suffixes.iter().find(|word| !is_known(word))
}

fn explain_lack(
    instruction: &Instruction,
    part: Option<Part<'_>>,
    word: Option<&Name>,
    lack: Lack,
    target: Target,
    since: Since,
) -> Diagnostic {
    let name = full_name(instruction);
    let (what, span) = match part {
        Some(Part::Word(word)) => (format!("`.{word}` of `{name}`"), word.span),
        Some(Part::Operand(operand)) => (format!("the predicate result of `{name}`"), operand.span),
        None => (format!("`{name}`"), word.map_or_else(|| mnemonic(instruction), |word| word.span)),
    };
    let (major, minor) = target.ptx;
    match lack {
        Lack::Version((wanted, least)) => rules::FORM_VERSION
            .at(
                span,
                format!("{what} needs PTX {wanted}.{least}; the module is PTX {major}.{minor}"),
            )
            .help(format!("write `.version {wanted}.{least}` or later")),
        Lack::Architecture(sm) => rules::FORM_TARGET
            .at(span, format!("{what} needs sm_{sm} or later; the target is {}", target.name()))
            .note(format!("it came with PTX {}.{}", since.ptx.0, since.ptx.1)),
        Lack::Other(only) => {
            let all: Vec<String> = crate::target::targets()
                .map(|(name, _)| name)
                .filter(|name| {
                    Target::named(target.ptx, name).is_some_and(|it| only.has(it.sm, it.variant))
                })
                .collect();
            let message =
                format!("{what} needs one of {}; the target is {}", all.join(", "), target.name());
            rules::FORM_TARGET.at(span, message)
        }
        Lack::Removed { ptx: (gone_major, gone_minor), sm, instead } => rules::FORM_REMOVED
            .at(
                span,
                format!(
                    "{what} is gone for sm_{sm} and later from PTX \
                     {gone_major}.{gone_minor} on; the module is PTX {major}.{minor} for {}",
                    target.name()
                ),
            )
            .help(instead),
    }
}

impl Shape {
    fn describe(self) -> &'static str {
        match self {
            Shape::Result => "a register for the result",
            Shape::ResultAndMaybePredicate => "a register, or `register|predicate`",
            Shape::ResultAndPredicate => "`register|predicate`",
            Shape::Results(_) => "a register or a vector `{…}` of them",
            Shape::Value => "a register or a constant",
            Shape::Values(_) => "a register, a constant or a vector `{…}` of them",
            Shape::Constant => "a constant",
            Shape::Predicate => "a predicate, which may be negated with `!`",
            Shape::Address => "an address in brackets",
            Shape::Label => "a label",
            Shape::Table => "a table of labels",
            Shape::Dropped => "`_`",
            Shape::Coordinates(_) => "coordinates: a vector `{…}`, or a register for one",
        }
    }
}
