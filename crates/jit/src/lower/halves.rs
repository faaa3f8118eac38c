//! Vectors whose two halves follow from places of their own: tiles that are half as wide as a vector.

use super::Lower;
use super::memory::Lanes;
use super::value::FLOAT;
use crate::isa::{Family, U};
use crate::mir::{Mem, O};
use iced_x86::Code;
use ir::Access;
use ir::analysis::{Affine, Shape};
use regalloc2::VReg;

impl Lower<'_> {
    /// Whether halves of vectors that follow from places of their own, if there are such, can be loaded at once.
    pub(super) fn are_halves(&self, shape: &Shape, affine: &Affine, access: Access) -> bool {
        let half = self.family.lanes() / 2;
        match shape {
            Shape::Sliced(lanes, _) if (*lanes as usize) == half && access != Access::B64 => {
                affine.is_uniform() || access == Access::B32 && self.are_dense(affine, half, 4)
            }
            Shape::Sliced(..) | Shape::Affine(_) | Shape::Mask(_) | Shape::Varying => true,
        }
    }

    /// A vector of a load, half by half, if that can be done.
    pub(super) fn load_halves(
        &mut self,
        lanes: &Lanes,
        first: usize,
        access: Access,
        offset: i64,
    ) -> Option<VReg> {
        if access == Access::B64 {
            return None;
        }
        let half = self.family.lanes() / 2;
        let starts = [first, first + half];
        let apart = |start: usize, by: i64| {
            (0..half).all(|lane| lanes.distance(start, start + lane) == Some(lane as i64 * by))
        };
        let alike = starts.map(|start| apart(start, 0));
        let dense = starts.map(|start| access == Access::B32 && apart(start, 4));
        if (0..2).any(|nth| !alike[nth] && !dense[nth]) {
            return None;
        }
        let [low, high] = starts.map(|start| lanes.memory(start, offset));
        let low_half = match alike[0] {
            true => self.load_alike(low, access),
            false => self.load_half(low),
        };
        let high_half = match alike[1] {
            true => O::U(self.load_alike(high, access)),
            false => O::M(high),
        };
        Some(self.with_upper_half(low_half, high_half))
    }

    /// A vector of which the upper half is the low half of another, or is in memory.
    pub(super) fn with_upper_half(&mut self, vector: VReg, upper: O) -> VReg {
        let found = self.func.value(FLOAT);
        let code = U::SetUpperHalf.code(self.family);
        self.func.x(code, &[O::D(found), O::U(vector), upper, O::I8(1)]);
        found
    }

    /// Words that fill the low half of a vector.
    pub(super) fn load_half(&mut self, memory: Mem) -> VReg {
        let found = self.func.value(FLOAT);
        let code = match self.family {
            Family::Avx2 => Code::VEX_Vmovups_xmm_xmmm128,
            Family::Avx512 => Code::EVEX_Vmovups_ymm_k1z_ymmm256,
        };
        self.func.x(code, &[O::D(found), O::M(memory)]);
        found
    }

    /// Stores words, each half of a vector to a place of its own.
    pub(super) fn store_halves(&mut self, lanes: &Lanes, vectors: &[VReg]) {
        let codes = match self.family {
            Family::Avx2 => {
                [Code::VEX_Vmovups_xmmm128_xmm, Code::VEX_Vextracti128_xmmm128_ymm_imm8]
            }
            Family::Avx512 => {
                [Code::EVEX_Vmovups_ymmm256_k1z_ymm, Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8]
            }
        };
        let half = self.family.lanes() / 2;
        for (nth, vector) in vectors.iter().enumerate() {
            let first = nth * 2 * half;
            let [low, high] = [first, first + half].map(|lane| O::M(lanes.memory(lane, 0)));
            self.func.x(codes[0], &[low, O::U(*vector)]);
            self.func.x(codes[1], &[high, O::U(*vector), O::I8(1)]);
        }
    }
}
