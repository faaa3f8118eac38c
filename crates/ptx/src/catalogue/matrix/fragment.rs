//! How the elements of a matrix lie in the registers of a warp (PTX ISA 9.1, "Matrix Fragments").
//!
//! Four neighbouring lanes are a quad. Of `a`, the quad holds a row (and the one eight below); of `b`, a column; of `c` and
//! `d`, the same row as of `a`, two columns a lane.

use crate::lower::{Inst, Lowering};
use ir::{
    BinaryOp, Class, Collective, MatrixForm, MatrixWork, Members, Op, Special, Src, UnaryOp,
};
use lanes::ShflMode;

/// Lanes of a quad.
pub(super) const QUAD: u64 = 4;

/// All lanes of a warp.
const WARP: Members = Members::Mask(Src::Imm(0xffff_ffff));

/// The lanes of the warp begin the instruction together, as `.sync.aligned` has it. Before PTX 6.3 `wmma` did not spell
/// `.aligned` and meant it.
pub(super) fn begin(lo: &mut Lowering, inst: &Inst<'_>, work: MatrixWork) {
    let what = Collective::Matrix(MatrixForm { work, qualifiers: lo.qualifiers(inst) });
    lo.b.push(Op::Collective { what, members: WARP, aligned: true });
}

/// Where a lane stands.
#[derive(Clone, Copy)]
pub(super) struct Quad {
    /// Which quad of the warp it belongs to.
    pub(super) group: Src,
    /// Its place in the quad.
    pub(super) within: Src,
}

impl Quad {
    pub(super) fn new(lo: &mut Lowering) -> Quad {
        let lane = lo.b.reg(Class::W32);
        lo.b.push(Op::Special { d: lane, what: Special::Laneid });
        Quad {
            group: lo.b.binary(BinaryOp::ShrU32, lane, Src::Imm(2)).into(),
            within: lo.b.binary(BinaryOp::And32, lane, Src::Imm(QUAD - 1)).into(),
        }
    }
}

/// An address of either width, so many bytes on.
pub(super) fn further(lo: &mut Lowering, address: Src, bytes: Src) -> Src {
    if matches!(address, Src::Reg(reg) if lo.b.class(reg) == Class::W32) {
        return lo.b.binary(BinaryOp::AddI32, address, bytes).into();
    }
    let bytes = lo.b.unary(UnaryOp::ZeroExtend32, bytes);
    lo.b.binary(BinaryOp::AddI64, address, bytes).into()
}

/// The value that lane `from` has.
pub(super) fn shuffle(lo: &mut Lowering, value: Src, from: Src) -> Src {
    const ANY_LANE: u64 = 0x1f;
    exchange(lo, value, from, ANY_LANE)
}

/// The value that lane `nth` of the own quad has.
pub(super) fn from_quad(lo: &mut Lowering, value: Src, nth: u64) -> Src {
    const SAME_QUAD: u64 = 0x1c1f;
    exchange(lo, value, Src::Imm(nth), SAME_QUAD)
}

/// A shuffle of all lanes of the warp; registers of 64 bits go in halves.
fn exchange(lo: &mut Lowering, value: Src, b: Src, c: u64) -> Src {
    let reg = match value {
        Src::Imm(_) => return value,
        Src::Reg(reg) => reg,
    };
    if lo.b.class(reg) == Class::W64 {
        let low = lo.b.unary(UnaryOp::Low32, value);
        let high = lo.b.unary(UnaryOp::High32, value);
        let low = exchange(lo, low.into(), b, c);
        let high = exchange(lo, high.into(), b, c);
        return lo.b.binary(BinaryOp::Pack64, low, high).into();
    }
    let d = lo.b.reg(Class::W32);
    let (mode, c) = (ShflMode::Idx, Src::Imm(c));
    let what = Collective::Shfl { mode, d, p: None, a: value, b, c };
    // Who has to be there was settled when the instruction began.
    lo.b.push(Op::Collective { what, members: WARP, aligned: false });
    d.into()
}
