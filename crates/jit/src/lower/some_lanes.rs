//! Loads and stores by lanes that have parted, of elements that lie one after the other: checked from the first of these lanes to the last,
//! so that it does not matter where the others would go (`if (t >= 1) x[t - 1]`), and moved under their masks.

use super::Lower;
use super::memory::{Run, is_aligned};
use super::value::{FLOAT, INT, Value, access_class};
use crate::isa::{Family, U};
use crate::mir::{Base, Mem, O};
use iced_x86::Code;
use ir::analysis::Shape;
use ir::{Access, Address, Class, Op, Space};
use regalloc2::VReg;

impl Lower<'_> {
    /// Emits a load of lanes that have parted. Says whether it can be done.
    pub(super) fn load_some(&mut self, op: &Op, place: u32) -> bool {
        let Op::Load { d, space, access, address, ordering } = op else { return false };
        let [Some(d)] = d[..] else { return false };
        let Some((base, disp)) = self.some_reached((address, *space, *access), false, place) else {
            return false;
        };
        self.count_strong(*space, *ordering);
        let class = access_class(*access);
        let masks = self.lane_masks(class);
        let code = match (self.family, class) {
            (Family::Avx512, Class::W64) => Code::EVEX_Vmovupd_zmm_k1z_zmmm512,
            (Family::Avx512, Class::W32 | Class::Pred) => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
            (Family::Avx2, Class::W64) => Code::VEX_Vpmaskmovq_ymm_ymm_m256,
            (Family::Avx2, Class::W32 | Class::Pred) => Code::VEX_Vpmaskmovd_ymm_ymm_m256,
        };
        let loaded = (0..self.count(class)).map(|nth| {
            let memory = O::M(Mem::new(Base::Value(base), disp + self.so_far(nth)));
            let found = self.func.value(FLOAT);
            let operands = match self.family {
                Family::Avx512 => [O::D(found), memory, O::Zeroing(masks[nth])],
                Family::Avx2 => [O::D(found), O::U(masks[nth]), memory],
            };
            self.func.x(code, &operands);
            found
        });
        let loaded = loaded.collect();
        self.set(d, Value::vectors(loaded));
        true
    }

    /// Emits a store of lanes that have parted. Says whether it can be done.
    pub(super) fn store_some(&mut self, op: &Op, place: u32) -> bool {
        let Op::Store { values, space, access, address, ordering } = op else { return false };
        let ([value], true) = (&values[..], Self::can_be_plain(*space, *ordering, 1)) else {
            return false;
        };
        // Each of a few lanes that are known has an instruction of its own.
        if self.masked.as_ref().is_some_and(|masked| masked.few().is_some()) {
            return false;
        }
        self.canonical_src(*value);
        let Some((base, disp)) = self.some_reached((address, *space, *access), true, place) else {
            return false;
        };
        self.count_strong(*space, *ordering);
        let class = access_class(*access);
        let masks = self.lane_masks(class);
        let code = match (self.family, class) {
            (Family::Avx512, Class::W64) => Code::EVEX_Vmovupd_zmmm512_k1z_zmm,
            (Family::Avx512, Class::W32 | Class::Pred) => Code::EVEX_Vmovups_zmmm512_k1z_zmm,
            (Family::Avx2, Class::W64) => Code::VEX_Vpmaskmovq_m256_ymm_ymm,
            (Family::Avx2, Class::W32 | Class::Pred) => Code::VEX_Vpmaskmovd_m256_ymm_ymm,
        };
        // Masked stores of AVX2 take long. Shared memory is nobody else's, so the others' elements can be stored as they are.
        let among_others = self.family == Family::Avx2
            && self.address_shape(address, *space).is_some_and(|shape| match shape {
                Shape::Affine(affine) => {
                    self.are_inside(&affine, address, *space, access.bytes().into())
                }
                Shape::Sliced(..) | Shape::Mask(_) | Shape::Varying => false,
            });
        for (nth, vector) in self.vectors_of(*value, class).into_iter().enumerate() {
            let memory = O::M(Mem::new(Base::Value(base), disp + self.so_far(nth)));
            if among_others {
                let (_, store) = crate::x86::vector_moves(self.family);
                let old = self.unary(U::Load, memory);
                let both = self.blend_of(class, masks[nth], O::U(vector), old);
                self.func.x(store, &[memory, O::U(both)]);
                continue;
            }
            let operands = match self.family {
                Family::Avx512 => [memory, O::U(vector), O::Masked(masks[nth])],
                Family::Avx2 => [memory, O::U(masks[nth]), O::U(vector)],
            };
            self.func.x(code, &operands);
        }
        true
    }

    /// Bytes from the first vector to another.
    fn so_far(&self, nth: usize) -> i32 {
        (nth * self.family.bytes()) as i32
    }

    /// Checks an access of lanes that have parted, of elements of which those of all lanes would lie one after the other. Says from where
    /// the first lane's is counted, and how far it is from there.
    fn some_reached(
        &mut self,
        (address, space, access): (&Address, Space, Access),
        writes: bool,
        place: u32,
    ) -> Option<(VReg, i32)> {
        let (lanes, known) = self.masked.as_ref().map(|it| (it.lanes, it.known))?;
        let size = access.bytes();
        let Shape::Affine(affine) = self.address_shape(address, space)? else { return None };
        let offset = i32::try_from(address.offset).ok()?;
        if size < 4 || known == Some(0) || !self.are_dense(&affine, self.gang.lanes(), size.into())
        {
            return None;
        }
        let span = i64::from(size) * self.gang.lanes() as i64;
        if space == Space::Shared
            && !writes
            && self.is_inside(&affine, address.offset, span, self.input.shared_bytes)
        {
            return None;
        }
        let wide = self.is_wide(address);
        let first = self.scalar_src(address.base, if wide { Class::W64 } else { Class::W32 });
        let [lowest, highest] = [Code::Tzcnt_r64_rm64, Code::Bsr_r64_rm64].map(|code| {
            let lane = self.func.value(INT);
            self.func.x(code, &[O::D(lane), O::U(lanes)]);
            lane
        });
        let reaches = |this: &mut Self, lane: VReg| {
            let found = this.func.value(INT);
            let index = Some((lane, size));
            let at = Mem { base: Base::Value(first), index, disp: offset, broadcast: false };
            let code = if wide { Code::Lea_r64_m } else { Code::Lea_r32_m };
            this.func.x(code, &[O::D(found), O::M(at)]);
            found
        };
        let ends = [lowest, highest].map(|lane| reaches(self, lane));
        match space {
            Space::Shared => {
                if !is_aligned(&affine, offset.into(), size.into()) {
                    self.guard_alignment(ends[0], size.into(), place);
                }
                let room = self.input.shared_bytes;
                for end in ends {
                    self.guard_inside(end, size.into(), room, wide, place);
                }
                Some((self.first_of_some(ends[0], lowest, size), 0))
            }
            Space::Global | Space::Generic => {
                let site = self.site(writes);
                self.checked_runs(&ends, &Run::of_one(size.into(), 0, wide), site, place);
                Some((first, offset))
            }
            Space::Local | Space::Param => None,
        }
    }

    /// Where on the host the first lane would read shared memory, of which another one reads at `low`: it may lie before the window.
    fn first_of_some(&mut self, low: VReg, lane: VReg, size: u32) -> VReg {
        let shared = self.shared_base();
        let [back, at, found] = [0; 3].map(|_| self.func.value(INT));
        let index = Some((low, 1));
        let from = Mem { base: Base::Value(shared), index, disp: 0, broadcast: false };
        self.func.x(Code::Lea_r64_m, &[O::D(at), O::M(from)]);
        let shift = O::I8(size.trailing_zeros() as u8);
        self.func.x(Code::Shl_rm64_imm8, &[O::Tied(back, lane), shift]);
        self.func.x(Code::Sub_r64_rm64, &[O::Tied(found, at), O::U(back)]);
        found
    }
}
