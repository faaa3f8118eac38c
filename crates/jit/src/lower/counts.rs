//! What code counts: instructions of the front end, lanes that execute them, and branches at which lanes part.

use super::Lower;
use super::value::INT;
use crate::mir::{Base, Kind, Mem, O};
use iced_x86::{Code, ConditionCode};
use lanes::WARP;
use regalloc2::VReg;

impl Lower<'_> {
    /// Counts the instructions of a block.
    pub(super) fn count_block(&mut self, block: usize) {
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
        let active = self.func.value(INT);
        self.func.x(Code::Popcnt_r64_rm64, &[O::D(active), O::U(lanes)]);
        let times = Code::Imul_r32_rm32_imm32;
        let counted = self.func.value(INT);
        self.func.x(times, &[O::D(counted), O::U(active), O::I32(count as i32)]);
        let sum = Mem::new(Base::Context, crate::context::MASKED_LANES);
        self.func.x(Code::Add_rm64_r64, &[O::M(sum), O::U(counted)]);
        let sum = Mem::new(Base::Context, crate::context::MASKED_INSTRUCTIONS);
        let all = count * self.gang.warps as u32;
        self.func.x(Code::Add_rm64_imm32, &[O::M(sum), O::I32(all as i32)]);
        if self.gang.warps > 1 {
            for lanes in self.of_warps(lanes) {
                // Nobody of the warp executes it.
                self.seldom(lanes, Code::Test_rm32_r32, ConditionCode::e, |this| {
                    this.func.x(Code::Sub_rm64_imm32, &[O::M(sum), O::I32(count as i32)]);
                });
            }
        }
    }

    /// Counts the warps of which there are lanes in both sets.
    pub(super) fn count_divergences(&mut self, one: VReg, other: VReg) {
        let sum = Mem::new(Base::Context, crate::context::DIVERGENCES);
        // Mostly all go the same way.
        self.seldom(one, Code::Test_rm64_r64, ConditionCode::ne, |this| {
            this.seldom(other, Code::Test_rm64_r64, ConditionCode::ne, |this| {
                let (one, other) = (this.of_warps(one), this.of_warps(other));
                for (one, other) in one.into_iter().zip(other) {
                    let (one, other) = (this.is_some(one), this.is_some(other));
                    let both = this.tied(Code::And_r32_rm32, one, O::U(other));
                    this.func.x(Code::Add_rm64_r64, &[O::M(sum), O::U(both)]);
                }
            });
        });
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

    /// Emits what is done if a condition holds of a set of lanes.
    fn seldom(
        &mut self,
        lanes: VReg,
        test: Code,
        condition: ConditionCode,
        what: impl FnOnce(&mut Self),
    ) {
        let [mostly, join] = [0; 2].map(|_| self.func.block());
        let then = self.func.cold_block();
        self.func.x(test, &[O::U(lanes), O::U(lanes)]);
        self.func.end(Kind::Branch(condition), vec![(then, Vec::new()), (mostly, Vec::new())]);
        let state = self.state.clone();
        self.func.begin(then);
        what(self);
        self.func.end(Kind::Jump, vec![(join, Vec::new())]);
        self.state = state;
        self.func.begin(mostly);
        self.func.end(Kind::Jump, vec![(join, Vec::new())]);
        self.func.begin(join);
    }

    /// 1 if there is a lane of a warp, else 0.
    fn is_some(&mut self, lanes: VReg) -> VReg {
        let [byte, flag] = [0; 2].map(|_| self.func.value(INT));
        self.func.x(Code::Test_rm32_r32, &[O::U(lanes), O::U(lanes)]);
        self.func.x(Code::Setne_rm8, &[O::D(byte)]);
        self.func.x(Code::Movzx_r32_rm8, &[O::D(flag), O::U(byte)]);
        flag
    }
}
