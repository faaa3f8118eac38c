//! Lanes that hold the same word.

use super::Emitter;
use crate::context::{ELEMENT_BYTES, ELEMENTS};
use crate::isa::Family;
use crate::registers::{CONTEXT, MASK_SCRATCH as MASK, SCRATCH, vector_scratch};
use crate::x86::operands::Part;
use crate::x86::{self, Memory, Operand as X};
use iced_x86::{Code, ConditionCode, Register};
use lanes::WARP;

/// Bytes of a lane's word, and of its lanes that were found.
const WORD: usize = 4;

impl Emitter {
    /// Compares the words of a warp with each of them, which memory has.
    pub(super) fn match_any(
        &mut self,
        vectors: &[Register],
        warp: u8,
        room: Register,
        other: Register,
    ) -> Result<(), String> {
        let own = usize::from(warp) * WARP * WORD;
        let at = |disp: usize, broadcast: bool| {
            let disp = ELEMENTS as i64 + disp as i64;
            X::M(Memory { base: CONTEXT, index: Some((SCRATCH, 1)), disp, broadcast })
        };
        // Bits of a vector's lanes are whole bytes.
        let bits = |nth: usize| at(ELEMENT_BYTES + own + nth * self.family.lanes() / 8, false);
        let bits: Vec<X> = (0..vectors.len()).map(bits).collect();
        let lane = X::R(x86::sized(SCRATCH, Part::Double));
        self.op(Code::Xor_r32_rm32, &[lane, lane])?;
        let start = self.end;
        let all = X::R(x86::vector(vector_scratch(self.family), self.family));
        if self.family == Family::Avx2 {
            self.op(Code::VEX_Vpbroadcastd_ymm_xmmm32, &[all, at(own, false)])?;
        }
        for (vector, bits) in vectors.iter().zip(bits) {
            match self.family {
                Family::Avx512 => {
                    let code = Code::EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32;
                    self.op(code, &[X::R(MASK), X::R(*vector), at(own, true)])?;
                    self.op(Code::VEX_Kmovw_m16_kr, &[bits, X::R(MASK)])?;
                }
                Family::Avx2 => {
                    let equal = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
                    self.op(equal, &[X::R(other), X::R(*vector), all])?;
                    let word = X::R(x86::sized(room, Part::Double));
                    self.op(Code::VEX_Vmovmskps_r32_ymm, &[word, X::R(other)])?;
                    self.op(Code::Mov_rm8_r8, &[bits, X::R(x86::sized(room, Part::Byte))])?;
                }
            }
        }
        self.op(Code::Add_rm32_imm8, &[lane, X::I8(WORD as u8)])?;
        self.op(Code::Cmp_rm32_imm32, &[lane, X::I32((WARP * WORD) as i32)])?;
        self.jump_back(ConditionCode::ne, start);
        Ok(())
    }
}
