//! Control flow, barriers and fences.

use super::memory::scope;
use super::warp::NO_CALL;
use super::{Entry, Form, Need};
use crate::lower::{Inst, Lowering, Result};
use ir::{
    BarrierAction, BarrierReduction, BlockId, Collective, CompareOp, Fence, Members, Op, Scope,
    Src, Terminator,
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "bra",
        section: "9.7.12.3 bra",
        forms: &[Form::new("bra{.uni} tgt:label", (1, 0), 10, branch)],
    },
    Entry {
        name: "brx",
        section: "9.7.12.4 brx.idx",
        forms: &[Form::new("brx.idx!{.uni} index:u32, tlist:table", (6, 0), 30, branch_among)],
    },
    Entry {
        name: "ret",
        section: "9.7.12.6 ret",
        forms: &[Form::new("ret{.uni}", (1, 0), 10, return_)],
    },
    Entry {
        name: "exit",
        section: "9.7.12.7 exit",
        forms: &[Form::new("exit", (1, 0), 10, exit)],
    },
    Entry {
        name: "trap",
        section: "9.7.19.4 trap",
        forms: &[Form::new("trap", (1, 0), 10, trap)],
    },
    Entry {
        name: "bar",
        section: "9.7.13.1 bar, 9.7.13.2 bar.warp.sync",
        forms: &[
            Form::new("bar{.cta!}.sync a:u32(low 0..15){, b:u32(*32)}", (1, 0), 10, sync).needs(CTA),
            Form::new("bar{.cta!}.arrive! a:u32(low 0..15), b:u32(32..-1*32)", (2, 0), 20, arrive).needs(CTA),
            Form::new("bar{.cta!}.red!.popc.u32 d:u32, a:s32(low 0..15), {!}p", (2, 0), 20, reduce).needs(CTA),
            Form::new("bar{.cta!}.red!.popc.u32 d:u32, a:s32(low 0..15), b:s32(*32), {!}p", (2, 0), 20, reduce).needs(CTA),
            Form::new("bar{.cta!}.red!.op.pred d, a:u32(low 0..15), {!}p; .op = { .and, .or }", (2, 0), 20, reduce).needs(CTA),
            Form::new("bar{.cta!}.red!.op.pred d, a:u32(low 0..15), b:u32(*32), {!}p; .op = { .and, .or }", (2, 0), 20, reduce).needs(CTA),
            Form::new("bar.warp!.sync membermask:u32", (6, 0), 30, warp_sync).sums_from(NO_CALL),
        ],
    },
    Entry {
        name: "barrier",
        section: "9.7.13.1 barrier",
        forms: &[
            SYNC[0], SYNC[1], ARRIVE[0], ARRIVE[1],
            COUNT[0], COUNT[1], COUNT_OF[0], COUNT_OF[1],
            REDUCE[0], REDUCE[1], REDUCE_OF[0], REDUCE_OF[1],
        ],
    },
    Entry {
        name: "membar",
        section: "9.7.13.4 membar",
        forms: &[Form::new("membar.level; .level = { .cta, .gl, .sys }", (1, 4), 10, membar)
            .needs(&[Need::new("sys", (2, 0), 20)])],
    },
    Entry {
        name: "fence",
        section: "9.7.13.4 fence",
        forms: &[
            Form::new(
                "fence{.sem}.scope; .sem = { .sc, .acq_rel }; .scope = { .cta, .cluster, .gpu, .sys }",
                (6, 0),
                70,
                fence,
            ),
            Form::new(
                "fence.sem.scope; .sem = { .acquire, .release }; .scope = { .cta, .cluster, .gpu, .sys }",
                (8, 6),
                90,
                fence,
            ),
            Form::new("fence.acquire.sync_restrict::shared::cluster.cluster", (8, 6), 90, fence_of_cluster),
            Form::new("fence.release.sync_restrict::shared::cta.cluster", (8, 6), 90, fence_of_cluster),
            Form::new("fence.alias.sync_restrict::read.release.sys", (9, 5), 90, fence_of_system),
        ],
    },
    Entry {
        name: "nanosleep",
        section: "9.7.19.2 nanosleep",
        forms: &[Form::new("nanosleep.u32 t:s32", (6, 2), 70, nanosleep)],
    },
];

/// A barrier in convergence, and one that splits of a warp may reach apart.
macro_rules! barrier {
    ($words:literal, $end:literal, $lower:ident) => {
        [
            Form::new(concat!("barrier{.cta!}", $words, ".aligned", $end), (6, 0), 30, $lower)
                .needs(CTA),
            Form::new(concat!("barrier{.cta!}", $words, $end), (6, 0), 30, $lower)
                .needs(CTA)
                .sums_from(NO_CALL),
        ]
    };
}

const SYNC: [Form; 2] = barrier!(".sync", " a:u32(low 0..15){, b:u32(*32)}", sync);
const ARRIVE: [Form; 2] = barrier!(".arrive!", " a:u32(low 0..15), b:u32(32..-1*32)", arrive);
const COUNT: [Form; 2] = barrier!(".red!.popc", ".u32 d:u32, a:s32(low 0..15), {!}p", reduce);
const COUNT_OF: [Form; 2] =
    barrier!(".red!.popc", ".u32 d:u32, a:s32(low 0..15), b:s32(*32), {!}p", reduce);
const REDUCE: [Form; 2] =
    barrier!(".red!.op", ".pred d, a:u32(low 0..15), {!}p; .op = { .and, .or }", reduce);
const REDUCE_OF: [Form; 2] = barrier!(
    ".red!.op",
    ".pred d, a:u32(low 0..15), b:u32(*32), {!}p; .op = { .and, .or }",
    reduce
);

/// `.cta` came with clusters.
const CTA: &[Need] = &[Need::new("cta", (7, 8), 20)];

/// Fences of the cluster that speak of some accesses alone: they order more here than they must.
pub(super) fn fence_of_cluster(lo: &mut Lowering, _inst: &Inst<'_>) -> Result {
    lo.b.push(Op::Fence(Fence { sequential: false, scope: Scope::Cluster }));
    Ok(())
}

/// Memory has one address for each byte here, so fences between its aliases are fences.
pub(super) fn fence_of_system(lo: &mut Lowering, _inst: &Inst<'_>) -> Result {
    lo.b.push(Op::Fence(Fence { sequential: false, scope: Scope::Sys }));
    Ok(())
}

fn branch(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let target = lo.label(inst, "tgt")?;
    lo.leave(Terminator::Jump(target));
    Ok(())
}

/// `brx.idx`. An index behind the table is undefined, and stops the kernel.
fn branch_among(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let index = lo.value(inst, "index")?;
    let targets = lo.labels(inst, "tlist")?;
    let chooses = lo.b.block();
    lo.leave(Terminator::Jump(chooses));
    let (after, guard) = (lo.b.current(), lo.b.guard());
    lo.b.switch_to(chooses);
    lo.b.set_guard(None);
    let end = Src::Imm(targets.len() as u64);
    let inside = lo.b.compare(CompareOp::LtU32, index, end);
    let (then, otherwise) = (lo.b.block(), lo.b.block());
    lo.b.terminate(Terminator::Branch { p: inside.into(), then, otherwise });
    lo.b.switch_to(otherwise);
    lo.stop("the index of the branch lies behind its table of labels");
    lo.b.switch_to(then);
    choose(lo, index, 0, &targets);
    lo.b.switch_to(after);
    lo.b.set_guard(guard);
    Ok(())
}

/// Goes to one of the targets, of which the first has that number: a binary search for the index. A run of equal targets is a jump.
fn choose(lo: &mut Lowering, index: Src, first: u64, targets: &[BlockId]) {
    let (near, far) = targets.split_at(targets.len() / 2);
    let next = match targets {
        [] => Terminator::Trap,
        [target, others @ ..] if others.iter().all(|other| other == target) => {
            Terminator::Jump(*target)
        }
        _ => {
            let middle = first + near.len() as u64;
            let p = lo.b.compare(CompareOp::LtU32, index, Src::Imm(middle)).into();
            let (then, otherwise) = (lo.b.block(), lo.b.block());
            lo.b.terminate(Terminator::Branch { p, then, otherwise });
            lo.b.switch_to(then);
            choose(lo, index, first, near);
            lo.b.switch_to(otherwise);
            return choose(lo, index, middle, far);
        }
    };
    lo.b.terminate(next);
}

fn return_(lo: &mut Lowering, _inst: &Inst<'_>) -> Result {
    let to = lo.return_to();
    lo.leave(to);
    Ok(())
}

fn exit(lo: &mut Lowering, _inst: &Inst<'_>) -> Result {
    lo.leave(Terminator::Exit);
    Ok(())
}

fn trap(lo: &mut Lowering, _inst: &Inst<'_>) -> Result {
    lo.leave(Terminator::Trap);
    Ok(())
}

fn sync(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    barrier(lo, inst, BarrierAction::Sync)
}

fn arrive(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    barrier(lo, inst, BarrierAction::Arrive)
}

fn reduce(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match inst.word("op") {
        Some("and") => BarrierReduction::And,
        Some("or") => BarrierReduction::Or,
        _ => BarrierReduction::Popc,
    };
    let p = lo.predicate(inst, "p")?;
    let d = lo.result(inst, "d")?;
    barrier(lo, inst, BarrierAction::Reduce { op, d, p })
}

fn barrier(lo: &mut Lowering, inst: &Inst<'_>, action: BarrierAction) -> Result {
    let id = lo.value(inst, "a")?;
    let threads = match inst.operand("b") {
        Some(_) => Some(lo.value(inst, "b")?),
        None => None,
    };
    // `bar` is `barrier` with `.aligned`.
    let aligned = inst.has("aligned") || &*inst.instruction.opcode == "bar";
    lo.b.push(Op::Barrier { action, id, threads, aligned });
    Ok(())
}

fn warp_sync(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let members = Members::Mask(lo.value(inst, "membermask")?);
    lo.b.push(Op::Collective { what: Collective::WarpSync, members, aligned: false });
    Ok(())
}

fn membar(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let scope = match inst.word("level") {
        Some("cta") => Scope::Cta,
        Some("sys") => Scope::Sys,
        _ => Scope::Gpu,
    };
    lo.b.push(Op::Fence(Fence { sequential: true, scope }));
    Ok(())
}

/// `fence`, and `fence.proxy.tensormap`: tensor maps are read as other memory is.
pub(super) fn fence(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let sequential = inst.word("sem") == Some("sc");
    lo.b.push(Op::Fence(Fence { sequential, scope: scope(inst.word("scope")) }));
    Ok(())
}

fn nanosleep(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let nanoseconds = lo.value(inst, "t")?;
    lo.b.push(Op::Nanosleep { nanoseconds });
    Ok(())
}
