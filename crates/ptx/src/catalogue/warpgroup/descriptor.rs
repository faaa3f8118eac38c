//! A matrix in shared memory that a matrix descriptor describes, and the parts of it that a lane multiplies (PTX ISA 9.1,
//! 9.7.15.5.1.2 "Shared Memory Matrix Layout").
//!
//! An instruction multiplies 32 bytes of each row of `a` and column of `b`, which are lines here: two units of 16 bytes along `k`.
//! Eight lines are a tile. What eight lines and one unit hold is a core matrix.

use crate::catalogue::matrix::Quad;
use crate::lower::Lowering;
use ir::{Access, Address, BinaryOp, Class, CompareOp, Op, Ordering, Reg, Space, Src, UnaryOp};

/// Addresses and offsets stand in fields of 14 bits, in units of 16 bytes.
const FIELD: u64 = (1 << 14) - 1;
const UNIT_BITS: u64 = 4;
/// Bits from which on the fields stand.
const LEADING: u64 = 16;
const STRIDE: u64 = 32;
const BASE_OFFSET: u64 = 49;
const MODE: u64 = 62;
/// A swizzle of 128 bytes repeats after eight lines of as many bytes, which bits 7 to 9 of an address count.
const LINE_BITS: u64 = 7;
const LINES: u64 = 7;
/// Bytes of an element of matrices that need not lie along `k`, and of what a lane has of a line and a unit.
const ELEMENT: u64 = 2;
const WORD: u64 = 4;

/// Along which dimension neighbours in memory lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Major {
    /// Along `k`.
    K,
    /// Along `m` or `n`, for elements of 16 bits.
    Lines,
}

/// A matrix as its descriptor has it.
pub(super) struct Matrix {
    major: Major,
    quad: Quad,
    /// The address of its first byte.
    start: Reg,
    /// Bytes from one tile to the next, and from one unit along `k` to the next.
    tiles: Src,
    units: Src,
    /// Bytes that a swizzle permutes, or 16.
    width: Reg,
    /// Units of as many bytes, less one: the bits of an address that a swizzle changes.
    mask: Reg,
    /// What the lines of the pattern of a swizzle begin with.
    first_line: Reg,
    /// With [`Major::Lines`]: how many bits [`Matrix::mask`] has.
    bits: Reg,
}

impl Matrix {
    /// The matrix of a descriptor, 64 bits.
    pub(super) fn of(lo: &mut Lowering, descriptor: Src, major: Major) -> Matrix {
        let field = |lo: &mut Lowering, at: u64, mask: u64| {
            let shifted = lo.b.binary(BinaryOp::ShrU64, descriptor, Src::Imm(at));
            let low = lo.b.unary(UnaryOp::Low32, shifted);
            lo.b.binary(BinaryOp::And32, low, Src::Imm(mask))
        };
        let bytes = |lo: &mut Lowering, at: u64| {
            let units = field(lo, at, FIELD);
            lo.b.binary(BinaryOp::Shl32, units, Src::Imm(UNIT_BITS))
        };
        let (start, leading, stride) = (bytes(lo, 0), bytes(lo, LEADING), bytes(lo, STRIDE));
        let first_line = field(lo, BASE_OFFSET, LINES);
        // Modes 1, 2, 3 and 0 are swizzles of 128, 64, 32 and 16 bytes; the last one changes nothing.
        let mode = field(lo, MODE, 3);
        let halvings = lo.b.binary(BinaryOp::AddI32, mode, Src::Imm(3));
        let halvings = lo.b.binary(BinaryOp::And32, halvings, Src::Imm(3));
        let mask = lo.b.binary(BinaryOp::ShrU32, Src::Imm(LINES), halvings);
        let width = lo.b.binary(BinaryOp::ShrU32, Src::Imm(8 << UNIT_BITS), halvings);
        let bits = lo.b.binary(BinaryOp::SubI32, Src::Imm(3), halvings);
        let plain = lo.b.compare(CompareOp::EqI32, mode, Src::Imm(0));
        let (tiles, units) = match major {
            Major::K => {
                let next = Src::Imm(1 << UNIT_BITS);
                (stride.into(), lo.b.select(Class::W32, plain, leading, next).into())
            }
            Major::Lines => (
                lo.b.select(Class::W32, plain, stride, leading).into(),
                lo.b.select(Class::W32, plain, leading, stride).into(),
            ),
        };
        let quad = Quad::new(lo);
        Matrix { major, quad, start, tiles, units, width, mask, first_line, bits }
    }

    /// What a lane has of a tile and a unit, as fragments of `mma` have it: four bytes of the line that is its quad's.
    pub(super) fn word(&self, lo: &mut Lowering, tile: Src, unit: u64) -> Src {
        match self.major {
            Major::K => {
                let tile = lo.b.binary(BinaryOp::MulLo32, tile, self.tiles);
                let line = lo.b.binary(BinaryOp::MulLo32, self.quad.group, self.width);
                let within = lo.b.binary(BinaryOp::MulLo32, self.quad.within, Src::Imm(WORD));
                self.load(lo, &[tile, line, within], unit, Access::B32)
            }
            Major::Lines => {
                let inside = lo.b.binary(BinaryOp::And32, tile, self.mask);
                let inside = lo.b.binary(BinaryOp::Shl32, inside, Src::Imm(UNIT_BITS));
                let beyond = lo.b.binary(BinaryOp::ShrU32, tile, self.bits);
                let beyond = lo.b.binary(BinaryOp::MulLo32, beyond, self.tiles);
                let line = lo.b.binary(BinaryOp::MulLo32, self.quad.group, Src::Imm(ELEMENT));
                let first = lo.b.binary(BinaryOp::MulLo32, self.quad.within, Src::Imm(2));
                let mut element = |nth| {
                    let k = lo.b.binary(BinaryOp::AddI32, first, Src::Imm(nth));
                    let k = lo.b.binary(BinaryOp::MulLo32, k, self.width);
                    self.load(lo, &[inside, beyond, line, k], unit, Access::U16)
                };
                let (low, high) = (element(0), element(1));
                lo.b.binary(BinaryOp::Pack32, low, high).into()
            }
        }
    }

    /// What stands so many bytes behind the first one, in a unit along `k`.
    fn load(&self, lo: &mut Lowering, offsets: &[Reg], unit: u64, access: Access) -> Src {
        let mut address = self.start;
        for offset in offsets {
            address = lo.b.binary(BinaryOp::AddI32, address, *offset);
        }
        if unit > 0 {
            let along = lo.b.binary(BinaryOp::MulLo32, self.units, Src::Imm(unit));
            address = lo.b.binary(BinaryOp::AddI32, address, along);
        }
        let line = lo.b.binary(BinaryOp::ShrU32, address, Src::Imm(LINE_BITS));
        let line = lo.b.binary(BinaryOp::SubI32, line, self.first_line);
        let swizzle = lo.b.binary(BinaryOp::And32, line, self.mask);
        let swizzle = lo.b.binary(BinaryOp::Shl32, swizzle, Src::Imm(UNIT_BITS));
        let base = lo.b.binary(BinaryOp::Xor32, address, swizzle).into();
        let (address, space) = (Address { base, offset: 0 }, Space::Shared);
        let d = lo.b.reg(ir::Builder::class_of(access));
        let ordering = Ordering::AsyncProxy;
        lo.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        d.into()
    }
}
