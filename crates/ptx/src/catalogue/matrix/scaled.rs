//! What `mma` with `.block_scale` does (PTX ISA 9.1, 9.7.14.3): parts of rows of `a` and of columns of `b` have a scale each.
//!
//! Every part is a product without `c`, in binary32. What it is scaled with, and the sum of parts, are binary64, which holds all
//! products of scales.

use super::fragment::{Quad, begin, shuffle};
use super::product::{Operands, described, push, values, write};
use super::sparse::expanded;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Class, CompareOp, MatrixWork, Pred, Round, Src, TernaryOp, UnaryOp};
use lanes::product::{Adder, Factor, Layout, Product, Sum};

/// Elements of a row that are multiplied at once.
const LENGTH: u32 = 32;

/// Elements of a lane in `c` and `d`: two columns of the upper row, and the same of the lower one.
const SUMS: usize = 4;

/// `mma` and `mma.sp` with `.block_scale`.
pub(super) fn multiply_scaled(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Multiply);
    // All elements of 4 bits are e2m1, which a product takes in bytes.
    let nibbles = inst.word("kind") != Some("kind::mxf8f6f4");
    let Some(product) = described(inst, Layout::Mma) else {
        return lo.unsupported(inst, "a product of matrices of these types");
    };
    let a = match inst.operand("e") {
        // How bytes and nibbles are written out is the same.
        Some(_) => {
            let k = if nibbles { product.k / 2 } else { product.k };
            expanded(lo, inst, &Product { k, ..product })?
        }
        None => values(lo, inst, "a", ScalarType::B32)?,
    };
    let [b, c] = [values(lo, inst, "b", ScalarType::B32)?, values(lo, inst, "c", ScalarType::B32)?];
    let quad = Quad::new(lo);
    let scales = Scales::new(lo, inst, quad)?;
    let mut parts = Vec::new();
    if nibbles {
        for (a, b) in a.as_chunks::<2>().0.iter().zip(&b) {
            of_nibbles(lo, quad, (*a, *b), scales.length, &mut parts);
        }
    } else {
        let pairs = a.chunks_exact(4).zip(b.chunks_exact(2));
        parts.extend(pairs.map(|(a, b)| Part { a: a.to_vec(), b: b.to_vec() }));
    }
    let factors = if nibbles { (Factor::E2m1, Factor::E2m1) } else { (product.a, product.b) };
    let product = Product {
        k: LENGTH,
        a: factors.0,
        b: factors.1,
        c: Sum::F32,
        d: Sum::F32,
        adder: Adder::Full,
        ..product
    };
    let mut sums: Vec<Src> = c.iter().map(|c| lo.b.unary(UnaryOp::F32ToF64, *c).into()).collect();
    // As many parts have the same scales as there are too many of them.
    let alike = parts.len().div_ceil(scales.count);
    for (nth, part) in parts.iter().enumerate() {
        let zeros = [Src::Imm(0); SUMS];
        let found = push(lo, inst, product, Operands { a: &part.a, b: &part.b, c: &zeros })?;
        let of_part = scales.of(lo, nth / alike);
        for ((sum, found), scale) in sums.iter_mut().zip(found).zip(of_part) {
            let found = lo.b.unary(UnaryOp::F32ToF64, found);
            let op = TernaryOp::FmaF64(Round::NearestEven);
            *sum = lo.b.ternary(op, found, scale, *sum).into();
        }
    }
    let narrow = UnaryOp::F64ToF32(Round::NearestEven);
    // Adding -0 makes a NaN canonical, and changes no number.
    let (add, zero) = (BinaryOp::AddF32(Round::NearestEven), Src::Imm((-0f32).to_bits().into()));
    let singles = sums.iter().map(|sum| {
        let single = lo.b.unary(narrow, *sum);
        lo.b.binary(add, single, zero).into()
    });
    let d: Vec<Src> = singles.collect();
    write(lo, inst, &d)
}

/// Registers of `a` and `b` that are multiplied.
struct Part {
    a: Vec<Src>,
    b: Vec<Src>,
}

/// 32 elements of 4 bits of two rows and a column, as bytes: those in the low halves of bytes, then the others. That is another
/// order, and the same one in `a` and `b`. If scales are those of fewer elements, the elements of half the quad are one part, and
/// those of the other half another, with zeros instead of what is not theirs.
fn of_nibbles(
    lo: &mut Lowering,
    quad: Quad,
    (a, b): ([Src; 2], Src),
    length: u32,
    parts: &mut Vec<Part>,
) {
    /// The middle of all bytes, where e2m1 is.
    const MIDDLE: Src = Src::Imm(0x3c3c_3c3c);
    let mut bytes = |value: Src| -> [Src; 2] {
        let low = lo.b.binary(BinaryOp::Shl32, value, Src::Imm(2));
        let high = lo.b.binary(BinaryOp::ShrU32, value, Src::Imm(2));
        [low, high].map(|value| lo.b.binary(BinaryOp::And32, value, MIDDLE).into())
    };
    let ([upper, lower], of_b) = (a.map(&mut bytes), bytes(b).to_vec());
    let of_a = vec![upper[0], lower[0], upper[1], lower[1]];
    if length >= LENGTH {
        parts.push(Part { a: of_a, b: of_b });
        return;
    }
    let first = Pred::from(lo.b.compare(CompareOp::LtU32, quad.within, Src::Imm(2)));
    for mine in [first, first.negated()] {
        let a = of_a.iter().map(|a| lo.b.select(Class::W32, mine, *a, Src::Imm(0)).into());
        parts.push(Part { a: a.collect(), b: of_b.clone() });
    }
}

/// The scales of the rows and columns that a lane has in `d`.
struct Scales {
    /// How many a row and a column have.
    count: usize,
    /// Elements of a row or column that have the same scale.
    length: u32,
    /// Whether they are powers of two, and not e4m3 without a sign.
    powers: bool,
    /// A word with those of each of two rows, the first one in its low bits.
    rows: [Src; 2],
    /// The same of columns.
    columns: [Src; 2],
}

impl Scales {
    fn new(lo: &mut Lowering, inst: &Inst<'_>, quad: Quad) -> Result<Scales> {
        let count = match inst.word("vec_size") {
            Some("scale_vec::4X") => 4,
            Some("scale_vec::2X") => 2,
            Some(_) => 1,
            None if inst.word("kind") == Some("kind::mxf4") => 2,
            None => 1,
        };
        // Which byte and which threads: numbers beyond are none, and their low bits count.
        let mut of = |name, ids, threads, shift| -> Result<(Src, Src)> {
            let data = values(lo, inst, name, ScalarType::B32)?;
            let ids = values(lo, inst, ids, ScalarType::U16)?;
            let byte = lo.b.binary(BinaryOp::And32, ids[0], Src::Imm(3));
            let bits = lo.b.binary(BinaryOp::MulLo32, byte, Src::Imm(8));
            let chosen = lo.b.binary(BinaryOp::ShrU32, data[0], bits);
            let thread = lo.b.binary(BinaryOp::And32, ids[1], Src::Imm(threads));
            let thread = lo.b.binary(BinaryOp::Shl32, thread, Src::Imm(shift));
            Ok((chosen.into(), thread.into()))
        };
        // Of rows, two neighbours of a quad have them, of columns one lane of the quad with that number.
        let (of_a, pair) = of("scale_a", "ids_a", 1, 1)?;
        let (of_b, thread) = of("scale_b", "ids_b", 3, 0)?;
        let first = lo.b.binary(BinaryOp::Shl32, quad.group, Src::Imm(2));
        let first = lo.b.binary(BinaryOp::AddI32, first, pair);
        let rows = [0, 1].map(|row| {
            let from = lo.b.binary(BinaryOp::AddI32, first, Src::Imm(row));
            shuffle(lo, of_a, from.into())
        });
        let first = lo.b.binary(BinaryOp::Shl32, quad.within, Src::Imm(3));
        let first = lo.b.binary(BinaryOp::AddI32, first, thread);
        let columns = [0, 4].map(|column| {
            let from = lo.b.binary(BinaryOp::AddI32, first, Src::Imm(column));
            shuffle(lo, of_b, from.into())
        });
        let powers = inst.ty("stype") == ScalarType::Ue8m0;
        let (_, _, k) = super::shape::shape(inst);
        Ok(Scales { count, length: k / count as u32, powers, rows, columns })
    }

    /// The scale `nth` of each element of `d`.
    fn of(&self, lo: &mut Lowering, nth: usize) -> Vec<Src> {
        let mut numbers = |words: [Src; 2]| words.map(|word| self.number(lo, word, nth));
        let (rows, columns) = (numbers(self.rows), numbers(self.columns));
        let pairs = rows.iter().flat_map(|row| columns.iter().map(move |column| (*row, *column)));
        let product = BinaryOp::MulF64(Round::NearestEven);
        pairs.map(|(row, column)| lo.b.binary(product, row, column).into()).collect()
    }

    /// One of the scales in a word as binary64.
    fn number(&self, lo: &mut Lowering, word: Src, nth: usize) -> Src {
        let byte = lo.b.binary(BinaryOp::ShrU32, word, Src::Imm(8 * nth as u64));
        let single = if self.powers {
            let half = lo.b.unary(UnaryOp::Ue8m0ToBf16, byte);
            lo.b.unary(UnaryOp::Bf16ToF32, half)
        } else {
            let magnitude = lo.b.binary(BinaryOp::And32, byte, Src::Imm(0x7f));
            let half = lo.b.unary(UnaryOp::E4m3ToF16, magnitude);
            lo.b.unary(UnaryOp::F16ToF32, half)
        };
        lo.b.unary(UnaryOp::F32ToF64, single).into()
    }
}
