//! Rows of words, one for each lane, as columns in vectors (AVX-512).

use super::{Emitter, after};
use crate::registers::{MASK_SCRATCH as MASK, SCRATCH};
use crate::transpose::{SIDE, Step, transpose};
use crate::x86::operands::Part;
use crate::x86::{self, Operand as X};
use iced_x86::{Code, Register};

/// An instruction that has a mask can be told to leave the rest alone, or to make it zero.
const ROW: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
const TO_ROW: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;

impl Emitter {
    /// Loads rows, so many bytes from one to the next.
    pub(super) fn load_rows(
        &mut self,
        mut names: [Register; SIDE],
        mut free: Register,
        start: Register,
        (step, used): (i32, u16),
    ) -> Result<(), String> {
        self.only_used(used)?;
        for (row, nth) in names.into_iter().zip(0..) {
            let from = after(start, nth * i64::from(step));
            self.masked(ROW, &[X::R(row), from], Some((MASK, true)))?;
        }
        self.transposed(&mut names, &mut free)
    }

    /// Stores rows.
    pub(super) fn store_rows(
        &mut self,
        mut names: [Register; SIDE],
        mut free: Register,
        start: Register,
        (step, used): (i32, u16),
    ) -> Result<(), String> {
        self.only_used(used)?;
        self.transposed(&mut names, &mut free)?;
        for (row, nth) in names.into_iter().zip(0..) {
            let to = after(start, nth * i64::from(step));
            self.masked(TO_ROW, &[to, X::R(row)], Some((MASK, false)))?;
        }
        Ok(())
    }

    /// Words that are not used are not to be accessed.
    fn only_used(&mut self, used: u16) -> Result<(), String> {
        let word = X::R(x86::sized(SCRATCH, Part::Double));
        self.op(Code::Mov_r32_imm32, &[word, X::I32(used.into())])?;
        self.op(Code::VEX_Kmovw_kr_r32, &[X::R(MASK), word])
    }

    fn transposed(
        &mut self,
        names: &mut [Register; SIDE],
        free: &mut Register,
    ) -> Result<(), String> {
        /// The first and the third part of each of two, and the others.
        const EVEN: u8 = 0x88;
        const ODD: u8 = 0xdd;
        transpose(names, free, |step, to, [one, other]| {
            let [to, one, other] = [to, one, other].map(X::R);
            let parts = Code::EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8;
            let code = match step {
                Step::LowWords => Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32,
                Step::HighWords => Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32,
                Step::LowPairs => Code::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64,
                Step::HighPairs => Code::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64,
                Step::EvenParts => return self.op(parts, &[to, one, other, X::I8(EVEN)]),
                Step::OddParts => return self.op(parts, &[to, one, other, X::I8(ODD)]),
            };
            self.op(code, &[to, one, other])
        })
    }
}
