//! Elements that turn out to lie one after the other when the code runs: whole vectors instead of one lane after another.

use super::Lower;
use super::each_lane::Reached;
use super::memory::Lanes;
use super::value::{FLOAT, INT};
use crate::isa::Family;
use crate::mir::{Kind, O};
use iced_x86::{Code, ConditionCode};
use ir::{Access, Class};
use regalloc2::{Block, RegClass, VReg};

/// Bytes of a word.
const WORD: u32 = 4;

/// The numbers of a vector's lanes, times so many bytes.
fn places(step: u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    for (lane, chunk) in (0u32..).zip(bytes.chunks_exact_mut(4)) {
        chunk.copy_from_slice(&(lane * step).to_le_bytes());
    }
    bytes
}

impl Lower<'_> {
    /// The first lane's word of a vector, in a general register whose upper half is zero.
    pub(super) fn first_word(&mut self, vector: VReg) -> VReg {
        let found = self.func.value(INT);
        let code = match self.family {
            Family::Avx2 => Code::VEX_Vmovd_rm32_xmm,
            Family::Avx512 => Code::EVEX_Vmovd_rm32_xmm,
        };
        self.func.x(code, &[O::D(found), O::U(vector)]);
        found
    }

    /// Parts the code: where in each vector every lane is a step behind the one before, and where some are not. The code goes on with
    /// the former, which are the first result; the block of the others is the second.
    fn where_steps(&mut self, reached: &Reached, step: u32) -> (Lanes, Block) {
        let places = (step != 0).then(|| self.func.constant(places(step)));
        self.func.steps(&reached.offsets, places);
        let [those, others] = [0; 2].map(|_| self.func.block());
        let both = vec![(others, Vec::new()), (those, Vec::new())];
        self.func.end(Kind::Branch(ConditionCode::ne), both);
        self.func.begin(those);
        let firsts: Vec<VReg> =
            reached.offsets.iter().map(|offsets| self.first_word(*offsets)).collect();
        (Lanes::of_runs(reached.base, &firsts, self.family.lanes(), step.into()), others)
    }

    /// A condition of not equal says that some bit of a vector is set.
    pub(super) fn is_any_set(&mut self, vector: VReg) {
        match self.family {
            Family::Avx2 => {
                self.func.x(Code::VEX_Vptest_ymm_ymmm256, &[O::U(vector), O::U(vector)])
            }
            Family::Avx512 => {
                let mask = self.func.value(RegClass::Vector);
                let code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
                self.func.x(code, &[O::D(mask), O::U(vector), O::U(vector)]);
                self.func.x(Code::VEX_Kortestw_kr_kr, &[O::U(mask), O::U(mask)]);
            }
        }
    }

    /// Whether elements that lie one after the other are moved by whole vectors.
    pub(super) fn can_be_runs(&self, access: Access, elements: usize, writes: bool) -> bool {
        match (access, elements) {
            (Access::B32, 1 | 2 | 4) | (Access::B64, 1 | 2) => true,
            // Small ones are stored for all lanes at once.
            (Access::U8 | Access::S8 | Access::U16 | Access::S16, 1) => !writes,
            _ => false,
        }
    }

    /// Words of all lanes: those of a vector are often a run, or one.
    pub(super) fn load_words(&mut self, reached: &Reached) -> Vec<VReg> {
        let places = self.func.constant(places(WORD));
        self.func.load_runs(reached.base, &reached.offsets, places)
    }

    /// Stores words of all lanes, in ascending order (AVX-512).
    pub(super) fn store_words(&mut self, reached: &Reached, words: &[VReg]) {
        let places = self.func.constant(places(WORD));
        self.func.store_runs(reached.base, &reached.offsets, words, places);
    }

    /// The elements of all lanes, as far as they are wanted. Those of a vector are often a run, such as a row of a tile, or one element; `otherwise` loads them
    /// where they are not.
    pub(super) fn load_runs(
        &mut self,
        reached: &Reached,
        access: Access,
        wanted: &[bool],
        otherwise: impl FnOnce(&mut Self) -> Vec<Vec<VReg>>,
    ) -> Vec<Vec<VReg>> {
        let join = self.func.block();
        let bytes = access.bytes() * wanted.len() as u32;
        for step in [bytes, 0] {
            let (lanes, others) = self.where_steps(reached, step);
            let loaded = self.load_elements(&lanes, access, wanted, step != 0);
            self.func.end(Kind::Jump, vec![(join, loaded.concat())]);
            self.func.begin(others);
        }
        let loaded = otherwise(self);
        let params: Vec<Vec<VReg>> = loaded
            .iter()
            .map(|vectors| vectors.iter().map(|_| self.func.value(FLOAT)).collect())
            .collect();
        self.func.end(Kind::Jump, vec![(join, loaded.concat())]);
        self.func.begin(join);
        self.func.blocks[join.index()].params = params.concat();
        params
    }

    /// Stores elements of all lanes, in ascending order; `otherwise` does it where they are no runs.
    pub(super) fn store_runs(
        &mut self,
        reached: &Reached,
        class: Class,
        elements: &[Vec<VReg>],
        otherwise: impl FnOnce(&mut Self),
    ) {
        let element = if class == Class::W64 { 2 * WORD } else { WORD };
        let bytes = element * elements.len() as u32;
        let (lanes, others) = self.where_steps(reached, bytes);
        let join = self.func.block();
        self.store_elements(&lanes, class, elements);
        self.func.end(Kind::Jump, vec![(join, Vec::new())]);
        self.func.begin(others);
        otherwise(self);
        self.func.end(Kind::Jump, vec![(join, Vec::new())]);
        self.func.begin(join);
    }

    /// Stores words of the lanes of a mask, in ascending order (AVX-512). Those that execute may lie one after the other, such as
    /// elements that a kernel keeps of many.
    pub(super) fn scatter_dense(&mut self, base: VReg, offsets: VReg, words: VReg, mask: VReg) {
        let places = self.func.constant(places(WORD));
        self.func.scatter_dense(base, offsets, words, mask, places);
    }
}
