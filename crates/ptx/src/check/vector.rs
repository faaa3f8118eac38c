//! Vectors as operands.

use super::Checker;
use super::names::Symbol;
use super::operand::{Verdict, Wanted, refuse};
use crate::rules;
use crate::syntax::ScalarType;
use crate::syntax::ast::{Constant, Operand, OperandKind};
use crate::types::{Fit, Kind, kind};

impl Checker<'_> {
    /// A vector of `count` elements, each of the wanted type; with `packed`, of as many as make up the type.
    pub(super) fn vector(
        &mut self,
        wanted: Wanted<'_>,
        vector: &Operand,
        elements: &[Operand],
        count: Option<usize>,
        packed: bool,
        is_result: bool,
    ) -> Verdict {
        // The assembler reads special registers as elements.
        let mut wanted = Wanted { special: true, ..wanted };
        let found = elements.len();
        if packed {
            match element_type(wanted.ty, found) {
                Some(ty) => wanted.ty = ty,
                None => {
                    let message = format!("{found} elements do not make up {}", wanted.ty);
                    return refuse(&rules::VECTOR, vector, message);
                }
            }
            wanted.fit = Fit::Instruction;
        } else if found != count.unwrap_or(1) {
            let message = match count {
                Some(count) => format!("this vector has {found} elements; {count} are wanted"),
                None => "a vector of several elements needs `.v2` or `.v4`".to_owned(),
            };
            return refuse(&rules::VECTOR, vector, message);
        }
        let mut first: Option<(Kind, u32)> = None;
        let differs = |message: &str, element: &Operand| {
            let error = rules::VECTOR.at(element.span, message);
            Err(Box::new(match elements.first() {
                Some(first) => error.label(first.span, "the first"),
                None => error,
            }))
        };
        for element in elements {
            if matches!(element.kind, OperandKind::Sink) {
                match is_result {
                    true => continue,
                    false => return refuse(&rules::SINK, element, "`_` holds no value"),
                }
            }
            match is_result {
                true => self.result(wanted, element)?,
                false => self.value(wanted, element)?,
            }
            let Some((kind, bits)) = self.element_kind(element) else { continue };
            match first {
                None => first = Some((kind, bits)),
                Some((other, _)) if mixes(other, kind) => {
                    let message = "the elements of a vector are all integers or all floats";
                    return differs(message, element);
                }
                Some((_, other)) if other != bits && bits != 0 && other != 0 => {
                    let message = "the elements of a vector have one width";
                    return differs(message, element);
                }
                Some((Kind::Bits, width)) => first = Some((kind, width.max(bits))),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// What an element is, and its width; 0 for constants.
    fn element_kind(&self, element: &Operand) -> Option<(Kind, u32)> {
        match &element.kind {
            OperandKind::Name(name) => match self.names.find(name)? {
                Symbol::Register(variable) => Some((kind(variable.ty), variable.ty.bits())),
                _ => None,
            },
            OperandKind::Constant(Constant::Int { .. }) => Some((Kind::Integer, 0)),
            OperandKind::Constant(_) => Some((Kind::Float, 0)),
            _ => None,
        }
    }
}

/// Whether elements of the kinds cannot stand in one vector.
fn mixes(a: Kind, b: Kind) -> bool {
    (a == Kind::Float) != (b == Kind::Float) && a != Kind::Bits && b != Kind::Bits
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
