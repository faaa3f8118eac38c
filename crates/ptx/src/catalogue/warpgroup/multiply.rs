//! What `wgmma.mma_async` does: each warp of a warpgroup multiplies its 16 rows of `a` by `b`, eight columns at a time, as `mma`
//! does. It is done at once, which is one of the times at which the asynchronous operation may be done.

use super::descriptor::{Major, Matrix};
use crate::catalogue::matrix::{Operands, begin, described, in_parts, values, with_zeros, write};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Class, MatrixWork, Op, Special, Src};
use lanes::product::{Adder, Layout, Product};

/// Rows of `a` that a warp multiplies, and columns of `b` that it multiplies at once.
const ROWS: u32 = 16;
const COLUMNS: u32 = 8;
/// Warps of a warpgroup.
const WARPS: u64 = 4;
/// Units of 16 bytes of a row of `a`, and registers that hold one in the lanes of a quad.
const UNITS: u64 = 2;
const REGISTERS: usize = 4;

pub(super) fn multiply(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let Some(whole) = described(inst, Layout::Mma) else {
        return lo.unsupported(inst, "a product of matrices of these types");
    };
    let adder = if whole.a.is_small_float() { Adder::Short } else { Adder::Full };
    let product = Product { m: ROWS, n: COLUMNS, adder, ..whole };
    begin(lo, inst, MatrixWork::Multiply);
    let a = match inst.operand("a_desc") {
        Some(_) => {
            let matrix = matrix(lo, inst, "a_desc", "trans_a")?;
            rows(lo, &matrix)
        }
        None => values(lo, inst, "a", ScalarType::B32)?,
    };
    let mut a = scaled(lo, inst, "scale_a", a)?;
    if inst.operand("meta").is_some() {
        a = with_zeros(lo, inst, &product, (&a, "meta", "sel"))?;
    }
    let b = matrix(lo, inst, "b_desc", "trans_b")?;
    let accumulates = lo.predicate(inst, "scale_d")?;
    let operand = lo.operand(inst, "d")?;
    let registers = product.registers().d;
    let units = (product.words() / REGISTERS) as u64;
    // Registers of `a` may be those of `d`.
    let mut found = Vec::new();
    for (tile, elements) in (0..whole.n / COLUMNS).zip(lo.elements(operand).chunks(registers)) {
        let words = (0..units).map(|unit| b.word(lo, Src::Imm(tile.into()), unit)).collect();
        let b = scaled(lo, inst, "scale_b", words)?;
        let mut c = Vec::with_capacity(registers);
        for element in elements {
            let before = lo.value_of(element, ScalarType::B32)?;
            c.push(lo.b.select(Class::W32, accumulates, before, Src::Imm(0)).into());
        }
        found.extend(in_parts(lo, inst, product, Operands { a: &a, b: &b, c: &c })?);
    }
    write(lo, inst, &found)
}

/// `wgmma.fence`, `wgmma.commit_group` and `wgmma.wait_group`: products are done at once, so that there is nothing to wait for, but
/// the warp executes them together.
pub(super) fn meet(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Multiply);
    Ok(())
}

/// A matrix in shared memory.
fn matrix(lo: &mut Lowering, inst: &Inst<'_>, name: &str, turned: &str) -> Result<Matrix> {
    let turned = inst.operand(turned).is_some() && lo.value(inst, turned)? != Src::Imm(0);
    let descriptor = lo.value(inst, name)?;
    Ok(Matrix::of(lo, descriptor, if turned { Major::Lines } else { Major::K }))
}

/// What a lane has of the rows of its warp: of the upper and lower eight, unit after unit.
fn rows(lo: &mut Lowering, matrix: &Matrix) -> Vec<Src> {
    let warp = lo.b.reg(Class::W32);
    lo.b.push(Op::Special { d: warp, what: Special::Warpid });
    let warp = lo.b.binary(BinaryOp::And32, warp, Src::Imm(WARPS - 1));
    let upper = lo.b.binary(BinaryOp::Shl32, warp, Src::Imm(1));
    let lower = lo.b.binary(BinaryOp::AddI32, upper, Src::Imm(1));
    let mut words = Vec::new();
    for unit in 0..UNITS {
        for tile in [upper, lower] {
            words.push(matrix.word(lo, tile.into(), unit));
        }
    }
    words
}

/// Elements of a fragment, negated if the instruction says so. Which sign a product of 0 has shows, so that signs are changed and
/// nothing is multiplied.
fn scaled(lo: &mut Lowering, inst: &Inst<'_>, name: &str, words: Vec<Src>) -> Result<Vec<Src>> {
    if inst.operand(name).is_none() || lo.value(inst, name)? == Src::Imm(1) {
        return Ok(words);
    }
    let signs = match inst.ty("atype").bits() {
        8 => 0x8080_8080,
        16 => 0x8000_8000,
        _ => 0x8000_0000,
    };
    let negated = |word| lo.b.binary(BinaryOp::Xor32, word, Src::Imm(signs)).into();
    Ok(words.into_iter().map(negated).collect())
}
