//! Takes out of a kernel what is the same in every CTA of a launch: its prologue, computed before the first.
//!
//! The launch's values are such (parameters, extents of the grid, addresses of variables), most address arithmetic on
//! `%tid`, and most comparisons with it. The rows of these registers are written once and belong to them alone. So a plan
//! and its code know no values of a launch.

use ir::analysis::{Extents, definitions};
use ir::{Inst, Interrupt, Kernel, Op, Operand, Space, Src};

/// Whether an operation loads a scalar from a place of the parameter space that is there for certain.
pub(super) fn is_certain_param(op: &Op, param_bytes: u32) -> bool {
    let Op::Load { d, space: Space::Param, access, address, .. } = op else { return false };
    let (Src::Imm(base), 1) = (address.base, d.len()) else { return false };
    let (offset, bytes) = (base.checked_add_signed(address.offset), u64::from(access.bytes()));
    offset.is_some_and(|offset| {
        offset.is_multiple_of(bytes) && offset.saturating_add(bytes) <= u64::from(param_bytes)
    })
}

/// Removes the instructions whose results are the same in every CTA of a launch, and adds them in order to `hoisted`: the prologue.
///
/// Their registers have one definition, nobody reads them before it, and no shuffle reads them in lanes that
/// are not there, so nobody can tell that lanes that never reach the definition have the value too. Returns for each instruction, in
/// the order of blocks, whether it was removed; `None` if it was interrupted.
pub(super) fn hoist(
    kernel: &mut Kernel,
    extents: &Extents,
    hoisted: &mut Vec<Inst>,
    interrupt: &Interrupt<'_>,
) -> Option<Vec<bool>> {
    let param_bytes = kernel.param_bytes;
    let insts = || kernel.blocks.iter().flat_map(|block| &block.insts);
    let defs = definitions(kernel.registers.len(), insts(), interrupt)?;
    let mut fixed = vec![false; kernel.registers.len()];
    for reg in &extents.at_entry {
        fixed[reg.0 as usize] = true;
    }
    for inst in insts() {
        if let Some(Src::Reg(offered)) = inst.op.offered() {
            fixed[offered.0 as usize] = true;
        }
    }
    let mut invariant = vec![false; kernel.registers.len()];
    let mut removed = Vec::new();
    // In reconvergence order a definition comes before what it dominates.
    for block in &mut kernel.blocks {
        block.insts.retain(|inst| {
            if interrupt.stops(1) {
                return true;
            }
            let candidate = match inst.op.special() {
                Some(what) => what.is_launch_invariant(),
                None => inst.op.is_pure() || is_certain_param(&inst.op, param_bytes),
            };
            let mut moves = candidate && inst.guard.is_none();
            inst.op.operands(|operand| {
                moves &= match operand {
                    Operand::Use(reg) => invariant[reg.0 as usize],
                    Operand::Def(reg) => defs[reg.0 as usize] == 1 && !fixed[reg.0 as usize],
                };
            });
            if moves {
                inst.op.operands(|operand| {
                    if let Operand::Def(reg) = operand {
                        invariant[reg.0 as usize] = true;
                    }
                });
                hoisted.push(inst.clone());
            }
            removed.push(moves);
            !moves
        });
    }
    (!interrupt.heard()).then_some(removed)
}
