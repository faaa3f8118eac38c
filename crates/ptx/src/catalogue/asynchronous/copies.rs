//! What `cp.async` and what waits for it do.
//!
//! A copy is made when it begins: a load and a store. Observers are told that it counts as complete only when it has been
//! waited for.

use crate::catalogue::barrier_objects;
use crate::catalogue::logic::both;
use crate::catalogue::memory::space;
use crate::lower::{Inst, Lowering, Result};
use ir::Terminator;
use ir::mbarrier::ARRIVE;
use ir::{
    Access, Address, AsyncCopy, BinaryOp, Class, CompareOp, Completion, Groups, Op, Ordering, Pred,
    Reg, Scope, Space, Src,
};

const WORD: u32 = 4;

pub(super) fn copy(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (to, _) = lo.address(inst, "dst")?;
    let (from, _) = lo.address(inst, "src")?;
    let Src::Imm(bytes) = lo.value(inst, "cp_size")? else {
        let operand = lo.operand(inst, "cp_size")?;
        return lo.reject(operand, "the size of a copy is a constant");
    };
    let bytes = bytes as u32;
    let words: Vec<Reg> = (0..bytes / WORD).map(|_| lo.b.reg(Class::W32)).collect();
    let guard = lo.b.guard();
    // What is read is known where it is as much as is written.
    let mut source = Some(from);
    match (inst.operand("src_size"), inst.operand("ignore")) {
        (Some(_), _) => {
            let size = lo.value(inst, "src_size")?;
            match size {
                Src::Imm(size) if size >= u64::from(bytes) => load(lo, &words, from),
                _ => {
                    source = None;
                    load_part(lo, &words, from, size, guard);
                }
            }
        }
        (None, Some(_)) => {
            source = None;
            let ignore = lo.predicate(inst, "ignore")?;
            words.iter().for_each(|word| lo.b.copy_to(*word, Src::Imm(0)));
            let wanted = both(lo, guard, ignore.negated());
            lo.b.set_guard(Some(wanted));
            load(lo, &words, from);
        }
        (None, None) => load(lo, &words, from),
    }
    lo.b.set_guard(guard);
    lo.b.push(Op::Store {
        values: words.into_iter().map(Src::Reg).collect(),
        space: Space::Shared,
        access: Access::B32,
        address: to,
        ordering: Ordering::Weak,
    });
    lo.b.push(Op::AsyncCopy(AsyncCopy::Begins {
        to: (Space::Shared, to),
        from: source.map(|from| (Space::Global, from)),
        bytes: Src::Imm(bytes.into()),
        until: Completion::Group(Groups::Plain),
    }));
    Ok(())
}

fn load(lo: &mut Lowering, words: &[Reg], address: Address) {
    lo.b.push(Op::Load {
        d: words.iter().copied().map(Some).collect(),
        space: Space::Global,
        access: Access::B32,
        address,
        ordering: Ordering::Weak,
    });
}

/// Loads the first `size` bytes and fills the rest with zeros. Only those bytes are accessed.
fn load_part(lo: &mut Lowering, words: &[Reg], from: Address, size: Src, guard: Option<Pred>) {
    let bytes = words.len() as u32 * WORD;
    lo.b.set_guard(None);
    words.iter().for_each(|word| lo.b.copy_to(*word, Src::Imm(0)));
    let all = lo.b.compare(CompareOp::LeU32, Src::Imm(bytes.into()), size);
    let all_wanted = both(lo, guard, all.into());
    lo.b.set_guard(Some(all_wanted));
    load(lo, words, from);
    lo.b.set_guard(None);
    let any = lo.b.compare(CompareOp::NeI32, size, Src::Imm(0));
    let some = both(lo, Some(any.into()), Pred::Not(all));
    let some_wanted = both(lo, guard, some);
    // Sizes between nothing and all are rare: byte by byte, out of the way.
    let (part, join) = (lo.b.block(), lo.b.block());
    lo.b.terminate(Terminator::Branch { p: some_wanted, then: part, otherwise: join });
    lo.b.switch_to(part);
    for (nth, word) in words.iter().enumerate() {
        for byte in 0..WORD {
            let offset = nth as u32 * WORD + byte;
            let wanted = lo.b.compare(CompareOp::LtU32, Src::Imm(offset.into()), size);
            lo.b.set_guard(Some(wanted.into()));
            let d = lo.b.reg(Class::W32);
            lo.b.push(Op::Load {
                d: vec![Some(d)],
                space: Space::Global,
                access: Access::U8,
                address: Address { offset: from.offset + i64::from(offset), ..from },
                ordering: Ordering::Weak,
            });
            let placed = lo.b.binary(BinaryOp::Shl32, d, Src::Imm(u64::from(8 * byte)));
            lo.b.binary_to(*word, BinaryOp::Or32, *word, placed);
            lo.b.set_guard(None);
        }
    }
    lo.b.terminate(Terminator::Jump(join));
    lo.b.switch_to(join);
}

/// The groups that an instruction speaks of.
fn groups(inst: &Inst<'_>) -> Groups {
    if inst.word("bulk").is_some() { Groups::Bulk } else { Groups::Plain }
}

/// `cp.async.commit_group` and `cp.async.bulk.commit_group`.
pub(super) fn commit(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.b.push(Op::AsyncCopy(AsyncCopy::Commits(groups(inst))));
    Ok(())
}

/// `cp.async.mbarrier.arrive`: the copies are complete already. With `.noinc` that is an arrival; without, it is one
/// more that is expected and has come.
pub(super) fn arrive(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let at = (address, space(lo, inst.space(), named));
    lo.b.push(Op::AsyncCopy(AsyncCopy::Signals(at.1, address)));
    if inst.word("noinc").is_some() {
        barrier_objects::update(lo, None, at, Src::Imm(ARRIVE), Ordering::Release(Scope::Cta));
    }
    Ok(())
}

/// `cp.async.wait_group` and `cp.async.bulk.wait_group`.
pub(super) fn wait_group(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let Src::Imm(groups) = lo.value(inst, "n")? else {
        let operand = lo.operand(inst, "n")?;
        return lo.reject(operand, "the number of groups is a constant");
    };
    let (of, reads) = (self::groups(inst), inst.word("read").is_some());
    lo.b.push(Op::AsyncCopy(AsyncCopy::Waits { of, groups: groups as u32, reads }));
    Ok(())
}

pub(super) fn wait_all(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    commit(lo, inst)?;
    lo.b.push(Op::AsyncCopy(AsyncCopy::Waits { of: Groups::Plain, groups: 0, reads: false }));
    Ok(())
}
