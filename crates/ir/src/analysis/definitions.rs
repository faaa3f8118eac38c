//! How many instructions write a register.

use crate::{Inst, Interrupt, Operand};

/// Per register of so many, how many of these instructions write it. `None` if it was interrupted.
pub fn definitions<'i>(
    registers: usize,
    insts: impl Iterator<Item = &'i Inst>,
    interrupt: &Interrupt<'_>,
) -> Option<Vec<u32>> {
    let mut definitions = vec![0u32; registers];
    for inst in insts {
        interrupt.go_on(1)?;
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                definitions[reg.0 as usize] += 1;
            }
        });
    }
    Some(definitions)
}
