//! What `mma` does: every lane gathers the rows of `a` and the columns of `b` that its elements of `d` need.
//!
//! The ISA leaves open in what order products are summed up, and how exact sums in between are. Here each product is added
//! to `c` in ascending order, rounded to the nearest binary32 (binary64 for `.f64`).

use super::fragment::{QUAD, Quad, begin, from_quad, shuffle};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, MatrixWork, Round, Src, TernaryOp, UnaryOp};

const NEAREST: Round = Round::NearestEven;

/// Columns of `d` that a lane holds.
const COLUMNS: usize = 2;

pub(super) fn multiply(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Multiply);
    let types = Types::of(inst);
    let wide = types.a == ScalarType::F64;
    let register = if wide { ScalarType::B64 } else { ScalarType::B32 };
    let a = values(lo, inst, "a", register)?;
    let b = values(lo, inst, "b", register)?;
    let c = accumulators(lo, inst, &types)?;
    let rows = c.len() / COLUMNS;

    let quad = Quad::new(lo);
    // Per row of `a`, the elements of the quad's lanes, block after block; the same per column of `b`.
    let mut of_a = vec![Vec::new(); rows];
    for (nth, value) in a.iter().enumerate() {
        let lanes = (0..QUAD).map(|lane| from_quad(lo, *value, lane)).collect::<Vec<_>>();
        of_a[nth % rows].extend(split(lo, types.a, &lanes));
    }
    let mut of_b = vec![Vec::new(); COLUMNS];
    for (column, found) in of_b.iter_mut().enumerate() {
        // The columns `2 t` and `2 t + 1` are those of quads with these numbers.
        let first = lo.b.binary(BinaryOp::MulLo32, quad.within, Src::Imm(COLUMNS as u64 * QUAD));
        for value in &b {
            let mut lanes = Vec::new();
            for lane in 0..QUAD {
                let offset = Src::Imm(column as u64 * QUAD + lane);
                let from = lo.b.binary(BinaryOp::AddI32, first, offset);
                lanes.push(shuffle(lo, *value, from.into()));
            }
            found.extend(split(lo, types.b, &lanes));
        }
    }
    let sums = types.sums(lo, &of_a, &of_b, c);
    write(lo, inst, &types, &sums)
}

/// The types of an instruction.
pub(super) struct Types {
    pub(super) a: ScalarType,
    pub(super) b: ScalarType,
    c: ScalarType,
    d: ScalarType,
    saturates: bool,
    /// Whether single bits are combined by exclusive or, and not by and.
    xor: bool,
    /// How sums of binary64 are rounded.
    round: Round,
}

impl Types {
    pub(super) fn of(inst: &Inst<'_>) -> Types {
        let bits = inst.word("op").is_some();
        let ty = |slot: &str, fixed| if bits { fixed } else { inst.ty(slot) };
        Types {
            a: ty("atype", ScalarType::B1),
            b: ty("btype", ScalarType::B1),
            c: ty("ctype", ScalarType::S32),
            d: ty("dtype", ScalarType::S32),
            saturates: inst.has("satfinite"),
            xor: inst.word("op") == Some("xor"),
            round: match inst.word("rnd") {
                Some("rz") => Round::TowardZero,
                Some("rm") => Round::Down,
                Some("rp") => Round::Up,
                _ => NEAREST,
            },
        }
    }

    /// The same with operands of that type.
    pub(super) fn with_operands(self, ty: ScalarType) -> Types {
        Types { a: ty, b: ty, ..self }
    }

    /// `c` plus the products of rows and columns, row by row.
    pub(super) fn sums(
        &self,
        lo: &mut Lowering,
        rows: &[Vec<Src>],
        columns: &[Vec<Src>],
        c: Vec<Src>,
    ) -> Vec<Src> {
        let mut sums = Vec::with_capacity(c.len());
        let pairs = rows.iter().flat_map(|row| columns.iter().map(move |column| (row, column)));
        for ((row, column), c) in pairs.zip(c) {
            let mut sum = if self.saturates { Src::Imm(0) } else { c };
            for (a, b) in row.iter().zip(column) {
                sum = self.add(lo, *a, *b, sum);
            }
            if self.saturates {
                sum = lo.b.binary(BinaryOp::AddSatS32, sum, c).into();
            }
            sums.push(sum);
        }
        sums
    }

    /// `sum + a b`, for elements as [`split`] gives them.
    fn add(&self, lo: &mut Lowering, a: Src, b: Src, sum: Src) -> Src {
        use ScalarType as T;
        let signed = |ty| matches!(ty, T::S8 | T::S4);
        let op = match self.a {
            T::F64 => TernaryOp::FmaF64(self.round),
            T::B1 => {
                let op = if self.xor { BinaryOp::Xor32 } else { BinaryOp::And32 };
                let bits = lo.b.binary(op, a, b);
                let count = lo.b.unary(UnaryOp::Popc32, bits);
                return lo.b.binary(BinaryOp::AddI32, sum, count).into();
            }
            T::S8 | T::U8 | T::S4 | T::U4 => match (signed(self.a), signed(self.b)) {
                (false, false) => TernaryOp::Dp4aUU,
                (false, true) => TernaryOp::Dp4aUS,
                (true, false) => TernaryOp::Dp4aSU,
                (true, true) => TernaryOp::Dp4aSS,
            },
            _ => TernaryOp::FmaF32(NEAREST),
        };
        lo.b.ternary(op, a, b, sum).into()
    }
}

/// The elements that registers hold, in order, as operands of [`Types::add`]: floats one by one as binary32 or binary64,
/// integers four by four as bytes, bits as they are.
pub(super) fn split(lo: &mut Lowering, ty: ScalarType, registers: &[Src]) -> Vec<Src> {
    use ScalarType as T;
    let mut found = Vec::new();
    for register in registers.iter().copied() {
        match ty {
            T::F16 => {
                for part in parts(lo, register, 16) {
                    found.push(lo.b.unary(UnaryOp::F16ToF32, part).into());
                }
            }
            T::Bf16 => {
                found.push(lo.b.binary(BinaryOp::Shl32, register, Src::Imm(16)).into());
                let high = Src::Imm(0xffff_0000);
                found.push(lo.b.binary(BinaryOp::And32, register, high).into());
            }
            T::Tf32 => {
                const SIGNIFICANT: Src = Src::Imm(0xffff_e000);
                found.push(lo.b.binary(BinaryOp::And32, register, SIGNIFICANT).into());
            }
            T::E4m3 | T::E5m2 => {
                let op = if ty == T::E4m3 { UnaryOp::E4m3ToF16 } else { UnaryOp::E5m2ToF16 };
                for part in parts(lo, register, 8) {
                    let half = lo.b.unary(op, part);
                    found.push(lo.b.unary(UnaryOp::F16ToF32, half).into());
                }
            }
            T::S4 | T::U4 => {
                let high = lo.b.binary(BinaryOp::ShrU32, register, Src::Imm(4));
                for nibbles in [register, high.into()] {
                    found.push(bytes(lo, nibbles, ty == T::S4));
                }
            }
            _ => found.push(register),
        }
    }
    found
}

/// A register cut into parts of so many bits, the lowest first; above each part stands anything.
fn parts(lo: &mut Lowering, register: Src, bits: u64) -> Vec<Src> {
    let shifts = (0..32 / bits).map(|nth| nth * bits);
    let cut = |shift| match shift {
        0 => register,
        _ => lo.b.binary(BinaryOp::ShrU32, register, Src::Imm(shift)).into(),
    };
    shifts.map(cut).collect()
}

/// The low four bits of each byte, extended to the byte.
fn bytes(lo: &mut Lowering, register: Src, signed: bool) -> Src {
    let low = lo.b.binary(BinaryOp::And32, register, Src::Imm(0x0f0f_0f0f));
    if !signed {
        return low.into();
    }
    // Where the sign is set, the bits above it are: 0x08 * 0x1e = 0xf0.
    let signs = lo.b.binary(BinaryOp::And32, register, Src::Imm(0x0808_0808));
    let above = lo.b.binary(BinaryOp::MulLo32, signs, Src::Imm(0x1e));
    lo.b.binary(BinaryOp::Or32, low, above).into()
}

pub(super) fn values(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    name: &str,
    ty: ScalarType,
) -> Result<Vec<Src>> {
    let operand = lo.operand(inst, name)?;
    lo.elements(operand).iter().map(|element| lo.value_of(element, ty)).collect()
}

/// The elements of `c`, one value each: row by row, two columns a row.
pub(super) fn accumulators(lo: &mut Lowering, inst: &Inst<'_>, types: &Types) -> Result<Vec<Src>> {
    match types.c {
        ScalarType::F16 => {
            let pairs = values(lo, inst, "c", ScalarType::B32)?;
            Ok(split(lo, ScalarType::F16, &pairs))
        }
        ScalarType::F64 => values(lo, inst, "c", ScalarType::B64),
        _ => values(lo, inst, "c", ScalarType::B32),
    }
}

pub(super) fn write(lo: &mut Lowering, inst: &Inst<'_>, types: &Types, sums: &[Src]) -> Result {
    let operand = lo.operand(inst, "d")?;
    let elements = lo.elements(operand);
    if types.d == ScalarType::F16 {
        for (element, pair) in elements.iter().zip(sums.chunks_exact(COLUMNS)) {
            let [low, high] =
                [pair[0], pair[1]].map(|sum| lo.b.unary(UnaryOp::F32ToF16(NEAREST), sum));
            let pair = lo.b.binary(BinaryOp::Pack32, low, high);
            lo.write_to(element, pair.into(), ScalarType::B32)?;
        }
        return Ok(());
    }
    let ty = if types.d == ScalarType::F64 { ScalarType::B64 } else { ScalarType::B32 };
    for (element, sum) in elements.iter().zip(sums) {
        lo.write_to(element, *sum, ty)?;
    }
    Ok(())
}
