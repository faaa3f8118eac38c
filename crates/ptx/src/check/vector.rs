//! Vectors as operands.

use super::Checker;
use super::names::Symbol;
use super::wanted::{Verdict, Wanted, refuse};
use crate::rules;
use crate::syntax::ScalarType;
use crate::syntax::ast::{Constant, Operand, OperandKind};
use crate::types::{self, Fit, Kind, kind};
use diag::Diagnostic;

/// How many elements a vector has, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    /// So many values of the type.
    Each(usize),
    /// As many as make up the type.
    Packed,
    /// So many registers that hold a lane's share of a matrix.
    Fragment(usize),
}

/// What an element is, to the vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// A register of that type; special registers are untyped.
    Register(ScalarType),
    /// A constant, which takes the width of the registers beside it; the type of a float.
    Constant(Option<ScalarType>),
}

impl Element {
    fn kind(self) -> Kind {
        match self {
            Element::Register(ty) => kind(ty),
            Element::Constant(Some(_)) => Kind::Float,
            Element::Constant(None) => Kind::Integer,
        }
    }
}

/// What the elements of a vector have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Common {
    /// There are no registers.
    Constants,
    /// Everything is of that type.
    Type(ScalarType),
    /// The types differ, and the assembler takes the vector for one of untyped bits.
    Bits(ScalarType),
}

impl Checker<'_> {
    /// A vector of elements of the wanted type.
    pub(super) fn vector(
        &mut self,
        wanted: Wanted<'_>,
        vector: &Operand,
        elements: &[Operand],
        how: Elements,
        is_result: bool,
    ) -> Verdict {
        // The assembler reads special registers as elements.
        let mut wanted = Wanted { element: true, ..wanted };
        let found = elements.len();
        match how {
            Elements::Packed => {
                let Some(ty) = element_type(wanted.ty, found) else {
                    let message = format!("{found} elements do not make up {}", wanted.ty);
                    return refuse(&rules::VECTOR, vector, message);
                };
                (wanted.ty, wanted.fit) = (ty, Fit::Instruction);
            }
            Elements::Each(count) | Elements::Fragment(count) if count == found => {}
            Elements::Each(1) => {
                let message = "a vector of several elements needs `.v2` or `.v4`";
                return refuse(&rules::VECTOR, vector, message);
            }
            Elements::Each(count) | Elements::Fragment(count) => {
                let message = format!("this vector has {found} elements; {count} are wanted");
                return refuse(&rules::VECTOR, vector, message);
            }
        }
        if elements.iter().all(|element| matches!(element.kind, OperandKind::Sink)) {
            return refuse(&rules::SINK, vector, "one element at least must be received");
        }
        let common = self.common(elements);
        let instead = common.as_ref().ok().and_then(|common| taken_for(*common, wanted));
        let has_registers = common.as_ref().is_ok_and(|common| *common != Common::Constants);
        for element in elements {
            let is_float =
                matches!(element.kind, OperandKind::Constant(Constant::F32(_) | Constant::F64(_)));
            match element.kind {
                OperandKind::Sink if is_result && !wanted.pattern.plain => {}
                OperandKind::Sink => return refuse(&rules::SINK, element, "`_` holds no value"),
                _ if is_result => self.result(or_instead(wanted, instead), element)?,
                // Beside registers, only the bits of a float count.
                _ if is_float && has_registers => {}
                OperandKind::Constant(_) if !matches!(how, Elements::Fragment(_)) => {
                    self.value(wanted, element)?;
                }
                OperandKind::NamePlus(..) => {
                    return refuse(&rules::OPERAND_KIND, element, "an element is no sum");
                }
                OperandKind::Element(..) => {
                    let message = "the address of an array's element is no element of a vector";
                    return refuse(&rules::OPERAND_KIND, element, message);
                }
                _ => self.value(or_instead(wanted, instead), element)?,
            }
        }
        common?;
        if instead.is_some_and(|ty| !types::agrees(ty, wanted.ty, wanted.fit)) {
            let message = format!("the manual wants registers of type {} here", wanted.ty);
            self.report(rules::LOOSE_VECTOR.at(vector.span, message));
        }
        Ok(())
    }

    /// What the elements have in common. Only neighbors are compared, as the assembler does.
    fn common(&self, elements: &[Operand]) -> Result<Common, Box<Diagnostic>> {
        let mut before = Kind::Bits;
        let mut registers: Option<ScalarType> = None;
        let mut is_uniform = true;
        let differs = |message: &str, element: &Operand| {
            let error = rules::VECTOR.at(element.span, message);
            Err(Box::new(match elements.first() {
                Some(first) => error.label(first.span, "the first"),
                None => error,
            }))
        };
        for operand in elements {
            let Some(element) = self.element_of(operand) else { continue };
            let have = element.kind();
            if have != before && have != Kind::Bits && before != Kind::Bits {
                let message = "the elements of a vector are all integers or all floats";
                return differs(message, operand);
            }
            before = have;
            if let (Element::Register(ty), Some(other)) = (element, registers)
                && ty.bits() != other.bits()
            {
                let message = "the elements of a vector have one width";
                return differs(message, operand);
            }
            if let Element::Register(ty) = element {
                is_uniform &= registers.is_none_or(|other| other == ty);
                registers = Some(ty);
            }
        }
        let Some(ty) = registers else { return Ok(Common::Constants) };
        let is_of_type = |operand| match self.element_of(operand) {
            Some(Element::Constant(constant)) => constant == Some(ty),
            Some(Element::Register(_)) | None => true,
        };
        Ok(match is_uniform && elements.iter().all(is_of_type) {
            true => Common::Type(ty),
            false => Common::Bits(untyped(ty)),
        })
    }

    /// What an element is; `None` for `_` and for what is not known.
    fn element_of(&self, element: &Operand) -> Option<Element> {
        match &element.kind {
            OperandKind::Name(name) | OperandKind::Component(name, _) => {
                match self.names.find(name)? {
                    Symbol::Register(variable) => Some(Element::Register(variable.ty)),
                    Symbol::Special(register) => Some(Element::Register(untyped(register.ty))),
                    _ => None,
                }
            }
            OperandKind::Constant(constant) => Some(Element::Constant(match constant {
                Constant::Int { .. } => None,
                Constant::F32(_) => Some(ScalarType::F32),
                Constant::F64(_) => Some(ScalarType::F64),
            })),
            _ => None,
        }
    }
}

/// The type that the assembler takes a vector's elements for, where it is not the one that is wanted.
fn taken_for(common: Common, wanted: Wanted<'_>) -> Option<ScalarType> {
    match common {
        Common::Bits(ty) => types::agrees(ty, wanted.ty, wanted.fit).then_some(ty),
        // Integers of the same width pass for floats.
        Common::Type(ty) => {
            let is_taken = kind(wanted.ty) == Kind::Float
                && kind(ty) == Kind::Integer
                && ty.bits() == wanted.ty.bits()
                && wanted.fit != Fit::Strict;
            is_taken.then_some(ty)
        }
        Common::Constants => None,
    }
}

/// What is wanted, or another type in its place.
fn or_instead(wanted: Wanted<'_>, instead: Option<ScalarType>) -> Wanted<'_> {
    match instead {
        Some(ty) => Wanted { ty, fit: Fit::Instruction, ..wanted },
        None => wanted,
    }
}

/// Untyped bits of the same width.
pub(super) fn untyped(ty: ScalarType) -> ScalarType {
    match ty.bits() {
        8 => ScalarType::B8,
        16 => ScalarType::B16,
        32 => ScalarType::B32,
        64 => ScalarType::B64,
        128 => ScalarType::B128,
        _ => ty,
    }
}

/// The type of each of `count` elements that make up a type.
fn element_type(whole: ScalarType, count: usize) -> Option<ScalarType> {
    Some(match (whole.bits(), count) {
        (16, 2) | (32, 4) => ScalarType::B8,
        (32, 2) | (64, 4) => ScalarType::B16,
        (64, 2) | (128, 4) => ScalarType::B32,
        (128, 2) => ScalarType::B64,
        _ => return None,
    })
    .filter(|_| kind(whole) == Kind::Bits)
}
