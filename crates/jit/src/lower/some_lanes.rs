//! Loads by lanes that have parted, of elements that lie one after the other: checked from the first of these lanes to the last, so that
//! it does not matter where the others would read (`if (t >= 1) x[t - 1]`), and loaded under their masks.

use super::Lower;
use super::memory::{Run, access_class, is_aligned};
use super::value::{FLOAT, INT, Value};
use crate::Level;
use crate::mir::{Base, Mem, O};
use iced_x86::Code;
use ir::analysis::Shape;
use ir::{Access, Class, Op, Space};
use regalloc2::VReg;

impl Lower<'_> {
    /// Emits a load of lanes that have parted. Says whether it can be done.
    pub(super) fn load_some(&mut self, op: &Op, place: u32) -> bool {
        let Op::Load { d, space, access, address, ordering } = op else { return false };
        let Some((lanes, known)) = self.masked.as_ref().map(|it| (it.lanes, it.known)) else {
            return false;
        };
        let ([Some(d)], Access::B32 | Access::B64) = (&d[..], access) else { return false };
        let Some(Shape::Affine(affine)) = self.address_shape(address, *space) else { return false };
        let Ok(offset) = i32::try_from(address.offset) else { return false };
        let (size, class) = (access.bytes(), access_class(*access));
        if known == Some(0) || !self.are_dense(&affine, self.gang.lanes(), size.into()) {
            return false;
        }
        let span = i64::from(size) * self.gang.lanes() as i64;
        if *space == Space::Shared && self.is_inside(&affine, address.offset, span) {
            return false;
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
        let (base, disp) = match space {
            Space::Shared => {
                if !is_aligned(&affine, offset.into(), size.into()) {
                    self.guard_alignment(ends[0], size.into(), place);
                }
                ends.into_iter().for_each(|end| self.guard_shared(end, size.into(), wide, place));
                (self.first_of_some(ends[0], lowest, size), 0)
            }
            Space::Global | Space::Generic => {
                let site = self.site(false);
                self.checked_runs(&ends, &Run::of_one(size.into(), 0, wide), site, place);
                (first, offset)
            }
            Space::Local | Space::Param => return false,
        };
        self.count_strong(*space, *ordering);
        let masks = self.lane_masks(class);
        let loaded = (0..self.count(class)).map(|nth| {
            let at = disp + (nth * self.level.bytes()) as i32;
            let memory = O::M(Mem::new(Base::Value(base), at));
            let found = self.func.value(FLOAT);
            let (code, operands) = match self.level {
                Level::Avx512 => {
                    let narrow = Code::EVEX_Vmovups_zmm_k1z_zmmm512;
                    let code = if size == 8 { Code::EVEX_Vmovupd_zmm_k1z_zmmm512 } else { narrow };
                    (code, [O::D(found), memory, O::Zeroing(masks[nth])])
                }
                Level::Avx2 => {
                    let narrow = Code::VEX_Vpmaskmovd_ymm_ymm_m256;
                    let code = if size == 8 { Code::VEX_Vpmaskmovq_ymm_ymm_m256 } else { narrow };
                    (code, [O::D(found), O::U(masks[nth]), memory])
                }
            };
            self.func.x(code, &operands);
            found
        });
        let loaded = loaded.collect();
        self.set(*d, Value::vectors(loaded));
        true
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
