//! What loads and stores of `wmma` do.
//!
//! Where elements lie in the registers of a fragment is nobody's business but that of `wmma` itself: see
//! [`lanes::product::Layout::Wmma`].

use super::fragment::{aligned, begin, further, lane};
use super::product::values;
use super::shape::shape;
use crate::catalogue::memory::{access, space};
use crate::catalogue::moves::pack;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{Address, BinaryOp, MatrixWork, Op, Ordering, Space, Src, UnaryOp};

const WORD: u32 = 32;

/// Bytes to which the first row or column is aligned, if it is not shorter ("Matrix Storage for WMMA").
const ALIGNMENT: u64 = 32;

/// Which matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    A,
    B,
    /// `c` or `d`.
    Sum,
}

/// How a matrix lies in the lanes of a warp.
struct Fragment {
    /// The row (of `b`: column) of the lane.
    line: Src,
    /// The first element of it that the lane holds.
    first: Src,
}

impl Fragment {
    /// Of a matrix whose lanes hold `held` elements.
    fn new(lo: &mut Lowering, inst: &Inst<'_>, which: Which, held: u32) -> Fragment {
        let (m, n, k) = shape(inst);
        let (lines, length) = match which {
            Which::A => (m, k),
            Which::B => (n, k),
            Which::Sum => (m, n),
        };
        let lane = lane(lo);
        // All of these are powers of two.
        let line = lo.b.binary(BinaryOp::And32, lane, Src::Imm(u64::from(lines - 1)));
        let part = lo.b.binary(BinaryOp::ShrU32, lane, Src::Imm(u64::from(lines.ilog2())));
        let part = lo.b.binary(BinaryOp::And32, part, Src::Imm(u64::from(length / held - 1)));
        let first = lo.b.binary(BinaryOp::MulLo32, part, Src::Imm(u64::from(held)));
        Fragment { line: line.into(), first: first.into() }
    }
}

fn which(inst: &Inst<'_>) -> Which {
    match (inst.has("a"), inst.has("b")) {
        (true, _) => Which::A,
        (_, true) => Which::B,
        _ => Which::Sum,
    }
}

/// Bits of the register that holds elements of a type.
fn register_bits(ty: ScalarType) -> u32 {
    ty.bits().max(WORD)
}

pub(super) fn load(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Load);
    let (ty, operand) = (inst.ty("type"), lo.operand(inst, "d")?);
    let elements = lo.elements(operand);
    let per = register_bits(ty) / ty.bits();
    let memory =
        Memory::of(lo, inst, MatrixWork::Load, which(inst), (ty, elements.len() as u32 * per))?;
    let mut loaded = Vec::with_capacity(elements.len());
    for nth in 0..elements.len() as u32 {
        loaded.push(if memory.contiguous {
            memory.load(lo, nth * per, register_type(ty))
        } else {
            let mut parts = Vec::new();
            for element in 0..per {
                parts.push(memory.load(lo, nth * per + element, ty));
            }
            pack(lo, &parts, WORD)
        });
    }
    for (element, value) in elements.iter().zip(loaded) {
        lo.write_to(element, value, register_type(ty))?;
    }
    Ok(())
}

pub(super) fn store(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Store);
    let ty = inst.ty("type");
    let held = values(lo, inst, "b", register_type(ty))?;
    let per = register_bits(ty) / ty.bits();
    let memory =
        Memory::of(lo, inst, MatrixWork::Store, Which::Sum, (ty, held.len() as u32 * per))?;
    for (nth, value) in (0..).zip(held) {
        if memory.contiguous {
            memory.store(lo, nth * per, register_type(ty), value);
            continue;
        }
        for element in 0..per {
            let shift = Src::Imm(u64::from(element * ty.bits()));
            let value = match element {
                0 => value,
                _ => lo.b.binary(BinaryOp::ShrU32, value, shift).into(),
            };
            memory.store(lo, nth * per + element, ty, value);
        }
    }
    Ok(())
}

/// The type of a register as it is: bits.
fn register_type(ty: ScalarType) -> ScalarType {
    if ty == ScalarType::F64 { ScalarType::B64 } else { ScalarType::B32 }
}

/// Where the elements of a lane lie in memory.
struct Memory {
    /// The address of the first one.
    base: Src,
    offset: i64,
    /// Elements from one to the next: 1, or the operand.
    step: Src,
    contiguous: bool,
    bits: u32,
    space: Space,
}

impl Memory {
    fn of(
        lo: &mut Lowering,
        inst: &Inst<'_>,
        work: MatrixWork,
        which: Which,
        (ty, held): (ScalarType, u32),
    ) -> Result<Memory> {
        let (address, named) = lo.address(inst, "a")?;
        let fragment = Fragment::new(lo, inst, which, held);
        let by_rows = inst.word("layout") == Some("row");
        let contiguous = by_rows != (which == Which::B);
        let (m, n, k) = shape(inst);
        let length = match (which, by_rows) {
            (Which::A, true) | (Which::B, false) => k,
            (Which::A | Which::Sum, false) => m,
            (Which::B | Which::Sum, true) => n,
        };
        let stride = match inst.operand("stride") {
            Some(_) => lo.value(inst, "stride")?,
            None => Src::Imm(u64::from(length)),
        };
        let space = space(lo, inst.space(), named);
        let bytes = u64::from(length * ty.bits() / 8).min(ALIGNMENT);
        aligned(lo, work, (address, space), bytes, lanes::WARP);
        let (along, across) = match contiguous {
            true => (Src::Imm(1), stride),
            false => (stride, Src::Imm(1)),
        };
        let lines = lo.b.binary(BinaryOp::MulLo32, fragment.line, across);
        let before = lo.b.binary(BinaryOp::MulLo32, fragment.first, along);
        let elements = lo.b.binary(BinaryOp::AddI32, lines, before).into();
        let mut memory = Memory {
            base: address.base,
            offset: address.offset,
            step: along,
            contiguous,
            bits: ty.bits(),
            space,
        };
        memory.base = memory.elements_on(lo, elements);
        Ok(memory)
    }

    /// The address so many elements on.
    fn elements_on(&self, lo: &mut Lowering, elements: Src) -> Src {
        let bits = lo.b.binary(BinaryOp::MulLo32, elements, Src::Imm(u64::from(self.bits)));
        let bytes = lo.b.binary(BinaryOp::ShrU32, bits, Src::Imm(3));
        further(lo, self.base, bytes.into())
    }

    /// The address of the lane's element `nth`.
    fn address(&self, lo: &mut Lowering, nth: u32) -> Address {
        if self.contiguous {
            let offset = self.offset + i64::from(nth * self.bits / 8);
            return Address { base: self.base, offset };
        }
        let elements = lo.b.binary(BinaryOp::MulLo32, self.step, Src::Imm(u64::from(nth)));
        Address { base: self.elements_on(lo, elements.into()), offset: self.offset }
    }

    fn load(&self, lo: &mut Lowering, nth: u32, ty: ScalarType) -> Src {
        let (address, access, space) = (self.address(lo, nth), access(ty), self.space);
        let d = lo.b.reg(ir::Builder::class_of(access));
        lo.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering: Ordering::Weak });
        match ty {
            // Sign bits above an element would spoil its neighbours.
            ScalarType::S8 => lo.b.unary(UnaryOp::ZeroExtend8, d).into(),
            _ => d.into(),
        }
    }

    fn store(&self, lo: &mut Lowering, nth: u32, ty: ScalarType, value: Src) {
        let (address, access, space) = (self.address(lo, nth), access(ty), self.space);
        let values = vec![value];
        lo.b.push(Op::Store { values, space, access, address, ordering: Ordering::Weak });
    }
}
