//! Values that have their home rows as soon as they are computed, so that no piece of the code hands them on.

use super::apart::Parts;
use super::nodes::{End, Nodes};
use crate::Input;
use ir::analysis::{Shape, Shapes};
use ir::{Class, Operand, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// Per register, whether it is such a value: what is needed behind barriers, where it is read from its home row anyway, is computed
/// once, by all lanes, and takes little room there.
pub(super) fn homed(
    input: &Input<'_>,
    shapes: &Shapes,
    nodes: &Nodes,
    parts: &Parts,
    invariant: &[bool],
) -> Vec<bool> {
    let kernel = input.kernel;
    let mut found = vec![false; kernel.registers.len()];
    let behind =
        nodes.all.windows(2).filter(|pair| matches!(pair[0].end, End::Barrier | End::Meet));
    for reg in behind.flat_map(|pair| &pair[1].live) {
        let shaped = matches!(shapes.shape(*reg), Shape::Affine(_) | Shape::Sliced(..));
        found[reg.0 as usize] = shaped && kernel.class(*reg) != Class::Pred;
    }
    let parted: BTreeSet<usize> =
        parts.all.iter().flat_map(|part| part.blocks.iter().copied()).collect();
    let mut definitions = vec![0u32; found.len()];
    let mut mentioned = BTreeSet::new();
    for (id, block) in kernel.blocks.iter().enumerate() {
        let is_parted = parted.contains(&id);
        for inst in &block.insts {
            inst.op.operands(|operand| {
                let (Operand::Def(reg) | Operand::Use(reg)) = operand;
                if is_parted {
                    mentioned.insert(reg);
                }
                if let Operand::Def(reg) = operand {
                    definitions[reg.0 as usize] += 1;
                    found[reg.0 as usize] &= !is_parted && inst.guard.is_none();
                }
            });
        }
    }
    // Lanes that are apart may need different registers in one row.
    let row = |reg: Reg| input.homes.get(reg.0 as usize).copied().flatten().map(|home| home.offset);
    let mut in_row: BTreeMap<Option<u32>, Vec<Reg>> = BTreeMap::new();
    mentioned.iter().for_each(|reg| in_row.entry(row(*reg)).or_default().push(*reg));
    for (nth, found) in found.iter_mut().enumerate() {
        let reg = Reg(nth as u32);
        let shared = in_row.get(&row(reg)).is_some_and(|all| all.iter().any(|other| *other != reg));
        *found &= definitions[nth] == 1 && !invariant[nth] && row(reg).is_some() && !shared;
    }
    found
}
