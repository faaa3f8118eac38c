//! Loads by lanes that have parted, of elements that lie one after the other: checked from the first of these lanes to the last, so that
//! it does not matter where the others would read (`if (t >= 1) x[t - 1]`), and loaded under their masks.

use super::Lower;
use super::memory::Run;
use super::value::{FLOAT, INT, Value};
use crate::Level;
use crate::mir::{Base, Mem, O};
use iced_x86::{Code, ConditionCode};
use ir::analysis::{Affine, Shape};
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
        let (size, class) = match access {
            Access::B64 => (8, Class::W64),
            _ => (4, Class::W32),
        };
        if known == Some(0) || !self.are_dense(&affine, self.gang.lanes(), size.into()) {
            return false;
        }
        let span = i64::from(size) * self.gang.lanes() as i64;
        if *space == Space::Shared && self.is_inside(&affine, address.offset, span) {
            return false;
        }
        let wide = !matches!(address.base, ir::Src::Reg(reg) if self.class(reg) == Class::W32);
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
            Space::Shared => (self.some_shared(ends, lowest, &affine, size, wide, place), 0),
            Space::Global | Space::Generic => {
                let site = self.site(false);
                let run = Run::of_one(size.into(), wide);
                self.checked_runs(&ends, &run, site, place);
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
            let mask = masks[nth];
            match (self.level, class) {
                (Level::Avx512, Class::W64) => {
                    let operands = [O::D(found), memory, O::Zeroing(mask)];
                    self.func.x(Code::EVEX_Vmovupd_zmm_k1z_zmmm512, &operands);
                }
                (Level::Avx512, Class::W32 | Class::Pred) => {
                    let operands = [O::D(found), memory, O::Zeroing(mask)];
                    self.func.x(Code::EVEX_Vmovups_zmm_k1z_zmmm512, &operands);
                }
                (Level::Avx2, Class::W64) => {
                    let operands = [O::D(found), O::U(mask), memory];
                    self.func.x(Code::VEX_Vpmaskmovq_ymm_ymm_m256, &operands);
                }
                (Level::Avx2, Class::W32 | Class::Pred) => {
                    let operands = [O::D(found), O::U(mask), memory];
                    self.func.x(Code::VEX_Vpmaskmovd_ymm_ymm_m256, &operands);
                }
            }
            found
        });
        let loaded = loaded.collect();
        self.set(*d, Value::vectors(loaded));
        true
    }

    /// Checks that shared memory has the elements of both ends, and says where on the host the first lane would read.
    fn some_shared(
        &mut self,
        ends: [VReg; 2],
        lowest: VReg,
        affine: &Affine,
        size: u32,
        wide: bool,
        place: u32,
    ) -> VReg {
        let [low, _] = ends;
        if affine.zeros < size.trailing_zeros() {
            let align = O::I32(size as i32 - 1);
            self.guard(ConditionCode::ne, place, |this| {
                this.func.x(Code::Test_rm32_imm32, &[O::U(low), align]);
            });
        }
        let last = self.input.shared_bytes as i64 - i64::from(size);
        let compare = if wide { Code::Cmp_rm64_imm32 } else { Code::Cmp_rm32_imm32 };
        for end in ends {
            self.guard(ConditionCode::a, place, |this| {
                this.func.x(compare, &[O::U(end), O::I32(last as i32)]);
            });
        }
        // The first lane need not be there, and may lie before the window.
        let shared = self.shared_base();
        let [back, at, found] = [0; 3].map(|_| self.func.value(INT));
        let scaled = |base, index| Mem { base, index: Some(index), disp: 0, broadcast: false };
        let from = O::M(scaled(Base::Value(shared), (low, 1)));
        self.func.x(Code::Lea_r64_m, &[O::D(at), from]);
        let shift = O::I8(size.trailing_zeros() as u8);
        self.func.x(Code::Shl_rm64_imm8, &[O::Tied(back, lowest), shift]);
        self.func.x(Code::Sub_r64_rm64, &[O::Tied(found, at), O::U(back)]);
        found
    }
}
