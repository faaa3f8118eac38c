//! The elements of vectors taken apart and put together: what accesses of several elements a lane need.

use super::Lower;
use super::value::FLOAT;
use crate::Level;
use crate::isa::{U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::Class;
use regalloc2::VReg;

impl Lower<'_> {
    /// The elements of two vectors, one after the other, with even numbers, or with odd ones.
    pub(super) fn every_other(&mut self, class: Class, [a, b]: [VReg; 2], odd: bool) -> VReg {
        let odd_word = u32::from(odd);
        match (self.level, class) {
            (Level::Avx2, Class::W64) => {
                let pick = if odd {
                    Code::VEX_Vunpckhpd_ymm_ymm_ymmm256
                } else {
                    Code::VEX_Vunpcklpd_ymm_ymm_ymmm256
                };
                let found = self.func.value(FLOAT);
                self.func.x(pick, &[O::D(found), O::U(a), O::U(b)]);
                self.in_order(found)
            }
            (Level::Avx2, Class::W32 | Class::Pred) => {
                let picks = if odd { 0xdd } else { 0x88 };
                let found = self.func.value(FLOAT);
                let code = V::ShufPs.code(self.level);
                self.func.x(code, &[O::D(found), O::U(a), O::U(b), O::I8(picks)]);
                self.in_order(found)
            }
            (Level::Avx512, Class::W64) => {
                self.picked([a, b], |word| word / 2 * 4 + odd_word * 2 + word % 2)
            }
            (Level::Avx512, Class::W32 | Class::Pred) => {
                self.picked([a, b], |word| 2 * word + odd_word)
            }
        }
    }

    /// Two vectors, one after the other, of the elements of two others in turn.
    fn in_turn(&mut self, class: Class, [a, b]: [VReg; 2]) -> [VReg; 2] {
        match (self.level, class) {
            (Level::Avx2, Class::W64 | Class::W32 | Class::Pred) => {
                let unpack = match class {
                    Class::W64 => {
                        [Code::VEX_Vunpcklpd_ymm_ymm_ymmm256, Code::VEX_Vunpckhpd_ymm_ymm_ymmm256]
                    }
                    Class::W32 | Class::Pred => {
                        [Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::VEX_Vunpckhps_ymm_ymm_ymmm256]
                    }
                };
                let [low, high] = unpack.map(|code| {
                    let found = self.func.value(FLOAT);
                    self.func.x(code, &[O::D(found), O::U(a), O::U(b)]);
                    found
                });
                // Of both, the lower halves, and the upper ones.
                [0x20, 0x31].map(|halves| {
                    let found = self.func.value(FLOAT);
                    let code = Code::VEX_Vperm2f128_ymm_ymm_ymmm256_imm8;
                    self.func.x(code, &[O::D(found), O::U(low), O::U(high), O::I8(halves)]);
                    found
                })
            }
            (Level::Avx512, Class::W64) => [0, 8].map(|first| {
                self.picked([a, b], |word| first + word / 4 * 2 + word % 2 + word / 2 % 2 * 16)
            }),
            (Level::Avx512, Class::W32 | Class::Pred) => {
                [0, 8].map(|first| self.picked([a, b], |word| first + word / 2 + word % 2 * 16))
            }
        }
    }

    /// The vectors of two or four elements a lane, of as many vectors of memory.
    pub(super) fn taken_apart(&mut self, class: Class, memory: &[VReg]) -> Vec<VReg> {
        match *memory {
            [a, b] => [false, true].map(|odd| self.every_other(class, [a, b], odd)).to_vec(),
            [a, b, c, d] => {
                let [even, odd] = [false, true].map(|odd| {
                    let low = self.every_other(class, [a, b], odd);
                    [low, self.every_other(class, [c, d], odd)]
                });
                // Elements 0 and 2 are the even ones, 1 and 3 the odd ones.
                [(even, false), (odd, false), (even, true), (odd, true)]
                    .map(|(elements, second)| self.every_other(class, elements, second))
                    .to_vec()
            }
            _ => memory.to_vec(),
        }
    }

    /// What [`Self::taken_apart`] takes apart.
    pub(super) fn put_together(&mut self, class: Class, elements: &[VReg]) -> Vec<VReg> {
        match *elements {
            [a, b] => self.in_turn(class, [a, b]).to_vec(),
            [a, b, c, d] => {
                let even = self.in_turn(class, [a, c]);
                let odd = self.in_turn(class, [b, d]);
                let halves = [0, 1].map(|half| self.in_turn(class, [even[half], odd[half]]));
                halves.concat()
            }
            _ => elements.to_vec(),
        }
    }

    /// Vectors of words that are small, as one of halves of words: of two, in their order.
    pub(super) fn packed(&mut self, code: Code, [a, b]: [VReg; 2]) -> VReg {
        let found = self.func.value(FLOAT);
        self.func.x(code, &[O::D(found), O::U(a), O::U(b)]);
        self.in_order(found)
    }

    /// The order of quarters of a vector that instructions on its halves have left as 0, 2, 1, 3.
    fn in_order(&mut self, quarters: VReg) -> VReg {
        let found = self.func.value(FLOAT);
        let code = Code::VEX_Vpermq_ymm_ymmm256_imm8;
        self.func.x(code, &[O::D(found), O::U(quarters), O::I8(0xd8)]);
        found
    }

    /// Words of two vectors by number (AVX-512).
    fn picked(&mut self, [a, b]: [VReg; 2], which: impl Fn(u32) -> u32) -> VReg {
        let mut bytes = [0; 64];
        for (word, chunk) in (0..).zip(bytes.chunks_exact_mut(4)) {
            chunk.copy_from_slice(&which(word).to_le_bytes());
        }
        let index = self.pool(bytes);
        let index = self.unary(U::Load, O::M(index));
        let found = self.func.value(FLOAT);
        let code = Code::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
        self.func.x(code, &[O::Tied(found, a), O::U(index), O::U(b)]);
        found
    }
}
