//! Instruction patterns: the syntax line of a form, as data.
//!
//! A form states its syntax once, in the notation of the manual:
//!
//! ```text
//! shfl.sync.mode.b32 d[|p], a, b, c, membermask:u32; .mode = { .up, .down, .bfly, .idx }
//! ```
//!
//! **Words.** Words after dots are literal unless a `.name = { … }` clause makes them a choice; `{…}` around
//! words makes them optional. Words may stand in any order, except that one marked `!` must come first.
//!
//! **Operands** are named. `d`, and `p` in front, are results: registers. Others are registers or constants.
//!
//! | notation | operand |
//! |---|---|
//! | `[a]` | an address |
//! | `d\|p`, `d[\|p]` | a result and a predicate, which may be missing in the second |
//! | `d_` | a result, or `_` to drop it; `d\|p_` the same for the predicate |
//! | `{!}a` | a predicate that may be negated |
//! | `d*`, `a*` | a register, or a vector `{…}` of as many as the word `.vec` says |
//! | `d+`, `a+` | a register, or a vector `{…}` whose elements make up the type |
//! | `a{4}` | a vector of four |
//! | `reg a` | a register, no constant |
//! | `plain a` | no sum `register+constant` |
//! | `{%}a` | may also be a special register |
//! | `{&}a` | may also be the address of a variable or function |
//! | `tgt:label` | a label |
//! | `{, c}` | an operand that may be missing |
//! | `{, c if x}` | an operand that is there exactly if the word `.x` is |
//!
//! Operands have the type of the choice `.type`, else of the last literal type word; `:` gives another, by
//! choice name or by type word. A type that is a word of the instruction admits what the manual's section
//! 9.2 says; a type that only the pattern names is strict (see [`crate::types`]). Behind the type, `~` admits
//! wider registers, `=` wants a constant, `(0..15)` a constant in that range if it is one, and `(*32)` a
//! multiple.

use crate::syntax::ScalarType;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    /// The suffix positions in the order of the syntax line.
    pub slots: Vec<Slot>,
    /// The operands in order.
    pub operands: Vec<OperandPattern>,
}

/// One position of the suffix list.
#[derive(Debug)]
pub struct Slot {
    /// The choice's name without its dot; for a literal, the word itself.
    pub name: &'static str,
    /// The words that it accepts, without dots.
    pub words: Vec<&'static str>,
    /// Whether it may be missing.
    pub optional: bool,
    /// Whether it must be the first word.
    pub leading: bool,
}

/// One operand position.
#[derive(Debug)]
pub struct OperandPattern {
    /// Its name, as the manual calls it.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// Its type.
    pub ty: OperandType,
    /// Whether it may be missing.
    pub optional: bool,
    /// The slot whose word it goes with: it is there exactly if the word is.
    pub with: Option<usize>,
    /// Whether the register may be wider than the type (`ld`, `st`, `cvt`).
    pub relaxed: bool,
    /// Whether `_` may stand in its place; for a pair, in the place of the first half.
    pub sink: bool,
    /// Whether `_` may stand in the place of a pair's predicate.
    pub predicate_sink: bool,
    /// Whether only a register may stand here.
    pub register: bool,
    /// Whether no sum of a register and a constant may stand here.
    pub plain: bool,
    /// Whether a special register may stand here.
    pub special: bool,
    /// Whether the address of a variable or function may stand here.
    pub variable: bool,
    /// What a constant in its place must satisfy.
    pub limit: Option<Limit>,
}

/// What a constant operand must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// From the first to the last, both included.
    Range(u64, u64),
    /// A multiple, and not zero.
    MultipleOf(u64),
}

/// The shape of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A register that receives a result.
    Result,
    /// A result, and a predicate that may be missing.
    ResultAndMaybePredicate,
    /// A result and a predicate.
    ResultAndPredicate,
    /// A result or a vector of results.
    Results(Length),
    /// A register or a constant.
    Value,
    /// A register, a constant or a vector of them.
    Values(Length),
    /// A constant.
    Constant,
    /// A predicate, perhaps negated.
    Predicate,
    /// An address in brackets.
    Address,
    /// A label.
    Label,
}

/// How many elements a vector has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// As many as the word at the slot `vec` says; without it, none.
    Vec,
    /// As many as make up the operand's type.
    Packed,
    /// So many.
    Exactly(usize),
}

/// Where an operand's type comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandType {
    /// Always this type, whatever the instruction's words.
    Fixed(ScalarType),
    /// The word at this slot.
    Slot(usize),
    /// Labels and addresses have none.
    Untyped,
}

impl Pattern {
    /// Compiles a syntax line.
    ///
    /// # Errors
    /// What is wrong with the line; a catalogue test compiles every line.
    pub fn compile(syntax: &'static str) -> Result<Pattern, String> {
        let mut clauses = syntax.split(';').map(str::trim).filter(|clause| !clause.is_empty());
        let line = clauses.next().ok_or("an empty syntax line")?;
        let choices = clauses.map(choice).collect::<Result<Vec<_>, _>>()?;
        let (mnemonic, operands) = match line.split_once(' ') {
            Some((mnemonic, operands)) => (mnemonic, operands.trim()),
            None => (line, ""),
        };
        let slots = slots(mnemonic, &choices)?;
        for (name, _) in &choices {
            if !slots.iter().any(|slot| slot.name == *name) {
                return Err(format!("choice `.{name}` is not used"));
            }
        }
        let operands = split_operands(operands)
            .into_iter()
            .map(|(text, optional)| operand(text, optional, &slots))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Pattern { slots, operands })
    }

    /// The least and the greatest number of operands that go with words, one for each slot.
    pub fn operand_count(&self, words: &[Option<&str>]) -> (usize, usize) {
        let is_there = |operand: &OperandPattern| match operand.with {
            Some(slot) => words.get(slot).is_some_and(Option::is_some),
            None => true,
        };
        let most = self.operands.iter().filter(|operand| is_there(operand)).count();
        let optional = |operand: &&OperandPattern| operand.optional && operand.with.is_none();
        (most - self.operands.iter().filter(optional).count(), most)
    }

    /// Whether control may go elsewhere than to the next instruction: it names a label, or has no operands.
    pub fn leaves(&self) -> bool {
        self.operands.is_empty() || self.operands.iter().any(|it| it.shape == Shape::Label)
    }

    /// The slot of that name.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name)
    }
}

/// `.name = { .a, .b }`.
fn choice(clause: &'static str) -> Result<(&'static str, Vec<&'static str>), String> {
    let (name, words) = clause.split_once('=').ok_or_else(|| format!("no `=` in `{clause}`"))?;
    let name = name.trim().strip_prefix('.').ok_or_else(|| format!("no dot in `{clause}`"))?;
    let words = words
        .trim()
        .trim_start_matches('{')
        .trim_end_matches('}')
        .split(',')
        .map(|word| word.trim().strip_prefix('.').ok_or_else(|| format!("no dot in `{word}`")))
        .collect::<Result<Vec<_>, _>>()?;
    Ok((name, words))
}

/// The suffix positions of `mnemonic.a{.b}.c`.
fn slots(
    mnemonic: &'static str,
    choices: &[(&'static str, Vec<&'static str>)],
) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    let mut rest =
        mnemonic.split_once(['.', '{']).map_or("", |(opcode, _)| &mnemonic[opcode.len()..]);
    let mut optional = false;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('{') {
            (optional, rest) = (true, inner);
            continue;
        }
        if let Some(after) = rest.strip_prefix('}') {
            (optional, rest) = (false, after);
            continue;
        }
        let word = rest.strip_prefix('.').ok_or_else(|| format!("no dot at `{rest}`"))?;
        let end = word.find(['.', '{', '}', '!']).unwrap_or(word.len());
        let name = &word[..end];
        rest = &word[end..];
        let leading = rest.starts_with('!');
        rest = rest.trim_start_matches('!');
        let words = choices
            .iter()
            .find(|(choice, _)| *choice == name)
            .map_or_else(|| vec![name], |(_, words)| words.clone());
        slots.push(Slot { name, words, optional, leading });
    }
    Ok(slots)
}

/// Splits at top-level commas; `{, c}` is an optional operand.
fn split_operands(text: &'static str) -> Vec<(&'static str, bool)> {
    let mut found = Vec::new();
    for (nth, part) in text.split("{,").enumerate() {
        let optional = nth > 0;
        let (first, others) = match part.split_once(',') {
            Some((first, others)) if !optional => (first, others),
            _ => (part, ""),
        };
        let names = std::iter::once(first).chain(others.split(','));
        for name in names.map(|name| name.trim()).filter(|name| !name.is_empty()) {
            let name = if optional { name.trim_end_matches('}').trim() } else { name };
            found.push((name, optional));
        }
    }
    found
}

fn operand(text: &'static str, optional: bool, slots: &[Slot]) -> Result<OperandPattern, String> {
    let (text, with) = match text.split_once(" if ") {
        Some((text, name)) => {
            let slot = slots.iter().position(|slot| slot.name == name.trim());
            (text, Some(slot.ok_or_else(|| format!("no word `{name}`"))?))
        }
        None => (text, None),
    };
    let (text, limit) = match text.split_once('(') {
        Some((text, rest)) => (text, Some(self::limit(rest.trim_end_matches(')'))?)),
        None => (text, None),
    };
    let flag = |text: &'static str, flag: char| match text.strip_suffix(flag) {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (text, relaxed) = flag(text, '~');
    let (text, constant) = flag(text, '=');
    let (body, ty) = match text.split_once(':') {
        Some((body, ty)) => (body, Some(ty)),
        None => (text, None),
    };
    let mark = |text: &'static str, mark: &str| match text.strip_prefix(mark) {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (body, plain) = mark(body, "plain ");
    let (body, register) = mark(body, "reg ");
    let (body, special) = mark(body, "{%}");
    let (body, variable) = mark(body, "{&}");
    let (name, shape) = body_shape(body, ty == Some("label"), constant)?;
    let (name, sink) = flag(name, '_');
    let predicate_sink =
        shape == Shape::ResultAndMaybePredicate || body.ends_with('_') && body.contains('|');
    let ty = match (shape, ty) {
        (Shape::Address | Shape::Label, _) => OperandType::Untyped,
        (Shape::Predicate, None) => OperandType::Fixed(ScalarType::Pred),
        (_, Some(word)) => match slots.iter().position(|slot| slot.name == word) {
            Some(slot) => OperandType::Slot(slot),
            None => OperandType::Fixed(
                ScalarType::from_word(word).ok_or_else(|| format!("no type `{word}`"))?,
            ),
        },
        (_, None) => instruction_type(slots).ok_or_else(|| format!("`{text}` has no type"))?,
    };
    Ok(OperandPattern {
        name,
        shape,
        ty,
        optional,
        with,
        relaxed,
        sink,
        predicate_sink,
        register,
        plain,
        special,
        variable,
        limit,
    })
}

/// The name and shape of an operand without its type and marks.
fn body_shape(
    body: &'static str,
    label: bool,
    constant: bool,
) -> Result<(&'static str, Shape), String> {
    let is_result = |name: &str| matches!(name.trim_end_matches('_'), "d" | "p");
    let vector = |name: &'static str, length| {
        (name, if is_result(name) { Shape::Results(length) } else { Shape::Values(length) })
    };
    Ok(if let Some(name) = body.strip_prefix('[').and_then(|body| body.strip_suffix(']')) {
        (name, Shape::Address)
    } else if let Some(name) = body.strip_prefix("{!}") {
        (name, Shape::Predicate)
    } else if let Some((name, _)) = body.split_once("[|") {
        (name, Shape::ResultAndMaybePredicate)
    } else if let Some((name, _)) = body.split_once('|') {
        (name, Shape::ResultAndPredicate)
    } else if let Some(name) = body.strip_suffix('*') {
        vector(name, Length::Vec)
    } else if let Some(name) = body.strip_suffix('+') {
        vector(name, Length::Packed)
    } else if let Some((name, count)) = body.split_once('{') {
        let count = count.trim_end_matches('}').parse();
        vector(name, Length::Exactly(count.map_err(|_| format!("no count in `{body}`"))?))
    } else if label {
        (body, Shape::Label)
    } else if constant {
        (body, Shape::Constant)
    } else {
        (body, if is_result(body) { Shape::Result } else { Shape::Value })
    })
}

/// `0..15` or `*32`.
fn limit(text: &str) -> Result<Limit, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("no limit in `{text}`"));
    match (text.strip_prefix('*'), text.split_once("..")) {
        (Some(factor), _) => number(factor).map(Limit::MultipleOf),
        (None, Some((first, last))) => Ok(Limit::Range(number(first)?, number(last)?)),
        (None, None) => Err(format!("no limit in `{text}`")),
    }
}

/// The type of operands that name none: the choice `.type`, else the last literal type word.
pub(super) fn instruction_type(slots: &[Slot]) -> Option<OperandType> {
    let choice = slots.iter().position(|slot| slot.name == "type");
    let literal = || slots.iter().rposition(|slot| ScalarType::from_word(slot.name).is_some());
    choice.or_else(literal).map(OperandType::Slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manuals_notation_becomes_slots_and_operands() {
        let pattern = Pattern::compile(
            "shfl.sync.mode.b32 d[|p], a, b, c:u32, membermask:u32; .mode = { .up, .down }",
        )
        .expect("the line is well formed");
        let slots: Vec<_> = pattern.slots.iter().map(|s| (s.name, s.words.as_slice())).collect();
        assert_eq!(slots, [("sync", &["sync"][..]), ("mode", &["up", "down"]), ("b32", &["b32"])]);
        let shapes: Vec<_> = pattern.operands.iter().map(|o| (o.name, o.shape, o.ty)).collect();
        use OperandType::{Fixed, Slot};
        use ScalarType::U32;
        assert_eq!(
            shapes,
            [
                ("d", Shape::ResultAndMaybePredicate, Slot(2)),
                ("a", Shape::Value, Slot(2)),
                ("b", Shape::Value, Slot(2)),
                ("c", Shape::Value, Fixed(U32)),
                ("membermask", Shape::Value, Fixed(U32)),
            ]
        );
    }

    #[test]
    fn optional_words_and_operands() {
        let pattern = Pattern::compile(
            "op{.weak}{.ss}.type d*~, [a]{, b:u32}; .ss = { .global, .shared }; .type = { .u8, .f64 }",
        )
        .expect("the line is well formed");
        let optional: Vec<_> = pattern.slots.iter().map(|s| s.optional).collect();
        assert_eq!(optional, [true, true, false]);
        assert_eq!(pattern.operands[0].shape, Shape::Results(Length::Vec));
        assert_eq!(pattern.operands[0].ty, OperandType::Slot(2));
        assert!(pattern.operands[0].relaxed);
        assert_eq!(pattern.operands[1].shape, Shape::Address);
        assert!(pattern.operands[2].optional);
    }

    #[test]
    fn mistakes_in_a_line_are_found() {
        for line in [
            "",
            "op.type d; type = { .u8 }",
            "op d",
            "op.u8 d; .x = { .a }",
            "op.u8 d:q7",
            "op.u8 a{x}",
            "op.u8 a(1-2)",
        ] {
            assert!(Pattern::compile(line).is_err(), "{line:?}");
        }
    }
}
