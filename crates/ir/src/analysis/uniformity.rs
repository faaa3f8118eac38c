//! Which registers hold one value for all threads of a launch or a CTA, whenever anybody looks.

use super::definitions::definitions;
use crate::{Inst, Interrupt, Kernel, Operand, Space};

/// In how many threads a register holds the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uniform {
    /// In all of a launch.
    Launch,
    /// In all of a CTA.
    Cta,
    /// In no more than those of a warp; [`crate::analysis::Shapes`] says where.
    Less,
}

/// Per register, in how many threads it holds the same value at all times after it was written.
#[derive(Clone, Debug)]
pub struct Uniformity {
    levels: Vec<Uniform>,
}

impl Uniformity {
    /// Finds the registers that one unguarded operation writes, from operands alone of which the same is true. `prologue` is what
    /// runs before the kernel, with the same registers. `None` if it was interrupted.
    pub fn of(kernel: &Kernel, prologue: &[Inst], interrupt: &Interrupt<'_>) -> Option<Uniformity> {
        let mut levels = vec![Uniform::Less; kernel.registers.len()];
        let insts = || prologue.iter().chain(kernel.blocks.iter().flat_map(|block| &block.insts));
        let definitions = definitions(kernel.registers.len(), insts(), interrupt)?;
        // In reconvergence order definitions mostly precede uses; a second pass catches the rest.
        for _ in 0..2 {
            for inst in insts() {
                interrupt.go_on(1)?;
                let mut level = match inst.op.special() {
                    Some(what) if what.is_launch_invariant() && what.is_cta_invariant() => {
                        Uniform::Launch
                    }
                    Some(what) if what.is_cta_invariant() => Uniform::Cta,
                    Some(_) => Uniform::Less,
                    None if inst.op.is_pure() || inst.op.loads_from(Space::Param) => {
                        Uniform::Launch
                    }
                    None => Uniform::Less,
                };
                if inst.guard.is_some() || level == Uniform::Less {
                    continue;
                }
                inst.op.operands(|operand| {
                    level = level.max(match operand {
                        Operand::Use(reg) => levels[reg.0 as usize],
                        Operand::Def(reg) if definitions[reg.0 as usize] == 1 => Uniform::Launch,
                        Operand::Def(_) => Uniform::Less,
                    });
                });
                if level < Uniform::Less {
                    inst.op.operands(|operand| {
                        if let Operand::Def(reg) = operand {
                            levels[reg.0 as usize] = level;
                        }
                    });
                }
            }
        }
        Some(Uniformity { levels })
    }

    /// In how many threads a register holds the same value.
    pub fn level(&self, reg: crate::Reg) -> Uniform {
        self.levels.get(reg.0 as usize).copied().unwrap_or(Uniform::Less)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, Builder, Class, Dim, Special, Src, WarpRules};

    #[test]
    fn what_one_operation_computes_from_uniform_operands_is_uniform() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [grid, cta, tid, sum, twice, lane] = [0; 6].map(|_| b.reg(Class::W32));
        b.push(crate::Op::Special { d: grid, what: Special::Nctaid(Dim::X) });
        b.push(crate::Op::Special { d: cta, what: Special::Ctaid(Dim::X) });
        b.push(crate::Op::Special { d: tid, what: Special::Tid(Dim::X) });
        b.binary_to(sum, BinaryOp::AddI32, grid, Src::Imm(1));
        b.binary_to(twice, BinaryOp::AddI32, cta, Src::Imm(1));
        b.binary_to(twice, BinaryOp::AddI32, cta, Src::Imm(2));
        b.binary_to(lane, BinaryOp::AddI32, cta, tid);
        let kernel = b.finish();
        let found = Uniformity::of(&kernel, &[], &Interrupt::never()).expect("not interrupted");
        let levels = [grid, cta, tid, sum, twice, lane].map(|reg| found.level(reg));
        use Uniform::{Cta, Launch, Less};
        assert_eq!(levels, [Launch, Cta, Less, Launch, Less, Less]);
    }
}
