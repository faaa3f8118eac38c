//! Where the values of a kernel's registers are, while it is lowered.

use super::Lower;
use super::value::{FLOAT, INT, Value};
use crate::exit::Keeps;
use crate::isa::{U, V};
use crate::mir::{Base, Mem, O};
use crate::{Home, Level};
use iced_x86::Code;
use ir::analysis::Shape;
use ir::{Class, Pred, Reg, Src};
use regalloc2::VReg;

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

    /// Whether a value is kept as the first lane's alone.
    pub(super) fn is_scalar(&self, reg: Reg) -> bool {
        match self.class(reg) {
            Class::Pred => true,
            Class::W32 | Class::W64 => matches!(self.shape(reg), Shape::Affine(_)),
        }
    }

    /// Vectors of a value.
    pub(super) fn count(&self, class: Class) -> usize {
        match class {
            Class::W32 => self.level.slices(),
            Class::W64 => 2 * self.level.slices(),
            Class::Pred => 0,
        }
    }

    pub(super) fn home(&self, reg: Reg) -> Home {
        let home = self.input.homes.get(reg.0 as usize).copied().flatten();
        home.unwrap_or(Home { offset: 0, stride: 0 })
    }

    /// A vector, or the first element, of a home row that is no predicate's.
    pub(super) fn row(&self, reg: Reg, vector: usize) -> Mem {
        let Home { offset, stride } = self.home(reg);
        let disp = offset as usize * 4 + vector * self.level.bytes();
        Mem::new(Base::Registers(stride / 32), disp as i32)
    }

    /// The home of a predicate.
    pub(super) fn bits_row(&mut self, reg: Reg) -> Mem {
        let Home { offset, stride } = self.home(reg);
        let mut found = Mem::new(Base::Registers(0), (offset * 4) as i32);
        if stride != 0 {
            let warp = self.func.value(INT);
            let at = Mem::new(Base::Context, crate::context::WARP_WORDS);
            self.func.x(Code::Mov_r64_rm64, &[O::D(warp), O::M(at)]);
            found.index = Some((warp, 1));
        }
        found
    }

    /// The value of a register as it is known.
    pub(super) fn known(&self, reg: Reg) -> Value {
        match self.state.get(&reg) {
            Some(value) => value.clone(),
            None => Value { full: self.invariant[reg.0 as usize], ..Value::HOME },
        }
    }

    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        self.state.insert(reg, value);
    }

    /// The first lane's value, or the bits of a predicate.
    pub(super) fn scalar(&mut self, reg: Reg) -> VReg {
        let mut value = self.known(reg);
        if let Some(scalar) = value.scalar {
            return scalar;
        }
        let class = self.class(reg);
        let scalar = match (&value.masks, class) {
            (Some(masks), _) => self.bits_of(&masks.clone()),
            (None, Class::Pred) => {
                let found = self.func.value(INT);
                let row = self.bits_row(reg);
                self.func.x(Code::Mov_r32_rm32, &[O::D(found), O::M(row)]);
                found
            }
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

    /// The first lane's value of an operand that is kept so.
    pub(super) fn scalar_src(&mut self, src: Src, class: Class) -> VReg {
        match src {
            Src::Reg(reg) => self.scalar(reg),
            Src::Imm(value) => self.number(value, class),
        }
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
                let found = self.func.value(INT);
                self.func.x(Code::Not_rm32, &[O::Tied(found, bits)]);
                found
            }
            Pred::Const(value) => self.number(if value { 0xffff_ffff } else { 0 }, Class::W32),
        }
    }

    /// The vectors of a value.
    pub(super) fn vectors(&mut self, reg: Reg) -> Vec<VReg> {
        let mut value = self.known(reg);
        if let Some(vectors) = value.vectors {
            return vectors;
        }
        let class = self.class(reg);
        let count = self.count(class);
        let load = U::Load.code(self.level);
        let vectors: Vec<VReg> = if value.home && (value.full || !self.is_scalar(reg)) {
            (0..count)
                .map(|nth| {
                    let found = self.func.value(FLOAT);
                    let row = self.row(reg, nth);
                    self.func.x(load, &[O::D(found), O::M(row)]);
                    found
                })
                .collect()
        } else {
            let first = self.scalar(reg);
            let shape = self.shape(reg).clone();
            let all = self.broadcast(first, class);
            (0..count).map(|nth| self.stepped(all, &shape, class, nth)).collect()
        };
        // Reading the scalar may have changed what is known.
        value.scalar = self.known(reg).scalar;
        value.vectors = Some(vectors.clone());
        self.set(reg, value);
        vectors
    }

    /// A scalar in all lanes of a vector.
    pub(super) fn broadcast(&mut self, scalar: VReg, class: Class) -> VReg {
        let found = self.func.value(FLOAT);
        let wide = class == Class::W64;
        let code = if wide { U::BroadcastQ } else { U::BroadcastD }.code(self.level);
        match self.level {
            Level::Avx2 => {
                let low = self.func.value(FLOAT);
                let code_low =
                    if wide { Code::VEX_Vmovq_xmm_rm64 } else { Code::VEX_Vmovd_xmm_rm32 };
                self.func.x(code_low, &[O::D(low), O::U(scalar)]);
                self.func.x(code, &[O::D(found), O::U(low)]);
            }
            Level::Avx512 => self.func.x(code, &[O::D(found), O::U(scalar)]),
        }
        found
    }

    /// A vector of a value of which all lanes have the first one's.
    fn stepped(&mut self, all: VReg, shape: &Shape, class: Class, nth: usize) -> VReg {
        let Shape::Affine(affine) = shape else { return all };
        if affine.is_uniform() {
            return all;
        }
        let mut bytes = [0; 64];
        let size = if class == Class::W64 { 8 } else { 4 };
        let lanes = self.level.bytes() / size;
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
                let value = self.known(reg);
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
                self.func.x(U::Load.code(self.level), &[O::D(found), memory]);
                found
            }
        }
    }

    /// What a vector instruction makes of two operands.
    pub(super) fn binary(&mut self, what: V, a: VReg, b: O) -> VReg {
        let found = self.func.value(FLOAT);
        self.func.x(what.code(self.level), &[O::D(found), O::U(a), b]);
        found
    }

    /// Makes the NaNs of a register canonical.
    pub(super) fn canonical(&mut self, reg: Reg) {
        let mut value = self.known(reg);
        if !value.nan {
            return;
        }
        if self.class(reg) == Class::W32
            && let Some(vectors) = value.vectors.clone()
        {
            let vectors = vectors.into_iter().map(|vector| self.canonical_vector(vector)).collect();
            value.vectors = Some(vectors);
            value.nan = false;
            self.set(reg, value);
        }
    }

    /// A vector of binary32 with canonical NaNs.
    pub(super) fn canonical_vector(&mut self, vector: VReg) -> VReg {
        // Unordered.
        let masks = self.compare_ps(vector, O::U(vector), 3);
        let nan = self.pool(words(ir::numeric::f32::NAN));
        self.blend(masks, O::M(nan), vector)
    }

    /// The values of a register in the form in which they are handed on, and what to make of them.
    pub(super) fn handed(&mut self, reg: Reg) -> Vec<VReg> {
        if self.is_scalar(reg) {
            return vec![self.scalar(reg)];
        }
        if !self.floats[reg.0 as usize] {
            self.canonical(reg);
        }
        self.vectors(reg)
    }

    /// What home rows do not hold of these registers, for an exit.
    pub(super) fn keep(&mut self, regs: &[Reg]) -> (Vec<VReg>, Vec<(Reg, Keeps)>) {
        let (mut values, mut kept) = (Vec::new(), Vec::new());
        for reg in regs {
            let value = self.known(*reg);
            if value.full && value.home {
                continue;
            }
            let class = self.class(*reg);
            match self.shape(*reg).clone() {
                _ if class == Class::Pred => {
                    if !value.home {
                        values.push(self.scalar(*reg));
                        kept.push((*reg, Keeps::Bits));
                    }
                }
                Shape::Affine(affine) => {
                    let here = value.scalar.filter(|_| !value.home);
                    values.extend(here);
                    kept.push((*reg, Keeps::First(affine, here.is_some())));
                }
                Shape::Varying | Shape::Mask(_) => {
                    if !value.home {
                        let vectors = self.vectors(*reg);
                        kept.push((*reg, Keeps::Vectors(vectors.len(), value.nan)));
                        values.extend(vectors);
                    }
                }
            }
        }
        (values, kept)
    }

    /// Writes a value to its home row: of one whose lanes follow from the first, all lanes or just that.
    pub(super) fn write_home(&mut self, reg: Reg, all: bool) {
        let value = self.known(reg);
        if value.home && (value.full || !all || !self.is_scalar(reg)) {
            return;
        }
        let class = self.class(reg);
        if class == Class::Pred {
            let bits = self.scalar(reg);
            let row = self.bits_row(reg);
            self.func.x(Code::Mov_rm32_r32, &[O::M(row), O::U(bits)]);
        } else if self.is_scalar(reg) && !all {
            let first = self.scalar(reg);
            let code = if class == Class::W64 { Code::Mov_rm64_r64 } else { Code::Mov_rm32_r32 };
            let row = self.row(reg, 0);
            self.func.x(code, &[O::M(row), O::U(first)]);
        } else {
            self.canonical(reg);
            let (_, store) = crate::x86::vector_moves(self.level);
            for (nth, vector) in self.vectors(reg).into_iter().enumerate() {
                let row = self.row(reg, nth);
                self.func.x(store, &[O::M(row), O::U(vector)]);
            }
        }
        // Where lanes have parted, others may need another register in the row.
        if self.masked.is_none() {
            let value = self.known(reg);
            self.set(reg, Value { home: true, full: value.full || all, ..value });
        }
    }
}
