//! Clusters of CTAs, the resources of a warp, and hints to tools.

use super::{Entry, Form, Need, hint};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{
    Address, BinaryOp, CLUSTER_STRIDE, Class, ClusterHalf, CompareOp, Op, Reg, Special, Src,
    UnaryOp,
};

/// The bits of an address in shared memory that lead to a place in the memory of a CTA; those above tell the CTA.
const INSIDE: u64 = CLUSTER_STRIDE - 1;
const RANK_AT: u64 = CLUSTER_STRIDE.trailing_zeros() as u64;
/// A rank that no cluster has, and the last one that an address in shared memory can tell: what is beyond counts as it.
const NOBODY: u64 = (1 << (u32::BITS as u64 - RANK_AT)) - 2;

/// What generic addresses of shared memory begin with, in the width of an instruction; `None` where it takes addresses in
/// shared memory.
fn window(lo: &mut Lowering, inst: &Inst<'_>) -> Option<Reg> {
    if inst.word("ss").is_some() {
        return None;
    }
    let start = lo.b.reg(Class::W64);
    lo.b.push(Op::Special { d: start, what: Special::SharedWindow });
    Some(if inst.ty("type").bits() == 64 { start } else { lo.b.unary(UnaryOp::Low32, start) })
}

/// `mapa`: the same place in the memory of another CTA. Of a rank that the cluster does not have, the address leads nowhere.
fn address_in(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, rank) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let ty = inst.ty("type");
    let wide = ty.bits() == 64;
    let (add, sub, and) = match wide {
        true => (BinaryOp::AddI64, BinaryOp::SubI64, BinaryOp::And64),
        false => (BinaryOp::AddI32, BinaryOp::SubI32, BinaryOp::And32),
    };
    let window = window(lo, inst);
    let a = window.map_or(a, |window| lo.b.binary(sub, a, window).into());
    let inside = lo.b.binary(and, a, Src::Imm(INSIDE));
    let rank = lo.b.binary(BinaryOp::MinU32, rank, Src::Imm(NOBODY));
    let start = lo.cluster_start(rank.into());
    let start = if wide { lo.b.unary(UnaryOp::ZeroExtend32, start).into() } else { start };
    let address = lo.b.binary(add, inside, start);
    let address = window.map_or(address, |window| lo.b.binary(add, address, window));
    lo.write(inst, "d", address.into(), ty)
}

/// An address in shared memory as a number of 32 bits.
pub(super) fn in_shared(lo: &mut Lowering, address: Address) -> Reg {
    let base = match address.base {
        Src::Reg(base) if lo.b.class(base) == Class::W64 => lo.b.unary(UnaryOp::Low32, base).into(),
        base => base,
    };
    lo.b.binary(BinaryOp::AddI32, base, Src::Imm(u64::from(address.offset as u32)))
}

/// The same place in the memory of the CTA of a rank, for addresses in shared memory of 32 bits.
pub(super) fn place_in(lo: &mut Lowering, address: Src, rank: Src) -> Src {
    let inside = lo.b.binary(BinaryOp::And32, address, Src::Imm(INSIDE));
    let start = lo.cluster_start(rank);
    lo.b.binary(BinaryOp::AddI32, inside, start).into()
}

/// `getctarank`: what lies before the memory of the cluster's CTAs is the CTA's own.
fn rank(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.value(inst, "a")?;
    let wide = inst.ty("type").bits() == 64;
    let a = match window(lo, inst) {
        Some(window) => {
            lo.b.binary(if wide { BinaryOp::SubI64 } else { BinaryOp::SubI32 }, a, window).into()
        }
        None => a,
    };
    let a = if wide { lo.b.unary(UnaryOp::Low32, a).into() } else { a };
    let rank = rank_of(lo, a);
    lo.write(inst, "d", rank, ScalarType::U32)
}

/// The rank of the CTA to whose memory an address in shared memory leads, 32 bits.
pub(super) fn rank_of(lo: &mut Lowering, address: Src) -> Src {
    let nth = lo.b.binary(BinaryOp::ShrU32, address, Src::Imm(RANK_AT));
    let window = lo.cluster_special(Special::ClusterWindow);
    let first = lo.b.binary(BinaryOp::ShrU32, window, Src::Imm(RANK_AT));
    let rank = lo.b.binary(BinaryOp::SubI32, nth, first);
    let own = lo.cluster_special(Special::ClusterCtarank);
    let is_own = lo.b.compare(CompareOp::EqI32, nth, Src::Imm(0));
    lo.b.select(Class::W32, is_own, own, rank).into()
}

/// A half of the barrier of the cluster.
fn half(lo: &mut Lowering, inst: &Inst<'_>, half: ClusterHalf) -> Result {
    lo.b.push(Op::ClusterBarrier { half, aligned: inst.word("aligned").is_some() });
    Ok(())
}

fn arrive(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    half(lo, inst, ClusterHalf::Arrive { releases: inst.word("sem") != Some("relaxed") })
}

fn wait(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    half(lo, inst, ClusterHalf::Wait)
}

/// What words of cluster barriers need.
const BARRIER: &[Need] = &[
    Need::new("acquire", (8, 0), 90),
    Need::new("release", (8, 0), 90),
    Need::new("relaxed", (8, 0), 90),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "mapa",
        section: "9.7.9.23 mapa",
        forms: &[Form::new(
            "mapa{.ss}.type d, {&shared}a, b:u32; .ss = { .shared::cluster }; .type = { .u32, .u64 }",
            (7, 8),
            90,
            address_in,
        )],
    },
    Entry {
        name: "getctarank",
        section: "9.7.9.24 getctarank",
        forms: &[Form::new(
            "getctarank{.ss}.type d:u32, {&shared}a; .ss = { .shared::cluster }; .type = { .u32, .u64 }",
            (7, 8),
            90,
            rank,
        )],
    },
    Entry {
        name: "barrier.cluster",
        section: "9.7.13.3 barrier.cluster",
        forms: &[
            Form::new(
                "barrier.cluster!.arrive!{.sem}{.aligned}; .sem = { .release, .relaxed }",
                (7, 8),
                90,
                arrive,
            )
            .needs(BARRIER),
            Form::new("barrier.cluster!.wait!{.acquire}{.aligned}", (7, 8), 90, wait)
                .needs(BARRIER),
        ],
    },
    Entry {
        name: "setmaxnreg",
        section: "9.7.19.5 setmaxnreg",
        forms: &[Form::new(
            "setmaxnreg.action!.sync.aligned.u32 count:u32=(24..256*8); .action = { .inc, .dec }",
            (8, 0),
            90,
            hint,
        )
        .family(&[90, 100, 101, 103, 107, 110, 120, 121])],
    },
    Entry {
        name: "brkpt",
        section: "9.7.19.1 brkpt",
        forms: &[Form::new("brkpt", (1, 0), 11, hint)],
    },
    Entry {
        name: "pmevent",
        section: "9.7.19.3 pmevent",
        forms: &[
            Form::new("pmevent a:u32=(0..15)", (1, 4), 10, hint),
            Form::new("pmevent.mask a:u32=(0..65535)", (3, 0), 20, hint),
        ],
    },
];
