//! A product of matrices made of shuffles and multiply-adds: every lane gathers the rows of `a` and the columns of `b` that
//! its elements of `d` need. This knows nothing of the operation that it is compared with.

use ir::{BinaryOp, Builder, Class, Collective, Members, Mma, Op, Reg, Round, Special, Src};
use ir::{TernaryOp, UnaryOp};
use lanes::ShflMode;
use lanes::product::{Factor, Layout, Product, Sum};

const NEAREST: Round = Round::NearestEven;

/// Lanes of a quad, which holds rows of `a`, `c` and `d` and columns of `b` (PTX ISA 9.1, "Matrix Fragments").
const QUAD: u64 = 4;

/// Columns of `d` that a lane holds.
const COLUMNS: usize = 2;

/// Emits what a product does.
pub(super) fn expand(b: &mut Builder, mma: &Mma) {
    let product = &mma.product;
    let c = match product.c {
        Sum::F16 => split(b, Factor::F16, &mma.c),
        Sum::F32 | Sum::F64 | Sum::S32 => mma.c.to_vec(),
    };
    let (rows, columns) = match product.layout {
        Layout::Mma => fragments(b, mma, c.len() / COLUMNS),
        Layout::Wmma => warp_fragments(b, mma, c.len() as u32),
    };
    let found = sums(b, product, &rows, &columns, c);
    write(b, product, &mma.d, &found);
}

fn fragments(b: &mut Builder, mma: &Mma, rows: usize) -> (Vec<Vec<Src>>, Vec<Vec<Src>>) {
    let lane = laneid(b);
    let within = b.binary(BinaryOp::And32, lane, Src::Imm(QUAD - 1));
    // Per row of `a`, the elements of the quad's lanes, block after block; the same per column of `b`.
    let mut of_a = vec![Vec::new(); rows];
    for (nth, value) in mma.a.iter().enumerate() {
        let lanes: Vec<Src> = (0..QUAD).map(|lane| from_quad(b, *value, lane)).collect();
        of_a[nth % rows].extend(split(b, mma.product.a, &lanes));
    }
    let mut of_b = vec![Vec::new(); COLUMNS];
    for (column, found) in of_b.iter_mut().enumerate() {
        // The columns `2 t` and `2 t + 1` are those of quads with these numbers.
        let first = b.binary(BinaryOp::MulLo32, within, Src::Imm(COLUMNS as u64 * QUAD));
        for value in &mma.b {
            let mut lanes = Vec::new();
            for lane in 0..QUAD {
                let offset = Src::Imm(column as u64 * QUAD + lane);
                let from = b.binary(BinaryOp::AddI32, first, offset);
                lanes.push(shuffle(b, *value, from.into()));
            }
            found.extend(split(b, mma.product.b, &lanes));
        }
    }
    (of_a, of_b)
}

fn laneid(b: &mut Builder) -> Reg {
    let lane = b.reg(Class::W32);
    b.push(Op::Special { d: lane, what: Special::Laneid });
    lane
}

/// How a matrix of `wmma` lies in the lanes of a warp.
struct Fragment {
    /// Rows (of `b`: columns), one a lane until all have theirs.
    lines: u32,
    /// Elements that a lane holds.
    held: u32,
    /// The row (column) of the lane.
    line: Src,
    /// The first element of it that the lane holds.
    first: Src,
}

impl Fragment {
    fn new(b: &mut Builder, (lines, length): (u32, u32), held: u32) -> Fragment {
        let lane = laneid(b);
        // All of these are powers of two.
        let line = b.binary(BinaryOp::And32, lane, Src::Imm(u64::from(lines - 1)));
        let part = b.binary(BinaryOp::ShrU32, lane, Src::Imm(u64::from(lines.ilog2())));
        let part = b.binary(BinaryOp::And32, part, Src::Imm(u64::from(length / held - 1)));
        let first = b.binary(BinaryOp::MulLo32, part, Src::Imm(u64::from(held)));
        Fragment { lines, held, line: line.into(), first: first.into() }
    }

    /// The whole row (column) `line`, register by register, from the lanes that hold its parts.
    fn gather(&self, b: &mut Builder, held: &[Src], line: Src, length: u32) -> Vec<Src> {
        let mut found = Vec::new();
        for part in 0..length / self.held {
            let lane = b.binary(BinaryOp::AddI32, line, Src::Imm(u64::from(part * self.lines)));
            for value in held {
                found.push(shuffle(b, *value, lane.into()));
            }
        }
        found
    }
}

fn warp_fragments(b: &mut Builder, mma: &Mma, sums: u32) -> (Vec<Vec<Src>>, Vec<Vec<Src>>) {
    let Product { m, n, k, a: ty, .. } = mma.product;
    let per = ty.bits().max(32) / ty.bits();
    let of_a = Fragment::new(b, (m, k), mma.a.len() as u32 * per);
    let of_b = Fragment::new(b, (n, k), mma.b.len() as u32 * per);
    let of_c = Fragment::new(b, (m, n), sums);
    let row = of_a.gather(b, &mma.a, of_a.line, k);
    let row = split(b, ty, &row);
    let mut columns = Vec::new();
    for nth in 0..of_c.held {
        let column = b.binary(BinaryOp::AddI32, of_c.first, Src::Imm(u64::from(nth)));
        let column = of_b.gather(b, &mma.b, column.into(), k);
        columns.push(split(b, ty, &column));
    }
    (vec![row], columns)
}

/// `c` plus the products of rows and columns, row by row.
fn sums(
    b: &mut Builder,
    product: &Product,
    rows: &[Vec<Src>],
    columns: &[Vec<Src>],
    c: Vec<Src>,
) -> Vec<Src> {
    let mut sums = Vec::with_capacity(c.len());
    let pairs = rows.iter().flat_map(|row| columns.iter().map(move |column| (row, column)));
    for ((row, column), c) in pairs.zip(c) {
        let mut sum = if product.satfinite { Src::Imm(0) } else { c };
        for (left, right) in row.iter().zip(column) {
            sum = add(b, product, *left, *right, sum);
        }
        if product.satfinite {
            sum = b.binary(BinaryOp::AddSatS32, sum, c).into();
        }
        sums.push(sum);
    }
    sums
}

/// `sum + left right`, for elements as [`split`] gives them.
fn add(b: &mut Builder, product: &Product, left: Src, right: Src, sum: Src) -> Src {
    use Factor as T;
    let signed = |ty| matches!(ty, T::S8 | T::S4);
    let op = match product.a {
        T::F64 => TernaryOp::FmaF64(product.round),
        T::B1 => {
            let op = if product.xor { BinaryOp::Xor32 } else { BinaryOp::And32 };
            let bits = b.binary(op, left, right);
            let count = b.unary(UnaryOp::Popc32, bits);
            return b.binary(BinaryOp::AddI32, sum, count).into();
        }
        T::S8 | T::U8 | T::S4 | T::U4 => match (signed(product.a), signed(product.b)) {
            (false, false) => TernaryOp::Dp4aUU,
            (false, true) => TernaryOp::Dp4aUS,
            (true, false) => TernaryOp::Dp4aSU,
            (true, true) => TernaryOp::Dp4aSS,
        },
        _ => TernaryOp::FmaF32(NEAREST),
    };
    b.ternary(op, left, right, sum).into()
}

/// The elements that registers hold, in order, as operands of [`add`]: floats one by one as binary32 or binary64, integers
/// four by four as bytes, bits as they are.
fn split(b: &mut Builder, ty: Factor, registers: &[Src]) -> Vec<Src> {
    use Factor as T;
    let mut found = Vec::new();
    for register in registers.iter().copied() {
        match ty {
            T::F16 => {
                for part in parts(b, register, 16) {
                    found.push(b.unary(UnaryOp::F16ToF32, part).into());
                }
            }
            T::Bf16 => {
                found.push(b.binary(BinaryOp::Shl32, register, Src::Imm(16)).into());
                let high = Src::Imm(0xffff_0000);
                found.push(b.binary(BinaryOp::And32, register, high).into());
            }
            T::Tf32 => {
                const SIGNIFICANT: Src = Src::Imm(0xffff_e000);
                found.push(b.binary(BinaryOp::And32, register, SIGNIFICANT).into());
            }
            T::E4m3 | T::E5m2 => {
                let op = if ty == T::E4m3 { UnaryOp::E4m3ToF16 } else { UnaryOp::E5m2ToF16 };
                for part in parts(b, register, 8) {
                    let half = b.unary(op, part);
                    found.push(b.unary(UnaryOp::F16ToF32, half).into());
                }
            }
            T::E2m3 | T::E3m2 | T::E2m1 => {
                for part in parts(b, register, 8) {
                    let (op, down) = match ty {
                        T::E2m3 => (UnaryOp::E2m3ToF16, 0),
                        T::E3m2 => (UnaryOp::E3m2ToF16, 0),
                        _ => (UnaryOp::E2m1ToF16, 2),
                    };
                    let part = b.binary(BinaryOp::ShrU32, part, Src::Imm(down));
                    let half = b.unary(op, part);
                    found.push(b.unary(UnaryOp::F16ToF32, half).into());
                }
            }
            T::S4 | T::U4 => {
                let high = b.binary(BinaryOp::ShrU32, register, Src::Imm(4));
                for nibbles in [register, high.into()] {
                    found.push(bytes(b, nibbles, ty == T::S4));
                }
            }
            T::F64 | T::S8 | T::U8 | T::B1 => found.push(register),
        }
    }
    found
}

/// A register cut into parts of so many bits, the lowest first; above each part stands anything.
fn parts(b: &mut Builder, register: Src, bits: u64) -> Vec<Src> {
    let shifts = (0..32 / bits).map(|nth| nth * bits);
    let cut = |shift| match shift {
        0 => register,
        _ => b.binary(BinaryOp::ShrU32, register, Src::Imm(shift)).into(),
    };
    shifts.map(cut).collect()
}

/// The low four bits of each byte, extended to the byte.
fn bytes(b: &mut Builder, register: Src, signed: bool) -> Src {
    let low = b.binary(BinaryOp::And32, register, Src::Imm(0x0f0f_0f0f));
    if !signed {
        return low.into();
    }
    // Where the sign is set, the bits above it are: 0x08 * 0x1e = 0xf0.
    let signs = b.binary(BinaryOp::And32, register, Src::Imm(0x0808_0808));
    let above = b.binary(BinaryOp::MulLo32, signs, Src::Imm(0x1e));
    b.binary(BinaryOp::Or32, low, above).into()
}

fn write(b: &mut Builder, product: &Product, d: &[Option<Reg>], sums: &[Src]) {
    if product.d == Sum::F16 {
        for (d, pair) in d.iter().zip(sums.chunks_exact(COLUMNS)) {
            let [low, high] =
                [pair[0], pair[1]].map(|sum| b.unary(UnaryOp::F32ToF16(NEAREST), sum));
            b.binary_to(d.expect("kept"), BinaryOp::Pack32, low, high);
        }
        return;
    }
    for (d, sum) in d.iter().zip(sums) {
        b.copy_to(d.expect("kept"), *sum);
    }
}

/// The value that lane `from` has.
fn shuffle(b: &mut Builder, value: Src, from: Src) -> Src {
    exchange(b, value, from, 0x1f)
}

/// The value that lane `nth` of the own quad has.
fn from_quad(b: &mut Builder, value: Src, nth: u64) -> Src {
    exchange(b, value, Src::Imm(nth), 0x1c1f)
}

/// A shuffle of all lanes of the warp; registers of 64 bits go in halves.
fn exchange(b: &mut Builder, value: Src, from: Src, c: u64) -> Src {
    let Src::Reg(reg) = value else { return value };
    if b.class(reg) == Class::W64 {
        let low = b.unary(UnaryOp::Low32, value);
        let high = b.unary(UnaryOp::High32, value);
        let low = exchange(b, low.into(), from, c);
        let high = exchange(b, high.into(), from, c);
        return b.binary(BinaryOp::Pack64, low, high).into();
    }
    let d = b.reg(Class::W32);
    let what =
        Collective::Shfl { mode: ShflMode::Idx, d, p: None, a: value, b: from, c: Src::Imm(c) };
    let members = Members::Mask(Src::Imm(u64::from(u32::MAX)));
    b.push(Op::Collective { what, members, aligned: false });
    d.into()
}
