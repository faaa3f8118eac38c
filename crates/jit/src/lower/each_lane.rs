//! Accesses lane by lane: at addresses that vary, under guards and masks, of small elements, and atomics.
//!
//! One check of vectors says whether all executing lanes lie inside what the access found last, and how far from its beginning. Where
//! they do not, the instruction is performed by somebody else, who also finds the lane to blame.

use super::Lower;
use super::lane_bits::Sets;
use super::local::MAX_STRIDE;
use super::packed::{moved_as, wanted_as};
use super::value::{FLOAT, Form, INT, Value, Vectors, access_class};
use super::values::{doubles, words};
use crate::context as at;
use crate::exit::Why;
use crate::input::Local;
use crate::isa::{Family, U, V};
use crate::mir::{Base, EachLane, How, Mem, O, register};
use iced_x86::Code;
use ir::{
    Access, Address, BinaryOp, Class, Inst, Op, Operand as IrOperand, Pred, Reg, Round, Space, Src,
    Update,
};
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, RegClass, VReg};

/// Elements that a lane may access at once.
const MOST: usize = 4;
/// Vectors of offsets of which there are two in registers at once, where these are few (AVX2).
const FEW_OFFSETS: usize = 4;
/// Vectors that one machine instruction of several looks at.
const AT_ONCE: usize = 4;
/// So far may a lane lie from the beginning of what an access found: offsets have 32 bits, and a sign.
const MAX_OFFSET: i32 = i32::MAX;

/// What lanes do, as far as all kinds of accesses have it in common.
pub(super) struct Accessed<'a> {
    space: Space,
    pub(super) address: &'a Address,
    /// Bytes of an element.
    pub(super) size: u32,
    /// Elements of a lane, one after the other.
    pub(super) count: usize,
    pub(super) writes: bool,
}

/// Where lanes are that have passed the check.
pub(super) struct Reached {
    pub(super) base: VReg,
    /// Per lane, bytes from the base on: vectors of 32 bits.
    pub(super) offsets: Vec<VReg>,
    pub(super) site: Option<u32>,
    /// Where elements are that follow the first one, if not right behind it.
    pub(super) local: Option<Local>,
}

impl Reached {
    /// The bytes of an element, so many elements behind the first one.
    fn further(&self, nth: u8, access: Access) -> i32 {
        let bytes = i64::from(nth) * i64::from(access.bytes());
        self.local.map_or(bytes, |local| local.further(bytes)) as i32
    }

    /// The same in units of an element.
    fn units(&self, nth: u8, access: Access) -> u8 {
        (self.further(nth, access) / access.bytes() as i32) as u8
    }

    /// Whether so many bytes are in one place.
    fn is_one(&self, bytes: u32) -> bool {
        self.local.is_none_or(|local| bytes <= local.piece)
    }
}

impl Lower<'_> {
    /// Emits an access, of lanes one by one. Says whether it can be done.
    pub(super) fn each_lane(&mut self, inst: &Inst, place: u32) -> bool {
        if self.add_to_one(inst, place) {
            return true;
        }
        let Some(accessed) = self.accessed(inst) else { return false };
        let bytes = u64::from(accessed.size) * accessed.count as u64;
        let end = match accessed.space {
            Space::Shared => self.input.shared_bytes,
            // Offsets of a warp have 32 bits.
            Space::Local if self.input.local.stride > MAX_STRIDE => return false,
            Space::Local => self.input.local.bytes,
            Space::Global | Space::Generic | Space::Param => u64::MAX,
        };
        if bytes > end {
            return false;
        }
        let mut written = Vec::new();
        inst.op.operands(|operand| {
            if let IrOperand::Def(reg) = operand
                && self.is_demanded(reg)
            {
                written.push(reg);
            }
        });
        if written.iter().any(|reg| self.form(*reg) != Form::Vectors) {
            return false;
        }
        self.prepare(inst);
        let lanes = self.executing(inst.guard);
        // What lanes that are not meant hold stays.
        let before: Vec<Vectors> = match inst.guard {
            Some(_) => written.iter().map(|reg| self.handed(*reg)).collect(),
            None => Vec::new(),
        };
        let narrow = lanes.map(|lanes| self.masks_of(lanes));
        let is_wide = |reg: &Reg| self.class(*reg) == Class::W64;
        let by_numbers = match accessed.space {
            Space::Global | Space::Generic => self.served_by_numbers(&accessed),
            Space::Shared | Space::Local | Space::Param => None,
        };
        let is_wide =
            (by_numbers.is_none() && self.is_wide(accessed.address)) || written.iter().any(is_wide);
        let wide = lanes.filter(|_| is_wide).map(|lanes| self.wide_masks(lanes));
        let executing = self.masked.as_ref().map(|masked| masked.lanes);
        // What has to be done for the exit may change the flags, so it comes first.
        let exit = self.leaving(Why::Leaves, place);
        let values = std::mem::take(&mut self.leaving_values);
        let reached = match by_numbers {
            Some(indexed) => self.reached_by_numbers(&accessed, &indexed, narrow.as_deref()),
            None => self.reached(&accessed, narrow.as_deref(), wide.as_deref()),
        };
        let Reached { base, offsets, site, local } = reached;
        let offsets = self.own(offsets);
        let (base, offsets) = self.func.serve((site, exit), base, &offsets, executing, &values);
        let reached = Reached { base, offsets, site, local };
        let all = match lanes {
            Some(lanes) => lanes,
            None => self.lanes_constant(u64::MAX),
        };
        self.emit_lanes(&inst.op, &reached, all, narrow.as_deref());
        for (reg, before) in written.iter().zip(&before) {
            let class = self.class(*reg);
            let masks = if class == Class::W64 { &wide } else { &narrow };
            let (Some(masks), after) = (masks, self.vectors(*reg)) else { continue };
            let both = (0..after.len())
                .map(|nth| self.blend_of(class, masks[nth], O::U(after[nth]), before[nth]));
            let both = both.collect();
            self.set(*reg, Value::vectors(both));
        }
        true
    }

    /// The same offsets as values that nobody else needs, where registers are few: then those that others need do not have to be in them.
    fn own(&mut self, offsets: Vec<VReg>) -> Vec<VReg> {
        if self.family == Family::Avx512 || offsets.len() <= FEW_OFFSETS {
            return offsets;
        }
        offsets.into_iter().map(|vector| self.unary(U::Load, O::U(vector))).collect()
    }

    /// Whether anybody may read what a register holds.
    pub(super) fn is_demanded(&self, reg: Reg) -> bool {
        self.demanded.lanes(reg) != 0
    }

    /// Whether an operand is the same in all lanes.
    pub(super) fn is_uniform(&self, src: Src) -> bool {
        match src {
            Src::Imm(_) => true,
            Src::Reg(reg) => self.shape(reg).is_uniform(),
        }
    }

    /// The access of an instruction, if its lanes can be served here.
    fn accessed<'i>(&self, inst: &'i Inst) -> Option<Accessed<'i>> {
        let found = match &inst.op {
            Op::Load { d, space, access, address, ordering }
                if Self::can_be_plain(*space, *ordering, d.len()) =>
            {
                Accessed {
                    space: *space,
                    address,
                    size: access.bytes(),
                    count: d.len(),
                    writes: false,
                }
            }
            Op::Store { values, space, access, address, ordering }
                if Self::can_be_plain(*space, *ordering, values.len()) =>
            {
                Accessed {
                    space: *space,
                    address,
                    size: access.bytes(),
                    count: values.len(),
                    writes: true,
                }
            }
            Op::Atomic { d, update, space, access, address, .. }
                if atomic(*update, *access, d.is_some_and(|d| self.is_demanded(d))).is_some() =>
            {
                Accessed { space: *space, address, size: access.bytes(), count: 1, writes: true }
            }
            _ => return None,
        };
        let reachable = match found.space {
            Space::Global | Space::Generic => self.is_wide(found.address),
            Space::Shared | Space::Local => true,
            Space::Param => false,
        };
        let bytes = found.size as usize * found.count;
        (reachable
            && found.count <= MOST
            && bytes.is_power_of_two()
            && i32::try_from(found.address.offset).is_ok())
        .then_some(found)
    }

    /// Makes what an instruction reads before its lanes are checked: behind that, flags have to stay.
    fn prepare(&mut self, inst: &Inst) {
        let mut used = Vec::new();
        inst.op.operands(|operand| {
            if let IrOperand::Use(reg) = operand {
                used.push(reg);
            }
        });
        for reg in used {
            self.canonical(reg);
            let value = self.known(reg);
            let is_indexed = value.indexed.is_some() && value.vectors.is_none();
            if self.class(reg) != Class::Pred && !is_indexed {
                self.vectors(reg);
            }
        }
    }

    /// The lanes that execute; `None` if all do.
    fn executing(&mut self, guard: Option<Pred>) -> Option<VReg> {
        let masked = self.masked.as_ref().map(|masked| masked.lanes);
        let Some(guard) = guard else { return masked };
        let bits = self.bits(guard);
        let Some(lanes) = masked else { return Some(bits) };
        Some(self.lanes_of(Sets::And, bits, lanes))
    }

    /// Checks the lanes; a condition of not equal says that some cannot be served.
    fn reached(
        &mut self,
        accessed: &Accessed<'_>,
        narrow: Option<&[VReg]>,
        wide: Option<&[VReg]>,
    ) -> Reached {
        match accessed.space {
            Space::Shared => {
                let offsets = self.within(accessed, self.input.shared_bytes, narrow, wide);
                Reached { base: self.shared_base(), offsets, site: None, local: None }
            }
            Space::Local => {
                // First, for behind the check flags have to stay.
                let base = self.local_base();
                let addresses = self.within(accessed, self.input.local.bytes, narrow, wide);
                let offsets = addresses.into_iter().enumerate();
                let offsets = offsets.map(|(nth, address)| self.in_local(address, nth)).collect();
                Reached { base, offsets, site: None, local: Some(self.input.local) }
            }
            Space::Global | Space::Generic | Space::Param => self.reached_global(accessed, wide),
        }
    }

    /// Checks that lanes access a window of so many bytes, and says where.
    fn within(
        &mut self,
        accessed: &Accessed<'_>,
        end: u64,
        narrow: Option<&[VReg]>,
        wide: Option<&[VReg]>,
    ) -> Vec<VReg> {
        let bytes = accessed.size * accessed.count as u32;
        let last = (end - u64::from(bytes)).min(MAX_OFFSET as u64);
        let offset = accessed.address.offset;
        let align = bytes - 1;
        let class = if self.is_wide(accessed.address) { Class::W64 } else { Class::W32 };
        let (add, shift, last) = match class {
            Class::W64 => (V::AddQ, doubles(offset.cast_unsigned()), doubles(last)),
            Class::W32 | Class::Pred => (V::AddD, words(offset as u32), words(last as u32)),
        };
        let (shift, last) = (self.pool(shift), self.pool(last));
        let addresses = self.vectors_of(accessed.address.base, class);
        let offsets: Vec<VReg> = match offset {
            0 => addresses,
            _ => addresses.into_iter().map(|at| self.binary(add, at, O::M(shift))).collect(),
        };
        let last = self.loaded(last);
        let masks = if class == Class::W64 { wide } else { narrow };
        self.are_any_outside(class, last, &offsets, masks, align);
        match class {
            Class::W64 => offsets.chunks(2).map(|pair| self.low_words(pair[0], pair[1])).collect(),
            Class::W32 | Class::Pred => offsets,
        }
    }

    /// A condition of not equal says that some lane's offset is not from zero to the last one, or no multiple of what this is one
    /// less than.
    fn are_any_outside(
        &mut self,
        class: Class,
        last: VReg,
        offsets: &[VReg],
        masks: Option<&[VReg]>,
        align: u32,
    ) {
        // Zero is in any window; where there is none, nobody is served.
        let own: Vec<VReg> = match masks {
            Some(masks) => {
                offsets.iter().zip(masks).map(|(own, mask)| self.only(class, *mask, *own)).collect()
            }
            None => offsets.to_vec(),
        };
        let (is_wide, mut bounds) = (class == Class::W64, None);
        for own in own.chunks(AT_ONCE) {
            bounds = Some(self.func.bounds(is_wide, last, own, bounds));
        }
        let constants = match class {
            Class::W64 => [1 << 63, 1 << 63 | u64::from(align)].map(doubles),
            Class::W32 | Class::Pred => [1 << 31, 1 << 31 | align].map(words),
        };
        let constants = constants.map(|bytes| self.func.constant(bytes));
        if let Some(bounds) = bounds {
            self.func.outside(bounds, constants);
        }
    }

    fn reached_global(&mut self, accessed: &Accessed<'_>, masks: Option<&[VReg]>) -> Reached {
        let bytes = accessed.size * accessed.count as u32;
        let site = self.site(accessed.writes);
        let sites = self.func.value(INT);
        let table = Mem::new(Base::Context, at::SITES);
        self.func.x(Code::Mov_r64_rm64, &[O::D(sites), O::M(table)]);
        let offset = accessed.address.offset as i32;
        let [start, last, shift] = self.func.region((site, bytes, offset), sites);
        let shift = self.broadcast(shift, Class::W64);
        let last = self.broadcast(last, Class::W64);
        let addresses = self.vectors_of(accessed.address.base, Class::W64);
        let far: Vec<VReg> =
            addresses.into_iter().map(|at| self.binary(V::SubQ, at, O::U(shift))).collect();
        let offsets = far.chunks(2).map(|pair| self.low_words(pair[0], pair[1])).collect();
        self.are_any_outside(Class::W64, last, &far, masks, bytes - 1);
        Reached { base: start, offsets, site: Some(site), local: None }
    }

    fn loaded(&mut self, memory: Mem) -> VReg {
        self.unary(U::Load, O::M(memory))
    }

    /// The lanes of a mask, and zero in the others.
    pub(super) fn only(&mut self, class: Class, mask: VReg, value: VReg) -> VReg {
        if self.family == Family::Avx2 {
            return self.binary(V::And, value, O::U(mask));
        }
        let found = self.func.value(FLOAT);
        let code = match class {
            Class::W64 => Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
            Class::W32 | Class::Pred => Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
        };
        self.func.x(code, &[O::D(found), O::U(value), O::Zeroing(mask)]);
        found
    }

    /// Serves the lanes.
    fn emit_lanes(&mut self, op: &Op, reached: &Reached, lanes: VReg, masks: Option<&[VReg]>) {
        match op {
            Op::Load { d, space, access, ordering, .. } => {
                self.count_strong(*space, *ordering);
                let wanted: Vec<bool> = d.iter().map(Option::is_some).collect();
                let (unit, elements) = moved_as(*access, d.len());
                let is_one = reached.is_one(unit.bytes() * elements as u32);
                let moved = wanted_as(*access, &wanted);
                let loaded = match masks {
                    None if unit == Access::B32 && moved == [true] => {
                        vec![self.load_words(reached)]
                    }
                    None if is_one && self.can_be_runs(unit, elements, false) => {
                        self.load_runs(reached, unit, &moved, |this| {
                            this.load_lanes(reached, unit, &moved, lanes, None)
                        })
                    }
                    _ => self.load_lanes(reached, unit, &moved, lanes, masks),
                };
                let loaded = self.taken_from(loaded, *access, &wanted);
                for (d, vectors) in d.iter().zip(loaded) {
                    if let Some(d) = *d {
                        self.set(d, Value::vectors(vectors));
                    }
                }
            }
            Op::Store { values, space, access, ordering, .. } => {
                self.count_strong(*space, *ordering);
                let (unit, elements) = moved_as(*access, values.len());
                let is_one = reached.is_one(unit.bytes() * elements as u32);
                match masks {
                    None if self.family == Family::Avx512
                        && unit == Access::B32
                        && elements == 1 =>
                    {
                        let words = self.put_as(values, *access);
                        self.store_words(reached, &words[0]);
                    }
                    None if is_one && self.can_be_runs(unit, elements, true) => {
                        let moved = self.put_as(values, *access);
                        self.store_runs(reached, access_class(unit), &moved, |this| {
                            this.store_lanes(values, *access, reached, lanes, None);
                        });
                    }
                    _ => self.store_lanes(values, *access, reached, lanes, masks),
                }
            }
            Op::Atomic { d, update, access, b, c, space, .. } => {
                self.spend_strong();
                let d = d.filter(|d| self.is_demanded(*d));
                let Some(how) = atomic(*update, *access, d.is_some()) else { return };
                self.give_element(*b, *access, 0);
                // Nobody but this thread of the host sees the memory of a CTA.
                let locked = *space != Space::Shared;
                if let (How::One(code), None, None) = (how, d, masks)
                    // What is exchanged is another value for each lane.
                    && *update != Update::Exchange
                    && self.is_uniform(*b)
                {
                    let what = EachLane::AtomicOfAll { code, access: *access, locked };
                    return self.lanes(what, reached, lanes);
                }
                if how == (How::AddF32 { flush: true }) {
                    self.flush_element();
                }
                if how == How::CompareExchange {
                    self.give_element(*c, *access, 1);
                }
                self.lanes(EachLane::Atomic { how, access: *access, locked }, reached, lanes);
                if let Some(d) = d {
                    self.take_element(d, 1);
                }
            }
            _ => {}
        }
    }

    /// The vectors of each of several elements a lane, as far as they are wanted, which lie anywhere.
    fn load_lanes(
        &mut self,
        reached: &Reached,
        access: Access,
        wanted: &[bool],
        lanes: VReg,
        masks: Option<&[VReg]>,
    ) -> Vec<Vec<VReg>> {
        (0..)
            .zip(wanted)
            .map(|(element, wanted)| {
                if !wanted {
                    return Vec::new();
                }
                if access == Access::B32 {
                    let (base, disp) = (reached.base, reached.further(element, access));
                    let gathered = reached.offsets.iter().enumerate().map(|(nth, offsets)| {
                        self.func.gather(base, *offsets, disp, masks.map(|masks| masks[nth]))
                    });
                    return gathered.collect();
                }
                let what = EachLane::Load { access, nth: reached.units(element, access) };
                self.lanes(what, reached, lanes);
                self.taken_elements(access_class(access), 0)
            })
            .collect()
    }

    /// Stores one or several elements a lane, which lie anywhere.
    fn store_lanes(
        &mut self,
        values: &[Src],
        access: Access,
        reached: &Reached,
        lanes: VReg,
        masks: Option<&[VReg]>,
    ) {
        if let ([value], Access::B32, Family::Avx512) = (values, access, self.family) {
            for (nth, offsets) in reached.offsets.iter().enumerate() {
                let value = self.vector(*value, Class::W32, nth);
                match masks {
                    Some(masks) => {
                        self.scatter_dense(reached.base, *offsets, value, masks[nth]);
                    }
                    None => self.func.scatter(reached.base, *offsets, value, None),
                }
            }
            return;
        }
        for (nth, value) in (0..).zip(values) {
            self.give_element(*value, access, 0);
            let nth = reached.units(nth, access);
            let what = match masks {
                Some(_) => EachLane::Store { access, nth },
                None => EachLane::StoreOfAll { access, nth },
            };
            self.lanes(what, reached, lanes);
        }
    }

    /// Lane after lane, in ascending order.
    fn lanes(&mut self, what: EachLane, reached: &Reached, lanes: VReg) {
        let (_, store) = crate::x86::vector_moves(self.family);
        for (nth, offsets) in reached.offsets.iter().enumerate() {
            let to = at::OFFSETS + (nth * self.family.bytes()) as i32;
            self.func.x(store, &[O::M(Mem::new(Base::Context, to)), O::U(*offsets)]);
        }
        let [left, lane, offset, value] = [0; 4].map(|_| self.func.value(INT));
        let mut operands = vec![Operand::reg_use(lanes), Operand::reg_use(reached.base)];
        operands.extend([left, lane, offset].map(Operand::reg_temp));
        operands.push(match what {
            // What memory is compared with is always there.
            EachLane::Atomic { how, .. } if !matches!(how, How::One(_)) => Operand::new(
                value,
                OperandConstraint::FixedReg(register(0, RegClass::Int)),
                OperandKind::Def,
                OperandPos::Early,
            ),
            _ => Operand::reg_temp(value),
        });
        self.func.each_lane(what, &operands);
    }

    /// Puts the values of lanes where they are taken one by one.
    pub(super) fn give_element(&mut self, value: Src, access: Access, nth: usize) {
        let class = access_class(access);
        self.canonical_src(value);
        let vectors = (0..self.count(class)).map(|vector| self.vector(value, class, vector));
        let vectors: Vec<VReg> = vectors.collect();
        self.put_elements(&vectors, nth);
    }

    /// The same of vectors.
    pub(super) fn put_elements(&mut self, vectors: &[VReg], nth: usize) {
        let (_, store) = crate::x86::vector_moves(self.family);
        for (vector, value) in vectors.iter().enumerate() {
            let to = at::ELEMENTS + (nth * at::ELEMENT_BYTES + vector * self.family.bytes()) as i32;
            self.func.x(store, &[O::M(Mem::new(Base::Context, to)), O::U(*value)]);
        }
    }

    /// Makes subnormal numbers zero that are taken one by one.
    fn flush_element(&mut self) {
        let (_, store) = crate::x86::vector_moves(self.family);
        for vector in 0..self.gang.slices() {
            let there = at::ELEMENTS + (vector * self.family.bytes()) as i32;
            let there = Mem::new(Base::Context, there);
            let value = self.loaded(there);
            let flushed = self.flushed(value);
            self.func.x(store, &[O::M(there), O::U(flushed)]);
        }
    }

    /// The vectors of a result that was put down lane by lane.
    pub(super) fn taken_elements(&mut self, class: Class, nth: usize) -> Vec<VReg> {
        (0..self.count(class))
            .map(|vector| {
                let from = nth * at::ELEMENT_BYTES + vector * self.family.bytes();
                self.loaded(Mem::new(Base::Context, at::ELEMENTS + from as i32))
            })
            .collect()
    }

    /// The same, as a register's value.
    pub(super) fn take_element(&mut self, d: Reg, nth: usize) {
        let vectors = self.taken_elements(self.class(d), nth);
        self.set(d, Value::vectors(vectors));
    }
}

/// How a lane's atomic is done. `wanted` says whether the old value is.
pub(super) fn atomic(update: Update, access: Access, wanted: bool) -> Option<How> {
    use BinaryOp as B;
    let wide = match access {
        Access::B32 => false,
        Access::B64 => true,
        Access::U8 | Access::S8 | Access::U16 | Access::S16 => return None,
    };
    let one = |narrow: Code, long: Code| How::One(if wide { long } else { narrow });
    // The new value of the operand and the old value.
    let new = |narrow: Code, long: Code| How::Loop(if wide { long } else { narrow });
    let op = match update {
        Update::Exchange => return Some(one(Code::Xchg_rm32_r32, Code::Xchg_rm64_r64)),
        Update::CompareExchange => return Some(How::CompareExchange),
        Update::Apply(op) => op,
    };
    Some(match op {
        B::AddI32 | B::AddI64 if wanted => one(Code::Xadd_rm32_r32, Code::Xadd_rm64_r64),
        B::AddI32 | B::AddI64 => one(Code::Add_rm32_r32, Code::Add_rm64_r64),
        B::And32 | B::And64 if !wanted => one(Code::And_rm32_r32, Code::And_rm64_r64),
        B::Or32 | B::Or64 if !wanted => one(Code::Or_rm32_r32, Code::Or_rm64_r64),
        B::Xor32 | B::Xor64 if !wanted => one(Code::Xor_rm32_r32, Code::Xor_rm64_r64),
        B::And32 | B::And64 => new(Code::And_r32_rm32, Code::And_r64_rm64),
        B::Or32 | B::Or64 => new(Code::Or_r32_rm32, Code::Or_r64_rm64),
        B::Xor32 | B::Xor64 => new(Code::Xor_r32_rm32, Code::Xor_r64_rm64),
        // After a comparison of the operand with the old value.
        B::MinS32 | B::MinS64 => new(Code::Cmovg_r32_rm32, Code::Cmovg_r64_rm64),
        B::MaxS32 | B::MaxS64 => new(Code::Cmovl_r32_rm32, Code::Cmovl_r64_rm64),
        B::MinU32 | B::MinU64 => new(Code::Cmova_r32_rm32, Code::Cmova_r64_rm64),
        B::MaxU32 | B::MaxU64 => new(Code::Cmovb_r32_rm32, Code::Cmovb_r64_rm64),
        B::AddFtzF32 => How::AddF32 { flush: true },
        B::AddF32(Round::NearestEven) => How::AddF32 { flush: false },
        B::AddF64(Round::NearestEven) => How::AddF64,
        _ => return None,
    })
}
