//! Atomic updates.

use super::memory::{access, ordering, space};
use super::{Entry, Form};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Op, Ordering, Round, Scope, Space, Src, Update};

macro_rules! forms {
    ($name:literal, $operands:literal) => {
        [
            Form::new(
                concat!($name, "{.sem}{.scope}{.ss}.op{.hint}.type ", $operands, "; .op = { .and, .or, .xor }; .type = { .b32, .b64 }; ", common!()),
                (1, 1), 11, atomic,
            ),
            Form::new(
                concat!($name, "{.sem}{.scope}{.ss}.op{.hint}.type ", $operands, "; .op = { .add }; .type = { .u32, .s32, .u64, .s64, .f32, .f64 }; ", common!()),
                (1, 1), 11, atomic,
            ),
            Form::new(
                concat!($name, "{.sem}{.scope}{.ss}.op.noftz{.hint}.type ", $operands, "; .op = { .add }; .type = { .f16, .f16x2, .bf16, .bf16x2 }; ", common!()),
                (6, 2), 60, atomic,
            ),
            Form::new(
                concat!($name, "{.sem}{.scope}{.ss}.op{.hint}.type ", $operands, "; .op = { .inc, .dec }; .type = { .u32 }; ", common!()),
                (1, 1), 11, atomic,
            ),
            Form::new(
                concat!($name, "{.sem}{.scope}{.ss}.op{.hint}.type ", $operands, "; .op = { .min, .max }; .type = { .u32, .s32, .u64, .s64 }; ", common!()),
                (1, 1), 11, atomic,
            ),
        ]
    };
}

macro_rules! common {
    () => {
        ".sem = { .relaxed, .acquire, .release, .acq_rel, .volatile }; .scope = { .cta, .cluster, .gpu, .sys }; .ss = { .global, .shared, .shared::cta, .shared::cluster }; .hint = { .L2::cache_hint }"
    };
}

const ATOM: [Form; 5] = forms!("atom", "d_, [a], b{, policy:b64}");
const RED: [Form; 5] = forms!("red", "[a], b{, policy:b64}");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "atom",
        section: "9.7.13.5 atom",
        forms: &[
            ATOM[0],
            ATOM[1],
            ATOM[2],
            ATOM[3],
            ATOM[4],
            Form::new(
                concat!("atom{.sem}{.scope}{.ss}.exch{.hint}.type d_, [a], b{, policy:b64}; .type = { .b32, .b64 }; ", common!()),
                (1, 1),
                11,
                exchange,
            ),
            Form::new(
                concat!("atom{.sem}{.scope}{.ss}.cas{.hint}.type d_, [a], b, c{, policy:b64}; .type = { .b16, .b32, .b64 }; ", common!()),
                (1, 1),
                11,
                compare_exchange,
            ),
        ],
    },
    Entry { name: "red", section: "9.7.13.6 red", forms: &RED },
];

/// The function that an operation applies to the old value and its operand.
fn function(op: &str, ty: ScalarType, space: Space) -> Option<BinaryOp> {
    use BinaryOp as B;
    use ScalarType as T;
    Some(match (op, ty) {
        ("and", T::B32) => B::And32,
        ("and", _) => B::And64,
        ("or", T::B32) => B::Or32,
        ("or", _) => B::Or64,
        ("xor", T::B32) => B::Xor32,
        ("xor", _) => B::Xor64,
        ("inc", _) => B::IncWrap32,
        ("dec", _) => B::DecWrap32,
        ("add", T::U32 | T::S32) => B::AddI32,
        ("add", T::U64 | T::S64) => B::AddI64,
        // In global memory subnormal operands and results are flushed, in shared memory they are not.
        ("add", T::F32) if space == Space::Shared => B::AddF32(Round::NearestEven),
        ("add", T::F32) => B::AddFtzF32,
        ("add", T::F64) => B::AddF64(Round::NearestEven),
        ("add", T::F16) => B::AddF16,
        ("add", T::F16x2) => B::AddF16x2,
        ("add", T::Bf16) => B::AddBf16,
        ("add", T::Bf16x2) => B::AddBf16x2,
        ("min", T::U32) => B::MinU32,
        ("min", T::S32) => B::MinS32,
        ("min", T::U64) => B::MinU64,
        ("min", T::S64) => B::MinS64,
        ("max", T::U32) => B::MaxU32,
        ("max", T::S32) => B::MaxS32,
        ("max", T::U64) => B::MaxU64,
        ("max", T::S64) => B::MaxS64,
        _ => return None,
    })
}

fn atomic(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let space = space(inst.word("ss"), named);
    match function(inst.word("op").unwrap_or(""), inst.ty("type"), space) {
        Some(op) => {
            let b = lo.value(inst, "b")?;
            update(lo, inst, address, space, Update::Apply(op), b, Src::Imm(0))
        }
        None => lo.unsupported(inst, "this atomic operation is not implemented"),
    }
}

fn exchange(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let b = lo.value(inst, "b")?;
    let space = space(inst.word("ss"), named);
    update(lo, inst, address, space, Update::Exchange, b, Src::Imm(0))
}

fn compare_exchange(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let (b, c) = (lo.value(inst, "b")?, lo.value(inst, "c")?);
    let space = space(inst.word("ss"), named);
    update(lo, inst, address, space, Update::CompareExchange, b, c)
}

fn update(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    address: ir::Address,
    space: Space,
    update: Update,
    b: Src,
    c: Src,
) -> Result {
    let d = match inst.operand("d") {
        Some(_) => Some(lo.result(inst, "d")?),
        None => None,
    };
    let ordering = match ordering(inst.word("sem")) {
        Ordering::Weak => Ordering::Relaxed,
        ordering => ordering,
    };
    let scope = scope(inst.word("scope"));
    let access = access(inst.ty("type"));
    lo.b.push(Op::Atomic { d, update, space, access, address, b, c, ordering, scope });
    Ok(())
}

/// The scope that a word names; without one, the device.
pub(super) fn scope(word: Option<&str>) -> Scope {
    match word {
        Some("cta") => Scope::Cta,
        Some("cluster") => Scope::Cluster,
        Some("sys") => Scope::Sys,
        _ => Scope::Gpu,
    }
}
