//! The elements of vectors taken apart and put together: what accesses of several elements a lane need.

use super::Lower;
use super::memory::Lanes;
use super::value::FLOAT;
use crate::isa::{Family, U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::Class;
use regalloc2::VReg;

/// Words 0 and 2 of a quarter, or 1 and 3, for an instruction that chooses two from each of two.
const EVEN: u8 = 0x88;
const ODD: u8 = 0xdd;

impl Lower<'_> {
    /// The words of two vectors, one after the other, with even numbers.
    pub(super) fn even_words(&mut self, both: [VReg; 2]) -> VReg {
        match self.family {
            Family::Avx2 => {
                let found = self.chosen(both, EVEN);
                self.in_order(found)
            }
            Family::Avx512 => self.every_other(Class::W32, both, false),
        }
    }

    /// The elements of two vectors, one after the other, with even numbers, or with odd ones (AVX-512).
    fn every_other(&mut self, class: Class, both: [VReg; 2], odd: bool) -> VReg {
        let odd = u32::from(odd);
        match class {
            Class::W64 => self.picked(both, |word| word / 2 * 4 + odd * 2 + word % 2),
            Class::W32 | Class::Pred => self.picked(both, |word| 2 * word + odd),
        }
    }

    /// Two words of each quarter of one vector and of another, by their numbers there (AVX2).
    fn chosen(&mut self, [a, b]: [VReg; 2], numbers: u8) -> VReg {
        let found = self.func.value(FLOAT);
        let code = V::ShufPs.code(self.family);
        self.func.x(code, &[O::D(found), O::U(a), O::U(b), O::I8(numbers)]);
        found
    }

    /// An instruction that makes a new vector of two.
    fn of_two(&mut self, code: Code, [a, b]: [VReg; 2]) -> VReg {
        let found = self.func.value(FLOAT);
        self.func.x(code, &[O::D(found), O::U(a), O::U(b)]);
        found
    }

    /// The elements of the lower halves of two vectors' quarters in turn, and those of the upper ones (AVX2).
    fn unpacked(&mut self, class: Class, both: [VReg; 2]) -> [VReg; 2] {
        let codes = match class {
            Class::W64 => {
                [Code::VEX_Vunpcklpd_ymm_ymm_ymmm256, Code::VEX_Vunpckhpd_ymm_ymm_ymmm256]
            }
            Class::W32 | Class::Pred => {
                [Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::VEX_Vunpckhps_ymm_ymm_ymmm256]
            }
        };
        codes.map(|code| self.of_two(code, both))
    }

    /// Of two vectors, the lower halves as one, and the upper ones (AVX2).
    fn halves_of_two(&mut self, [a, b]: [VReg; 2]) -> [VReg; 2] {
        [0x20, 0x31].map(|halves| {
            let found = self.func.value(FLOAT);
            let code = Code::VEX_Vperm2f128_ymm_ymm_ymmm256_imm8;
            self.func.x(code, &[O::D(found), O::U(a), O::U(b), O::I8(halves)]);
            found
        })
    }

    /// Two vectors, one after the other, of the elements of two others in turn (AVX-512).
    fn in_turn(&mut self, class: Class, both: [VReg; 2]) -> [VReg; 2] {
        [0, 8].map(|first| match class {
            Class::W64 => {
                self.picked(both, |word| first + word / 4 * 2 + word % 2 + word / 2 % 2 * 16)
            }
            Class::W32 | Class::Pred => self.picked(both, |word| first + word / 2 + word % 2 * 16),
        })
    }

    /// The vectors of two or four elements a lane, which as many vectors of memory hold from a lane's on.
    pub(super) fn loaded_apart(
        &mut self,
        lanes: &Lanes,
        first: usize,
        class: Class,
        elements: usize,
    ) -> Vec<VReg> {
        let step = self.family.bytes() as i64;
        let vectors = 0..elements as i64;
        match self.family {
            Family::Avx512 => {
                let memory: Vec<VReg> = vectors
                    .map(|nth| self.unary(U::Load, O::M(lanes.memory(first, nth * step))))
                    .collect();
                self.taken_apart(class, &memory)
            }
            Family::Avx2 => {
                // A vector of the two halves that lie half of all bytes from each other: then nothing has to cross its middle.
                let half = step / 2;
                let all = elements as i64 * half;
                let memory: Vec<VReg> = vectors
                    .map(|nth| {
                        let low = self.load_half(lanes.memory(first, nth * half));
                        self.with_upper_half(low, O::M(lanes.memory(first, nth * half + all)))
                    })
                    .collect();
                self.taken_apart_by_halves(class, &memory)
            }
        }
    }

    /// The vectors of two or four elements a lane, of vectors whose lower halves hold the first half of the lanes (AVX2).
    fn taken_apart_by_halves(&mut self, class: Class, memory: &[VReg]) -> Vec<VReg> {
        match (memory, class) {
            ([a, b], Class::W64) => self.unpacked(class, [*a, *b]).to_vec(),
            ([a, b], Class::W32 | Class::Pred) => {
                [EVEN, ODD].map(|numbers| self.chosen([*a, *b], numbers)).to_vec()
            }
            ([a, b, c, d], _) => {
                let [front, back] = [[*a, *b], [*c, *d]].map(|both| self.unpacked(class, both));
                // Pairs of lanes, of elements 0 and 1, then of 2 and 3.
                [0, 1].map(|nth| self.unpacked(Class::W64, [front[nth], back[nth]])).concat()
            }
            _ => memory.to_vec(),
        }
    }

    /// The vectors of two or four elements a lane, of as many vectors of memory (AVX-512).
    fn taken_apart(&mut self, class: Class, memory: &[VReg]) -> Vec<VReg> {
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

    /// Vectors of memory, of the vectors of two or four elements a lane.
    pub(super) fn put_together(&mut self, class: Class, elements: &[VReg]) -> Vec<VReg> {
        match (self.family, elements) {
            (Family::Avx2, [a, b]) => {
                let both = self.unpacked(class, [*a, *b]);
                self.halves_of_two(both).to_vec()
            }
            (Family::Avx2, [a, b, c, d]) => {
                let [front, back] = [[*a, *b], [*c, *d]].map(|both| self.unpacked(class, both));
                // All elements of a lane in each half: of lanes 0, 1, 2, 3, and of those that lie half a vector behind.
                let pairs = [0, 1].map(|nth| self.unpacked(Class::W64, [front[nth], back[nth]]));
                let [[first, third], [second, fourth]] = pairs.map(|pair| self.halves_of_two(pair));
                vec![first, second, third, fourth]
            }
            (Family::Avx512, [a, b]) => self.in_turn(class, [*a, *b]).to_vec(),
            (Family::Avx512, [a, b, c, d]) => {
                let even = self.in_turn(class, [*a, *c]);
                let odd = self.in_turn(class, [*b, *d]);
                let halves = [0, 1].map(|half| self.in_turn(class, [even[half], odd[half]]));
                halves.concat()
            }
            _ => elements.to_vec(),
        }
    }

    /// Vectors of words that are small, as one of halves of words: of two, in their order.
    pub(super) fn packed(&mut self, code: Code, both: [VReg; 2]) -> VReg {
        let found = self.of_two(code, both);
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
    pub(super) fn picked(&mut self, [a, b]: [VReg; 2], which: impl Fn(u32) -> u32) -> VReg {
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
