//! What code counts: instructions of the front end, lanes that execute them, branches at which lanes part, and what is left of a turn.

use super::Lower;
use super::mask::Masked;
use crate::mir::{Base, Mem, O};
use iced_x86::Code;
use lanes::WARP;
use regalloc2::VReg;

impl Lower<'_> {
    /// Takes so much from the turn. Flags tell afterwards whether something is left.
    pub(super) fn spend(&mut self, cost: i32) {
        let left = O::M(Mem::new(Base::Context, crate::context::FUEL));
        match u8::try_from(cost).ok().filter(|cost| *cost < 1 << 7) {
            Some(cost) => self.func.x(Code::Sub_rm64_imm8, &[left, O::I8(cost)]),
            None => self.func.x(Code::Sub_rm64_imm32, &[left, O::I32(cost)]),
        }
    }

    /// Counts the instructions of a block.
    pub(super) fn count_block(&mut self, block: usize) {
        if let Some(Masked { lanes, known, .. }) = self.masked {
            return self.count_masked(self.input.instructions[block], lanes, known);
        }
        let count = self.input.instructions[block] * self.gang.warps as u32;
        let at = Mem::new(Base::Context, crate::context::INSTRUCTIONS);
        self.func.x(Code::Add_rm64_imm32, &[O::M(at), O::I32(count as i32)]);
    }

    /// Counts so many instructions of the front end, which these lanes have executed.
    pub(super) fn count_masked(&mut self, count: u32, lanes: VReg, known: Option<u64>) {
        if let Some(known) = known {
            let warps = self.warps_with(|warp| known >> (warp * WARP) & u64::from(u32::MAX) != 0);
            let counted = [
                (crate::context::MASKED_LANES, count * known.count_ones()),
                (crate::context::MASKED_INSTRUCTIONS, count * warps),
            ];
            for (sum, count) in counted {
                let sum = O::M(Mem::new(Base::Context, sum));
                self.func.x(Code::Add_rm64_imm32, &[sum, O::I32(count as i32)]);
            }
            return;
        }
        self.func.count_lanes(lanes, count);
    }

    /// Counts the warps of which only some lanes are in a set.
    pub(super) fn count_known_divergences(&mut self, lanes: u64) {
        let warps = self.warps_with(|warp| {
            let own = (lanes >> (warp * WARP)) as u32;
            own != 0 && own != u32::MAX
        });
        let sum = O::M(Mem::new(Base::Context, crate::context::DIVERGENCES));
        self.func.x(Code::Add_rm64_imm32, &[sum, O::I32(warps as i32)]);
    }

    fn warps_with(&self, is: impl Fn(usize) -> bool) -> u32 {
        (0..self.gang.warps).filter(|warp| is(*warp)).count() as u32
    }
}
