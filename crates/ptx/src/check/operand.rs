//! Operands against the pattern of a form.

use super::Checker;
use super::names::{Symbol, describe};
use super::vector::{Elements, untyped};
use super::wanted::{Verdict, Wanted, refuse};
use crate::catalogue::Matched;
use crate::catalogue::pattern::{
    AddressSpace, Length, Limit, OperandPattern, Shape, fragment_register,
};
use crate::rules;
use crate::special::SpecialRegister;
use crate::syntax::ast::{Constant, Name, Operand, OperandKind, StatementKind, Variable};
use crate::syntax::{ScalarType, Space};
use crate::types::{self, Fit};

impl<'a> Checker<'a> {
    /// Checks one operand of a form.
    pub(super) fn operand(
        &mut self,
        inst: &Matched<'a>,
        pattern: &'static OperandPattern,
        operand: &'a Operand,
    ) -> Verdict {
        self.alone(inst, pattern, operand)?;
        let (ty, fit) = inst.wanted(pattern);
        let says = inst.type_word(pattern);
        let space = inst.space_of(pattern).filter(|_| pattern.variable);
        let wanted = Wanted {
            pattern,
            ty,
            fit,
            special: pattern.special,
            element: false,
            // Sums of floats crash the assembler beside two results.
            integers: pattern.integers || inst.has_two_results(),
            function: takes_function(inst, pattern) && self.target.sm >= inst.form.form.sums,
            space,
            says,
        };
        match pattern.shape {
            Shape::Result => self.result_or_pair(wanted, operand),
            Shape::ResultAndMaybePredicate | Shape::ResultAndPredicate => {
                self.pair(wanted, operand)
            }
            Shape::Results(length) => match &operand.kind {
                OperandKind::Pair(first, second) if pattern.resident => {
                    self.second(wanted, second)?;
                    self.vector_or(inst, wanted, first, length, true)
                }
                _ => self.vector_or(inst, wanted, operand, length, true),
            },
            Shape::Values(length) => self.vector_or(inst, wanted, operand, length, false),
            Shape::Value if ty == ScalarType::SamplerRef => self.opaque(operand, Some(ty)),
            Shape::Value => match &operand.kind {
                OperandKind::Pair(first, second) => {
                    self.value(wanted, first)?;
                    self.dropped(second);
                    Ok(())
                }
                _ => self.value(wanted, operand),
            },
            Shape::Constant => self.value(wanted, operand),
            Shape::Predicate => self.predicate(wanted, operand),
            Shape::Address => self.address(inst, pattern, operand),
            Shape::Dropped => Ok(()),
            Shape::Coordinates(slot) => {
                self.coordinates(inst.word_at(slot).unwrap_or(""), wanted, operand)
            }
            Shape::Label => self.label(operand),
            Shape::Table => self.table(operand),
        }
    }

    /// What a register in the place of a value must be whatever the operand's type.
    fn alone(&self, inst: &Matched<'a>, pattern: &OperandPattern, operand: &Operand) -> Verdict {
        let name = match &operand.kind {
            OperandKind::Name(name) => name,
            OperandKind::NamePlus(name, _) if self.target.sm >= inst.form.form.sums => name,
            OperandKind::NamePlus(..) => {
                let message = format!(
                    "sums are operands of `{}` from sm_{} on; the target is {}",
                    inst.instruction.opcode,
                    inst.form.form.sums,
                    self.target.name()
                );
                let error = rules::FORM_TARGET.at(operand.span, message);
                return Err(Box::new(error.help("compute the sum with `add` first")));
            }
            _ => return Ok(()),
        };
        match self.names.find(name) {
            Some(Symbol::Register(variable))
                if pattern.typed && types::kind(variable.ty) == types::Kind::Bits =>
            {
                let what = pattern.name;
                let message = format!("`{name}` is untyped and does not read as `{what}` here");
                refuse(&rules::OPERAND_TYPE, operand, message)
            }
            _ => Ok(()),
        }
    }

    fn vector_or(
        &mut self,
        inst: &Matched<'a>,
        wanted: Wanted<'_>,
        operand: &'a Operand,
        length: Length,
        is_result: bool,
    ) -> Verdict {
        let count = inst.count(length, wanted.ty);
        let first = inst.instruction.operands.first().filter(|first| self.is_vector(first));
        if let Some(first) = first
            && length == Length::Packed
            && !is_result
            && self.is_vector(operand)
        {
            let message = "one side makes up the other: only one of them can be a vector";
            let error = rules::VECTOR.at(operand.span, message);
            return Err(Box::new(error.label(first.span, "this is one, too")));
        }
        let mut wanted = wanted;
        if matches!(length, Length::Fragment(_)) {
            (wanted.ty, wanted.fit) = fragment(wanted.ty);
        }
        match &operand.kind {
            OperandKind::Vector(elements) => {
                let how = match (length, count) {
                    (Length::Packed, _) => Elements::Packed,
                    (Length::Free, _) if matches!(elements.len(), 1 | 2 | 4) => {
                        Elements::Each(elements.len())
                    }
                    (Length::Free, _) => {
                        let message = format!("a vector of {} elements is none", elements.len());
                        return refuse(&rules::VECTOR, operand, message);
                    }
                    (Length::AtLeast(least), _)
                        if matches!(elements.len(), 1 | 2 | 4) && elements.len() >= least =>
                    {
                        Elements::Each(elements.len())
                    }
                    (Length::AtLeast(least), _) => {
                        let message = format!("a vector of at least {least} must stand here");
                        return refuse(&rules::VECTOR, operand, message);
                    }
                    (Length::Fragment(_), Some(count)) => Elements::Fragment(count),
                    (_, count) => Elements::Each(count.unwrap_or(1)),
                };
                self.vector(wanted, operand, elements, how, is_result)
            }
            OperandKind::Sink if wanted.pattern.sink => Ok(()),
            OperandKind::Name(name)
                if length == Length::Packed
                    && let Some(Symbol::Register(variable)) = self.names.find(name)
                    && let Some(count) = variable.vector
                    && u32::from(count) * variable.ty.bits() == wanted.ty.bits() =>
            {
                self.blame.fits(variable);
                Ok(())
            }
            _ => {
                if let (Some(count), OperandKind::Name(name)) = (count, &operand.kind)
                    && let Some(Symbol::Register(variable)) = self.names.find(name)
                    && variable.vector.map(usize::from) == Some(count)
                {
                    return self.typed(wanted, operand, name, variable);
                }
                let lone = count == Some(1) && matches!(length, Length::AtMost(_));
                if let Some(count) = count.filter(|_| !lone) {
                    let what = format!("a vector of {count} elements must stand here");
                    return refuse(&rules::VECTOR, operand, what);
                }
                match is_result {
                    true => self.result_or_pair(wanted, operand),
                    false => self.value(wanted, operand),
                }
            }
        }
    }

    /// Whether an operand is a vector: in braces, or a register of vector type.
    fn is_vector(&self, operand: &Operand) -> bool {
        match &operand.kind {
            OperandKind::Vector(_) => true,
            OperandKind::Name(name) => {
                let symbol = self.names.find(name);
                matches!(symbol, Some(Symbol::Register(variable)) if variable.vector.is_some())
            }
            _ => false,
        }
    }

    /// `d`, or `d|_`, which the assembler takes everywhere.
    fn result_or_pair(&mut self, wanted: Wanted<'_>, operand: &Operand) -> Verdict {
        match &operand.kind {
            OperandKind::Pair(first, second) if !wanted.pattern.plain => {
                self.result(wanted, first)?;
                self.dropped(second);
                Ok(())
            }
            _ => self.result(wanted, operand),
        }
    }

    /// The `_` of a pair where there is no predicate result.
    fn dropped(&mut self, second: &Operand) {
        let message = "this instruction has no predicate result to drop";
        self.report(rules::LOOSE_RESULT.at(second.span, message).help("remove `|_`"));
    }

    fn pair(&mut self, wanted: Wanted<'_>, operand: &Operand) -> Verdict {
        let OperandKind::Pair(first, second) = &operand.kind else {
            return self.result(wanted, operand);
        };
        if let OperandKind::Component(..) = first.kind {
            let message = "an element of a vector cannot stand before `|`";
            return refuse(&rules::OPERAND_KIND, first, message);
        }
        self.second(wanted, second)?;
        self.result(wanted, first)
    }

    /// The predicate of a pair.
    fn second(&mut self, wanted: Wanted<'_>, second: &Operand) -> Verdict {
        match &second.kind {
            OperandKind::Sink if wanted.pattern.predicate_sink => Ok(()),
            OperandKind::Sink => {
                let message = "the predicate result must be received: `_` drops it";
                refuse(&rules::SINK, second, message)
            }
            OperandKind::Name(name) => match self.names.find(name) {
                Some(Symbol::Register(variable)) if variable.ty == ScalarType::Pred => Ok(()),
                symbol => {
                    let what = describe(name, symbol);
                    let message = format!("the second result must be a predicate register; {what}");
                    refuse(&rules::OPERAND_TYPE, second, message)
                }
            },
            _ => {
                let message = "the second result must be a predicate register";
                refuse(&rules::OPERAND_KIND, second, message)
            }
        }
    }

    /// A register whose type must agree with what is wanted.
    fn typed(
        &mut self,
        wanted: Wanted<'_>,
        operand: &Operand,
        name: &Name,
        variable: &'a Variable,
    ) -> Verdict {
        let Wanted { ty, fit, .. } = wanted;
        if types::agrees(variable.ty, ty, fit) {
            self.blame.fits(variable);
            return Ok(());
        }
        self.blame.differs(variable, ty);
        mismatch(wanted, operand, name, variable.ty)
    }

    /// A register that receives a result.
    pub(super) fn result(&mut self, wanted: Wanted<'_>, operand: &Operand) -> Verdict {
        let Wanted { pattern, ty, fit, .. } = wanted;
        let name = match &operand.kind {
            OperandKind::Name(name) => name,
            OperandKind::Sink if pattern.sink => return Ok(()),
            OperandKind::Sink => {
                return refuse(&rules::SINK, operand, "the result must be received: `_` drops it");
            }
            OperandKind::Component(name, part) => match self.names.find(name) {
                Some(Symbol::Register(variable))
                    if has_component(variable, part) && types::agrees(variable.ty, ty, fit) =>
                {
                    return Ok(());
                }
                Some(Symbol::Register(variable))
                    if pattern.selector && is_plain(variable) && is_selector(part) =>
                {
                    return self.typed(wanted, operand, name, variable);
                }
                _ => return refuse(&rules::OPERAND_KIND, operand, "a result needs a register"),
            },
            _ => return refuse(&rules::OPERAND_KIND, operand, "a result needs a register"),
        };
        match self.names.find(name) {
            None => Ok(()),
            Some(Symbol::Register(variable)) if is_plain(variable) => {
                self.typed(wanted, operand, name, variable)
            }
            Some(Symbol::Special(_)) => {
                let message = format!("`{name}` is a special register and cannot be written");
                refuse(&rules::SPECIAL, operand, message)
            }
            symbol => {
                self.no_register(symbol, ty);
                let message = format!("a result needs a register; {}", describe(name, symbol));
                refuse(&rules::OPERAND_KIND, operand, message)
            }
        }
    }

    /// A register is wanted. Where a range of variables stands in its place, its declaration may be to blame.
    fn no_register(&mut self, symbol: Option<Symbol<'a>>, wanted: ScalarType) {
        if let Some(Symbol::Variable(variable)) = symbol
            && variable.range.is_some()
        {
            self.blame.differs(variable, wanted);
        }
    }

    /// A source operand.
    pub(super) fn value(&mut self, wanted: Wanted<'_>, operand: &Operand) -> Verdict {
        let pattern = wanted.pattern;
        match &operand.kind {
            OperandKind::Constant(constant) => self.constant(wanted, operand, *constant),
            OperandKind::Name(name) => match self.names.find(name) {
                None => Ok(()),
                Some(Symbol::Register(variable)) if is_plain(variable) => {
                    self.typed(wanted, operand, name, variable)
                }
                Some(Symbol::Special(register)) => self.special(wanted, operand, register, None),
                Some(Symbol::Variable(variable)) => self.variable(wanted, operand, variable),
                Some(Symbol::Function(_)) if wanted.function && !wanted.element => {
                    self.function_operand(wanted, operand, name);
                    Ok(())
                }
                symbol => {
                    let what = describe(name, symbol);
                    refuse(&rules::OPERAND_KIND, operand, format!("{what}, not a value"))
                }
            },
            OperandKind::NamePlus(name, _) => self.sum(wanted, operand, name),
            // The address of an element of an array.
            OperandKind::Element(name, index) => match self.names.find(name) {
                Some(Symbol::Variable(variable)) if !variable.dims.is_empty() => {
                    self.variable(wanted, operand, variable)?;
                    self.index(index)
                }
                symbol => {
                    let message = format!("only arrays have elements; {}", describe(name, symbol));
                    refuse(&rules::OPERAND_KIND, operand, message)
                }
            },
            OperandKind::Component(name, part) => match self.names.find(name) {
                Some(Symbol::Special(register)) => {
                    self.special(wanted, operand, register, Some(part))
                }
                Some(Symbol::Register(variable))
                    if has_component(variable, part)
                        || pattern.selector && is_plain(variable) && is_selector(part) =>
                {
                    self.typed(wanted, operand, name, variable)
                }
                _ => {
                    let message = format!("`{name}` has no component `.{part}`");
                    refuse(&rules::OPERAND_KIND, operand, message)
                }
            },
            OperandKind::Minus(inner) if pattern.minus => self.value(wanted, inner),
            OperandKind::Minus(_) => {
                refuse(&rules::OPERAND_KIND, operand, "a register cannot be negated with `-` here")
            }
            OperandKind::Negated(_) => {
                refuse(&rules::OPERAND_KIND, operand, "only predicates can be negated with `!`")
            }
            OperandKind::Sink => refuse(&rules::SINK, operand, "`_` holds no value"),
            OperandKind::Pair(..)
            | OperandKind::Vector(_)
            | OperandKind::Address(_)
            | OperandKind::List(_) => {
                refuse(&rules::OPERAND_KIND, operand, "a register or a constant must stand here")
            }
        }
    }

    /// The address of a function as a value: `mov` reads it, the assembler takes it elsewhere too.
    fn function_operand(&mut self, wanted: Wanted<'_>, operand: &Operand, name: &Name) {
        if wanted.pattern.variable && wanted.ty.bits() >= 32 {
            return;
        }
        let message = format!("the manual has no function such as `{name}` as operand here");
        let advice = rules::FUNCTION_OPERAND.at(operand.span, message);
        self.report(advice.help("move its address to a register first"));
    }

    fn constant(&mut self, wanted: Wanted<'_>, operand: &Operand, value: Constant) -> Verdict {
        let Wanted { pattern, ty, fit, .. } = wanted;
        let name = pattern.name;
        if pattern.register {
            let message = format!("operand `{name}` must be a register, not a constant");
            return refuse(&rules::OPERAND_KIND, operand, message);
        }
        if !types::constant_agrees(value, ty, fit) {
            let what = match value {
                Constant::Int { .. } => "an integer constant",
                Constant::F32(_) => "a `0f` constant",
                Constant::F64(_) => "a double-precision constant",
            };
            let message = format!("{what} cannot stand for operand `{name}` of type {ty}");
            return wanted.mistyped(&rules::CONSTANT, operand, message);
        }
        let Constant::Int { bits, unsigned } = value else { return Ok(()) };
        match &pattern.limit {
            Some(Limit::Range { first, last, step, low }) => {
                let bits = if *low { bits & 0xffff_ffff } else { bits };
                if !(*first..=*last).contains(&bits) {
                    let message = format!("operand `{name}` is from {first} to {last}");
                    return refuse(&rules::CONSTANT, operand, message);
                }
                if bits % step != 0 {
                    let message = format!("operand `{name}` is a multiple of {step}");
                    return refuse(&rules::CONSTANT, operand, message);
                }
            }
            Some(Limit::OneOf(all)) if !all.contains(&bits) => {
                let all: Vec<String> = all.iter().map(u64::to_string).collect();
                let message = format!("operand `{name}` is one of {}", all.join(", "));
                return refuse(&rules::CONSTANT, operand, message);
            }
            Some(Limit::UpTo { last, step }) if bits > *last || bits % step != 0 => {
                let message = match step {
                    1 => format!("operand `{name}` is from 0 to {last}"),
                    step => format!("operand `{name}` is a multiple of {step} up to {last}"),
                };
                return refuse(&rules::CONSTANT, operand, message);
            }
            Some(Limit::MultipleOf(factor)) if bits % factor != 0 => {
                let message = format!("operand `{name}` is a multiple of {factor}");
                return refuse(&rules::CONSTANT, operand, message);
            }
            Some(_) | None => {}
        }
        let width = ty.bits();
        let fits = width >= 64
            || bits >> width == 0
            || !unsigned && bits.cast_signed() >> (width - 1) == -1;
        if !fits && ty != ScalarType::Pred {
            let low = bits & ((1 << width) - 1);
            let message = format!("this constant does not fit {width} bits: it is cut to {low:#x}");
            self.report(rules::CUT_CONSTANT.at(operand.span, message));
        }
        Ok(())
    }

    /// `register+constant` or `variable+constant`.
    fn sum(&mut self, wanted: Wanted<'_>, operand: &Operand, name: &Name) -> Verdict {
        let Wanted { ty, fit, .. } = wanted;
        let declared = match self.names.find(name) {
            None => return Ok(()),
            Some(Symbol::Register(variable)) => variable.ty,
            Some(Symbol::Special(register)) if !register.is_vector() => untyped(register.ty),
            Some(Symbol::Variable(variable)) => {
                lies_in(wanted, operand, variable)?;
                self.has_address(operand, variable)?;
                // An address is an integer.
                let is_narrow = fit != Fit::Strict || ty.bits() == 32;
                return match types::kind(ty) {
                    types::Kind::Bits | types::Kind::Integer if is_narrow => Ok(()),
                    _ => {
                        let message =
                            format!("the address of `{}` is not of type {ty}", variable.name);
                        wanted.mistyped(&rules::OPERAND_TYPE, operand, message)
                    }
                };
            }
            symbol => {
                let what = describe(name, symbol);
                return refuse(
                    &rules::OPERAND_KIND,
                    operand,
                    format!("{what}: nothing can be added"),
                );
            }
        };
        if !types::sum_agrees(declared, ty, fit) {
            return mismatch(wanted, operand, name, declared);
        }
        let is_integer = matches!(types::kind(declared), types::Kind::Bits | types::Kind::Integer);
        if wanted.integers && !is_integer {
            let message = format!("nothing can be added to `{name}`, a {declared} register, here");
            return refuse(&rules::OPERAND_KIND, operand, message);
        }
        let message = format!("the manual has no operand `{name}+constant` outside of addresses");
        self.report(rules::SUM_OPERAND.at(operand.span, message));
        Ok(())
    }

    fn special(
        &mut self,
        wanted: Wanted<'_>,
        operand: &Operand,
        register: &SpecialRegister,
        part: Option<&Name>,
    ) -> Verdict {
        let Wanted { ty, fit, .. } = wanted;
        let name = register.name;
        if let Some(lack) = self.target.lacks(register.since) {
            let needs = match lack {
                crate::catalogue::Lack::Version((major, minor)) => format!("PTX {major}.{minor}"),
                _ => format!("sm_{}", register.since.sm),
            };
            return refuse(&rules::SPECIAL, operand, format!("`{name}` needs {needs} or later"));
        }
        if !wanted.special && !wanted.element {
            let message = format!("`{name}` is a special register; only `mov` and `cvt` read it");
            return Err(Box::new(
                rules::SPECIAL
                    .at(operand.span, message)
                    .help("copy it to a register with `mov` first"),
            ));
        }
        if register.component(part.map(|part| &**part)).is_none() {
            let part = part.map_or("", |part| part);
            return refuse(
                &rules::SPECIAL,
                operand,
                format!("`{name}` has no component `.{part}`"),
            );
        }
        let whole_vector = register.is_vector() && part.is_none();
        if whole_vector && fit == Fit::Wider {
            let message = format!("`{name}` has components: write `{name}.x`");
            return refuse(&rules::SPECIAL, operand, message);
        }
        // The manual's `mov.v4.u32 {…}, %tid`.
        if whole_vector && wanted.pattern.name == "tuple" {
            return Ok(());
        }
        let declared = match whole_vector {
            true => ScalarType::B128,
            false if wanted.element => untyped(register.ty),
            false => register.ty,
        };
        // Components of 16 bits are how PTX before 2.0 saw them.
        let narrow = register.is_vector() && part.is_some() && ty.bits() == 16;
        let is_float = types::kind(ty) == types::Kind::Float && !wanted.element;
        if is_float || !narrow && !types::agrees(declared, ty, fit) {
            let message = format!("`{name}` is a {declared} register; {ty} is wanted");
            return wanted.mistyped(&rules::SPECIAL, operand, message);
        }
        Ok(())
    }

    /// The address of a variable as a value.
    fn variable(
        &mut self,
        wanted: Wanted<'_>,
        operand: &Operand,
        variable: &'a Variable,
    ) -> Verdict {
        let Wanted { pattern, ty, .. } = wanted;
        let name = &variable.name;
        if !pattern.variable {
            self.no_register(Some(Symbol::Variable(variable)), ty);
            let message = format!("`{name}` is a variable, not a value");
            return Err(Box::new(
                rules::OPERAND_KIND
                    .at(operand.span, message)
                    .help("move its address to a register first"),
            ));
        }
        lies_in(wanted, operand, variable)?;
        self.has_address(operand, variable)?;
        let integer = matches!(types::kind(ty), types::Kind::Bits | types::Kind::Integer);
        let is_cut = ty.bits() == 32 && variable.space == Space::Global && self.wide_addresses;
        if !integer || is_cut {
            let message = format!("the address of `{name}` has 64 bits; {ty} is wanted");
            return wanted.mistyped(&rules::OPERAND_TYPE, operand, message);
        }
        Ok(())
    }

    /// A predicate, perhaps negated.
    fn predicate(&mut self, wanted: Wanted<'_>, operand: &Operand) -> Verdict {
        match &operand.kind {
            OperandKind::Negated(inner) => match &inner.kind {
                OperandKind::Name(name)
                    if matches!(self.names.find(name), Some(Symbol::Function(_))) =>
                {
                    let message = format!("`{name}` is a function and cannot be negated");
                    refuse(&rules::OPERAND_KIND, inner, message)
                }
                _ => self.predicate(wanted, inner),
            },
            _ => self.value(wanted, operand),
        }
    }

    fn label(&mut self, operand: &Operand) -> Verdict {
        let OperandKind::Name(name) = &operand.kind else { return Ok(()) };
        match self.names.find(name) {
            None | Some(Symbol::Label) => Ok(()),
            symbol => {
                let message = format!("a label must stand here; {}", describe(name, symbol));
                refuse(&rules::LABEL, operand, message)
            }
        }
    }

    /// A table of labels, declared before.
    fn table(&mut self, operand: &Operand) -> Verdict {
        let OperandKind::Name(name) = &operand.kind else { return Ok(()) };
        match self.names.find(name) {
            None | Some(Symbol::Table(StatementKind::BranchTargets(_))) => Ok(()),
            symbol => {
                let what = describe(name, symbol);
                let message = format!("the name of a `.branchtargets` must stand here; {what}");
                refuse(&rules::LABEL, operand, message)
            }
        }
    }
}

/// What the registers of a fragment are to hold, and how closely they must fit, by the type of its elements.
fn fragment(ty: ScalarType) -> (ScalarType, Fit) {
    use ScalarType as T;
    match ty {
        T::F16 => (T::F16x2, Fit::Instruction),
        T::Bf16 => (T::Bf16x2, Fit::Instruction),
        T::Tf32 => (T::Tf32, Fit::Instruction),
        T::F32 | T::S32 | T::U32 => (ty, Fit::Strict),
        _ => (fragment_register(ty), Fit::Instruction),
    }
}

/// Whether a register is neither a vector nor an array.
fn is_plain(variable: &Variable) -> bool {
    variable.vector.is_none() && variable.dims.is_empty()
}

/// Whether a register is a vector with that component.
fn has_component(variable: &Variable, part: &str) -> bool {
    let at = ["x", "y", "z", "w"].iter().position(|name| *name == part);
    let at = at.or_else(|| ["r", "g", "b", "a"].iter().position(|name| *name == part));
    matches!((variable.vector, at), (Some(count), Some(at)) if at < usize::from(count))
}

/// Whether a word chooses bytes or halfwords: `b0`, `h10`, `b3210`.
fn is_selector(part: &str) -> bool {
    let digits = part.strip_prefix('b').or_else(|| part.strip_prefix('h')).unwrap_or("");
    (1..=4).contains(&digits.len()) && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit))
}

/// Whether the assembler takes the name of a function for a value: where the instruction names the type, alone.
/// It crashes on conversions of one, and on values of 128 bits.
fn takes_function(inst: &Matched<'_>, pattern: &OperandPattern) -> bool {
    if pattern.variable {
        return !matches!(pattern.space, AddressSpace::Slot(_));
    }
    let (ty, fit) = inst.wanted(pattern);
    let is_stored = inst.form.pattern.operands.first().is_some_and(|it| it.shape == Shape::Address);
    let is_taken = match fit {
        Fit::Strict => false,
        Fit::Instruction => true,
        Fit::Wider => is_stored,
    };
    is_taken && !pattern.register && ty.bits() <= 64
}

/// A variable lies in the state space whose addresses are wanted.
fn lies_in(wanted: Wanted<'_>, operand: &Operand, variable: &Variable) -> Verdict {
    match wanted.space {
        Some(space) if space != variable.space => {
            let (name, own) = (&variable.name, variable.space.word());
            let message =
                format!("`{name}` is a .{own} variable; an address in .{} is wanted", space.word());
            refuse(&rules::ADDRESS, operand, message)
        }
        Some(_) | None => Ok(()),
    }
}

fn mismatch(wanted: Wanted<'_>, operand: &Operand, name: &Name, declared: ScalarType) -> Verdict {
    let or_wider = if wanted.fit == Fit::Wider { " or wider" } else { "" };
    let message = format!(
        "operand `{}` wants {}{or_wider}; `{name}` is a {declared} register",
        wanted.pattern.name, wanted.ty
    );
    wanted.mistyped(&rules::OPERAND_TYPE, operand, message)
}
