//! A kernel of the generator as a module of PTX.

use super::cleared;
use super::clusters::Form;
use super::forms::updated;
use super::objects;
use super::places::{place, scope_of};
use super::portable::is_portable;
use super::printer::{KINDS, Printer};
use super::specials::{Shown, shown};
use crate::case::Case;
use ir::{
    Access, Address, BarrierAction, BarrierReduction, Builder, Class, ClusterHalf, Collective,
    CopyProgress, Fence, Groups, Inst, Members, Op, Ordering, Pred, Reg, Space, Special, Src,
    Terminator, Update,
};
use lanes::{ReduxOp, ShflMode, VoteMode};
use std::fmt::Write as _;

/// The module with a case's kernel, which must be [`portable`](super::portable()) for the architecture.
///
/// # Errors
/// The kernel has an operation that the generator does not make.
pub fn print(case: &Case, target: u32) -> Result<String, String> {
    let kernel = &case.kernel;
    let mut p = Printer::new(kernel, target);
    for (nth, block) in kernel.blocks.iter().enumerate() {
        p.label(nth);
        for inst in &block.insts {
            let mut said = Ok(());
            p.guarded(inst.guard, |p| said = instruction(p, inst));
            said?;
        }
        terminator(&mut p, &block.terminator);
    }
    let mut out = format!(
        ".version 8.0\n.target sm_{target}\n.address_size 64\n\n.visible .entry {}(.param .align 8 .b8 args[{}])\n",
        kernel.name, kernel.param_bytes
    );
    if let Some([x, y, z]) = kernel.cluster.required {
        // Writing to a string does not fail.
        let _ = writeln!(out, ".reqnctapercluster {x}, {y}, {z}");
    }
    out.push_str("{\n");
    for (prefix, (_, ty)) in ["%r", "%d", "%p"].iter().zip(KINDS) {
        let _ = writeln!(out, "\t.reg {ty} {prefix}<{}>;", kernel.registers.len().max(1));
    }
    out.push_str(&p.declarations());
    out.push_str(&cleared::memory(case, target));
    out.push_str(&p.body);
    out.push_str("}\n");
    Ok(out)
}

fn terminator(p: &mut Printer<'_>, terminator: &Terminator) {
    match terminator {
        Terminator::Jump(to) => p.line(format!("bra B{}", to.0)),
        Terminator::Branch { p: pred, then, otherwise } => {
            p.guarded(Some(*pred), |p| p.line(format!("bra B{}", then.0)));
            p.line(format!("bra B{}", otherwise.0));
        }
        Terminator::Exit => p.line("exit"),
        Terminator::Trap => p.line("trap"),
    }
}

fn instruction(p: &mut Printer<'_>, inst: &Inst) -> Result<(), String> {
    if objects::print(p, &inst.op)? {
        return Ok(());
    }
    match &inst.op {
        Op::Unary { op, d, a } => {
            let ([class], _) = op.signature();
            p.scalar(op, *d, &[(*a, class)]);
        }
        Op::Binary { op, d, a, b } => {
            if let Some(form) = p.definitions.form(&inst.op) {
                in_cluster(p, *d, form);
                return Ok(());
            }
            let ([first, second], _) = op.signature();
            p.scalar(op, *d, &[(*a, first), (*b, second)]);
        }
        Op::Ternary { op, d, a, b, c } => {
            let ([first, second, third], _) = op.signature();
            p.scalar(op, *d, &[(*a, first), (*b, second), (*c, third)]);
        }
        Op::Compare { op, d, a, b } => {
            let ([first, second], _) = op.signature();
            p.scalar(op, *d, &[(*a, first), (*b, second)]);
        }
        Op::Logic { table, d, a, b } => logic(p, *table, *d, *a, *b),
        Op::Select { d, a, b, p: pred } => {
            let class = p.kernel.class(*d);
            let (a, b) = (p.src(*a, class), p.src(*b, class));
            let pred = p.pred(*pred);
            let (ty, d) = (KINDS[usize::from(class == Class::W64)].1, p.reg(*d));
            p.line(format!("selp{ty} {d}, {a}, {b}, {pred}"));
        }
        Op::Special { d, what } => special(p, *d, *what)?,
        Op::ActiveMask { d } => {
            let d = p.reg(*d);
            p.line(format!("activemask.b32 {d}"));
        }
        Op::Load { d, space, access, address, ordering } => {
            let place = place(p, *space, *address);
            let class = Builder::class_of(*access);
            let targets: Vec<String> = d.iter().map(|reg| p.target_of(*reg, class)).collect();
            let vector = vector(targets.len());
            let how = how(p, *ordering, *space);
            let ty = type_of(*access);
            p.line(format!(
                "ld{how}{}{vector}{ty} {}, [{place}]",
                of(p, *space, address),
                listed(&targets)
            ));
        }
        Op::Store { values, space, access, address, ordering } => {
            let place = place(p, *space, *address);
            let class = Builder::class_of(*access);
            let values: Vec<String> = values.iter().map(|value| p.src(*value, class)).collect();
            let vector = vector(values.len());
            let how = how(p, *ordering, *space);
            let ty = type_of(*access);
            p.line(format!(
                "st{how}{}{vector}{ty} [{place}], {}",
                of(p, *space, address),
                listed(&values)
            ));
        }
        Op::Atomic { d, update, space, access, address, b, c, ordering } => {
            let place = place(p, *space, *address);
            let class = Builder::class_of(*access);
            let (b, c) = (p.src(*b, class), p.src(*c, class));
            let (what, ty, rest) = match update {
                Update::Apply(op) => {
                    let (what, ty) = updated(*op).ok_or_else(|| format!("{op:?} in memory"))?;
                    (what, ty, b)
                }
                Update::Exchange => ("exch", bits(class), b),
                Update::CompareExchange => ("cas", bits(class), format!("{b}, {c}")),
            };
            let how = how(p, *ordering, *space);
            let space = of(p, *space, address);
            match (d, update) {
                // Only what has a result can acquire.
                (None, Update::Apply(_)) if !ordering.acquires() => {
                    p.line(format!("red{how}{space}.{what}{ty} [{place}], {rest}"));
                }
                _ => {
                    let d = p.target_of(*d, class);
                    p.line(format!("atom{how}{space}.{what}{ty} {d}, [{place}], {rest}"));
                }
            }
        }
        Op::Collective { what, members, .. } => collective(p, what, members)?,
        Op::Barrier { action, id, threads, aligned } => {
            let aligned = if *aligned { ".aligned" } else { "" };
            let mut which = p.src(*id, Class::W32);
            if let Some(threads) = threads {
                let _ = write!(which, ", {}", p.src(*threads, Class::W32));
            }
            match action {
                BarrierAction::Sync => p.line(format!("barrier.sync{aligned} {which}")),
                BarrierAction::Arrive => p.line(format!("barrier.arrive{aligned} {which}")),
                BarrierAction::Reduce { op, d, p: pred } => {
                    let (pred, d) = (p.pred(*pred), p.reg(*d));
                    let op = match op {
                        BarrierReduction::Popc => "popc",
                        BarrierReduction::And => "and",
                        BarrierReduction::Or => "or",
                    };
                    let ty = if op == "popc" { ".u32" } else { ".pred" };
                    p.line(format!("barrier.red.{op}{aligned}{ty} {d}, {which}, {pred}"));
                }
            }
        }
        Op::Fence(Fence { sequential, scope }) => {
            let how = if *sequential { "sc" } else { "acq_rel" };
            let scope = scope_of(p, *scope);
            p.line(format!("fence.{how}{scope}"));
        }
        Op::Nanosleep { nanoseconds } => {
            let time = p.src(*nanoseconds, Class::W32);
            p.line(format!("nanosleep.u32 {time}"));
        }
        Op::Copy(copy) if is_portable(copy) => {
            let (to, from) = (place(p, copy.to.0, copy.to.1), place(p, copy.from.0, copy.from.1));
            let read = p.src(copy.read, Class::W32);
            p.line(format!("cp.async.ca.shared.global [{to}], [{from}], {}, {read}", copy.unit));
            // Here it is complete at once.
            p.line("cp.async.wait_all");
        }
        Op::CopyProgress(CopyProgress::Commits(Groups::Plain)) => {
            p.line("cp.async.commit_group");
        }
        Op::ClusterBarrier { half, aligned } => {
            let aligned = if *aligned { ".aligned" } else { "" };
            let half = match half {
                ClusterHalf::Arrive { releases: true } => "arrive.release",
                ClusterHalf::Arrive { releases: false } => "arrive.relaxed",
                ClusterHalf::Wait => "wait.acquire",
            };
            p.line(format!("barrier.cluster.{half}{aligned}"));
        }
        Op::Copy(_) | Op::CopyProgress(_) | Op::Host { .. } => {
            return Err(format!("{:?} is not printed as PTX", inst.op));
        }
    }
    Ok(())
}

/// Any function of two predicates: of the four products of them and their opposites, those that its table names.
fn logic(p: &mut Printer<'_>, table: u8, d: Reg, a: Pred, b: Pred) {
    let whole = p.pred(Pred::Const(false));
    let sides = [[a.negated(), b.negated()], [a.negated(), b], [a, b.negated()], [a, b]];
    for (nth, [a, b]) in sides.into_iter().enumerate() {
        if table >> nth & 1 == 1 {
            let (a, b) = (p.pred(a), p.pred(b));
            let product = p.of_class(Class::Pred);
            p.line(format!("and.pred {product}, {a}, {b}"));
            p.line(format!("or.pred {whole}, {whole}, {product}"));
        }
    }
    let d = p.reg(d);
    p.line(format!("mov.pred {d}, {whole}"));
}

fn special(p: &mut Printer<'_>, d: Reg, what: Special) -> Result<(), String> {
    let shown = shown(what).ok_or_else(|| format!("{what:?} is not the same on all devices"))?;
    let name = p.reg(d);
    match shown {
        Shown::Register(register) => p.line(format!("mov.u32 {name}, %{register}")),
        Shown::Predicate(register) => {
            let whether = p.of_class(Class::Pred);
            p.line(format!("mov.pred {whether}, %{register}"));
            p.line(format!("selp.u32 {name}, 1, 0, {whether}"));
        }
        Shown::Constant(value) => p.line(format!("mov.u32 {name}, {value}")),
        Shown::Warp => {
            let [x, y, z, nx, ny] = [0; 5].map(|_| p.of_class(Class::W32));
            for (d, from) in [&x, &y, &z, &nx, &ny]
                .into_iter()
                .zip(["tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y"])
            {
                p.line(format!("mov.u32 {d}, %{from}"));
            }
            p.line(format!("mad.lo.u32 {z}, {z}, {ny}, {y}"));
            p.line(format!("mad.lo.u32 {z}, {z}, {nx}, {x}"));
            p.line(format!("shr.u32 {name}, {z}, 5"));
        }
        Shown::Window { variable, space } => {
            let at = p.of_class(Class::W64);
            p.line(format!("mov.u64 {at}, {variable}"));
            p.line(format!("cvta.{space}.u64 {name}, {at}"));
        }
    }
    Ok(())
}

/// Addresses in the memory of CTAs of the cluster. Those of the IR begin at 0, those of PTX with the variable.
fn in_cluster(p: &mut Printer<'_>, d: Reg, form: Form) {
    let d = p.reg(d);
    match form {
        Form::Memory(rank) => {
            let (own, rank) = (p.of_class(Class::W32), p.reg(rank));
            p.line(format!("mov.u32 {own}, memory"));
            p.line(format!("mapa.shared::cluster.u32 {d}, {own}, {rank}"));
            p.line(format!("sub.u32 {d}, {d}, {own}"));
        }
        Form::Generic(rank) => {
            let (own, rank) = (p.of_class(Class::W64), p.reg(rank));
            p.line(format!("mov.u64 {own}, memory"));
            p.line(format!("cvta.shared.u64 {own}, {own}"));
            p.line(format!("mapa.u64 {d}, {own}, {rank}"));
        }
        Form::Rank(address) => {
            let (at, address) = (p.of_class(Class::W32), p.reg(address));
            p.line(format!("mov.u32 {at}, memory"));
            p.line(format!("add.u32 {at}, {at}, {address}"));
            p.line(format!("getctarank.shared::cluster.u32 {d}, {at}"));
        }
    }
}

/// The space of an access. In a kernel with clusters only constants are surely addresses of the CTA's own memory.
fn of(p: &Printer<'_>, space: Space, address: &Address) -> &'static str {
    match space {
        Space::Shared if p.kernel.cluster.available && matches!(address.base, Src::Reg(_)) => {
            ".shared::cluster"
        }
        Space::Generic => "",
        Space::Global => ".global",
        Space::Shared => ".shared",
        Space::Local => ".local",
        Space::Param => ".param",
    }
}

/// How an access orders others. Only its own thread sees local memory and the parameters.
fn how(p: &Printer<'_>, ordering: Ordering, space: Space) -> String {
    if matches!(space, Space::Local | Space::Param) {
        return String::new();
    }
    let scope = ordering.scope().map_or("", |scope| scope_of(p, scope));
    match ordering {
        // Nobody writes what is read with `Constant`, so a weak load does. Which proxy reads does not change what is read.
        Ordering::Weak | Ordering::Constant | Ordering::AsyncProxy => String::new(),
        Ordering::Relaxed(_) => format!(".relaxed{scope}"),
        Ordering::Acquire(_) => format!(".acquire{scope}"),
        Ordering::Release(_) => format!(".release{scope}"),
        Ordering::AcqRel(_) => format!(".acq_rel{scope}"),
        Ordering::Volatile => ".volatile".to_owned(),
    }
}

fn vector(count: usize) -> &'static str {
    match count {
        2 => ".v2",
        4 => ".v4",
        _ => "",
    }
}

fn listed(registers: &[String]) -> String {
    match registers {
        [one] => one.clone(),
        _ => format!("{{{}}}", registers.join(", ")),
    }
}

fn type_of(access: Access) -> &'static str {
    match access {
        Access::U8 => ".u8",
        Access::S8 => ".s8",
        Access::U16 => ".u16",
        Access::S16 => ".s16",
        Access::B32 => ".b32",
        Access::B64 => ".b64",
    }
}

fn bits(class: Class) -> &'static str {
    if class == Class::W64 { ".b64" } else { ".b32" }
}

fn collective(p: &mut Printer<'_>, what: &Collective, members: &Members) -> Result<(), String> {
    let mask = match members {
        Members::Mask(mask) => p.src(*mask, Class::W32),
        Members::Active => return Err("a collective without members".to_owned()),
    };
    let word = |p: &mut Printer<'_>, src: Src| p.src(src, Class::W32);
    match *what {
        Collective::Shfl { mode, d, p: in_range, a, b, c } => {
            let (a, b, c) = (word(p, a), word(p, b), word(p, c));
            let mode = match mode {
                ShflMode::Up => "up",
                ShflMode::Down => "down",
                ShflMode::Bfly => "bfly",
                ShflMode::Idx => "idx",
            };
            let (d, in_range) = (p.reg(d), p.target_of(in_range, Class::Pred));
            p.line(format!("shfl.sync.{mode}.b32 {d}|{in_range}, {a}, {b}, {c}, {mask}"));
        }
        Collective::Vote { mode, d, a } => {
            let mode = match mode {
                VoteMode::All => "all",
                VoteMode::Any => "any",
                VoteMode::Uni => "uni",
            };
            let (a, d) = (p.pred(a), p.reg(d));
            p.line(format!("vote.sync.{mode}.pred {d}, {a}, {mask}"));
        }
        Collective::Ballot { d, a } => {
            let (a, d) = (p.pred(a), p.reg(d));
            p.line(format!("vote.sync.ballot.b32 {d}, {a}, {mask}"));
        }
        Collective::MatchAny { d, a, wide } => {
            let class = if wide { Class::W64 } else { Class::W32 };
            let (a, d) = (p.src(a, class), p.reg(d));
            p.line(format!("match.any.sync{} {d}, {a}, {mask}", bits(class)));
        }
        Collective::MatchAll { d, p: all, a, wide } => {
            let class = if wide { Class::W64 } else { Class::W32 };
            let a = p.src(a, class);
            let (d, all) = (p.target_of(d, Class::W32), p.target_of(all, Class::Pred));
            p.line(format!("match.all.sync{} {d}|{all}, {a}, {mask}", bits(class)));
        }
        Collective::Redux { op, d, a } => {
            let (a, d) = (word(p, a), p.reg(d));
            let op = match op {
                ReduxOp::Add => "add.u32",
                ReduxOp::MinU32 => "min.u32",
                ReduxOp::MaxU32 => "max.u32",
                ReduxOp::MinS32 => "min.s32",
                ReduxOp::MaxS32 => "max.s32",
                ReduxOp::And => "and.b32",
                ReduxOp::Or => "or.b32",
                ReduxOp::Xor => "xor.b32",
            };
            p.line(format!("redux.sync.{op} {d}, {a}, {mask}"));
        }
        Collective::Elect { d, p: leads } => {
            let (d, leads) = (p.target_of(d, Class::W32), p.reg(leads));
            p.line(format!("elect.sync {d}|{leads}, {mask}"));
        }
        Collective::MovMatrix { d, a } => {
            let (a, d) = (word(p, a), p.reg(d));
            // All lanes come here, but perhaps not together.
            p.line(format!("bar.warp.sync {mask}"));
            p.line(format!("movmatrix.sync.aligned.m8n8.trans.b16 {d}, {a}"));
        }
        Collective::WarpSync => p.line(format!("bar.warp.sync {mask}")),
        Collective::ReduxF32 { .. } | Collective::Matrix(_) | Collective::Mma(_) => {
            return Err(format!("{what:?} is not printed as PTX"));
        }
    }
    Ok(())
}
