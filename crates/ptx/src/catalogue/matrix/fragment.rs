//! What loads and stores of fragments share. Four neighbouring lanes are a quad, which holds a row of a matrix.

use crate::catalogue::logic::both;
use crate::lower::{Inst, Lowering};
use ir::{
    Access, Address, BinaryOp, Class, Collective, CompareOp, MatrixForm, MatrixWork, Members, Op,
    Ordering, Pred, Reg, Space, Special, Src, UnaryOp,
};
use lanes::ShflMode;

/// Lanes of a quad.
const QUAD: u64 = 4;

/// All lanes of a warp.
pub(in crate::catalogue) const WARP: Members = Members::Mask(Src::Imm(0xffff_ffff));

/// The lanes of the warp begin the instruction together, as `.sync.aligned` has it. Before PTX 6.3 `wmma` did not spell
/// `.aligned` and meant it.
pub(in crate::catalogue) fn begin(lo: &mut Lowering, inst: &Inst<'_>, work: MatrixWork) {
    let what = Collective::Matrix(MatrixForm { work, qualifiers: lo.qualifiers(inst) });
    lo.b.push(Op::Collective { what, members: WARP, aligned: true });
}

/// The number of the lane.
pub(in crate::catalogue) fn lane(lo: &mut Lowering) -> Reg {
    let lane = lo.b.reg(Class::W32);
    lo.b.push(Op::Special { d: lane, what: Special::Laneid });
    lane
}

/// Where a lane stands.
#[derive(Clone, Copy)]
pub(in crate::catalogue) struct Quad {
    /// Which quad of the warp it belongs to.
    pub(in crate::catalogue) group: Src,
    /// Its place in the quad.
    pub(in crate::catalogue) within: Src,
}

impl Quad {
    pub(in crate::catalogue) fn new(lo: &mut Lowering) -> Quad {
        let lane = lane(lo);
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

/// Lanes that are told to load or store at an address that is no multiple of so many bytes try to: that is the misaligned access
/// which the instruction is. Others do nothing. `lanes` is how many lanes of the warp give an address.
pub(in crate::catalogue) fn aligned(
    lo: &mut Lowering,
    work: MatrixWork,
    (address, space): (Address, Space),
    bytes: u64,
    lanes: usize,
) {
    let low = match address.base {
        Src::Reg(reg) if lo.b.class(reg) == Class::W64 => lo.b.unary(UnaryOp::Low32, reg).into(),
        base => base,
    };
    let start = lo.b.binary(BinaryOp::AddI32, low, Src::Imm(address.offset as u32 as u64));
    let over = lo.b.binary(BinaryOp::And32, start, Src::Imm(bytes - 1));
    let mut goes: Pred = lo.b.compare(CompareOp::NeI32, over, Src::Imm(0)).into();
    if lanes < lanes::WARP {
        let lane = lane(lo);
        let gives = lo.b.compare(CompareOp::LtU32, lane, Src::Imm(lanes as u64));
        goes = both(lo, Some(goes), gives.into());
    }
    let guard = lo.b.guard();
    let goes = both(lo, guard, goes);
    lo.b.set_guard(Some(goes));
    let (access, ordering) = (Access::B32, Ordering::Weak);
    let words = (bytes / u64::from(access.bytes())) as usize;
    lo.b.push(match work {
        MatrixWork::Store => {
            let values = vec![Src::Imm(0); words];
            Op::Store { values, space, access, address, ordering }
        }
        MatrixWork::Load | MatrixWork::Multiply => {
            Op::Load { d: vec![None; words], space, access, address, ordering }
        }
    });
    lo.b.set_guard(guard);
}

/// The value of 32 or 64 bits that lane `from` has: a shuffle of all lanes of the warp, in halves if it has 64.
pub(super) fn shuffle(lo: &mut Lowering, value: Src, from: Src) -> Src {
    const ANY_LANE: Src = Src::Imm(0x1f);
    let reg = match value {
        Src::Imm(_) => return value,
        Src::Reg(reg) => reg,
    };
    if lo.b.class(reg) == Class::W64 {
        let low = lo.b.unary(UnaryOp::Low32, value);
        let high = lo.b.unary(UnaryOp::High32, value);
        let low = shuffle(lo, low.into(), from);
        let high = shuffle(lo, high.into(), from);
        return lo.b.binary(BinaryOp::Pack64, low, high).into();
    }
    let d = lo.b.reg(Class::W32);
    let mode = ShflMode::Idx;
    let what = Collective::Shfl { mode, d, p: None, a: value, b: from, c: ANY_LANE };
    // Who has to be there was settled when the instruction began.
    lo.b.push(Op::Collective { what, members: WARP, aligned: false });
    d.into()
}
