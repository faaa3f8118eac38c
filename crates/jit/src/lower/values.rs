//! Where the values of a kernel's registers are, while it is lowered.

use super::Lower;
use super::mask::Masked;
use super::value::{FLOAT, Form, INT, Indexed, Value, Vectors};
use crate::Home;
use crate::exit::Keeps;
use crate::isa::{Family, U, UNORDERED, V};
use crate::mir::{Base, Mem, O};
use iced_x86::Code;
use ir::analysis::{Shape, Steps};
use ir::{Class, Pred, Reg, Src};
use regalloc2::VReg;
use std::borrow::Cow;
use std::rc::Rc;

/// A constant of 64 bytes that repeats 32 bits.
pub(super) fn words(value: u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes.chunks_exact_mut(4).for_each(|chunk| chunk.copy_from_slice(&value.to_le_bytes()));
    bytes
}

/// The same of 64 bits.
pub(super) fn doubles(value: u64) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&value.to_le_bytes()));
    bytes
}

impl Lower<'_> {
    pub(super) fn class(&self, reg: Reg) -> Class {
        self.input.kernel.class(reg)
    }

    pub(super) fn shape(&self, reg: Reg) -> &Shape {
        self.shapes.shape(reg)
    }

    /// In which form a value is kept.
    pub(super) fn form(&self, reg: Reg) -> Form {
        match (self.class(reg), self.shape(reg)) {
            (Class::Pred, _) | (_, Shape::Affine(_)) => Form::One,
            (_, Shape::Sliced(..)) => Form::Firsts,
            (_, Shape::Varying | Shape::Mask(_)) => Form::Vectors,
        }
    }

    /// What a register holds in all lanes, if that is the same in all gangs.
    pub(super) fn known_lanes(&self, reg: Reg) -> Option<Steps> {
        let bits = if self.class(reg) == Class::W64 { 64 } else { 32 };
        self.shape(reg).affine()?.lanes(bits)
    }

    /// Lanes of a slice of a value that is kept in slices.
    pub(super) fn slice_of(&self, reg: Reg) -> usize {
        match self.shape(reg) {
            Shape::Sliced(lanes, _) => *lanes as usize,
            Shape::Affine(_) | Shape::Mask(_) | Shape::Varying => self.gang.lanes(),
        }
    }

    /// So many slices a value has that is kept in slices; one, if it is kept as the first lane's alone.
    pub(super) fn slices_of(&self, reg: Reg) -> usize {
        self.gang.lanes() / self.slice_of(reg)
    }

    /// Whether a value is kept as the first lane's alone.
    pub(super) fn is_scalar(&self, reg: Reg) -> bool {
        self.form(reg) == Form::One
    }

    /// Vectors of a value.
    pub(super) fn count(&self, class: Class) -> usize {
        match class {
            Class::W32 => self.gang.slices(),
            Class::W64 => 2 * self.gang.slices(),
            Class::Pred => 0,
        }
    }

    pub(super) fn home(&self, reg: Reg) -> Home {
        let home = self.input.homes.get(reg.0 as usize).copied().flatten();
        home.unwrap_or(Home { offset: 0, stride: 0 })
    }

    /// A vector, or its first element, of a home row that is no predicate's. The rows of a gang's warps lie one after the other; where
    /// all warps have one, it is there for each.
    pub(super) fn row(&self, reg: Reg, vector: usize) -> Mem {
        let (scale, disp) = self.place_in_rows(reg, vector);
        Mem::new(Base::Registers(scale), disp)
    }

    /// The same as bytes in the register file; there the number of the gang's first warp counts so many times 128.
    pub(super) fn place_in_rows(&self, reg: Reg, vector: usize) -> (u32, i32) {
        let Home { offset, stride } = self.home(reg);
        let own = self.count(self.class(reg)) / self.gang.warps;
        let vector = if stride == 0 { vector % own } else { vector };
        let disp = offset as usize * 4 + vector * self.family.bytes();
        (stride / 32, disp as i32)
    }

    /// A lane's element of a home row, of so many bytes.
    fn element(&self, reg: Reg, lane: usize, size: usize) -> Mem {
        let own = self.family.bytes() / size;
        let row = self.row(reg, lane / own);
        Mem { disp: row.disp + (lane % own * size) as i32, ..row }
    }

    /// The number of the gang's first warp times 128, shifted to the right.
    pub(super) fn warp_number(&mut self, by: u8) -> VReg {
        let bytes = self.func.value(INT);
        self.func.x(Code::Lea_r64_m, &[O::D(bytes), O::M(Mem::new(Base::Warp, 0))]);
        self.tied(Code::Shr_rm64_imm8, bytes, O::I8(by))
    }

    /// Where a lane is in a home row.
    pub(super) fn in_row(&mut self, reg: Reg, lane: VReg) -> VReg {
        if self.gang.warps == 1 || self.home(reg).stride != 0 {
            return lane;
        }
        // All warps have one row.
        self.tied(Code::And_rm32_imm8, lane, O::I8(31))
    }

    /// The home of a predicate.
    pub(super) fn bits_row(&mut self, reg: Reg) -> Mem {
        let Home { offset, stride } = self.home(reg);
        let mut found = Mem::new(Base::Registers(0), (offset * 4) as i32);
        if stride != 0 {
            // A word for each warp.
            let warp = self.warp_number(5);
            found.index = Some((warp, 1));
        }
        found
    }

    /// The bits of a predicate that its home has.
    pub(super) fn home_bits(&mut self, reg: Reg) -> VReg {
        let row = self.bits_row(reg);
        if self.gang.warps == 1 || self.home(reg).stride != 0 {
            return self.lanes_load(row);
        }
        // All warps have one home.
        let one = self.func.value(INT);
        self.func.x(Code::Mov_r32_rm32, &[O::D(one), O::M(row)]);
        self.of_gang(&[one, one])
    }

    /// The value of a register as it is known.
    pub(super) fn known(&self, reg: Reg) -> Value {
        self.seen(reg).into_owned()
    }

    /// The same to be looked at.
    fn seen(&self, reg: Reg) -> Cow<'_, Value> {
        self.state.get(&reg).map_or_else(
            || {
                let nth = reg.0 as usize;
                let invariant = self.invariant[nth];
                // Behind a barrier, the home rows of numbers are as the code has left them.
                let nan = self.floats[nth] && !invariant;
                Cow::Owned(Value { full: invariant, nan, ..Value::HOME })
            },
            Cow::Borrowed,
        )
    }

    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        self.state.insert(reg, value);
    }

    /// The first lane's value, or the bits of a predicate.
    pub(super) fn scalar(&mut self, reg: Reg) -> VReg {
        if let Some(scalar) = self.seen(reg).scalar {
            return scalar;
        }
        let mut value = self.known(reg);
        let class = self.class(reg);
        let scalar = match (&value.masks, class) {
            (Some(masks), _) => self.bits_of(&masks.clone()),
            (None, Class::Pred) => match self.shapes.constant_lanes(Pred::Is(reg)) {
                Some(lanes) => self.lanes_constant(lanes),
                None => self.home_bits(reg),
            },
            (None, class) => {
                let found = self.func.value(INT);
                let code =
                    if class == Class::W64 { Code::Mov_r64_rm64 } else { Code::Mov_r32_rm32 };
                let row = self.row(reg, 0);
                self.func.x(code, &[O::D(found), O::M(row)]);
                found
            }
        };
        value.scalar = Some(scalar);
        self.set(reg, value);
        scalar
    }

    /// The value of an operand in the lane of which the others follow: the first, or that of the slice which is computed.
    pub(super) fn scalar_src(&mut self, src: Src, class: Class) -> VReg {
        match (src, self.slice) {
            (Src::Reg(reg), None) => self.scalar(reg),
            (Src::Reg(reg), Some((lanes, slice))) => self.firsts_in(reg, lanes)[slice],
            (Src::Imm(value), _) => self.number(value, class),
        }
    }

    /// The values of the first lane of each slice, of a value that is kept so.
    pub(super) fn firsts(&mut self, reg: Reg) -> Vectors {
        if let Some(firsts) = &self.seen(reg).firsts {
            return Rc::clone(firsts);
        }
        let mut value = self.known(reg);
        debug_assert!(value.home, "what follows in slices is kept so");
        let (code, size) = match self.class(reg) {
            Class::W64 => (Code::Mov_r64_rm64, 8),
            Class::W32 | Class::Pred => (Code::Mov_r32_rm32, 4),
        };
        let lanes = self.slice_of(reg);
        let firsts: Vectors = (0..self.gang.lanes() / lanes)
            .map(|nth| {
                let found = self.func.value(INT);
                let home = self.element(reg, nth * lanes, size);
                self.func.x(code, &[O::D(found), O::M(home)]);
                found
            })
            .collect();
        value.firsts = Some(firsts.clone());
        self.set(reg, value);
        firsts
    }

    /// The values of the first lane of each slice of so many lanes, of a value whose lanes follow from those.
    pub(super) fn firsts_in(&mut self, reg: Reg, lanes: usize) -> Vectors {
        let class = self.class(reg);
        let wide = class == Class::W64;
        let bits = if wide { 64 } else { 32 };
        let (own, known) = match self.form(reg) {
            Form::Firsts => (self.slice_of(reg), self.firsts(reg)),
            Form::One | Form::Vectors => (self.gang.lanes(), Rc::from([self.scalar(reg)])),
        };
        if own == lanes {
            return known;
        }
        if let Some((of, firsts)) = self.known(reg).finer.filter(|(of, _)| *of == lanes) {
            debug_assert_eq!(of, lanes);
            return firsts;
        }
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = self.shape(reg).clone() else {
            return known;
        };
        let firsts: Vectors = (0..self.gang.lanes())
            .step_by(lanes)
            .map(|lane| {
                let step = affine.signed_step(lane, bits);
                self.increased(known[lane / own], step, wide)
            })
            .collect();
        let value = Value { finer: Some((lanes, firsts.clone())), ..self.known(reg) };
        self.set(reg, value);
        firsts
    }

    /// The value of a lane, of a register whose lanes follow from others.
    pub(super) fn stepped_lane(&mut self, reg: Reg, lane: usize) -> VReg {
        let wide = self.class(reg) == Class::W64;
        let bits = if wide { 64 } else { 32 };
        let first = match self.form(reg) {
            Form::Firsts => self.firsts(reg)[lane / self.slice_of(reg)],
            Form::One | Form::Vectors => self.scalar(reg),
        };
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = self.shape(reg) else {
            return first;
        };
        let step = affine.signed_step(lane, bits);
        self.increased(first, step, wide)
    }

    /// A value and a constant.
    fn increased(&mut self, value: VReg, by: i64, wide: bool) -> VReg {
        if by == 0 {
            return value;
        }
        let found = self.func.value(INT);
        match i32::try_from(by) {
            Ok(by) => {
                let sum = O::M(Mem::new(Base::Value(value), by));
                let code = if wide { Code::Lea_r64_m } else { Code::Lea_r32_m };
                self.func.x(code, &[O::D(found), sum]);
            }
            Err(_) => {
                let by = self.number(by.cast_unsigned(), Class::W64);
                let sum = Mem { index: Some((by, 1)), ..Mem::new(Base::Value(value), 0) };
                self.func.x(Code::Lea_r64_m, &[O::D(found), O::M(sum)]);
            }
        }
        found
    }

    /// A constant.
    pub(super) fn number(&mut self, value: u64, class: Class) -> VReg {
        let found = self.func.value(INT);
        match class {
            Class::W64 if i32::try_from(value.cast_signed()).is_err() => {
                self.func.x(Code::Mov_r64_imm64, &[O::D(found), O::I64(value)]);
            }
            Class::W64 if value <= i32::MAX as u64 => {
                self.func.x(Code::Mov_r32_imm32, &[O::D(found), O::I32(value as i32)]);
            }
            Class::W64 => {
                self.func.x(Code::Mov_rm64_imm32, &[O::D(found), O::I32(value as i32)]);
            }
            Class::W32 | Class::Pred => {
                self.func.x(Code::Mov_r32_imm32, &[O::D(found), O::I32(value as u32 as i32)]);
            }
        }
        found
    }

    /// The bits of a predicate operand.
    pub(super) fn bits(&mut self, pred: Pred) -> VReg {
        match pred {
            Pred::Is(reg) => self.scalar(reg),
            Pred::Not(reg) => {
                let bits = self.scalar(reg);
                self.lanes_not(bits)
            }
            Pred::Const(value) => self.lanes_constant(if value { u64::MAX } else { 0 }),
        }
    }

    /// The vectors of a value.
    pub(super) fn vectors(&mut self, reg: Reg) -> Vectors {
        if let Some(vectors) = &self.seen(reg).vectors {
            return Rc::clone(vectors);
        }
        let mut value = self.known(reg);
        let class = self.class(reg);
        let count = self.count(class);
        let load = U::Load.code(self.family);
        let form = self.form(reg);
        let vectors: Vectors = if let Some(indexed) = &value.indexed {
            let indexed = indexed.clone();
            self.addresses(&indexed).into()
        } else if value.home && (value.full || form == Form::Vectors) {
            (0..count)
                .map(|nth| {
                    let found = self.func.value(FLOAT);
                    let row = self.row(reg, nth);
                    self.func.x(load, &[O::D(found), O::M(row)]);
                    found
                })
                .collect()
        } else if form == Form::Firsts {
            let firsts = self.firsts(reg);
            let shape = self.shape(reg).clone();
            let mut all: Option<(VReg, VReg)> = None;
            let mut of_first = |this: &mut Self, first: VReg| {
                let vector = match all {
                    Some((of, vector)) if of == first => vector,
                    _ => this.broadcast(first, class),
                };
                all = Some((first, vector));
                vector
            };
            (0..count)
                .map(|nth| {
                    let [low, high] = [2 * nth, 2 * nth + 1]
                        .map(|half| firsts[half * firsts.len() / (2 * count)]);
                    let mut vector = of_first(self, low);
                    if low != high {
                        let high = of_first(self, high);
                        vector = self.joined([vector, high]);
                    }
                    self.stepped(vector, &shape, class, nth)
                })
                .collect()
        } else {
            let first = self.scalar(reg);
            let shape = self.shape(reg).clone();
            let all = self.broadcast(first, class);
            (0..count).map(|nth| self.stepped(all, &shape, class, nth)).collect()
        };
        // Reading others may have changed what is known.
        let known = self.known(reg);
        (value.scalar, value.firsts) = (known.scalar, known.firsts);
        value.vectors = Some(vectors.clone());
        self.set(reg, value);
        vectors
    }

    /// A value that all lanes of a register have.
    pub(super) fn alike(&mut self, reg: Reg, value: VReg) -> Value {
        match self.form(reg) {
            Form::One => Value::scalar(value),
            Form::Firsts => Value::firsts(vec![value; self.slices_of(reg)]),
            Form::Vectors => {
                let class = self.class(reg);
                let all = self.broadcast(value, class);
                Value::vectors(vec![all; self.count(class)])
            }
        }
    }

    /// Gives all lanes of each warp a value of the warp's.
    pub(super) fn set_of_warps(&mut self, reg: Reg, warps: &[VReg]) {
        let value = match (warps, self.form(reg)) {
            ([all], _) => self.alike(reg, *all),
            (_, Form::One | Form::Firsts) => {
                let count = self.slices_of(reg);
                Value::firsts((0..count).map(|nth| warps[nth * warps.len() / count]).collect())
            }
            (_, Form::Vectors) => {
                let class = self.class(reg);
                let own = self.count(class) / warps.len();
                let all: Vec<VReg> =
                    warps.iter().map(|value| self.broadcast(*value, class)).collect();
                Value::vectors((0..self.count(class)).map(|nth| all[nth / own]).collect())
            }
        };
        self.set(reg, value);
    }

    /// A scalar in all lanes of a vector.
    pub(super) fn broadcast(&mut self, scalar: VReg, class: Class) -> VReg {
        let found = self.func.value(FLOAT);
        let wide = class == Class::W64;
        let code = if wide { U::BroadcastQ } else { U::BroadcastD }.code(self.family);
        match self.family {
            Family::Avx2 => {
                let low = self.func.value(FLOAT);
                let code_low =
                    if wide { Code::VEX_Vmovq_xmm_rm64 } else { Code::VEX_Vmovd_xmm_rm32 };
                self.func.x(code_low, &[O::D(low), O::U(scalar)]);
                self.func.x(code, &[O::D(found), O::U(low)]);
            }
            Family::Avx512 => self.func.x(code, &[O::D(found), O::U(scalar)]),
        }
        found
    }

    /// A vector of a value of which all lanes have that from which they follow.
    fn stepped(&mut self, all: VReg, shape: &Shape, class: Class, nth: usize) -> VReg {
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = shape else { return all };
        if affine.is_uniform() {
            return all;
        }
        let mut bytes = [0; 64];
        let size = if class == Class::W64 { 8 } else { 4 };
        let lanes = self.family.bytes() / size;
        for (lane, chunk) in bytes.chunks_exact_mut(size).enumerate().take(lanes) {
            chunk.copy_from_slice(&affine.step(nth * lanes + lane).to_le_bytes()[..size]);
        }
        if bytes == [0; 64] {
            return all;
        }
        let add = if class == Class::W64 { V::AddQ } else { V::AddD };
        let steps = self.pool(bytes);
        self.binary(add, all, O::M(steps))
    }

    /// A constant in memory.
    pub(super) fn pool(&mut self, bytes: [u8; 64]) -> Mem {
        Mem::new(Base::Pool(self.func.constant(bytes)), 0)
    }

    /// A vector of an operand, or where it is in memory.
    pub(super) fn operand(&mut self, src: Src, class: Class, nth: usize) -> O {
        match src {
            Src::Imm(value) => {
                let bytes = if class == Class::W64 { doubles(value) } else { words(value as u32) };
                O::M(self.pool(bytes))
            }
            Src::Reg(reg) => {
                let value = self.seen(reg);
                if value.full && value.vectors.is_none() {
                    return O::M(self.row(reg, nth));
                }
                O::U(self.vectors(reg)[nth])
            }
        }
    }

    /// A vector of an operand.
    pub(super) fn vector(&mut self, src: Src, class: Class, nth: usize) -> VReg {
        match self.operand(src, class, nth) {
            O::U(value) => value,
            memory => {
                if let Src::Reg(reg) = src {
                    return self.vectors(reg)[nth];
                }
                let found = self.func.value(FLOAT);
                self.func.x(U::Load.code(self.family), &[O::D(found), memory]);
                found
            }
        }
    }

    /// What a vector instruction makes of two operands.
    pub(super) fn binary(&mut self, what: V, a: VReg, b: O) -> VReg {
        let found = self.func.value(FLOAT);
        self.func.x(what.code(self.family), &[O::D(found), O::U(a), b]);
        found
    }

    /// Makes the NaNs of a register canonical.
    pub(super) fn canonical(&mut self, reg: Reg) {
        let nan = self.seen(reg).nan;
        if !nan || self.class(reg) != Class::W32 || self.form(reg) != Form::Vectors {
            return;
        }
        let vectors = self.vectors(reg);
        let vectors = vectors.iter().map(|vector| self.canonical_vector(*vector)).collect();
        // The home row has others.
        let value = self.known(reg);
        let home = false;
        self.set(reg, Value { nan: false, vectors: Some(vectors), home, full: home, ..value });
    }

    /// Makes the NaNs of an operand canonical.
    pub(super) fn canonical_src(&mut self, src: Src) {
        if let Src::Reg(reg) = src {
            self.canonical(reg);
        }
    }

    /// A vector of binary32 with canonical NaNs.
    pub(super) fn canonical_vector(&mut self, vector: VReg) -> VReg {
        let masks = self.compare_ps(vector, O::U(vector), UNORDERED);
        let nan = self.pool(words(ir::numeric::f32::NAN));
        self.blend(masks, O::M(nan), vector)
    }

    /// The values of a register in the form in which they are handed on.
    pub(super) fn handed(&mut self, reg: Reg) -> Vectors {
        match self.form(reg) {
            Form::One => [self.scalar(reg)].into(),
            Form::Firsts => self.firsts(reg),
            Form::Vectors => {
                if !self.floats[reg.0 as usize] {
                    self.canonical(reg);
                }
                self.vectors(reg)
            }
        }
    }

    /// Registers without those that home rows have.
    pub(super) fn passed(&self, regs: &[Reg]) -> Vec<Reg> {
        regs.iter().filter(|reg| !self.homed[reg.0 as usize]).copied().collect()
    }

    /// What pieces of the code hand on of these registers.
    pub(super) fn handed_all(&mut self, regs: &[Reg]) -> Vec<VReg> {
        let mut all = Vec::with_capacity(regs.len());
        for reg in self.passed(regs) {
            match self.form(reg) {
                Form::One => all.push(self.scalar(reg)),
                Form::Firsts | Form::Vectors => all.extend(self.handed(reg).iter()),
            }
        }
        all
    }

    /// What home rows do not hold of these registers, for an exit.
    pub(super) fn keep(&mut self, regs: &[Reg]) -> (Vec<VReg>, Vec<(Reg, Keeps)>) {
        let (mut values, mut kept) = (Vec::new(), Vec::new());
        for reg in regs {
            let Value { scalar, nan, home, full, .. } = *self.seen(*reg);
            if full && home {
                continue;
            }
            let class = self.class(*reg);
            match self.shape(*reg).clone() {
                _ if class == Class::Pred => {
                    if !home {
                        values.push(self.scalar(*reg));
                        kept.push((*reg, Keeps::Bits));
                    }
                }
                Shape::Affine(affine) => {
                    let here = scalar.filter(|_| !home);
                    values.extend(here);
                    kept.push((*reg, Keeps::First(affine, here.is_some())));
                }
                Shape::Sliced(lanes, affine) => {
                    let here = if home { Vectors::default() } else { self.firsts(*reg) };
                    kept.push((*reg, Keeps::Firsts(lanes, affine, here.len())));
                    values.extend(here.iter());
                }
                Shape::Varying | Shape::Mask(_) => {
                    if home {
                        if nan {
                            kept.push((*reg, Keeps::Row));
                        }
                    } else if let Some(Value { indexed: Some(indexed), vectors: None, .. }) =
                        self.state.get(reg)
                    {
                        let Indexed { base, numbers, index } = indexed;
                        kept.push((*reg, Keeps::Indexed(*index, base.is_some(), numbers.len())));
                        values.extend(base.iter().chain(numbers.iter()));
                    } else {
                        let vectors = self.vectors(*reg);
                        kept.push((*reg, Keeps::Vectors(vectors.len(), nan)));
                        values.extend(vectors.iter());
                    }
                }
            }
        }
        (values, kept)
    }

    /// Writes a value to its home row: of one whose lanes follow from the first, or from that of their slice, just those.
    pub(super) fn write_home(&mut self, reg: Reg) {
        self.write(reg, false);
    }

    /// Makes a home row whole, as everybody else reads it.
    pub(super) fn complete_home(&mut self, reg: Reg) {
        self.canonical(reg);
        self.write(reg, true);
    }

    fn write(&mut self, reg: Reg, all: bool) {
        let value = self.known(reg);
        let form = self.form(reg);
        if value.home && (value.full || !all || form == Form::Vectors) {
            return;
        }
        let class = self.class(reg);
        let (code, size) =
            if class == Class::W64 { (Code::Mov_rm64_r64, 8) } else { (Code::Mov_rm32_r32, 4) };
        match form {
            Form::One if class == Class::Pred => self.write_bits(reg),
            Form::One if !all => {
                let first = self.scalar(reg);
                let row = self.row(reg, 0);
                self.func.x(code, &[O::M(row), O::U(first)]);
            }
            Form::Firsts if !all => {
                let own = self.slice_of(reg);
                for (nth, first) in self.firsts(reg).iter().copied().enumerate() {
                    let home = self.element(reg, nth * own, size);
                    self.func.x(code, &[O::M(home), O::U(first)]);
                }
            }
            Form::Vectors if value.vectors.is_none() && value.indexed.is_some() => {
                if let Some(indexed) = &value.indexed {
                    self.write_addresses(indexed, reg);
                }
            }
            Form::One | Form::Firsts | Form::Vectors => {
                // Two at once lie one after the other in the row of any warp.
                for (nth, pair) in self.vectors(reg).chunks(2).enumerate() {
                    self.func.store_row(pair, self.place_in_rows(reg, 2 * nth));
                }
            }
        }
        // Where lanes have parted, others may need another register in the row.
        if !self.masked.as_ref().is_some_and(Masked::is_apart) {
            let value = self.known(reg);
            self.set(reg, Value { home: true, full: value.full || all, ..value });
        }
    }

    fn write_bits(&mut self, reg: Reg) {
        let bits = self.scalar(reg);
        let row = self.bits_row(reg);
        if self.home(reg).stride != 0 {
            return self.lanes_store(row, bits);
        }
        // All warps have one home.
        self.func.x(Code::Mov_rm32_r32, &[O::M(row), O::U(bits)]);
    }
}
