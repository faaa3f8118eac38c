//! Loads, stores and address conversion.

mod access;
mod forms;

pub(crate) use access::access;
pub(super) use access::store;
use access::{load, load_wide};
pub(super) use access::{ordering, scope, space};

use super::cluster::rank_of;
use super::logic::both;
use super::{Entry, Form, Need};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Class, CompareOp, Op, Pred, Reg, Space, Special, Src, UnaryOp};

/// `isspacep` on an address of a width.
macro_rules! is_in_space {
    ($ty:literal) => {
        Form::new(
            concat!(
                "isspacep.space d:pred, a:",
                $ty,
                "; .space = { .const, .global, .local, .shared, ",
                ".shared::cta, .shared::cluster, .param, .param::entry }"
            ),
            (2, 0),
            20,
            is_in_space,
        )
        .needs(SPACES)
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "ld",
        section: "9.7.9.8 ld, 9.7.9.9 ld.global.nc",
        forms: forms::LOAD,
    },
    Entry {
        name: "ldu",
        section: "9.7.9.10 ldu",
        forms: &[
            Form::new(
                "ldu{.ss}{.vec}.type d*~, [a]; .ss = { .global }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 }",
                (2, 0),
                20,
                load,
            ),
            Form::new("ldu{.ss}.b128 d, [a]; .ss = { .global }", (8, 3), 70, load_wide),
        ],
    },
    Entry {
        name: "st",
        section: "9.7.9.11 st",
        forms: forms::STORE,
    },
    Entry {
        name: "cvta",
        section: "9.7.9.20 cvta",
        forms: &[
            Form::new(
                "cvta.space.type d, {&space}a; .space = { .const, .global, .local, .shared, .shared::cta, .shared::cluster, .param, .param::entry }; .type = { .u64 }",
                (2, 0),
                20,
                to_generic,
            )
            .needs(SPACES),
            Form::new(
                "cvta.to!.space.type d, a; .space = { .const, .global, .local, .shared, .shared::cta, .shared::cluster, .param, .param::entry }; .type = { .u64 }",
                (2, 0),
                20,
                from_generic,
            )
            .needs(SPACES),
        ],
    },
    Entry {
        name: "isspacep",
        section: "9.7.9.19 isspacep",
        forms: &[is_in_space!("u32"), is_in_space!("u64")],
    },
];

/// What state spaces need of instructions about addresses.
const SPACES: &[Need] = &[
    Need::new("const", (3, 1), 20),
    Need::new("param", (7, 7), 70),
    Need::new("param::entry", (8, 3), 70),
];

/// The generic address at which a space begins; `None` where its addresses are generic already.
fn window(lo: &mut Lowering, inst: &Inst<'_>) -> Option<Reg> {
    let what = match space(lo, inst.word("space"), None) {
        Space::Global | Space::Generic => return None,
        Space::Shared => Special::SharedWindow,
        Space::Local => Special::LocalWindow,
        Space::Param => Special::ParamWindow,
    };
    let d = lo.b.reg(Class::W64);
    lo.b.push(Op::Special { d, what });
    Some(d)
}

fn to_generic(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    convert_address(lo, inst, BinaryOp::AddI64)
}

fn from_generic(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    convert_address(lo, inst, BinaryOp::SubI64)
}

fn convert_address(lo: &mut Lowering, inst: &Inst<'_>, op: BinaryOp) -> Result {
    let a = lo.value(inst, "a")?;
    let d = lo.result(inst, "d")?;
    match window(lo, inst) {
        Some(window) => lo.b.binary_to(d, op, a, window),
        None => lo.b.unary_to(d, UnaryOp::Mov64, a),
    }
    Ok(())
}

fn is_in_space(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    const WINDOW: Src = Src::Imm(ir::WINDOW);
    const HALF: Src = Src::Imm(ir::WINDOW / 2);
    const AND_NOT: u8 = 0b0100;
    // The windows of shared and local memory: that of kernel parameters lies within global memory.
    const NOT_GLOBAL: Src = Src::Imm(2 * ir::WINDOW);
    let operand = lo.operand(inst, "a")?;
    let a = match lo.declared_bits(operand) {
        Some(32) => {
            let narrow = lo.value_of(operand, ScalarType::B32)?;
            lo.b.unary(UnaryOp::ZeroExtend32, narrow).into()
        }
        _ => lo.value_of(operand, ScalarType::B64)?,
    };
    let d = lo.result(inst, "d")?;
    if inst.word("space") == Some("const") {
        let constant = lo.is_constant_address(a);
        lo.b.pred_to(d, constant);
        return Ok(());
    }
    match window(lo, inst) {
        Some(window) => {
            let start = lo.b.binary(BinaryOp::SubI64, window, HALF);
            let offset = lo.b.binary(BinaryOp::SubI64, a, start);
            let p = lo.b.compare(CompareOp::LtU64, offset, WINDOW);
            let mut inside: Pred = p.into();
            if matches!(inst.word("space"), Some("shared" | "shared::cta")) && lo.has_clusters() {
                let a = lo.b.binary(BinaryOp::SubI64, a, window);
                let a = lo.b.unary(UnaryOp::Low32, a);
                let rank = rank_of(lo, a.into());
                let own = lo.cluster_special(Special::ClusterCtarank);
                let other = lo.b.compare(CompareOp::NeI32, rank, own);
                let all = lo.cluster_special(Special::ClusterNctarank);
                let exists = lo.b.compare(CompareOp::LtU32, rank, all);
                let peer = both(lo, Some(exists.into()), other.into());
                inside = both(lo, Some(inside), peer.negated());
            }
            lo.b.pred_to(d, inside);
        }
        None => {
            // What is in no window and no constant is global.
            let first = lo.b.reg(Class::W64);
            lo.b.push(Op::Special { d: first, what: Special::SharedWindow });
            let start = lo.b.binary(BinaryOp::SubI64, first, HALF);
            let offset = lo.b.binary(BinaryOp::SubI64, a, start);
            let outside = lo.b.compare(CompareOp::LeU64, NOT_GLOBAL, offset);
            let constant = lo.is_constant_address(a);
            let global = lo.b.logic(AND_NOT, outside, constant);
            lo.b.pred_to(d, global);
        }
    }
    Ok(())
}
