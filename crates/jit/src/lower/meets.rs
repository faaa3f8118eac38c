//! Where warps meet though no barrier is there: behind loads, behind a barrier, of what all of them read at one address, if somebody may write
//! there before the next barrier.
//!
//! Such a kernel has a race: often a sum of the CTA is read where the next sum is begun. GPUs do not show it, since warps go on
//! at one pace, and neither does the interpreter. If each warp ran up to the next barrier at once, machine code always would. Which stores may
//! write there is guessed: what is guessed wrong costs time, or shows the race.

use super::apart::parted;
use crate::Input;
use ir::analysis::{Shapes, definitions};
use ir::{
    Access, Address, BarrierAction, BinaryOp, Inst, Interrupt, Op, Operand, Ordering, Reg, Space,
    Src, TernaryOp, UnaryOp,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Steps of the computation of an address that are looked at.
const STEPS: usize = 16;

/// Where an access to shared memory is.
enum At {
    /// At these bytes.
    Here(Range<u64>),
    /// In the array, or what may be one, that begins there.
    In(u64),
}

/// What each register that one instruction computes comes from, and the words of shared memory that all warps read.
struct Words<'a> {
    definitions: Vec<Option<&'a Op>>,
    /// Their bytes, and where an array begins whose elements they are.
    read: Vec<(Range<u64>, Option<u64>)>,
}

fn is_barrier(inst: &Inst) -> bool {
    match inst.op {
        Op::Barrier { action, .. } => action != BarrierAction::Arrive,
        Op::ClusterBarrier { .. } => true,
        _ => false,
    }
}

/// The bytes of elements at an address that is a constant.
fn here(address: &Address, (access, elements): (Access, usize)) -> Option<Range<u64>> {
    let Src::Imm(base) = address.base else { return None };
    let start = base.wrapping_add_signed(address.offset);
    Some(start..start.saturating_add(u64::from(access.bytes()) * elements as u64))
}

/// The words that an instruction reads in all threads.
fn read_by_all(inst: &Inst) -> Option<Range<u64>> {
    match &inst.op {
        Op::Load { d, space: Space::Shared, access, address, ordering: Ordering::Weak } => {
            here(address, (*access, d.len()))
        }
        _ => None,
    }
}

impl<'a> Words<'a> {
    /// `None` inside if all warps read nothing at one address; outside if it was interrupted.
    fn of(input: &Input<'a>, interrupt: &Interrupt<'_>) -> Option<Option<Words<'a>>> {
        let insts = || input.kernel.blocks.iter().flat_map(|block| &block.insts);
        let mut words = Words { definitions: Vec::new(), read: Vec::new() };
        let read: Vec<Range<u64>> = insts().filter_map(read_by_all).collect();
        if read.is_empty() {
            return Some(None);
        }
        let registers = input.kernel.registers.len();
        let all = || input.prologue.iter().chain(insts());
        let times = definitions(registers, all(), interrupt)?;
        words.definitions = vec![None; registers];
        for inst in all() {
            inst.op.operands(|operand| {
                if let Operand::Def(Reg(reg)) = operand
                    && times[reg as usize] == 1
                {
                    words.definitions[reg as usize] = Some(&inst.op);
                }
            });
        }
        let arrays: BTreeSet<u64> = insts()
            .filter_map(|inst| match words.written(inst)? {
                At::In(start) => Some(start),
                At::Here(_) => None,
            })
            .collect();
        let of_array = |read: &Range<u64>| arrays.range(..=read.start).next_back().copied();
        words.read = read.into_iter().map(|read| (read.clone(), of_array(&read))).collect();
        Some(Some(words))
    }

    /// What is added to an index to get an address: where an array begins.
    fn start(&self, base: Src) -> u64 {
        let (mut at, mut start) = (base, 0u64);
        for _ in 0..STEPS {
            let reg = match at {
                Src::Imm(value) => return start.wrapping_add(value),
                Src::Reg(reg) => reg,
            };
            at = match self.definitions[reg.0 as usize] {
                Some(Op::Binary { op: BinaryOp::AddI32 | BinaryOp::AddI64, a, b, .. }) => {
                    match (a, b) {
                        (other, Src::Imm(value)) | (Src::Imm(value), other) => {
                            start = start.wrapping_add(*value);
                            *other
                        }
                        _ => return start,
                    }
                }
                Some(Op::Ternary {
                    op: TernaryOp::MadLo32 | TernaryOp::MadWideU32 | TernaryOp::MadWideS32,
                    c: c @ Src::Imm(_),
                    ..
                }) => *c,
                Some(Op::Unary { op, a, .. }) if op.is_move() || *op == UnaryOp::ZeroExtend32 => *a,
                _ => return start,
            };
        }
        start
    }

    fn at(&self, address: &Address, (access, elements): (Access, usize)) -> At {
        match here(address, (access, elements)) {
            Some(bytes) => At::Here(bytes),
            None => At::In(self.start(address.base).wrapping_add_signed(address.offset)),
        }
    }

    /// Where an instruction writes.
    fn written(&self, inst: &Inst) -> Option<At> {
        match &inst.op {
            Op::Store { space: Space::Shared, address, access, values, .. } => {
                Some(self.at(address, (*access, values.len())))
            }
            Op::Atomic { space: Space::Shared, address, access, .. } => {
                Some(self.at(address, (*access, 1)))
            }
            _ => None,
        }
    }

    /// Whether an instruction may write one of the words.
    fn may_be_written(&self, inst: &Inst) -> bool {
        match self.written(inst) {
            None => false,
            Some(At::In(start)) => self.read.iter().any(|(_, array)| *array == Some(start)),
            Some(At::Here(written)) => self
                .read
                .iter()
                .any(|(read, _)| read.start < written.end && written.start < read.end),
        }
    }
}

/// Per block, the instructions behind which warps meet, in their order. `None` if it was interrupted.
pub(super) fn meets(
    input: &Input<'_>,
    shapes: &Shapes,
    interrupt: &Interrupt<'_>,
) -> Option<Vec<Vec<usize>>> {
    let blocks = &input.kernel.blocks;
    let mut found = vec![Vec::new(); blocks.len()];
    let Some(words) = Words::of(input, interrupt)? else { return Some(found) };
    // Per block, whether what comes first is a barrier, or somebody who may write there; and what comes last.
    let what = |inst: &Inst| {
        let is_barrier = is_barrier(inst);
        (is_barrier || words.may_be_written(inst)).then_some(is_barrier)
    };
    let insts = || blocks.iter().map(|block| &block.insts);
    let first: Vec<Option<bool>> = insts().map(|all| all.iter().find_map(what)).collect();
    let last: Vec<Option<bool>> = insts().map(|all| all.iter().rev().find_map(what)).collect();
    // Whether somebody may write there from a block on, before the next barrier; and whether nobody may have before it since one.
    let mut written: Vec<bool> = first.iter().map(|first| *first == Some(false)).collect();
    let mut is_as_left = vec![false; blocks.len()];
    loop {
        let mut changed = false;
        for (id, block) in blocks.iter().enumerate().rev() {
            let leaves = last[id].unwrap_or(is_as_left[id]);
            for to in block.terminator.successors().map(|to| to.0 as usize) {
                if leaves && !is_as_left[to] {
                    (is_as_left[to], changed) = (true, true);
                }
                if first[id].is_none() && written[to] && !written[id] {
                    (written[id], changed) = (true, true);
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (id, block) in blocks.iter().enumerate() {
        let (mut is_as_left, mut load) = (is_as_left[id], None);
        for (nth, inst) in block.insts.iter().enumerate() {
            match what(inst) {
                Some(true) => (is_as_left, load) = (true, None),
                Some(false) => {
                    found[id].extend(load.take());
                    is_as_left = false;
                }
                None if is_as_left && read_by_all(inst).is_some() => load = Some(nth),
                None => {}
            }
        }
        if block.terminator.successors().any(|to| written[to.0 as usize]) {
            found[id].extend(load);
        }
    }
    // Lanes that are apart do not wait for other warps.
    if found.iter().any(|found| !found.is_empty()) {
        parted(input.kernel, shapes).into_iter().for_each(|block| found[block].clear());
    }
    Some(found)
}
