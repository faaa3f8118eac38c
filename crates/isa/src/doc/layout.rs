//! The 128 bits of an opcode as segments, highest bit first.

use crate::bits::WORD_BITS;
use crate::model::{Opcode, Role};
use crate::types::TypeKind;

/// What a run of bits is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Tells opcodes apart.
    Fixed,
    /// Holds an operand or an attribute of one.
    Operand,
    /// Holds a modifier.
    Modifier,
    /// A control field.
    Control,
    /// Must be 0.
    Reserved,
    /// May be anything.
    Ignored,
}

impl Kind {
    pub(super) const ALL: [Kind; 6] =
        [Kind::Fixed, Kind::Operand, Kind::Modifier, Kind::Control, Kind::Reserved, Kind::Ignored];

    /// The word for it in legends; also a CSS class.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Fixed => "fixed",
            Kind::Operand => "operand",
            Kind::Modifier => "modifier",
            Kind::Control => "control",
            Kind::Reserved => "reserved",
            Kind::Ignored => "ignored",
        }
    }
}

/// A run of bits of one row with one meaning.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub high: u32,
    pub low: u32,
    pub kind: Kind,
    /// The field's name; empty for bits that no field claims.
    pub name: String,
    /// The constant of a fixed field.
    pub value: Option<String>,
}

impl Segment {
    pub(super) fn width(&self) -> u32 {
        self.high - self.low + 1
    }
}

/// Bits in a row of the diagram.
pub(super) const ROW: u32 = 32;

/// The rows of the diagram, bits 127-96 first.
pub(super) fn rows(opcode: &Opcode) -> Vec<Vec<Segment>> {
    (0..WORD_BITS / ROW).rev().map(|row| segments(opcode, row * ROW, row * ROW + ROW - 1)).collect()
}

fn segments(opcode: &Opcode, low: u32, high: u32) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut bit = high;
    loop {
        let owner = owner(opcode, bit);
        match segments.last_mut() {
            Some(last) if last.kind == owner.0 && last.name == owner.1 => last.low = bit,
            _ => {
                let (kind, name, value) = owner;
                segments.push(Segment { high: bit, low: bit, kind, name, value });
            }
        }
        if bit == low {
            return segments;
        }
        bit -= 1;
    }
}

fn owner(opcode: &Opcode, bit: u32) -> (Kind, String, Option<String>) {
    let field = opcode.fields.iter().find(|field| field.mask() >> bit & 1 == 1);
    let Some(field) = field else {
        let ignored = opcode.ignored.mask >> bit & 1 == 1;
        let kind = if ignored { Kind::Ignored } else { Kind::Reserved };
        return (kind, String::new(), None);
    };
    let value = match &field.role {
        Role::Fixed(number) => Some(match field.ty.name_of(*number, field.width()) {
            Some(name) => format!("{name} = {number:#x}"),
            None => format!("{number:#x}"),
        }),
        Role::FixedOpen(name) => Some(name.clone()),
        Role::Default(_) | Role::Free => None,
    };
    let kind = if value.is_some() {
        Kind::Fixed
    } else if field.name.is_control() {
        Kind::Control
    } else if field.name.attribute().is_some() || is_operand(opcode, &field.name.text) {
        Kind::Operand
    } else {
        match field.ty.kind {
            TypeKind::Enumeration(_) => Kind::Modifier,
            TypeKind::Register(_) | TypeKind::Immediate(_) => Kind::Operand,
        }
    };
    (kind, field.name.text.clone(), value)
}

fn is_operand(opcode: &Opcode, name: &str) -> bool {
    opcode.order.iter().any(|index| opcode.fields[*index].name.text == name)
}
