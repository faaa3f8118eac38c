//! Bit manipulation: shifts, counts, bit fields, byte permutation and dot products of bytes.

use super::step::Step;
use super::{Entry, Form};
use crate::lower::{Extend, Inst, Lowering, Result};
use ir::{BinaryOp, Class, CompareOp, Src, TernaryOp, UnaryOp};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "shl",
        section: "9.7.8.8 shl",
        forms: &[Form::new("shl.type d, a, b:u32; .type = { .b16, .b32, .b64 }", (1, 0), 10, shl)],
    },
    Entry {
        name: "shr",
        section: "9.7.8.9 shr",
        forms: &[Form::new(
            "shr.type d, a, b:u32; .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 }",
            (1, 0),
            10,
            shr,
        )],
    },
    Entry {
        name: "shf",
        section: "9.7.8.7 shf",
        forms: &[Form::new(
            "shf.direction!.mode.b32 d, a, b, c:u32; .direction = { .l, .r }; .mode = { .clamp, .wrap }",
            (3, 1),
            32,
            shf,
        )],
    },
    Entry {
        name: "popc",
        section: "9.7.1.14 popc",
        forms: &[Form::new(
            "popc.type d:u32, a; .type = { .b32, .b64 }",
            (2, 0),
            20,
            |lo, inst| unary(lo, inst, UnaryOp::Popc32, UnaryOp::Popc64),
        )],
    },
    Entry {
        name: "clz",
        section: "9.7.1.15 clz",
        forms: &[Form::new("clz.type d:u32, a; .type = { .b32, .b64 }", (2, 0), 20, |lo, inst| {
            unary(lo, inst, UnaryOp::Clz32, UnaryOp::Clz64)
        })],
    },
    Entry {
        name: "brev",
        section: "9.7.1.18 brev",
        forms: &[Form::new("brev.type d, a; .type = { .b32, .b64 }", (2, 0), 20, |lo, inst| {
            unary(lo, inst, UnaryOp::Brev32, UnaryOp::Brev64)
        })],
    },
    Entry {
        name: "fns",
        section: "9.7.1.17 fns",
        forms: &[Form::new("fns.b32 d, mask, base, offset", (6, 0), 30, fns)],
    },
    Entry {
        name: "bfind",
        section: "9.7.1.16 bfind",
        forms: &[Form::new(
            "bfind{.shiftamt}.type d:u32, a; .type = { .u32, .u64, .s32, .s64 }",
            (2, 0),
            20,
            bfind,
        )],
    },
    Entry {
        name: "bfe",
        section: "9.7.1.19 bfe",
        forms: &[Form::new(
            "bfe.type d, a, b:u32(0..255), c:u32(0..255); .type = { .u32, .u64, .s32, .s64 }",
            (2, 0),
            20,
            bfe,
        )],
    },
    Entry {
        name: "bfi",
        section: "9.7.1.20 bfi",
        forms: &[Form::new(
            "bfi.type d, a, b, pos:u32(0..255), len:u32(0..255); .type = { .b32, .b64 }",
            (2, 0),
            20,
            bfi,
        )],
    },
    Entry {
        name: "szext",
        section: "9.7.1.21 szext",
        forms: &[Form::new(
            "szext.mode.type d, a, b:u32; .mode = { .clamp, .wrap }; .type = { .u32, .s32 }",
            (7, 6),
            70,
            szext,
        )],
    },
    Entry {
        name: "bmsk",
        section: "9.7.1.22 bmsk",
        forms: &[Form::new(
            "bmsk.mode.b32 d:u32, a:u32, b:u32; .mode = { .clamp, .wrap }",
            (7, 6),
            70,
            bmsk,
        )],
    },
    Entry {
        name: "prmt",
        section: "9.7.9.7 prmt",
        forms: &[Form::new(
            "prmt.b32{.mode} d, a, b, c; .mode = { .f4e, .b4e, .rc8, .ecl, .ecr, .rc16 }",
            (2, 0),
            20,
            prmt,
        )],
    },
    Entry {
        name: "dp4a",
        section: "9.7.1.23 dp4a",
        forms: &[Form::new(
            "dp4a.atype.btype d:u32, a:atype, b:btype, c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }",
            (5, 0),
            61,
            dp4a,
        )],
    },
    Entry {
        name: "dp2a",
        section: "9.7.1.24 dp2a",
        forms: &[Form::new(
            "dp2a.mode!.atype.btype d:u32, a:atype, b:btype, c:u32; .mode = { .lo, .hi }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }",
            (5, 0),
            61,
            dp2a,
        )],
    },
];

fn is_wide(inst: &Inst<'_>) -> bool {
    inst.ty("type").bits() == 64
}

fn is_signed(inst: &Inst<'_>, slot: &str) -> bool {
    Extend::of(inst.ty(slot)) == Extend::Sign
}

fn unary(lo: &mut Lowering, inst: &Inst<'_>, narrow: UnaryOp, wide: UnaryOp) -> Result {
    let op = if is_wide(inst) { wide } else { narrow };
    Step::Unary(op, lo.value(inst, "a")?).write(lo, inst)
}

/// What a 16-bit result needs.
fn narrow(inst: &Inst<'_>) -> Option<UnaryOp> {
    (inst.ty("type").bits() == 16).then_some(UnaryOp::ZeroExtend16)
}

fn shl(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = if is_wide(inst) { BinaryOp::Shl64 } else { BinaryOp::Shl32 };
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    Step::Binary(op, a, b).then_maybe(lo, narrow(inst)).write(lo, inst)
}

fn shr(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let signed = is_signed(inst, "type");
    let op = match (is_wide(inst), signed) {
        (false, false) => BinaryOp::ShrU32,
        (false, true) => BinaryOp::ShrS32,
        (true, false) => BinaryOp::ShrU64,
        (true, true) => BinaryOp::ShrS64,
    };
    let (a, b) = (lo.extended(inst, "a")?, lo.value(inst, "b")?);
    // Only copies of the sign can reach above 16 bits.
    let cut = narrow(inst).filter(|_| signed);
    Step::Binary(op, a, b).then_maybe(lo, cut).write(lo, inst)
}

/// An operation of the operands `a`, `b` and `c`.
fn ternary(lo: &mut Lowering, inst: &Inst<'_>, op: TernaryOp) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    Step::Ternary(op, a, b, lo.value(inst, "c")?).write(lo, inst)
}

fn shf(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match (inst.word("direction"), inst.word("mode")) {
        (Some("l"), Some("clamp")) => TernaryOp::ShfLClamp,
        (Some("l"), _) => TernaryOp::ShfLWrap,
        (_, Some("clamp")) => TernaryOp::ShfRClamp,
        _ => TernaryOp::ShfRWrap,
    };
    ternary(lo, inst, op)
}

fn bfind(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match (is_wide(inst), is_signed(inst, "type")) {
        (false, false) => UnaryOp::BfindU32,
        (false, true) => UnaryOp::BfindS32,
        (true, false) => UnaryOp::BfindU64,
        (true, true) => UnaryOp::BfindS64,
    };
    let position = Step::Unary(op, lo.value(inst, "a")?);
    if !inst.has("shiftamt") {
        return position.write(lo, inst);
    }
    // The shift that brings the bit to the top; all ones stay, where there is no such bit.
    let position = position.value(lo);
    let top = Src::Imm(u64::from(inst.ty("type").bits() - 1));
    let shift = lo.b.binary(BinaryOp::SubI32, top, position);
    let found = lo.b.compare(CompareOp::NeI32, position, Src::Imm(u64::from(u32::MAX)));
    Step::Select(Class::W32, found.into(), shift.into(), position).write(lo, inst)
}

/// The set bit of `mask` that is the `|offset|`-th from bit `base` on, up or down; for 0, bit `base` itself. All ones if
/// there is none.
fn fns(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    /// `a && !b`, by the bits `2*a + b`.
    const AND_NOT: u8 = 0b0100;
    let (mask, base) = (lo.value(inst, "mask")?, lo.value(inst, "base")?);
    let offset = lo.value(inst, "offset")?;
    let down = lo.b.compare(CompareOp::LtS32, offset, Src::Imm(0));
    let size = lo.b.unary(UnaryOp::AbsS32, offset);
    // Downwards is upwards in the mask the other way round.
    let mirrored = lo.b.unary(UnaryOp::Brev32, mask);
    let mask = lo.b.select(Class::W32, down, mirrored, mask);
    let below = lo.b.binary(BinaryOp::SubI32, Src::Imm(31), base);
    let base = lo.b.select(Class::W32, down, below, base);
    let from = lo.b.binary(BinaryOp::Shl32, Src::Imm(u64::from(u32::MAX)), base);
    let mask = lo.b.binary(BinaryOp::And32, mask, from);
    // For 0, the first that is found must stand at the base.
    let here = lo.b.compare(CompareOp::EqI32, size, Src::Imm(0));
    let first = lo.b.binary(BinaryOp::MaxU32, size, Src::Imm(1));
    let bits = lo.b.unary(UnaryOp::Popc32, mask);
    let enough = lo.b.compare(CompareOp::LeU32, first, bits);
    // How many bits are still to be found, in what is left of the mask from `position` on.
    let (mut left, mut position): (Src, Src) = (first.into(), Src::Imm(0));
    for half in [16, 8, 4, 2, 1] {
        let rest = lo.b.binary(BinaryOp::ShrU32, mask, position);
        let low = lo.b.binary(BinaryOp::And32, rest, Src::Imm((1 << half) - 1));
        let low = lo.b.unary(UnaryOp::Popc32, low);
        let beyond = lo.b.compare(CompareOp::LtU32, low, left);
        let fewer = lo.b.binary(BinaryOp::SubI32, left, low);
        let further = lo.b.binary(BinaryOp::AddI32, position, Src::Imm(half));
        left = lo.b.select(Class::W32, beyond, fewer, left).into();
        position = lo.b.select(Class::W32, beyond, further, position).into();
    }
    let at_base = lo.b.compare(CompareOp::EqI32, position, base);
    let elsewhere = lo.b.logic(AND_NOT, here, at_base);
    let found = lo.b.logic(AND_NOT, enough, elsewhere);
    let back = lo.b.binary(BinaryOp::SubI32, Src::Imm(31), position);
    let position = lo.b.select(Class::W32, down, back, position);
    Step::Select(Class::W32, found.into(), position.into(), Src::Imm(u64::from(u32::MAX)))
        .write(lo, inst)
}

fn bfe(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match (is_wide(inst), is_signed(inst, "type")) {
        (false, false) => TernaryOp::BfeU32,
        (false, true) => TernaryOp::BfeS32,
        (true, false) => TernaryOp::BfeU64,
        (true, true) => TernaryOp::BfeS64,
    };
    ternary(lo, inst, op)
}

/// The field of `b` that the mask covers comes from `a`, shifted into place.
fn bfi(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (mask, shift, select) = if is_wide(inst) {
        (BinaryOp::BfiMask64, BinaryOp::Shl64, TernaryOp::BitSelect64)
    } else {
        (BinaryOp::BfiMask32, BinaryOp::Shl32, TernaryOp::BitSelect32)
    };
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let (pos, len) = (lo.value(inst, "pos")?, lo.value(inst, "len")?);
    // The low 8 bits of the position count.
    let amount = match pos {
        Src::Imm(bits) => Src::Imm(bits & 0xff),
        Src::Reg(_) => lo.b.unary(UnaryOp::ZeroExtend8, pos).into(),
    };
    let mask = lo.b.binary(mask, pos, len);
    let field = lo.b.binary(shift, a, amount);
    Step::Ternary(select, mask.into(), b, field.into()).write(lo, inst)
}

/// The low `b` bits of `a`, extended: none if `b` is 0, all if it is too large and clamped.
fn szext(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let (limit, last) = match inst.word("mode") {
        Some("clamp") => (BinaryOp::MinU32, 32),
        _ => (BinaryOp::And32, 31),
    };
    let length = lo.b.binary(limit, b, Src::Imm(last));
    let op = if is_signed(inst, "type") { TernaryOp::BfeS32 } else { TernaryOp::BfeU32 };
    Step::Ternary(op, a, Src::Imm(0), length.into()).write(lo, inst)
}

fn bmsk(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let clamp = inst.word("mode") == Some("clamp");
    let op = if clamp { BinaryOp::BmskClamp } else { BinaryOp::BmskWrap };
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    Step::Binary(op, a, b).write(lo, inst)
}

fn prmt(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match inst.word("mode") {
        Some("f4e") => TernaryOp::PrmtF4e,
        Some("b4e") => TernaryOp::PrmtB4e,
        Some("rc8") => TernaryOp::PrmtRc8,
        Some("ecl") => TernaryOp::PrmtEcl,
        Some("ecr") => TernaryOp::PrmtEcr,
        Some("rc16") => TernaryOp::PrmtRc16,
        _ => TernaryOp::Prmt,
    };
    ternary(lo, inst, op)
}

fn dp4a(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match (is_signed(inst, "atype"), is_signed(inst, "btype")) {
        (false, false) => TernaryOp::Dp4aUU,
        (false, true) => TernaryOp::Dp4aUS,
        (true, false) => TernaryOp::Dp4aSU,
        (true, true) => TernaryOp::Dp4aSS,
    };
    ternary(lo, inst, op)
}

fn dp2a(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let high = inst.word("mode") == Some("hi");
    let op = match (high, is_signed(inst, "atype"), is_signed(inst, "btype")) {
        (false, false, false) => TernaryOp::Dp2aLoUU,
        (false, false, true) => TernaryOp::Dp2aLoUS,
        (false, true, false) => TernaryOp::Dp2aLoSU,
        (false, true, true) => TernaryOp::Dp2aLoSS,
        (true, false, false) => TernaryOp::Dp2aHiUU,
        (true, false, true) => TernaryOp::Dp2aHiUS,
        (true, true, false) => TernaryOp::Dp2aHiSU,
        (true, true, true) => TernaryOp::Dp2aHiSS,
    };
    ternary(lo, inst, op)
}
