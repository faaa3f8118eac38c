//! Warp collectives: instructions whose result in one lane depends on other lanes.

use super::{Entry, Form, Role};
use crate::lower::{Inst, Lowering, Result};
use ir::{Collective, Members, Op, Pred};
use lanes::{MinMax, ReduxF32, ReduxOp, ShflMode, VoteMode};

/// What replaces the forms that take the active lanes.
const WITH_SYNC: &str = "use the form with `.sync` and a membermask";

/// The first target for which the assembler has instructions in the place of calls.
pub(super) const NO_CALL: u32 = 90;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "shfl",
        section: "9.7.9.5 shfl, 9.7.9.6 shfl.sync",
        forms: &[
            Form::new(
                "shfl.sync.mode.b32 d[|p], a, b, c, membermask:u32; .mode = { .up, .down, .bfly, .idx }",
                (6, 0),
                30,
                shfl,
            )
            .role(Role::Shuffle)
            .sums_from(NO_CALL),
            Form::new(
                "shfl.mode.b32 d[|p], a, b, c; .mode = { .up, .down, .bfly, .idx }",
                (3, 0),
                30,
                shfl,
            )
            .role(Role::Shuffle)
            .removed((6, 4), 70, WITH_SYNC)
            .deprecated((6, 0)),
        ],
    },
    Entry {
        name: "vote",
        section: "9.7.13.8 vote, 9.7.13.9 vote.sync",
        forms: &[
            Form::new(
                "vote.sync.mode.pred d, {!}a:pred, membermask:u32; .mode = { .all, .any, .uni }",
                (6, 0),
                30,
                vote,
            )
            .sums_from(NO_CALL),
            Form::new("vote.sync.ballot.b32 d, {!}a, membermask:u32", (6, 0), 30, ballot)
                .sums_from(NO_CALL),
            Form::new("vote.mode.pred d, {!}a:pred; .mode = { .all, .any, .uni }", (1, 2), 12, vote)
                .removed((6, 4), 70, WITH_SYNC)
                .deprecated((6, 0)),
            Form::new("vote.ballot.b32 d, {!}a", (2, 0), 20, ballot).removed((6, 4), 70, WITH_SYNC)
                .deprecated((6, 0)),
        ],
    },
    Entry {
        name: "match",
        section: "9.7.13.10 match.sync",
        forms: &[
            Form::new(
                "match.any.sync.type d:u32, a, membermask:u32; .type = { .b32, .b64 }",
                (6, 0),
                70,
                match_any,
            )
            .sums_from(NO_CALL),
            Form::new(
                "match.all.sync.type d_[|p]:u32, a, membermask:u32; .type = { .b32, .b64 }",
                (6, 0),
                70,
                match_all,
            )
            .sums_from(NO_CALL),
        ],
    },
    Entry {
        name: "redux",
        section: "9.7.13.12 redux.sync",
        forms: &[
            Form::new(
                "redux.sync.op.type d:u32, a:u32, membermask:u32; .op = { .add, .min, .max }; .type = { .u32, .s32 }",
                (7, 0),
                80,
                redux,
            )
            .sums_from(NO_CALL),
            Form::new(
                "redux.sync.op.b32 d:u32, a:u32, membermask:u32; .op = { .and, .or, .xor }",
                (7, 0),
                80,
                redux,
            )
            .sums_from(NO_CALL),
            Form::new(
                "redux.sync.op{.abs}{.NaN}.f32 d, a, membermask:u32; .op = { .min, .max }",
                (8, 6),
                100,
                redux_f32,
            )
            .family(&[100, 103, 107]),
        ],
    },
    Entry {
        name: "activemask",
        section: "9.7.13.11 activemask",
        forms: &[Form::new("activemask.b32 d", (6, 2), 30, activemask).role(Role::ActiveMask)],
    },
    Entry {
        name: "elect",
        section: "9.7.13.14 elect.sync",
        forms: &[Form::new("elect.sync d_|p:u32, membermask:u32", (8, 0), 90, elect)],
    },
    Entry {
        name: "movmatrix",
        section: "9.7.14.5.17 movmatrix",
        forms: &[Form::new(
            "movmatrix.sync.aligned.m8n8.trans.b16 d:b32, reg a:b32",
            (7, 8),
            75,
            movmatrix,
        )],
    },
];

/// The lanes of the membermask operand; without one, the active lanes.
fn members(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Members> {
    match inst.operand("membermask") {
        Some(_) => lo.value(inst, "membermask").map(Members::Mask),
        None => Ok(Members::Active),
    }
}

fn push(lo: &mut Lowering, what: Collective, members: Members) -> Result {
    lo.b.push(Op::Collective { what, members, aligned: false });
    Ok(())
}

fn shfl(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let mode = match inst.word("mode") {
        Some("up") => ShflMode::Up,
        Some("down") => ShflMode::Down,
        Some("bfly") => ShflMode::Bfly,
        _ => ShflMode::Idx,
    };
    let (a, b, c) = (lo.value(inst, "a")?, lo.value(inst, "b")?, lo.value(inst, "c")?);
    let members = members(lo, inst)?;
    let (d, p) = (lo.result(inst, "d")?, lo.result_predicate(inst, "d")?);
    push(lo, Collective::Shfl { mode, d, p, a, b, c }, members)
}

fn vote(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let mode = match inst.word("mode") {
        Some("all") => VoteMode::All,
        Some("any") => VoteMode::Any,
        _ => VoteMode::Uni,
    };
    let a: Pred = lo.predicate(inst, "a")?;
    let members = members(lo, inst)?;
    let d = lo.result(inst, "d")?;
    push(lo, Collective::Vote { mode, d, a }, members)
}

fn ballot(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.predicate(inst, "a")?;
    let members = members(lo, inst)?;
    let d = lo.result(inst, "d")?;
    push(lo, Collective::Ballot { d, a }, members)
}

fn match_any(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, members) = (lo.value(inst, "a")?, members(lo, inst)?);
    let (d, wide) = (lo.result(inst, "d")?, inst.ty("type").bits() == 64);
    push(lo, Collective::MatchAny { d, a, wide }, members)
}

fn match_all(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, members) = (lo.value(inst, "a")?, members(lo, inst)?);
    let (d, p) = (Some(lo.result(inst, "d")?), lo.result_predicate(inst, "d")?);
    let wide = inst.ty("type").bits() == 64;
    push(lo, Collective::MatchAll { d, p, a, wide }, members)
}

fn redux(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match (inst.word("op"), inst.word("type")) {
        (Some("add"), _) => ReduxOp::Add,
        (Some("min"), Some("u32")) => ReduxOp::MinU32,
        (Some("min"), _) => ReduxOp::MinS32,
        (Some("max"), Some("u32")) => ReduxOp::MaxU32,
        (Some("max"), _) => ReduxOp::MaxS32,
        (Some("and"), _) => ReduxOp::And,
        (Some("or"), _) => ReduxOp::Or,
        _ => ReduxOp::Xor,
    };
    let (a, members) = (lo.value(inst, "a")?, members(lo, inst)?);
    let d = lo.result(inst, "d")?;
    push(lo, Collective::Redux { op, d, a }, members)
}

fn redux_f32(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = if inst.word("op") == Some("min") { MinMax::Min } else { MinMax::Max };
    let mode = ReduxF32 { op, abs: inst.has("abs"), propagate_nan: inst.has("NaN") };
    let (a, members) = (lo.value(inst, "a")?, members(lo, inst)?);
    let d = lo.result(inst, "d")?;
    push(lo, Collective::ReduxF32 { mode, d, a }, members)
}

fn activemask(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let d = lo.result(inst, "d")?;
    lo.b.push(Op::ActiveMask { d });
    Ok(())
}

fn elect(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let members = members(lo, inst)?;
    let d = Some(lo.result(inst, "d")?);
    let Some(p) = lo.result_predicate(inst, "d")? else {
        return lo.unsupported(inst, "elect.sync without its predicate chooses nobody");
    };
    push(lo, Collective::Elect { d, p }, members)
}

fn movmatrix(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, d) = (lo.value(inst, "a")?, lo.result(inst, "d")?);
    let members = Members::Mask(ir::Src::Imm(u64::from(u32::MAX)));
    lo.b.push(Op::Collective { what: Collective::MovMatrix { d, a }, members, aligned: true });
    Ok(())
}
