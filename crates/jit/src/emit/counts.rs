//! Counting, besides what one instruction does.

use super::later::Later;
use super::{Cold, Emitter, context};
use crate::context as at;
use crate::registers::SCRATCH;
use crate::x86::operands::Part;
use crate::x86::{self, Operand as X};
use iced_x86::{Code, ConditionCode, Register};

impl Emitter {
    /// Counts instructions that lanes have executed.
    pub(super) fn count_lanes(
        &mut self,
        lanes: Register,
        room: Register,
        count: u32,
    ) -> Result<(), String> {
        let [low, scratch] = [lanes, SCRATCH].map(|all| X::R(x86::sized(all, Part::Double)));
        let (lanes, room, count) = (X::R(lanes), X::R(room), X::I32(count as i32));
        self.op(Code::Popcnt_r64_rm64, &[room, lanes])?;
        self.op(Code::Imul_r64_rm64_imm32, &[room, room, count])?;
        self.op(Code::Add_rm64_r64, &[context(at::MASKED_LANES), room])?;
        if self.gang == 1 {
            return self.op(Code::Add_rm64_imm32, &[context(at::MASKED_INSTRUCTIONS), count]);
        }
        // A warp of which nobody executes them has not: as a number, that is less than one.
        self.op(Code::Mov_rm64_imm32, &[room, X::I32(2)])?;
        self.op(Code::Cmp_rm32_imm8, &[low, X::I8(1)])?;
        self.op(Code::Sbb_rm64_imm8, &[room, X::I8(0)])?;
        self.op(Code::Mov_r64_rm64, &[X::R(SCRATCH), lanes])?;
        self.op(Code::Shr_rm64_imm8, &[X::R(SCRATCH), X::I8(32)])?;
        self.op(Code::Cmp_rm32_imm8, &[scratch, X::I8(1)])?;
        self.op(Code::Sbb_rm64_imm8, &[room, X::I8(0)])?;
        self.op(Code::Imul_r64_rm64_imm32, &[room, room, count])?;
        self.op(Code::Add_rm64_r64, &[context(at::MASKED_INSTRUCTIONS), room])
    }

    /// Counts warps of which there are lanes in both sets.
    pub(super) fn count_divergences(
        &mut self,
        one: Register,
        other: Register,
    ) -> Result<(), String> {
        // Mostly all go the same way.
        self.op(Code::Test_rm64_r64, &[X::R(one), X::R(one)])?;
        let jump = self.jump_to(ConditionCode::ne);
        let later = Later::Divergences { sets: [one, other], behind: self.end };
        let cold = self.cold_code(Cold::Later(later));
        self.redirect(jump, cold);
        Ok(())
    }

    /// The same where there are lanes in the first.
    pub(super) fn count_warps_in_both(&mut self, sets: [Register; 2]) -> Result<(), String> {
        for warp in 0..self.gang {
            let mut none = Vec::new();
            for set in sets {
                let scratch = X::R(SCRATCH);
                self.op(Code::Mov_r64_rm64, &[scratch, X::R(set)])?;
                let code = if warp == 0 { Code::Shl_rm64_imm8 } else { Code::Shr_rm64_imm8 };
                self.op(code, &[scratch, X::I8(32)])?;
                none.push(self.jump_on(ConditionCode::e));
            }
            self.op(Code::Add_rm64_imm8, &[context(at::DIVERGENCES), X::I8(1)])?;
            none.into_iter().for_each(|jump| self.land(jump));
        }
        Ok(())
    }
}
