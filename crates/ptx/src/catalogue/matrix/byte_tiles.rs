//! What `ldmatrix` and `stmatrix` do with elements of at most 8 bits.
//!
//! A row is 16 elements; formats of fewer bits take its first bytes, and a lane gets every element in a byte of its own. Where
//! elements of transposed matrices lie follows NVIDIA's CUTLASS (`copy_traits_sm100.hpp`), which names rows by lanes that give
//! their addresses.

use super::fragment::begin;
use super::product::write;
use super::tiles::Tiles;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{Access, BinaryOp, Class, MatrixWork, Op, Ordering, Reg, Src};

/// Rows of a transposed matrix from one element of a lane to the second next.
const HALF: u64 = 8;

/// Bits of an element in memory.
fn bits(inst: &Inst<'_>) -> u64 {
    match inst.word("format") {
        Some("b6x16_p32") => 6,
        Some("b4x16_p64") => 4,
        _ => 8,
    }
}

/// `ldmatrix` of 16 rows, transposed: a lane gets two columns of two rows in a register, and the next two in another one.
pub(super) fn load_transposed(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    load(lo, inst, |lo, tiles, quads, nth| {
        // Two registers a matrix.
        let first = 2 * HALF * (nth / 2) + 2 * (nth % 2);
        let mut bytes = [Src::Imm(0); 4];
        for column in 0..2 {
            let from = lo.b.binary(BinaryOp::AddI32, quads, Src::Imm(first + column));
            let row = tiles.row(lo, from.into());
            for half in 0..2 {
                let at = lo.b.binary(BinaryOp::AddI32, tiles.quad.group, Src::Imm(HALF * half));
                bytes[(column + 2 * half) as usize] =
                    element(lo, tiles, (row, at.into()), bits(inst));
            }
        }
        bytes
    })
}

/// `ldmatrix` of 8 rows: a lane gets four elements of a row.
pub(super) fn load_rows(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    load(lo, inst, |lo, tiles, quads, nth| {
        let from = lo.b.binary(BinaryOp::AddI32, tiles.quad.group, Src::Imm(HALF * nth));
        let row = tiles.row(lo, from.into());
        [0, 1, 2, 3].map(|column| {
            let at = lo.b.binary(BinaryOp::AddI32, quads, Src::Imm(column));
            element(lo, tiles, (row, at.into()), bits(inst))
        })
    })
}

/// Registers of four elements each, which `bytes` loads: of a register's number, and of four times the lane's place in its quad.
fn load(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    bytes: impl Fn(&mut Lowering, &Tiles, Reg, u64) -> [Src; 4],
) -> Result {
    begin(lo, inst, MatrixWork::Load);
    let operand = lo.operand(inst, "d")?;
    let count = lo.elements(operand).len();
    let tiles = Tiles::of(lo, inst, MatrixWork::Load, count)?;
    let quads = lo.b.binary(BinaryOp::Shl32, tiles.quad.within, Src::Imm(2));
    let mut found = Vec::with_capacity(count);
    for nth in 0..count as u64 {
        let bytes = bytes(lo, &tiles, quads, nth);
        found.push(packed(lo, &bytes));
    }
    write(lo, inst, &found)
}

/// `stmatrix` of 8 rows, each a column of the matrix: a lane has two elements of two neighbours.
pub(super) fn store_transposed(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Store);
    let operand = lo.operand(inst, "b")?;
    let elements = lo.elements(operand);
    let tiles = Tiles::of(lo, inst, MatrixWork::Store, elements.len())?;
    let pairs = lo.b.binary(BinaryOp::Shl32, tiles.quad.within, Src::Imm(1));
    for (nth, element) in (0..).zip(elements) {
        let value = lo.value_of(element, ScalarType::B32)?;
        for column in 0..2 {
            let from = lo.b.binary(BinaryOp::AddI32, pairs, Src::Imm(HALF * nth + column));
            let row = tiles.row(lo, from.into());
            for half in 0..2 {
                let shift = Src::Imm(8 * (column + 2 * half));
                let byte = lo.b.binary(BinaryOp::ShrU32, value, shift);
                let at = lo.b.binary(BinaryOp::AddI32, tiles.quad.group, Src::Imm(HALF * half));
                let address = tiles.inside(lo, row, at.into());
                let (values, space) = (vec![byte.into()], tiles.space);
                let (access, ordering) = (Access::U8, Ordering::Weak);
                lo.b.push(Op::Store { values, space, access, address, ordering });
            }
        }
    }
    Ok(())
}

/// An element of a row, of so many bits.
fn element(lo: &mut Lowering, tiles: &Tiles, (row, nth): (Src, Src), bits: u64) -> Src {
    let byte = |lo: &mut Lowering, nth: Src| -> Src {
        let address = tiles.inside(lo, row, nth);
        let (d, access, space) = (lo.b.reg(Class::W32), Access::U8, tiles.space);
        lo.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering: Ordering::Weak });
        d.into()
    };
    if bits == 8 {
        return byte(lo, nth);
    }
    let first = lo.b.binary(BinaryOp::MulLo32, nth, Src::Imm(bits));
    // Its last bit may lie in the next byte, which is read only if it does: behind the elements nothing may be written.
    let last = lo.b.binary(BinaryOp::AddI32, first, Src::Imm(bits - 1));
    let [low, high] = [first, last].map(|bit| {
        let at = lo.b.binary(BinaryOp::ShrU32, bit, Src::Imm(3)).into();
        byte(lo, at)
    });
    let high = lo.b.binary(BinaryOp::Shl32, high, Src::Imm(8));
    let both = lo.b.binary(BinaryOp::Or32, low, high);
    let shift = lo.b.binary(BinaryOp::And32, first, Src::Imm(7));
    let value = lo.b.binary(BinaryOp::ShrU32, both, shift);
    lo.b.binary(BinaryOp::And32, value, Src::Imm((1 << bits) - 1)).into()
}

/// Four bytes as a word, the first in its low bits.
fn packed(lo: &mut Lowering, bytes: &[Src; 4]) -> Src {
    let [low, high] = [[bytes[0], bytes[1]], [bytes[2], bytes[3]]].map(|[low, high]| {
        let high = lo.b.binary(BinaryOp::Shl32, high, Src::Imm(8));
        lo.b.binary(BinaryOp::Or32, low, high)
    });
    lo.b.binary(BinaryOp::Pack32, low, high).into()
}
