//! Instruction patterns: the syntax line of a form, as data.
//!
//! A form states its syntax once, in the notation of the manual:
//!
//! ```text
//! shfl.sync.mode.b32 d[|p], a, b, c, membermask:u32; .mode = { .up, .down, .bfly, .idx }
//! ```
//!
//! **Words.** Words after dots are literal unless a `.name = { … }` clause makes them a choice; `{…}` around
//! words makes them optional, all or none, but for those marked `?`. Words may stand in any order, except that those
//! marked `!` come first, one marked `>` stands somewhere behind the one before it, and types and state spaces keep their
//! order.
//!
//! **Operands** are named. `d`, `redval`, `report`, and `p` in front, are results: registers. Others are registers or constants.
//!
//! | notation | operand |
//! |---|---|
//! | `[a]` | an address, in the state space that the word `.ss` or `.global` names |
//! | `[a:shared]`, `[a:dst]`, `[a:any]` | an address in that space, in the one that the choice `.dst` names, \
//! or in any; `[a:tensor]` in tensor memory, `[a:fabric]` of an endpoint of the fabric |
//! | `[a, b, c{2}]` | an address, and more behind a comma in the brackets |
//! | `d\|p`, `d[\|p]` | a result and a predicate, which may be missing in the second |
//! | `d_` | a result, or `_` to drop it; `d\|p_` the same for the predicate |
//! | `{!}a` | a predicate that may be negated |
//! | `d{4}[\|p]` | a vector of four results, and perhaps a predicate |
//! | `d*`, `a*` | a register, or a vector `{…}` of as many as the word `.vec` says |
//! | `d+`, `a+` | a register, or a vector `{…}` whose elements make up the type |
//! | `a{4}` | a vector of four |
//! | `a{num}`, `a{2num}`, `a{num-2}` | a vector of as many as the digits of the choice `.num` say, or twice \
//! that, or two less |
//! | `a{mk}`, `d{mn/4}` | a fragment of a matrix: what a warp of 32 lanes holds of the m×k elements of the \
//! choice `.shape` in registers of 32 bits, or 64 for binary64; a quarter of it |
//! | `a{4}?` | the same, where a vector of one may be its element alone |
//! | `a{2+}` | a vector of at least two |
//! | `a{}` | a register, or a vector of one, two or four |
//! | `_` | `_` |
//! | `reg a`, `[reg a]` | a register, no constant; an address that is in no special register |
//! | `[far a:shared]`, `[near a]` | an address of 64 bits unless the word `.ss` is there; one that may have 32 \
//! bits although it is generic |
//! | `plain a` | no sum `register+constant`; in a vector of results, no `_` |
//! | `int a` | a sum `register+constant` is one of integers |
//! | `typed a` | a register alone is not one of untyped bits, which would read as another operand |
//! | `{%}a` | may also be a special register |
//! | `{&}a` | may also be the address of a variable or function; `{&shared}a`, `{&dst}a` in that space, or in \
//! the one that the choice `.dst` names |
//! | `{.}a`, `.d` | a byte or halfword of a register may be chosen, or must be: `a.b0`, `a.h10` |
//! | `{-}a` | a register may be negated |
//! | `c@geom` | coordinates of a texture of the geometry that the choice `.geom` names |
//! | `tgt:label` | a label |
//! | `tlist:table` | a table of labels |
//! | `{, c}` | an operand that may be missing |
//! | `{, c if x}` | an operand that is there exactly if the word `.x` is |
//!
//! Operands have the type of the choice `.type`, else of the last literal type word; `:` gives another, by
//! choice name or by type word. A type that is a word of the instruction admits what the manual's section
//! 9.2 says; a type that only the pattern names is strict (see [`crate::types`]). Behind the type, `^` makes it as
//! if the instruction said it, `~` admits wider registers, `=` wants a constant, `(0..15)` a constant in that range if it is one, `(24..256*8)` a
//! multiple in it, `(low 0..15)` one whose low 32 bits are in it, `(*32)` any multiple, `(..64*8)` a multiple up to
//! 64, and `(4|8|16)` one of these.

use crate::syntax::{ScalarType, Space};

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
    /// Whether the word of the slot before it must come earlier.
    pub follows: bool,
    /// Of an optional word: whether it may be missing where the others in its braces are there.
    pub spare: bool,
    /// The number of the braces that it stands in; optional words in the same braces go together.
    pub group: Option<usize>,
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
    /// Whether it is the first operand, which the assembler reads as a result.
    pub first: bool,
    /// Whether it may be missing.
    pub optional: bool,
    /// The slot whose word it goes with: it is there exactly if the word is.
    pub with: Option<usize>,
    /// Whether its type counts as one that the instruction says, though it does not.
    pub said: bool,
    /// Whether the register may be wider than the type (`ld`, `st`, `cvt`).
    pub relaxed: bool,
    /// Whether `_` may stand in its place; for a pair, in the place of the first half.
    pub sink: bool,
    /// Whether `_` may stand in the place of a pair's predicate.
    pub predicate_sink: bool,
    /// Of a vector of results: whether a predicate may follow it.
    pub resident: bool,
    /// Whether only a register may stand here; of an address, whether its base is no special register.
    pub register: bool,
    /// Whether no sum of a register and a constant may stand here.
    pub plain: bool,
    /// Whether a sum of a register and a constant must be one of integers.
    pub integers: bool,
    /// Whether a register alone must have a type: one of untyped bits reads as another operand.
    pub typed: bool,
    /// Whether a special register may stand here.
    pub special: bool,
    /// Whether the address of a variable or function may stand here.
    pub variable: bool,
    /// Whether a byte or halfword of the register may be chosen.
    pub selector: bool,
    /// Whether one must be chosen.
    pub selected: bool,
    /// Whether the register may be negated.
    pub minus: bool,
    /// What a constant in its place must satisfy.
    pub limit: Option<Limit>,
    /// Of an address, and of a variable whose address may stand here: the state space.
    pub space: AddressSpace,
    /// Of an address: the width of its register.
    pub width: AddressWidth,
    /// Of an address: what follows a comma in the brackets.
    pub rest: Vec<OperandPattern>,
}

/// Which state space an address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// The one that the instruction names.
    Named,
    /// The one that the word at this slot names.
    Slot(usize),
    /// Always this one.
    Fixed(Space),
    /// Any: the address is not the instruction's to check.
    Any,
    /// Tensor memory, whose addresses have 32 bits.
    Tensor,
    /// An endpoint of the fabric, whose number has 32 bits.
    Fabric,
}

/// How wide the register of an address is, in a module whose addresses have 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressWidth {
    /// As the state space asks for: addresses of `.global` and generic ones have 64 bits.
    OfSpace,
    /// As that of a generic address unless the word `.ss` is there.
    Far,
    /// Either width.
    Near,
}

/// What a constant operand must satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// From the first to the last, both included, in steps from 0.
    Range {
        /// The least.
        first: u64,
        /// The greatest.
        last: u64,
        /// What it is a multiple of.
        step: u64,
        /// Whether only the low 32 bits of the constant count.
        low: bool,
    },
    /// A multiple, zero included.
    MultipleOf(u64),
    /// From 0 to the last, in steps from 0, all 64 bits of the constant counted.
    UpTo {
        /// The greatest.
        last: u64,
        /// What it is a multiple of.
        step: u64,
    },
    /// One of these.
    OneOf(Vec<u64>),
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
    /// The name of a table of labels.
    Table,
    /// `_`.
    Dropped,
    /// Coordinates in a texture or surface whose geometry is the word at this slot.
    Coordinates(usize),
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
    /// So many, where a vector of one may be its element alone.
    AtMost(usize),
    /// So many, or more.
    AtLeast(usize),
    /// One, two or four; or none.
    Free,
    /// As many as the digits of the word at a slot say, times a factor, or some less.
    Word {
        /// The slot.
        slot: usize,
        /// The factor.
        factor: usize,
        /// How many less.
        less: usize,
    },
    /// What a lane holds of a matrix.
    Fragment(Fragment),
}

/// A matrix whose elements the lanes of a warp share out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its two sides, by the letters of the shape: `['m', 'k']`.
    pub sides: [char; 2],
    /// The slot of the shape, such as `m16n8k16`.
    pub shape: usize,
    /// What the number of registers is divided by.
    pub divisor: usize,
}

impl Fragment {
    /// How many registers hold a lane's share of the elements of a type, for a shape.
    pub fn registers(&self, shape: &str, ty: ScalarType) -> Option<usize> {
        let side = |letter: char| {
            let digits = &shape[shape.find(letter)? + 1..];
            let end = digits.find(|char: char| !char.is_ascii_digit()).unwrap_or(digits.len());
            digits[..end].parse::<usize>().ok()
        };
        let elements = side(self.sides[0])?.checked_mul(side(self.sides[1])?)?;
        let bits = elements.checked_mul(usize::try_from(ty.bits()).ok()?)?;
        let register = if ty.bits() == 64 { 64 } else { 32 };
        Some((bits / (32 * register * self.divisor)).max(1))
    }
}

/// The type of the registers that hold elements of a type: packed ones are in registers of 32 bits.
pub fn fragment_register(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::F32 | ScalarType::S32 | ScalarType::U32 => ty,
        _ if ty.bits() == 64 => ScalarType::B64,
        _ => ScalarType::B32,
    }
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
            .enumerate()
            .map(|(at, (text, optional))| {
                let pattern = operand(text, optional, &slots)?;
                Ok(OperandPattern { first: at == 0, ..pattern })
            })
            .collect::<Result<Vec<_>, String>>()?;
        Ok(Pattern { slots, operands })
    }

    /// The operands that go with words, one for each slot.
    pub fn operands_with(&self, words: &[Option<&str>]) -> impl Iterator<Item = &OperandPattern> {
        self.operands.iter().filter(|operand| match operand.with {
            Some(slot) => words.get(slot).is_some_and(Option::is_some),
            None => true,
        })
    }

    /// The least and the greatest number of operands that go with words, one for each slot.
    pub fn operand_count(&self, words: &[Option<&str>]) -> (usize, usize) {
        let most = self.operands_with(words).count();
        let optional = |operand: &&OperandPattern| operand.optional && operand.with.is_none();
        (most - self.operands.iter().filter(optional).count(), most)
    }

    /// Whether control may go elsewhere than to the next instruction: it names a label, or has no operands.
    pub fn leaves(&self) -> bool {
        self.operands.is_empty()
            || self.operands.iter().any(|it| matches!(it.shape, Shape::Label | Shape::Table))
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
    let (mut optional, mut groups) = (false, 0);
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('{') {
            (optional, rest, groups) = (true, inner, groups + 1);
            continue;
        }
        if let Some(after) = rest.strip_prefix('}') {
            (optional, rest) = (false, after);
            continue;
        }
        let word = rest.strip_prefix('.').ok_or_else(|| format!("no dot at `{rest}`"))?;
        let end = word.find(['.', '{', '}', '!', '>', '?']).unwrap_or(word.len());
        let name = &word[..end];
        rest = &word[end..];
        let (leading, follows) = (rest.starts_with('!'), rest.starts_with('>'));
        let spare = rest.starts_with('?');
        rest = rest.trim_start_matches(['!', '>', '?']);
        let words = choices
            .iter()
            .find(|(choice, _)| *choice == name)
            .map_or_else(|| vec![name], |(_, words)| words.clone());
        let group = optional.then_some(groups);
        slots.push(Slot { name, words, optional, leading, follows, spare, group });
    }
    Ok(slots)
}

/// Splits at top-level commas; `{, c}` is an optional operand.
fn split_operands(text: &'static str) -> Vec<(&'static str, bool)> {
    let (mut found, mut depth, mut start, mut optional) = (Vec::new(), 0u32, 0, false);
    let mut add = |part: &'static str, optional: bool| {
        let part = part.trim();
        if !part.is_empty() {
            found.push((part, optional));
        }
    };
    for (at, char) in text.char_indices() {
        match char {
            '{' if depth == 0 && text[at..].starts_with("{,") => {
                add(&text[start..at], optional);
                (start, optional) = (at + 2, true);
            }
            '}' if depth == 0 && optional => {
                add(&text[start..at], optional);
                (start, optional) = (at + 1, false);
            }
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && !optional => {
                add(&text[start..at], false);
                start = at + 1;
            }
            _ => {}
        }
    }
    add(&text[start..], optional);
    found
}

fn operand(text: &'static str, optional: bool, slots: &[Slot]) -> Result<OperandPattern, String> {
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return address(inner, optional, slots);
    }
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
    let (text, said) = flag(text, '^');
    let (body, ty) = match text.split_once(':') {
        Some((body, ty)) => (body, Some(ty)),
        None => (text, None),
    };
    let mark = |text: &'static str, mark: &str| match text.strip_prefix(mark) {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (body, plain) = mark(body, "plain ");
    let (body, integers) = mark(body, "int ");
    let (body, typed) = mark(body, "typed ");
    let (body, register) = mark(body, "reg ");
    let (body, special) = mark(body, "{%}");
    let (body, variable) = match body.strip_prefix("{&").and_then(|rest| rest.split_once('}')) {
        Some((space, body)) => (body, Some(space)),
        None => (body, None),
    };
    let (body, may_select) = mark(body, "{.}");
    let (body, selected) = mark(body, ".");
    let selector = may_select || selected;
    let (body, minus) = mark(body, "{-}");
    let (body, resident) = match body.strip_suffix("[|p]") {
        Some(vector) if vector.ends_with('}') => (vector, true),
        _ => (body, false),
    };
    let (name, shape) = match ty {
        Some("label") => (body, Shape::Label),
        Some("table") => (body, Shape::Table),
        _ => body_shape(body, constant, slots)?,
    };
    let (name, sink) = if shape == Shape::Dropped { (name, true) } else { flag(name, '_') };
    let predicate_sink =
        shape == Shape::ResultAndMaybePredicate || body.ends_with('_') && body.contains('|');
    let ty = match (shape, ty) {
        (Shape::Label | Shape::Table | Shape::Dropped, _) => OperandType::Untyped,
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
        first: false,
        optional,
        with,
        said,
        relaxed,
        sink,
        predicate_sink,
        resident,
        register,
        plain,
        integers,
        typed,
        special,
        variable: variable.is_some(),
        selector,
        selected,
        minus,
        limit,
        space: match variable {
            Some("") => AddressSpace::Any,
            Some(word) => address_space(word, slots)?,
            None => AddressSpace::Named,
        },
        width: AddressWidth::OfSpace,
        rest: Vec::new(),
    })
}

/// What stands in brackets: `a`, `a:shared`, `a, b, c{2}`.
fn address(text: &'static str, optional: bool, slots: &[Slot]) -> Result<OperandPattern, String> {
    let mut parts = split_operands(text).into_iter();
    let (base, _) = parts.next().ok_or("empty brackets")?;
    let rest = parts.map(|(text, optional)| operand(text, optional, slots));
    let (base, register) = match base.strip_prefix("reg ") {
        Some(base) => (base, true),
        None => (base, false),
    };
    let (base, width) = match base.split_once(' ') {
        Some(("far", base)) => (base, AddressWidth::Far),
        Some(("near", base)) => (base, AddressWidth::Near),
        Some((mark, _)) => return Err(format!("no mark `{mark}`")),
        None => (base, AddressWidth::OfSpace),
    };
    let (name, space) = match base.split_once(':') {
        Some((name, word)) => (name, address_space(word, slots)?),
        None => (base, AddressSpace::Named),
    };
    Ok(OperandPattern {
        name,
        shape: Shape::Address,
        ty: OperandType::Untyped,
        first: false,
        optional,
        with: None,
        said: false,
        relaxed: false,
        sink: false,
        predicate_sink: false,
        resident: false,
        register,
        plain: false,
        integers: false,
        typed: false,
        special: false,
        variable: false,
        selector: false,
        selected: false,
        minus: false,
        limit: None,
        space,
        width,
        rest: rest.collect::<Result<_, _>>()?,
    })
}

/// The space that a word means: a choice, a space, `any` or `tensor`.
fn address_space(word: &str, slots: &[Slot]) -> Result<AddressSpace, String> {
    Ok(match slots.iter().position(|slot| slot.name == word) {
        Some(slot) => AddressSpace::Slot(slot),
        None if word == "any" => AddressSpace::Any,
        None if word == "tensor" => AddressSpace::Tensor,
        None if word == "fabric" => AddressSpace::Fabric,
        None => {
            AddressSpace::Fixed(Space::from_word(word).ok_or_else(|| format!("no space `{word}`"))?)
        }
    })
}

/// The name and shape of an operand without its type and marks.
fn body_shape(
    body: &'static str,
    constant: bool,
    slots: &[Slot],
) -> Result<(&'static str, Shape), String> {
    let is_result =
        |name: &str| matches!(name.trim_end_matches('_'), "d" | "p" | "redval" | "report");
    let vector = |name: &'static str, length| {
        (name, if is_result(name) { Shape::Results(length) } else { Shape::Values(length) })
    };
    Ok(if body == "_" {
        (body, Shape::Dropped)
    } else if let Some((name, geometry)) = body.split_once('@') {
        let slot = slots.iter().position(|slot| slot.name == geometry);
        (name, Shape::Coordinates(slot.ok_or_else(|| format!("no choice `{geometry}`"))?))
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
        let (count, lone) = match count.strip_suffix("}?") {
            Some(count) => (count, true),
            None => (count.trim_end_matches('}'), false),
        };
        vector(name, length(count, lone, slots).ok_or_else(|| format!("no count in `{body}`"))?)
    } else if constant {
        (body, Shape::Constant)
    } else {
        (body, if is_result(body) { Shape::Result } else { Shape::Value })
    })
}

/// What stands in the braces of a vector: nothing, `4`, `2+`, `num`, `2num`, `num-2`, `mk`, `mn/4`.
fn length(text: &str, lone: bool, slots: &[Slot]) -> Option<Length> {
    if text.is_empty() {
        return Some(Length::Free);
    }
    if let Ok(count) = text.parse() {
        return Some(if lone { Length::AtMost(count) } else { Length::Exactly(count) });
    }
    if let Some(least) = text.strip_suffix('+') {
        return least.parse().ok().map(Length::AtLeast);
    }
    let (sides, divisor) = match text.split_once('/') {
        Some((sides, divisor)) => (sides, divisor.parse().ok().filter(|it| *it > 0)?),
        None => (text, 1),
    };
    if let [first @ b'm' | first @ b'k', second @ b'n' | second @ b'k'] = sides.as_bytes() {
        let is_shape = |word: &&str| word.starts_with('m') && word.contains('k');
        let shape = slots.iter().position(|slot| slot.words.iter().any(is_shape))?;
        let sides = [char::from(*first), char::from(*second)];
        return Some(Length::Fragment(Fragment { sides, shape, divisor }));
    }
    let (text, less) = match text.split_once('-') {
        Some((text, less)) => (text, less.parse().ok()?),
        None => (text, 0),
    };
    let name = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let factor = &text[..text.len() - name.len()];
    let factor = if factor.is_empty() { 1 } else { factor.parse().ok()? };
    let slot = slots.iter().position(|slot| slot.name == name)?;
    Some(Length::Word { slot, factor, less })
}

/// `0..15`, `24..256*8`, `..64*8`, `*32` or `4|8|16`.
fn limit(text: &str) -> Result<Limit, String> {
    let number = |text: &str| match text.parse::<i64>() {
        Ok(number) => Ok(number.cast_unsigned()),
        Err(_) => Err(format!("no limit in `{text}`")),
    };
    if let Some(factor) = text.strip_prefix('*') {
        return number(factor).map(Limit::MultipleOf);
    }
    let (text, low) = match text.strip_prefix("low ") {
        Some(text) => (text, true),
        None => (text, false),
    };
    match text.split_once("..") {
        Some((first, rest)) => {
            let (last, step) = rest.split_once('*').unwrap_or((rest, "1"));
            if first.is_empty() {
                return Ok(Limit::UpTo { last: number(last)?, step: number(step)? });
            }
            let (first, last, step) = (number(first)?, number(last)?, number(step)?);
            Ok(Limit::Range { first, last, step, low })
        }
        None => text.split('|').map(number).collect::<Result<_, _>>().map(Limit::OneOf),
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
