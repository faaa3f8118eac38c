//! Stores and atomics of a few lanes that are known: each by an instruction of its own.

use super::Lower;
use super::each_lane::atomic;
use super::mask::Masked;
use super::memory::Wanted;
use super::value::{FLOAT, Form, INT, Value, access_class};
use crate::isa::{Family, U, V};
use crate::mir::{How, Mem, O};
use crate::x86::scalar_store;
use iced_x86::Code;
use ir::{Class, Inst, Op, Pred, Reg, Space, Src};
use regalloc2::VReg;

impl Lower<'_> {
    /// Emits a store or an atomic of a few known lanes. Says whether it can be done.
    pub(super) fn few_lanes(&mut self, inst: &Inst, place: u32, masked: &Masked) -> bool {
        let is_guarded = !matches!(inst.guard, None | Some(Pred::Const(true)));
        let Some(lanes) = masked.few().filter(|_| !is_guarded) else { return false };
        let lanes: Vec<usize> =
            (0..self.gang.lanes()).filter(|lane| lanes >> lane & 1 != 0).collect();
        match &inst.op {
            Op::Store { .. } => self.few_stores(&inst.op, place, &lanes),
            Op::Atomic { .. } => self.few_atomics(&inst.op, place, &lanes),
            _ => false,
        }
    }

    fn few_stores(&mut self, op: &Op, place: u32, lanes: &[usize]) -> bool {
        let Op::Store { values, space, access, address, ordering } = op else { return false };
        let ([value], true) = (&values[..], Self::can_be_plain(*space, *ordering, 1)) else {
            return false;
        };
        let Some(shape) = self.address_shape(address, *space) else { return false };
        let (bytes, among) = (i64::from(access.bytes()), set_of(lanes));
        let wanted = Wanted { address, space: *space, bytes, extent: bytes, writes: true, among };
        let Some(reached) = self.checked(&wanted, &shape, place) else { return false };
        self.count_strong(*space, *ordering);
        let store = scalar_store(*access);
        for lane in lanes {
            let value = self.lane_of(*value, access_class(*access), *lane);
            self.func.x(store, &[O::M(reached.memory(*lane, 0)), O::U(value)]);
        }
        true
    }

    fn few_atomics(&mut self, op: &Op, place: u32, lanes: &[usize]) -> bool {
        let Op::Atomic { d, update, space, access, address, b, .. } = op else { return false };
        let d = d.filter(|d| self.is_demanded(*d));
        let how = atomic(*update, *access, d.is_some());
        // An exchange that may be part of a wait is looked at.
        let Some(How::One(code)) = how.filter(|how| d.is_none() || !how.exchanges()) else {
            return false;
        };
        if d.is_some_and(|d| self.form(d) != Form::Vectors || self.class(d) != Class::W32) {
            return false;
        }
        let Some(shape) = self.address_shape(address, *space) else { return false };
        let (bytes, among) = (i64::from(access.bytes()), set_of(lanes));
        let wanted = Wanted { address, space: *space, bytes, extent: bytes, writes: true, among };
        let Some(reached) = self.checked(&wanted, &shape, place) else { return false };
        self.spend_strong();
        let mut found = Vec::new();
        for lane in lanes {
            let value = self.lane_of(*b, access_class(*access), *lane);
            let old = self.atomic_of(code, *space, reached.memory(*lane, 0), value);
            found.push((*lane, old));
        }
        if let Some(d) = d {
            self.set_few(d, &found);
        }
        true
    }

    /// One atomic instruction. The result is what memory held, of those that tell.
    pub(super) fn atomic_of(&mut self, code: Code, space: Space, memory: Mem, value: VReg) -> VReg {
        let old = self.func.value(INT);
        let mut operands = vec![O::M(memory), O::Tied(old, value)];
        // Nobody but this thread of the host sees the memory of a CTA.
        if space != Space::Shared {
            operands.push(O::Locked);
        }
        self.func.x(code, &operands);
        old
    }

    /// Gives lanes of a register values. The others may hold anything: they do not execute.
    fn set_few(&mut self, d: Reg, values: &[(usize, VReg)]) {
        let count = self.gang.slices();
        let own = self.family.lanes();
        let mut vectors: Vec<Option<VReg>> = vec![None; count];
        for (lane, value) in values {
            let all = self.broadcast(*value, Class::W32);
            let vector = &mut vectors[lane / own];
            *vector = Some(match *vector {
                None => all,
                Some(others) => self.merged(others, all, 1 << (lane % own)),
            });
        }
        let any = vectors.iter().flatten().next().copied();
        let vectors = vectors.into_iter().filter_map(|vector| vector.or(any)).collect();
        self.set(d, Value::vectors(vectors));
    }

    /// The value of a lane, in a general register.
    pub(super) fn lane_of(&mut self, src: Src, class: Class, lane: usize) -> VReg {
        let Src::Reg(reg) = src else { return self.scalar_src(src, class) };
        let form = self.form(reg);
        let value = self.known(reg);
        if form != Form::Vectors && (value.vectors.is_none() || value.scalar.is_some()) {
            return self.stepped_lane(reg, lane);
        }
        let vectors = self.vectors(reg);
        let own = self.gang.lanes() / vectors.len();
        let mut vector = vectors[lane / own];
        if value.nan {
            vector = self.canonical_vector(vector);
        }
        let nth = lane % own;
        if nth > 0 {
            let words = if class == Class::W64 { 2 } else { 1 };
            let first = (nth * words) as u32;
            let picks =
                self.pool(super::value::words_of_lanes(|word| first + word as u32 % words as u32));
            let picks = self.unary(U::Load, O::M(picks));
            vector = self.binary(V::PermD, picks, O::U(vector));
        }
        if class == Class::W32 {
            return self.first_word(vector);
        }
        let found = self.func.value(INT);
        let code = match self.family {
            Family::Avx2 => Code::VEX_Vmovq_rm64_xmm,
            Family::Avx512 => Code::EVEX_Vmovq_rm64_xmm,
        };
        debug_assert_eq!(vector.class(), FLOAT);
        self.func.x(code, &[O::D(found), O::U(vector)]);
        found
    }
}

fn set_of(lanes: &[usize]) -> u64 {
    lanes.iter().fold(0, |all, lane| all | 1 << lane)
}
