//! Fitting a wanted instruction to the forms that a description has.

use super::registers::Home;
use super::wanted::{Candidate, Wanted};
use crate::register::{File, Named, file_of, named};
use ir::{Pred, Reg, Src};
use isa::{Description, Field, Instruction, Opcode, TypeKind};

/// Where registers live; `None` for one that no register of the machine holds.
pub(super) type Homes<'a> = &'a dyn Fn(Reg) -> Option<Home>;

/// The numbers of some fields.
type Numbers<'d> = Vec<(&'d str, u128)>;

/// The first instruction that does what one of the candidates wants.
pub(super) fn fit<'d>(
    description: &'d Description,
    candidates: &[Candidate],
    guard: Option<Pred>,
    homes: Homes<'_>,
    address: u64,
) -> Option<Instruction<'d>> {
    candidates.iter().find_map(|candidate| {
        let named = |opcode: &&Opcode| {
            opcode.optype.as_deref().unwrap_or(&opcode.name) == candidate.name
                && opcode.mnemonic().is_some()
        };
        description
            .opcodes()
            .iter()
            .filter(named)
            .find_map(|opcode| form(opcode, candidate, guard, homes, address))
    })
}

fn form<'d>(
    opcode: &'d Opcode,
    candidate: &Candidate,
    guard: Option<Pred>,
    homes: Homes<'_>,
    address: u64,
) -> Option<Instruction<'d>> {
    let find = |names: &[&str]| names.iter().find_map(|name| opcode.field(name));
    let mut numbers = Numbers::new();
    for (names, wanted) in &candidate.operands {
        operand(opcode, find(names)?, *wanted, homes, address, &mut numbers)?;
    }
    for (names, value) in &candidate.modifiers {
        let field = find(names)?;
        let TypeKind::Enumeration(values) = &field.ty.kind else { return None };
        numbers.push((&field.name.text, values.by_name(value)?.number?));
    }
    if let Some(guard) = guard {
        let field = &opcode.fields[opcode.guard?];
        predicate(opcode, field, guard, homes, &mut numbers)?;
    }
    opcode.instruction(&numbers).ok()
}

fn operand<'d>(
    opcode: &'d Opcode,
    field: &'d Field,
    wanted: Wanted,
    homes: Homes<'_>,
    address: u64,
    numbers: &mut Numbers<'d>,
) -> Option<()> {
    let number = match wanted {
        Wanted::Truth(pred) => return predicate(opcode, field, pred, homes, numbers),
        Wanted::Value(Src::Imm(value)) => match file_of(field) {
            Some(File::General | File::Uniform) if value == 0 => constant(field)?,
            Some(_) => return None,
            None => {
                let unsigned = field.number_shown(i128::from(value), address);
                // A field of signed numbers takes the upper half of 32 bits as negative ones.
                unsigned.or_else(|| field.number_shown(i128::from(value as i32), address))?
            }
        },
        Wanted::Value(Src::Reg(reg)) | Wanted::Result(Some(reg)) | Wanted::Flag(Some(reg)) => {
            register(field, homes(reg)?)?
        }
        Wanted::Result(None) | Wanted::Flag(None) => constant(field)?,
    };
    numbers.push((&field.name.text, number));
    Some(())
}

/// The number of a register, if the field is of its file.
fn register(field: &Field, home: Home) -> Option<u128> {
    (file_of(field)? == home.file).then_some(home.number.into())
}

/// The number of the register that reads as a constant and drops what is written.
fn constant(field: &Field) -> Option<u128> {
    let highest = (1_u128 << field.width().min(16)) - 1;
    matches!(named(field, highest)?, Named::Constant(_)).then_some(highest)
}

fn predicate<'d>(
    opcode: &'d Opcode,
    field: &'d Field,
    pred: Pred,
    homes: Homes<'_>,
    numbers: &mut Numbers<'d>,
) -> Option<()> {
    let (number, negated) = match pred {
        Pred::Is(reg) => (register(field, homes(reg)?)?, false),
        Pred::Not(reg) => (register(field, homes(reg)?)?, true),
        Pred::Const(value) => (constant(field)?, !value),
    };
    numbers.push((&field.name.text, number));
    if negated {
        let (attribute, set) = opcode.fields.iter().find_map(|other| {
            let own = other.name.attribute().is_some() && other.name.base() == field.name.text;
            let TypeKind::Enumeration(values) = &other.ty.kind else { return None };
            let set = values.values.iter().find(|value| value.spelling == "!")?;
            own.then_some((other, set.number?))
        })?;
        numbers.push((&attribute.name.text, set));
    }
    Some(())
}
