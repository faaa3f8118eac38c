//! Machine registers for the virtual registers of a kernel: linear scan over intervals.

use crate::register::File;
use ir::{Class, Kernel, Operand, Reg, Terminator};
use std::collections::{HashMap, HashSet};

/// A virtual register's place in the machine: the first register of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    pub(super) file: File,
    pub(super) number: u16,
}

/// From the first to the last instruction, counted through the kernel, at which a register must be kept.
#[derive(Clone, Copy, Debug)]
struct Interval {
    start: usize,
    end: usize,
}

/// What the walk over a kernel finds out before registers are given out.
#[derive(Clone, Debug, Default)]
pub(super) struct Demand {
    /// Registers whose value comes from outside the assembly: kept from its start.
    pub(super) inputs: Vec<Reg>,
    /// Registers whose value is needed outside the assembly: kept to its end.
    pub(super) outputs: Vec<Reg>,
    /// Registers whose value nobody uses.
    pub(super) results: Vec<Reg>,
    /// Whether lanes may part.
    pub(super) branches: bool,
    /// Registers that no instruction of the assembly reads or writes.
    pub(super) unused: Vec<Reg>,
}

impl Demand {
    /// The same, with the results that nobody uses kept to the end.
    pub(super) fn with_results(&self) -> Demand {
        let mut demand = self.clone();
        demand.outputs.append(&mut demand.results);
        demand.outputs.sort_unstable();
        demand
    }
}

/// Registers of a file that may be given out: numbers below this.
pub(super) type Limit<'a> = &'a dyn Fn(File) -> u16;

/// Gives every register that the assembly uses a home.
///
/// # Errors
/// The file whose registers do not suffice, and the register that finds none.
pub(super) fn homes(
    kernel: &Kernel,
    demand: &Demand,
    uniform: &HashSet<Reg>,
    limit: Limit<'_>,
) -> Result<HashMap<Reg, Home>, (File, Reg)> {
    let mut intervals: Vec<(Reg, Interval)> = intervals(kernel, demand).into_iter().collect();
    let unused: HashSet<Reg> = demand.unused.iter().copied().collect();
    intervals.retain(|(reg, _)| !unused.contains(reg));
    for (_, interval) in
        intervals.iter_mut().filter(|(reg, _)| demand.branches && uniform.contains(reg))
    {
        // Lanes in other branches may write what these have in theirs.
        *interval = Interval { start: 0, end: usize::MAX };
    }
    intervals.sort_by_key(|(reg, interval)| (interval.start, reg.0));
    let mut homes = HashMap::new();
    // The last position at which each register of a file is taken.
    let mut taken: HashMap<File, Vec<Option<usize>>> = HashMap::new();
    for (reg, interval) in intervals {
        let uniform = uniform.contains(&reg);
        let (file, size) = match kernel.class(reg) {
            Class::Pred => (File::Predicate, 1),
            Class::W32 if uniform => (File::Uniform, 1),
            Class::W32 => (File::General, 1),
            Class::W64 => (File::General, 2),
        };
        let registers = taken.entry(file).or_insert_with(|| vec![None; limit(file).into()]);
        let free = |slot: &Option<usize>| slot.is_none_or(|end| end < interval.start);
        // A pair begins at an even number.
        let number = (0..registers.len().saturating_sub(size - 1))
            .step_by(size)
            .find(|at| registers[*at..at + size].iter().all(free))
            .ok_or((file, reg))?;
        registers[number..number + size].fill(Some(interval.end));
        homes.insert(reg, Home { file, number: number as u16 });
    }
    Ok(homes)
}

fn intervals(kernel: &Kernel, demand: &Demand) -> HashMap<Reg, Interval> {
    let mut intervals: HashMap<Reg, Interval> = HashMap::new();
    let mut starts = Vec::new();
    let mut at = 0;
    let mut touch = |reg: Reg, at: usize| {
        let interval = intervals.entry(reg).or_insert(Interval { start: at, end: at });
        interval.end = at;
    };
    for block in &kernel.blocks {
        starts.push(at);
        for inst in &block.insts {
            inst.op.operands(|operand| match operand {
                Operand::Use(reg) | Operand::Def(reg) => touch(reg, at),
            });
            inst.guard.and_then(ir::Pred::reg).into_iter().for_each(|reg| touch(reg, at));
            at += 1;
        }
        if let Terminator::Branch { p, .. } = block.terminator {
            p.reg().into_iter().for_each(|reg| touch(reg, at));
        }
        at += 1;
    }
    for reg in &demand.inputs {
        intervals.entry(*reg).and_modify(|interval| interval.start = 0);
    }
    for reg in &demand.outputs {
        intervals.entry(*reg).and_modify(|interval| interval.end = at);
    }
    stretch_over_loops(kernel, &starts, at, &mut intervals);
    intervals
}

/// What is touched in a loop may be needed in its next turn, so it is kept through the whole loop. Loops
/// are contiguous in reconvergence order.
fn stretch_over_loops(
    kernel: &Kernel,
    starts: &[usize],
    end: usize,
    intervals: &mut HashMap<Reg, Interval>,
) {
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (nth, block) in kernel.blocks.iter().enumerate() {
        let back = block.terminator.successors().map(|to| to.0 as usize).filter(|to| *to <= nth);
        for header in back {
            let last = starts.get(nth + 1).copied().unwrap_or(end);
            loops.push((starts[header], last));
        }
    }
    // Stretching over one loop may reach into another.
    loop {
        let mut changed = false;
        for interval in intervals.values_mut() {
            for (first, last) in &loops {
                let overlaps = interval.start < *last && interval.end >= *first;
                if overlaps && (interval.start > *first || interval.end < *last) {
                    let old = (interval.start, interval.end);
                    interval.start = interval.start.min(*first);
                    interval.end = interval.end.max(*last);
                    changed |= old != (interval.start, interval.end);
                }
            }
        }
        if !changed {
            return;
        }
    }
}
