//! Instructions to ask about, from the catalogue's forms: every form with every choice of words, with words
//! left out, repeated and added, and with every kind of operand in every place.

use super::module::REGISTERS;
use ptx::catalogue::pattern::{
    AddressSpace, Length, Limit, OperandPattern, OperandType, Pattern, Shape, Slot,
    fragment_register,
};
use ptx::catalogue::{Entry, Form};
use ptx::syntax::ScalarType;
use std::collections::BTreeSet;

/// What stands in the place of an operand, beside registers of every type.
const OPERANDS: &[&str] = &[
    "1",
    "-1",
    "0x100000000",
    "0f3F800000",
    "0d3FF0000000000000",
    "1.0",
    "_",
    "b32_x+4",
    "u32_x+4",
    "b64_x+4",
    "u16_x+4",
    "f32_x+4",
    "f64_x+4",
    "-b32_x",
    "!pred_x",
    "!b32_x",
    "%tid.x",
    "%tid",
    "%tid.q",
    "%laneid",
    "%clock64",
    "%laneid.x",
    "global_v",
    "global_v+4",
    "shared_v",
    "shared_v+4",
    "const_v",
    "local_v",
    "param_v",
    "label_t",
    "{b32_x,b32_y}",
    "{b16_x,b16_y}",
    "{f32_x,u32_y}",
    "{u32_x,1}",
    "{b32_x,_}",
    "{b8_x,b8_y,b8_z,b8_w}",
    "{b32_x}",
    "{b32_x,b32_y,b32_z,b32_w}",
    "[b64_x]",
    "[b64_x+4]",
    "[global_v]",
    "[shared_v+4]",
    "[param_v]",
    "[local_v]",
    "[const_v]",
    "[16]",
    "[f32_x]",
    "[f64_x]",
    "[b128_x]",
    "[pred_x]",
    "[%laneid]",
    "b32_x|pred_y",
    "b32_x|_",
    "_|pred_y",
    "pred_x|pred_y",
    "_|_",
    "b32_x|b32_y",
    "b32_x.x",
    "WARP_SZ",
    "1?2:3",
    "0x1fU",
    "",
];

/// Words that are added to instructions.
const FOREIGN: &[&str] = &[
    "sync", "ftz", "sat", "rn", "rz", "u32", "s32", "b32", "f32", "b64", "f64", "f16", "pred",
    "cc", "wide", "lo", "v2", "global", "shared", "relaxed", "gpu", "volatile", "approx", "abs",
    "NaN", "relu", "and", "uni", "aligned", "nosuch",
];

/// One way to write a form: a word for each slot, or none.
type Words = Vec<Option<&'static str>>;

/// The instructions of an entry, without repetitions.
pub(super) fn entry(entry: &'static Entry) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let own: BTreeSet<&str> = patterns(entry)
        .flat_map(|(_, pattern)| pattern.slots)
        .flat_map(|slot: Slot| slot.words)
        .collect();
    for (_, pattern) in patterns(entry) {
        let choices = choices(&pattern);
        for words in &choices {
            found.insert(write(entry, &pattern, words, None));
        }
        if let Some(words) = choices.first() {
            mutated_words(entry, &pattern, words, &own, &mut found);
        }
        // Operands of every kind, once for each type.
        let mut types = BTreeSet::new();
        for words in choices.iter().filter(|words| types.insert(type_words(words))) {
            other_operands(entry, &pattern, words, &mut found);
        }
    }
    found
}

/// One instruction for each form, and one for each optional or varying word of it.
pub(super) fn representatives(entry: &'static Entry) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, pattern) in patterns(entry) {
        let all = choices(&pattern);
        let mut seen = BTreeSet::new();
        for words in &all {
            let fresh: Vec<_> =
                words.iter().flatten().filter(|word| !seen.contains(*word)).collect();
            if !fresh.is_empty() || words.is_empty() {
                found.insert(write(entry, &pattern, words, None));
                seen.extend(words.iter().flatten().copied());
            }
        }
    }
    found
}

fn patterns(entry: &'static Entry) -> impl Iterator<Item = (&'static Form, Pattern)> {
    entry.forms.iter().filter_map(|form| Some((form, Pattern::compile(form.syntax).ok()?)))
}

/// The words of a form: first without any optional word, all choices of the others; then with each optional
/// word, and with each pair of them.
fn choices(pattern: &Pattern) -> Vec<Words> {
    const MOST: usize = 600;
    let mut all: Vec<Words> = vec![Vec::new()];
    for slot in &pattern.slots {
        let options: Vec<Option<&'static str>> = match slot.optional {
            true => vec![None],
            false => slot.words.iter().map(|word| Some(*word)).collect(),
        };
        let longer = all.iter().flat_map(|words| {
            options.iter().map(move |option| words.iter().copied().chain([*option]).collect())
        });
        all = longer.take(MOST).collect();
    }
    let Some(base) = all.first().cloned() else { return all };
    let last = all.last().cloned().unwrap_or_default();
    let optional: Vec<usize> =
        (0..pattern.slots.len()).filter(|at| pattern.slots[*at].optional).collect();
    for (nth, at) in optional.iter().enumerate() {
        for word in &pattern.slots[*at].words {
            for start in [&base, &last] {
                let mut words = start.clone();
                words[*at] = Some(word);
                all.push(words.clone());
                for other in &optional[nth + 1..] {
                    let mut words = words.clone();
                    words[*other] = pattern.slots[*other].words.first().copied();
                    all.push(words);
                }
            }
        }
    }
    all
}

/// The types among the words.
fn type_words(words: &Words) -> Vec<&'static str> {
    let is_type = |word: &&str| ScalarType::from_word(word).is_some() || word.starts_with('v');
    words.iter().flatten().copied().filter(is_type).collect()
}

fn mutated_words(
    entry: &Entry,
    pattern: &Pattern,
    words: &Words,
    own: &BTreeSet<&str>,
    found: &mut BTreeSet<String>,
) {
    let operands = operands(pattern, words);
    let operands = operands.join(", ");
    let present: Vec<&str> = words.iter().flatten().copied().collect();
    let mut add = |words: &[&str]| {
        found.insert(render(entry, words, &operands));
    };
    for nth in 0..present.len() {
        let mut without = present.clone();
        without.remove(nth);
        add(&without);
        let mut twice = present.clone();
        twice.insert(nth, present[nth]);
        add(&twice);
        let mut first = present.clone();
        first[..=nth].rotate_right(1);
        add(&first);
        for other in own.iter().chain(FOREIGN) {
            let mut replaced = present.clone();
            replaced[nth] = other;
            add(&replaced);
        }
    }
    for other in own.iter().chain(FOREIGN) {
        let mut longer = present.clone();
        longer.insert(0, other);
        add(&longer);
        longer.rotate_left(1);
        add(&longer);
    }
    add(&present.iter().rev().copied().collect::<Vec<_>>());
}

fn other_operands(entry: &Entry, pattern: &Pattern, words: &Words, found: &mut BTreeSet<String>) {
    let usual = operands(pattern, words);
    let present: Vec<&str> = words.iter().flatten().copied().collect();
    let mut add = |operands: &[String]| {
        found.insert(render(entry, &present, &operands.join(", ")));
    };
    let registers = REGISTERS.iter().map(|ty| format!("{ty}_x"));
    let others: Vec<String> =
        registers.chain(OPERANDS.iter().map(|text| (*text).to_owned())).collect();
    for at in 0..usual.len() {
        for other in &others {
            let mut operands = usual.clone();
            operands[at] = other.clone();
            add(&operands);
        }
        let mut fewer = usual.clone();
        fewer.remove(at);
        add(&fewer);
        if at > 0 {
            let mut swapped = usual.clone();
            swapped.swap(at - 1, at);
            add(&swapped);
        }
    }
    for more in ["b32_x", "1", "pred_x", "b64_x"] {
        let mut longer = usual.clone();
        longer.push(more.to_owned());
        add(&longer);
    }
    for guard in ["@pred_g", "@!pred_g", "@b32_g"] {
        found.insert(format!("{guard} {}", render(entry, &present, &usual.join(", "))));
    }
}

fn write(entry: &Entry, pattern: &Pattern, words: &Words, _: Option<()>) -> String {
    let present: Vec<&str> = words.iter().flatten().copied().collect();
    render(entry, &present, &operands(pattern, words).join(", "))
}

fn render(entry: &Entry, words: &[&str], operands: &str) -> String {
    let mut text = entry.opcode().to_owned();
    for word in words {
        text.push('.');
        text.push_str(word);
    }
    if !operands.is_empty() {
        text.push(' ');
        text.push_str(operands);
    }
    text.push(';');
    text
}

/// Usual operands: registers of the types that the form wants.
fn operands(pattern: &Pattern, words: &Words) -> Vec<String> {
    let has_operator = words
        .iter()
        .zip(&pattern.slots)
        .any(|(word, slot)| word.is_some() && matches!(slot.name, "hint" | "bool"));
    let wanted = |operand: &&OperandPattern| !operand.optional || has_operator;
    pattern.operands.iter().filter(wanted).map(|operand| usual(pattern, operand, words)).collect()
}

fn usual(pattern: &Pattern, operand: &OperandPattern, words: &Words) -> String {
    let name = operand.name;
    let ty = match operand.ty {
        OperandType::Fixed(ty) => ty,
        OperandType::Slot(slot) => {
            words[slot].and_then(ScalarType::from_word).unwrap_or(ScalarType::B32)
        }
        OperandType::Untyped => ScalarType::B64,
    };
    let register = register(ty);
    let vector = |count: usize, register: &str| {
        let elements: Vec<_> = (0..count).map(|nth| format!("{register}_{name}{nth}")).collect();
        format!("{{{}}}", elements.join(","))
    };
    match operand.shape {
        Shape::ResultAndMaybePredicate | Shape::ResultAndPredicate => {
            format!("{register}_{name}|pred_q")
        }
        Shape::Results(length) | Shape::Values(length) => {
            let word = |slot: usize| words[slot].map(|word| word.trim_matches(char::is_alphabetic));
            let digits = |slot: usize| word(slot).and_then(|digits| digits.parse::<usize>().ok());
            match length {
                Length::Vec => match pattern.slot("vec").and_then(digits) {
                    Some(count) => vector(count, &register),
                    None => format!("{register}_{name}"),
                },
                Length::Packed | Length::Free => format!("{register}_{name}"),
                Length::Exactly(count) | Length::AtMost(count) | Length::AtLeast(count) => {
                    vector(count, &register)
                }
                Length::Word { slot, factor, less } => {
                    vector((digits(slot).unwrap_or(1) * factor).saturating_sub(less), &register)
                }
                Length::Fragment(fragment) => {
                    let shape = words[fragment.shape].unwrap_or("");
                    let count = fragment.registers(shape, ty).unwrap_or(1);
                    vector(count, &self::register(fragment_register(ty)))
                }
            }
        }
        Shape::Result | Shape::Value => format!("{register}_{name}"),
        Shape::Constant => match &operand.limit {
            Some(Limit::Range { first, .. }) => first.max(&u64::from(*first == 0)).to_string(),
            Some(Limit::OneOf(all)) => all.last().map_or(1, |last| *last).to_string(),
            Some(Limit::MultipleOf(factor)) => factor.to_string(),
            Some(Limit::UpTo { step, .. }) => step.to_string(),
            None => "1".to_owned(),
        },
        Shape::Dropped => "_".to_owned(),
        Shape::Coordinates(slot) => {
            let geometry = words[slot].unwrap_or("");
            let count = match (name, geometry) {
                ("offset", "a1d") | (_, "1d") => 1,
                ("offset", "a2d") | (_, "2d" | "a1d") => 2,
                _ => 4,
            };
            let coordinates = vector(count, &register);
            match geometry.strip_prefix('a').filter(|_| name != "offset") {
                Some(_) => coordinates.replacen(&format!("{register}_{name}0"), "u32_i", 1),
                None => coordinates,
            }
        }
        Shape::Predicate => format!("pred_{name}"),
        Shape::Address => {
            let space = pattern.slot("ss").and_then(|slot| words[slot]).unwrap_or("");
            let base = match operand.space {
                AddressSpace::Tensor | AddressSpace::Fabric => "b32_ad",
                _ if space.starts_with("param") => "param_v",
                _ => "b64_ad",
            };
            let rest = operand.rest.iter().map(|inner| usual(pattern, inner, words));
            let all: Vec<String> = std::iter::once(base.to_owned()).chain(rest).collect();
            format!("[{}]", all.join(", "))
        }
        Shape::Label => "label_t".to_owned(),
        Shape::Table => "table_t".to_owned(),
    }
}

/// The type of register that holds values of a type.
fn register(ty: ScalarType) -> String {
    if ty == ScalarType::SamplerRef {
        return "u64".to_owned();
    }
    match REGISTERS.contains(&ty.word()) {
        true => ty.word().to_owned(),
        false => format!("b{}", ty.bits().max(8)),
    }
}
