//! The stack of a thread, in its local memory.

use super::{Entry, Form, STACK};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ast::{Constant, OperandKind};
use ir::{Src, UnaryOp};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: STACK[0],
        section: "9.7.17.1 stacksave",
        forms: &[Form::new("stacksave.type d; .type = { .u32, .u64 }", (7, 3), 52, save)],
    },
    Entry {
        name: STACK[1],
        section: "9.7.17.2 stackrestore",
        forms: &[Form::new(
            "stackrestore.type plain reg a; .type = { .u32, .u64 }",
            (7, 3),
            52,
            restore,
        )],
    },
    Entry {
        name: STACK[2],
        section: "9.7.17.3 alloca",
        forms: &[Form::new(
            "alloca.type d, a{, align:u32=}; .type = { .u32, .u64 }",
            (7, 3),
            52,
            allocate,
        )],
    },
];

/// What `alloca` aligns memory to without being told, and at most.
const ALIGN: u64 = 8;
const MAX_ALIGN: u64 = 1 << 23;

/// A value of the instruction's type with 64 bits.
fn wide(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Src> {
    let value = lo.value(inst, "a")?;
    Ok(match inst.ty("type").bits() {
        64 => value,
        _ => lo.b.unary(UnaryOp::ZeroExtend32, value).into(),
    })
}

/// Writes an address in local memory.
fn write(lo: &mut Lowering, inst: &Inst<'_>, address: ir::Reg) -> Result {
    let ty = inst.ty("type");
    let address = match ty.bits() {
        64 => address,
        _ => lo.b.unary(UnaryOp::Low32, address),
    };
    lo.write(inst, "d", address.into(), ty)
}

fn save(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let top = lo.stack_top(inst)?;
    write(lo, inst, top)
}

fn restore(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let top = lo.stack_top(inst)?;
    let value = wide(lo, inst)?;
    lo.b.unary_to(top, UnaryOp::Mov64, value);
    Ok(())
}

fn allocate(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let align = match inst.operand("align") {
        None => ALIGN,
        Some(operand) => match operand.kind {
            OperandKind::Constant(Constant::Int { bits, .. })
                if bits.is_power_of_two() && bits <= MAX_ALIGN =>
            {
                bits
            }
            _ => {
                let message = "an alignment is a power of two of at most 8,388,608";
                return lo.reject(operand, message);
            }
        },
    };
    let size = wide(lo, inst)?;
    let d = lo.allocate(inst, size, align)?;
    write(lo, inst, d)
}
