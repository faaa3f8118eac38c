//! Additions of many lanes to one place (`atomicAdd(&count, 1)`): one addition of their sum, as if the lanes had come one after the
//! other.

use super::Lower;
use super::memory::Run;
use super::value::{FLOAT, Form, INT, Value, words_of_lanes};
use crate::isa::V;
use crate::mir::{Mem, O};
use iced_x86::Code;
use ir::analysis::Shape;
use ir::{Access, BinaryOp, Class, Inst, Op, Space, Src, Update};
use lanes::WARP;
use regalloc2::VReg;

impl Lower<'_> {
    /// Emits an addition of all executing lanes to one place. Says whether it can be done.
    pub(super) fn add_to_one(&mut self, inst: &Inst, place: u32) -> bool {
        let Op::Atomic { d, update: Update::Apply(op), space, access, address, b, .. } = &inst.op
        else {
            return false;
        };
        // Where no lane executes, the place may be nowhere.
        if inst.guard.is_some() {
            return false;
        }
        let wide = match (op, access) {
            (BinaryOp::AddI32, Access::B32) => false,
            (BinaryOp::AddI64, Access::B64) => true,
            _ => return false,
        };
        let Some(Shape::Affine(affine)) = self.address_shape(address, *space) else { return false };
        let Ok(offset) = i32::try_from(address.offset) else { return false };
        let d = d.filter(|d| self.is_demanded(*d));
        let alike = match b {
            Src::Imm(_) => true,
            Src::Reg(reg) => self.is_scalar(*reg) && self.is_uniform(*b),
        };
        // What lanes find is told of those that add the same.
        let told = d.is_none_or(|d| alike && !wide && self.form(d) == Form::Vectors);
        if !affine.is_uniform() || !told || (wide && !alike) {
            return false;
        }
        let class = if wide { Class::W64 } else { Class::W32 };
        self.canonical_src(*b);
        let lanes = match &self.masked {
            Some(masked) => masked.lanes,
            None => self.lanes_constant(u64::MAX),
        };
        let each = alike.then(|| self.scalar_src(*b, class));
        let sum = match each {
            Some(each) => self.times_lanes(each, wide, lanes),
            None => self.sum_of_lanes(*b, lanes),
        };
        let far = self.is_wide(address);
        let first = self.scalar_src(address.base, if far { Class::W64 } else { Class::W32 });
        let run = Run::of_one(access.bytes().into(), offset, far);
        let (base, index, disp) = match space {
            Space::Shared => self.checked_run(first, &affine, &run, place),
            Space::Global | Space::Generic => {
                let site = self.site(true);
                self.checked_runs(&[first], &run, site, place)[0]
            }
            Space::Local | Space::Param => return false,
        };
        let index = index.map(|index| (index, 1));
        let memory = Mem { base, index, disp, broadcast: false };
        self.spend_strong();
        let code = if wide { Code::Xadd_rm64_r64 } else { Code::Xadd_rm32_r32 };
        let old = self.atomic_of(code, *space, memory, sum);
        if let (Some(d), Some(each)) = (d, each) {
            let found = self.found_by_each(old, each, lanes);
            self.set(d, Value::vectors(found));
        }
        true
    }

    /// What so many lanes add.
    fn times_lanes(&mut self, each: VReg, wide: bool, lanes: VReg) -> VReg {
        let count = self.func.value(INT);
        self.func.x(Code::Popcnt_r64_rm64, &[O::D(count), O::U(lanes)]);
        let code = if wide { Code::Imul_r64_rm64 } else { Code::Imul_r32_rm32 };
        self.tied(code, count, O::U(each))
    }

    /// The sum of what lanes add.
    fn sum_of_lanes(&mut self, b: Src, lanes: VReg) -> VReg {
        let masks = self.masks_of(lanes);
        let parts = (0..self.gang.slices())
            .map(|nth| {
                let value = self.vector(b, Class::W32, nth);
                self.only(Class::W32, masks[nth], value)
            })
            .collect();
        let all = self.folded(V::AddD, parts);
        self.first_word(all)
    }

    /// What each lane finds: what was there, and what executing lanes below it have added.
    fn found_by_each(&mut self, old: VReg, each: VReg, lanes: VReg) -> Vec<VReg> {
        let [old, each] = [old, each].map(|value| self.broadcast(value, Class::W32));
        let warps = self.of_warps(lanes);
        let own = WARP / self.family.lanes();
        let mut found = Vec::new();
        let mut before = old;
        for (nth, bits) in warps.iter().copied().enumerate() {
            let all = self.broadcast(bits, Class::W32);
            for slice in 0..own {
                let first = slice * self.family.lanes();
                let lower = self.pool(words_of_lanes(|lane| {
                    u32::MAX.checked_shr(32 - (first + lane).min(31) as u32).unwrap_or(0)
                }));
                let lower = self.binary(V::And, all, O::M(lower));
                let rank = self.set_bits(lower);
                let added = self.binary(V::MulD, rank, O::U(each));
                found.push(self.binary(V::AddD, before, O::U(added)));
            }
            if nth + 1 < warps.len() {
                let rank = self.set_bits(all);
                let added = self.binary(V::MulD, rank, O::U(each));
                before = self.binary(V::AddD, before, O::U(added));
            }
        }
        debug_assert!(found.iter().all(|vector| vector.class() == FLOAT), "vectors");
        found
    }
}
