//! What `mma.m8n8k4` of binary16 does: four products, each by a quad of the lower half of the warp and the same one of the upper half
//! (PTX ISA 9.1, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").
//!
//! Every lane gathers the rows of `a` and the columns of `b` that its elements of `d` need. A row or column is a *line*; lines 0 to 3
//! and 4 to 7 are those of the two quads.

use super::fragment::{begin, lane, shuffle};
use super::product::{values, write};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Class, CompareOp, MatrixWork, Pred, Round, Src, TernaryOp, UnaryOp};

/// Elements of a line, and lanes of a quad.
const LENGTH: u64 = 4;

/// Elements that a lane has in `d`.
const SUMS: u64 = 8;

/// `mma.m8n8k4` of binary16.
pub(super) fn multiply_quad_pairs(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Multiply);
    let [a, b, c] = ["a", "b", "c"].map(|name| values(lo, inst, name, ScalarType::B32));
    let (a, b, c) = (a?, b?, c?);
    let pair = Pair::new(lo);
    let of_a = Lines { held: &a, whole: inst.word("alayout") == Some("row") };
    let of_b = Lines { held: &b, whole: inst.word("blayout") == Some("col") };
    let halves = inst.ty("dtype") == ScalarType::F16;
    let (rows, columns) = if halves { pair.of_halves(lo) } else { pair.of_singles(lo) };
    let rows: Vec<Vec<Src>> = rows.iter().map(|row| pair.line(lo, &of_a, *row)).collect();
    let columns: Vec<Vec<Src>> =
        columns.iter().map(|column| pair.line(lo, &of_b, *column)).collect();
    let mut sums = Vec::new();
    for nth in 0..SUMS {
        let (row, column) = if halves { (0, nth) } else { (nth >> 1 & 1, nth >> 1 & 2 | nth & 1) };
        let c = match (inst.ty("ctype"), halves) {
            (ScalarType::F16, true) => half(lo, c[nth as usize / 2], nth % 2),
            (ScalarType::F16, false) => pair.half_of_sum(lo, &c, nth),
            _ => c[nth as usize],
        };
        // As sm_75 and later devices do it, which have no such instruction.
        let mut sum = Src::Imm(0);
        for (a, b) in rows[row as usize].iter().zip(&columns[column as usize]) {
            sum = lo.b.ternary(TernaryOp::FmaF32(Round::NearestEven), *a, *b, sum).into();
        }
        sums.push(lo.b.binary(BinaryOp::AddF32(Round::NearestEven), c, sum).into());
    }
    if !halves {
        return write(lo, inst, &sums);
    }
    let narrow = UnaryOp::F32ToF16(Round::NearestEven);
    let pairs = sums.as_chunks::<2>().0.iter().map(|pair| {
        let [low, high] = pair.map(|sum| lo.b.unary(narrow, sum));
        lo.b.binary(BinaryOp::Pack32, low, high).into()
    });
    let d: Vec<Src> = pairs.collect();
    write(lo, inst, &d)
}

/// Element 0 or 1 of a register as binary32.
fn half(lo: &mut Lowering, register: Src, nth: u64) -> Src {
    let bits = lo.b.binary(BinaryOp::ShrU32, register, Src::Imm(16 * nth));
    lo.b.unary(UnaryOp::F16ToF32, bits).into()
}

/// How lines lie in lanes.
struct Lines<'a> {
    held: &'a [Src],
    /// Whether a lane holds a line; else an element of each of the four lines of its quad.
    whole: bool,
}

/// Where a lane stands.
struct Pair {
    lane: Src,
    /// The first lane of the lower quad.
    first: Src,
    /// 4 in the upper quad, else 0.
    upper: Src,
}

impl Pair {
    fn new(lo: &mut Lowering) -> Pair {
        let lane = lane(lo);
        let first = lo.b.binary(BinaryOp::And32, lane, Src::Imm(0xc)).into();
        let upper = lo.b.binary(BinaryOp::ShrU32, lane, Src::Imm(2));
        let upper = lo.b.binary(BinaryOp::And32, upper, Src::Imm(4)).into();
        Pair { lane: lane.into(), first, upper }
    }

    /// Some bits of the lane's number, and a number above them.
    fn bits(&self, lo: &mut Lowering, bits: u64, plus: Src) -> Src {
        let low = lo.b.binary(BinaryOp::And32, self.lane, Src::Imm(bits));
        lo.b.binary(BinaryOp::AddI32, low, plus).into()
    }

    /// The rows and columns of the lane's elements of `d` in binary16.
    fn of_halves(&self, lo: &mut Lowering) -> (Vec<Src>, Vec<Src>) {
        (vec![self.bits(lo, 3, self.upper)], (0..SUMS).map(Src::Imm).collect())
    }

    /// The rows and columns of the lane's elements of `d` in binary32: pairs of rows, and pairs of pairs of columns.
    fn of_singles(&self, lo: &mut Lowering) -> (Vec<Src>, Vec<Src>) {
        let row = self.bits(lo, 1, self.upper);
        let rows = [0, 2].map(|more| lo.b.binary(BinaryOp::AddI32, row, Src::Imm(more)).into());
        let columns = [0, 1, 4, 5].map(|more| self.bits(lo, 2, Src::Imm(more)));
        (rows.to_vec(), columns.to_vec())
    }

    /// The lane of the pair that has number `within` in the quad of a line.
    fn lane_of(&self, lo: &mut Lowering, line: Src, within: Src) -> Src {
        let upper = lo.b.binary(BinaryOp::And32, line, Src::Imm(4));
        let upper = lo.b.binary(BinaryOp::Shl32, upper, Src::Imm(2));
        let quad = lo.b.binary(BinaryOp::Or32, self.first, upper);
        lo.b.binary(BinaryOp::Or32, quad, within).into()
    }

    /// The elements of a line as binary32.
    fn line(&self, lo: &mut Lowering, lines: &Lines<'_>, line: Src) -> Vec<Src> {
        let nth: Src = lo.b.binary(BinaryOp::And32, line, Src::Imm(LENGTH - 1)).into();
        let mut found = Vec::new();
        for element in 0..LENGTH {
            let within = if lines.whole { nth } else { Src::Imm(element) };
            let from = self.lane_of(lo, line, within);
            found.push(if lines.whole {
                let register = shuffle(lo, lines.held[element as usize / 2], from);
                half(lo, register, element % 2)
            } else {
                let all = [0, 1].map(|register| shuffle(lo, lines.held[register], from));
                let all = lo.b.binary(BinaryOp::Pack64, all[0], all[1]);
                let shift = lo.b.binary(BinaryOp::Shl32, nth, Src::Imm(4));
                let bits = lo.b.binary(BinaryOp::ShrU64, all, shift);
                let bits = lo.b.unary(UnaryOp::Low32, bits);
                lo.b.unary(UnaryOp::F16ToF32, bits).into()
            });
        }
        found
    }

    /// Element `nth` of the lane in `d`, in binary32, of a `c` in binary16, which lies as `d` in binary16 would.
    fn half_of_sum(&self, lo: &mut Lowering, c: &[Src], nth: u64) -> Src {
        let row = self.bits(lo, 1, self.upper);
        let row = lo.b.binary(BinaryOp::AddI32, row, Src::Imm(nth & 2)).into();
        let within = lo.b.binary(BinaryOp::And32, row, Src::Imm(LENGTH - 1)).into();
        let from = self.lane_of(lo, row, within);
        // The second pair of four columns is that of lanes with bit 1.
        let first = (nth >> 1 & 2) as usize;
        let [low, high] = [0, 1].map(|pair| shuffle(lo, c[first + pair], from));
        let bit = lo.b.binary(BinaryOp::And32, self.lane, Src::Imm(2));
        let second: Pred = lo.b.compare(CompareOp::NeI32, bit, Src::Imm(0)).into();
        let register = lo.b.select(Class::W32, second, high, low);
        half(lo, register.into(), nth % 2)
    }
}
