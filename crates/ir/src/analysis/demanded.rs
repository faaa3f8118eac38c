//! Which lanes of a value anybody needs.

use super::launch::GANG_LANES;
use super::shapes::Shapes;
use crate::{BlockId, Collective, Inst, Interrupt, Kernel, Members, Op, Operand, Src, Terminator};
use lanes::{WARP, shfl};

/// Passes over a kernel after which all lanes are taken to be needed.
const PASSES: usize = 8;

/// Per register, the lanes in which somebody may read its value.
#[derive(Clone, Debug)]
pub struct Demanded {
    lanes: Vec<u64>,
    /// Per block, the lanes of a gang that may come there.
    coming: Vec<u64>,
}

impl Demanded {
    /// Finds them, from what others can notice backwards: through shuffles whose source lanes are constants, and under guards,
    /// choices and branches that are true in no others than some lanes. `None` if it was interrupted.
    pub fn of(kernel: &Kernel, shapes: &Shapes, interrupt: &Interrupt<'_>) -> Option<Demanded> {
        let coming = coming(kernel, shapes, interrupt)?;
        let mut found = Demanded { lanes: vec![0; kernel.registers.len()], coming };
        for _ in 0..PASSES {
            let mut changed = false;
            for (id, block) in kernel.blocks.iter().enumerate().rev() {
                let coming = (found.coming[id], shapes.all_come(BlockId(id as u32)));
                if let Some(reg) = crate::terminator_use(&block.terminator) {
                    changed |= found.add(reg.0, u64::MAX);
                }
                for inst in block.insts.iter().rev() {
                    interrupt.go_on(1)?;
                    changed |= found.inst(inst, coming, shapes);
                }
            }
            if !changed {
                return Some(found);
            }
        }
        found.lanes.fill(u64::MAX);
        Some(found)
    }

    /// The lanes of a gang in which somebody may read a register.
    pub fn lanes(&self, reg: crate::Reg) -> u64 {
        self.lanes.get(reg.0 as usize).copied().unwrap_or(u64::MAX)
    }

    /// The lanes of a gang that come to a block in some gang, and perhaps others.
    pub fn coming(&self, block: usize) -> u64 {
        self.coming.get(block).copied().unwrap_or(u64::MAX)
    }

    fn add(&mut self, reg: u32, lanes: u64) -> bool {
        let known = &mut self.lanes[reg as usize];
        let all = *known | lanes;
        std::mem::replace(known, all) != all
    }

    /// Adds what an instruction reads, to which these lanes come, and whether all of them do together. Says whether that is news.
    fn inst(&mut self, inst: &Inst, (coming, all_come): (u64, bool), shapes: &Shapes) -> bool {
        let mut results = 0;
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                results |= self.lanes[reg.0 as usize];
            }
        });
        let mut changed = false;
        let mut executing = coming;
        if let Some(guard) = inst.guard
            && let Some(reg) = guard.reg()
        {
            changed |= self.add(reg.0, u64::MAX);
            executing &= shapes.possible_lanes(guard);
        }
        if let Op::Collective {
            what: Collective::Shfl { mode, a, b: Src::Imm(b), c: Src::Imm(c), .. },
            members,
            ..
        } = &inst.op
        {
            let sources = shfl::source_lanes(*mode, &[*b as u32; WARP], &[*c as u32; WARP]);
            let wanted = (0..GANG_LANES).filter(|lane| results >> lane & 1 != 0);
            let source =
                |lane: usize| lane / WARP * WARP + sources.lane[lane % WARP] as usize % WARP;
            let from = wanted.fold(0, |all, lane| all | 1u64 << source(lane));
            if let Src::Reg(a) = a {
                // Where lanes come by several ways, others may read it by a shuffle of their own.
                changed |=
                    self.add(a.0, if all_come && inst.guard.is_none() { from } else { u64::MAX });
            }
            // Who waits for whom does not depend on the results.
            if let Members::Mask(Src::Reg(mask)) = members {
                changed |= self.add(mask.0, u64::MAX);
            }
            return changed;
        }
        if let Op::Select { p, a, b, .. } = &inst.op
            && let Some(lanes) = shapes.constant_lanes(*p)
        {
            for (src, lanes) in [(a, lanes), (b, !lanes)] {
                if let Src::Reg(reg) = src {
                    changed |= self.add(reg.0, results & executing & lanes);
                }
            }
            if let Some(reg) = p.reg() {
                changed |= self.add(reg.0, results & executing);
            }
            return changed;
        }
        let needed = if inst.op.is_pure() { results & executing } else { executing };
        // Collectives read lanes that do not execute them.
        let needed = if inst.op.is_collective() { u64::MAX } else { needed };
        inst.op.operands(|operand| {
            if let Operand::Use(reg) = operand {
                changed |= self.add(reg.0, needed);
            }
        });
        changed
    }
}

/// Per block, the lanes of a gang that may come there. `None` if it was interrupted.
fn coming(kernel: &Kernel, shapes: &Shapes, interrupt: &Interrupt<'_>) -> Option<Vec<u64>> {
    let mut found = vec![0; kernel.blocks.len()];
    if let Some(first) = found.first_mut() {
        *first = u64::MAX;
    }
    loop {
        let mut changed = false;
        for (nth, block) in kernel.blocks.iter().enumerate() {
            interrupt.go_on(1)?;
            let here = found[nth];
            let mut go_on = |to: BlockId, lanes: u64| {
                let there = &mut found[to.0 as usize];
                changed |= lanes & !*there != 0;
                *there |= lanes;
            };
            match block.terminator {
                Terminator::Branch { p, then, otherwise } => {
                    go_on(then, here & shapes.possible_lanes(p));
                    go_on(otherwise, here & shapes.possible_lanes(p.negated()));
                }
                Terminator::Jump(to) => go_on(to, here),
                Terminator::Exit | Terminator::Trap => {}
            }
        }
        if !changed {
            return Some(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::LaunchShape;
    use crate::analysis::Liveness;
    use crate::{Access, Address, BinaryOp, Builder, Class, CompareOp, Dim};
    use crate::{Ordering, Space, Special, WarpRules};
    use lanes::ShflMode;

    #[test]
    fn a_sum_that_one_lane_stores_needs_fewer_lanes_at_each_step() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [tid, sum] = [0; 2].map(|_| b.reg(Class::W32));
        let first = b.reg(Class::Pred);
        b.push(Op::Special { d: tid, what: Special::Tid(Dim::X) });
        b.push(Op::Compare { op: CompareOp::EqI32, d: first, a: tid.into(), b: Src::Imm(0) });
        b.binary_to(sum, BinaryOp::AddI32, tid, Src::Imm(5));
        let mut sums = vec![sum];
        for step in [16, 8, 4] {
            let (other, next) = (b.reg(Class::W32), b.reg(Class::W32));
            let (last, offset) = (sums[sums.len() - 1], Src::Imm(step));
            let what = Collective::Shfl {
                mode: ShflMode::Down,
                d: other,
                p: None,
                a: last.into(),
                b: offset,
                c: Src::Imm(31),
            };
            let members = Members::Mask(Src::Imm(u64::from(u32::MAX)));
            b.push(Op::Collective { what, members, aligned: false });
            b.binary_to(next, BinaryOp::AddI32, last, other);
            sums.push(next);
        }
        let store = Op::Store {
            values: vec![sums[3].into()],
            space: Space::Shared,
            access: Access::B32,
            address: Address { base: Src::Imm(0), offset: 0 },
            ordering: Ordering::Weak,
        };
        let mut kernel = b.finish();
        let inst = Inst { guard: Some(first.into()), op: store, place: crate::Place(0) };
        kernel.blocks[0].insts.push(inst);
        let live = Liveness::of(&kernel).expect("small");
        let launch = LaunchShape { block: [32, 1, 1], gang: 1, vector: 16 };
        let never = Interrupt::never();
        let shapes = Shapes::of(&kernel, &[], &live, &launch, &never).expect("not interrupted");
        let found = Demanded::of(&kernel, &shapes, &never).expect("not interrupted");
        let lanes: Vec<u64> = sums.iter().map(|reg| found.lanes(*reg)).collect();
        // A gang of one warp is told twice.
        let twice = [0x1111_1111, 0x1111, 0x11, 1].map(|lanes: u64| lanes << 32 | lanes);
        assert_eq!(lanes, twice);
    }

    #[test]
    fn every_lane_of_a_membermask_is_needed_though_nobody_needs_the_result() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [mask, result] = [0; 2].map(|_| b.reg(Class::W32));
        b.push(Op::Special { d: mask, what: Special::Tid(Dim::X) });
        let what = Collective::Shfl {
            mode: ShflMode::Idx,
            d: result,
            p: None,
            a: Src::Imm(0),
            b: Src::Imm(0),
            c: Src::Imm(31),
        };
        b.push(Op::Collective { what, members: Members::Mask(mask.into()), aligned: false });
        let kernel = b.finish();
        let live = Liveness::of(&kernel).expect("small");
        let launch = LaunchShape { block: [32, 1, 1], gang: 1, vector: 16 };
        let never = Interrupt::never();
        let shapes = Shapes::of(&kernel, &[], &live, &launch, &never).expect("not interrupted");
        let found = Demanded::of(&kernel, &shapes, &never).expect("not interrupted");
        assert_eq!(found.lanes(mask), u64::MAX);
    }
}
