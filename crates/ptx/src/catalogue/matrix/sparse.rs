//! What `mma.sp` does: `a` is written out with its zeros, and then multiplied as that of `mma` (PTX ISA 9.1, 9.7.14.6).
//!
//! A row of `a` is cut into chunks of four *units*, two of which are there: units of 16 bits (half a tf32), or of 8 bits (an
//! element, or two of 4 bits). A nibble of the metadata says which two, the lower one in its low bits.
//!
//! Words of `a` are [`WORDS`] registers full of elements that are not sparse, and half as many that are: a *block*. Two lines of the
//! metadata belong to a block, that of row `r` and that of row `r + 8`.

use super::fragment::{Quad, begin, shuffle};
use super::product::{Operands, WORDS, described, in_parts, values, write};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, MatrixWork, Src};
use lanes::product::{Layout, Product};

/// Bits that say where the two units of a chunk are.
const NIBBLE: u64 = 4;

/// `mma.sp`.
pub(super) fn multiply_sparse(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Multiply);
    let Some(product) = described(inst, Layout::Mma) else {
        return lo.unsupported(inst, "a product of matrices of these types");
    };
    let a = expanded(lo, inst, &product)?;
    let [b, c] = [values(lo, inst, "b", ScalarType::B32)?, values(lo, inst, "c", ScalarType::B32)?];
    let d = in_parts(lo, inst, product, Operands { a: &a, b: &b, c: &c })?;
    write(lo, inst, &d)
}

/// The registers of `a` with its zeros.
pub(super) fn expanded(lo: &mut Lowering, inst: &Inst<'_>, product: &Product) -> Result<Vec<Src>> {
    let a = values(lo, inst, "a", ScalarType::B32)?;
    with_zeros(lo, inst, product, (&a, "e", "f"))
}

/// The registers of a sparse matrix with its zeros, of which two operands say where they are.
pub(in crate::catalogue) fn with_zeros(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    product: &Product,
    (a, metadata, selector): (&[Src], &str, &str),
) -> Result<Vec<Src>> {
    let (metadata, selector) = (lo.value(inst, metadata)?, lo.value(inst, selector)?);
    let Src::Imm(selector) = selector else {
        return lo.unsupported(inst, "a sparsity selector that is not constant");
    };
    let sparse = Sparse::new(lo, product, metadata, selector);
    let mut found = Vec::with_capacity(2 * a.len());
    for (block, rows) in (0..).zip(a.chunks_exact(2)) {
        let lines = sparse.lines(lo, block);
        for half in 0..2 {
            for (row, line) in rows.iter().zip(lines) {
                found.push(sparse.word(lo, *row, line, half));
            }
        }
    }
    Ok(found)
}

/// What all words of an instruction have in common.
struct Sparse {
    metadata: Src,
    /// Bits of a unit.
    unit: u64,
    blocks: u64,
    selector: u64,
    /// The first lane of the quad.
    first: Src,
    /// Which of two words that a word becomes the lane has of a row.
    second: Src,
    /// The words that come before this one of two lanes, in half a block.
    before: Src,
}

impl Sparse {
    fn new(lo: &mut Lowering, product: &Product, metadata: Src, selector: u64) -> Sparse {
        let quad = Quad::new(lo);
        Sparse {
            metadata,
            unit: if product.a.bits() >= 16 { 16 } else { 8 },
            blocks: (product.words() / WORDS) as u64,
            selector,
            first: lo.b.binary(BinaryOp::Shl32, quad.group, Src::Imm(2)).into(),
            second: lo.b.binary(BinaryOp::And32, quad.within, Src::Imm(1)).into(),
            before: lo.b.binary(BinaryOp::ShrU32, quad.within, Src::Imm(1)).into(),
        }
    }

    /// The value that a lane of the quad has.
    fn of_quad(&self, lo: &mut Lowering, value: Src, within: u64) -> Src {
        let from = lo.b.binary(BinaryOp::Or32, self.first, Src::Imm(within));
        shuffle(lo, value, from.into())
    }

    /// The metadata of both rows of a block. Of units of 16 bits one lane has both, the upper row in its low half; of units of
    /// 8 bits two neighbours have one each. The lanes of all blocks are neighbours, and the selector counts such groups.
    fn lines(&self, lo: &mut Lowering, block: u64) -> [Src; 2] {
        let nth = self.selector * self.blocks + block;
        if self.unit == 8 {
            return [0, 1].map(|row| self.of_quad(lo, self.metadata, (2 * nth + row) % 4));
        }
        let both = self.of_quad(lo, self.metadata, nth % 4);
        [both, lo.b.binary(BinaryOp::ShrU32, both, Src::Imm(16)).into()]
    }

    /// The word that the lane has of half a block (0 or 1) of a row: the words of the row as they are given, and their metadata.
    fn word(&self, lo: &mut Lowering, row: Src, line: Src, half: u64) -> Src {
        let nth = lo.b.binary(BinaryOp::AddI32, self.before, Src::Imm(2 * half));
        let from = lo.b.binary(BinaryOp::Or32, self.first, nth);
        let mut given = shuffle(lo, row, from.into());
        // A word is one chunk of units of 16 bits, of which each result is half, or two of 8 bits, each a result.
        let chunks = 16 / self.unit;
        let mut at = lo.b.binary(BinaryOp::MulLo32, nth, Src::Imm(NIBBLE * chunks));
        let mut skipped = Src::Imm(0);
        if self.unit == 16 {
            skipped = lo.b.binary(BinaryOp::MulLo32, self.second, Src::Imm(32)).into();
        } else {
            let later = lo.b.binary(BinaryOp::MulLo32, self.second, Src::Imm(NIBBLE));
            at = lo.b.binary(BinaryOp::AddI32, at, later);
            let later = lo.b.binary(BinaryOp::MulLo32, self.second, Src::Imm(2 * self.unit));
            given = lo.b.binary(BinaryOp::ShrU32, given, later).into();
        }
        let nibble = lo.b.binary(BinaryOp::ShrU32, line, at);
        let [low, high] = [0, 1].map(|unit| {
            let index = lo.b.binary(BinaryOp::ShrU32, nibble, Src::Imm(2 * unit));
            let index = lo.b.binary(BinaryOp::And32, index, Src::Imm(3));
            let place = lo.b.binary(BinaryOp::MulLo32, index, Src::Imm(self.unit));
            let place = lo.b.binary(BinaryOp::SubI32, place, skipped);
            let value = lo.b.binary(BinaryOp::ShrU32, given, Src::Imm(unit * self.unit));
            let value = lo.b.binary(BinaryOp::And32, value, Src::Imm((1 << self.unit) - 1));
            // What goes to the other result is shifted out: beyond the top, or by less than nothing, which is a great number.
            lo.b.binary(BinaryOp::Shl32, value, place)
        });
        lo.b.binary(BinaryOp::Or32, low, high).into()
    }
}
