//! Clusters of CTAs, the resources of a warp, and hints to tools.

use super::{Entry, Form, hint};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{Class, CompareOp, Op, Src};

/// `mapa` in a cluster of one CTA: the address is the same in the only one, and leads nowhere in others.
fn address_in(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, rank) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let ty = inst.ty("type");
    let own = lo.b.compare(CompareOp::EqI32, rank, Src::Imm(0));
    let d = lo.b.reg(if ty.bits() == 64 { Class::W64 } else { Class::W32 });
    // Aligned, as it is not that which is wrong.
    let nowhere = if ty.bits() == 64 { u64::MAX << 4 } else { 0xffff_fff0 };
    lo.b.push(Op::Select { d, p: own.into(), a, b: Src::Imm(nowhere) });
    lo.write(inst, "d", d.into(), ty)
}

/// `getctarank`: there is one CTA.
fn rank(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.write(inst, "d", Src::Imm(0), ScalarType::U32)
}

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
