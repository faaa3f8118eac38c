//! Elements that lie at known distances, but not one after the other: columns of tiles, fields of structures. Each is moved between
//! memory and its place in a vector by an instruction of its own, where there is none that gathers or scatters them faster.

use super::Lower;
use super::memory::Lanes;
use super::value::FLOAT;
use crate::isa::{Family, U};
use crate::mir::{Mem, O};
use iced_x86::Code;
use ir::Access;
use ir::analysis::Shape;
use regalloc2::VReg;

/// Bytes of the part of a vector whose elements instructions can name.
const PART: usize = 16;

impl Lower<'_> {
    /// Whether loads and stores of such elements, of so many bytes, are made here. AVX-512 gathers and scatters.
    pub(super) fn are_strided(&self, bytes: i64) -> bool {
        self.family == Family::Avx2 && bytes <= 8
    }

    /// Whether a store of such elements is one of words that are scattered by an instruction for each vector.
    pub(super) fn can_be_scattered(&self, shape: &Shape, bytes: i64, elements: usize) -> bool {
        let is_word = bytes == 4 && elements == 1;
        self.family == Family::Avx512 && is_word && self.are_of_vectors(shape)
    }

    /// Whether the lanes of each vector follow from one of them.
    pub(super) fn are_of_vectors(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Affine(_) => true,
            Shape::Sliced(lanes, _) => *lanes as usize >= self.family.lanes(),
            Shape::Mask(_) | Shape::Varying => false,
        }
    }

    /// A vector of words, or of pairs of words, of the lanes from the first on.
    pub(super) fn load_strided(
        &mut self,
        lanes: &Lanes,
        first: usize,
        access: Access,
        offset: i64,
    ) -> VReg {
        let of_part = PART / access.bytes() as usize;
        let parts = [first, first + of_part].map(|first| {
            let mut part = self.func.value(FLOAT);
            let start = O::M(lanes.memory(first, offset));
            if access == Access::B64 {
                self.func.x(Code::VEX_Vmovq_xmm_xmmm64, &[O::D(part), start]);
                let both = self.func.value(FLOAT);
                let second = O::M(lanes.memory(first + 1, offset));
                self.func.x(Code::VEX_Vmovhps_xmm_xmm_m64, &[O::D(both), O::U(part), second]);
                return both;
            }
            self.func.x(Code::VEX_Vmovd_xmm_rm32, &[O::D(part), start]);
            for nth in 1..of_part {
                let more = self.func.value(FLOAT);
                let element = O::M(lanes.memory(first + nth, offset));
                let operands = [O::D(more), O::U(part), element, O::I8(nth as u8)];
                self.func.x(Code::VEX_Vpinsrd_xmm_xmm_rm32_imm8, &operands);
                part = more;
            }
            part
        });
        self.joined(parts)
    }

    /// Stores a vector of the lanes from the first on.
    pub(super) fn store_strided(
        &mut self,
        lanes: &Lanes,
        first: usize,
        access: Access,
        offset: i64,
        vector: VReg,
    ) {
        let element = if access == Access::B64 { 8 } else { 4 };
        let of_part = PART / element;
        for upper in [false, true] {
            let first = first + if upper { of_part } else { 0 };
            let own: Vec<(usize, Mem)> = (0..of_part)
                .filter(|nth| !self.is_stored_again(lanes, first + nth))
                .map(|nth| (nth, lanes.memory(first + nth, offset)))
                .collect();
            if own.is_empty() {
                continue;
            }
            let part = if upper { self.immediate(U::UpperHalf, vector, 1) } else { vector };
            for (nth, to) in own {
                // Elements of a part are numbered in units of what is stored.
                let number = (nth * element) as u32 / access.bytes();
                let (code, is_by_number) = match (access, nth) {
                    (Access::B64, 0) => (Code::VEX_Vmovq_xmmm64_xmm, false),
                    (Access::B64, _) => (Code::VEX_Vmovhps_m64_xmm, false),
                    (Access::B32, 0) => (Code::VEX_Vmovd_rm32_xmm, false),
                    (Access::B32, _) => (Code::VEX_Vpextrd_rm32_xmm_imm8, true),
                    (Access::U16 | Access::S16, _) => (Code::VEX_Vpextrw_r32m16_xmm_imm8, true),
                    (Access::U8 | Access::S8, _) => (Code::VEX_Vpextrb_r32m8_xmm_imm8, true),
                };
                match is_by_number {
                    true => self.func.x(code, &[O::M(to), O::U(part), O::I8(number as u8)]),
                    false => self.func.x(code, &[O::M(to), O::U(part)]),
                }
            }
        }
    }

    /// Whether a lane behind this one stores to the same place: lanes store in ascending order.
    fn is_stored_again(&self, lanes: &Lanes, lane: usize) -> bool {
        (lane + 1..self.gang.lanes()).any(|other| lanes.distance(lane, other) == Some(0))
    }
}
