//! Where registers live: which are shared by all warps, which must start as zero, which share a row.

use ir::analysis::{Extents, Uniform, Uniformity};
use ir::{Class, Inst, Interrupt, Kernel, Operand, Pred, Reg, Src, terminator_use};
use lanes::WARP;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the slot assignment knows of a register.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// It is the same in all threads of the CTA, at all times after it was written.
    uniform: bool,
    /// Some path reads it before it is written, or lanes that did not write it are read.
    starts_zero: bool,
    /// It keeps its row to itself.
    alone: bool,
    /// First and last position at which its value is needed.
    range: Option<(u32, u32)>,
}

/// The slots of a kernel's registers. Offsets of `Varying` rows count words per warp.
#[derive(Debug)]
pub(super) struct Assignment {
    /// Where each register lives; `None` for registers that nothing uses.
    pub(super) homes: Vec<Option<Home>>,
    /// Words of the rows that each warp has for itself.
    pub(super) words_per_warp: u32,
    /// Predicates that each warp has for itself; their homes are counted apart from the rows.
    pub(super) predicates_per_warp: u32,
    /// Words of the rows that all warps share.
    pub(super) shared_words: u32,
}

/// Where a register lives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    /// Words from the start of the shared part or of a warp's part.
    pub(super) offset: u32,
    /// Whether all warps share the row.
    pub(super) shared: bool,
    /// Whether the row must be zero when the CTA starts.
    pub(super) starts_zero: bool,
    /// Words of the row.
    pub(super) words: u32,
}

/// Words of a cache line.
pub(super) const LINE: u32 = 16;

/// Words of a row of this class. Predicates are one word.
pub(super) fn words(class: Class) -> u32 {
    match class {
        Class::W32 => WARP as u32,
        Class::W64 => 2 * WARP as u32,
        Class::Pred => 1,
    }
}

/// Words that a row shared by all warps takes up: whole cache lines.
pub(super) fn shared_words(class: Class) -> u32 {
    words(class).next_multiple_of(LINE)
}

/// Assigns slots to the registers of a kernel. What `invariant` computes keeps its rows; `begin_together` says that all lanes of
/// a warp are together in the entry block. `None` if it was interrupted.
pub(super) fn assign(
    kernel: &Kernel,
    invariant: &[Inst],
    extents: &Extents,
    begin_together: bool,
    interrupt: &Interrupt<'_>,
) -> Option<Assignment> {
    let mut facts = vec![Facts::default(); kernel.registers.len()];
    let uniformity = Uniformity::of(kernel, invariant, interrupt)?;
    for (reg, facts) in facts.iter_mut().enumerate() {
        facts.uniform = uniformity.level(Reg(reg as u32)) <= Uniform::Cta;
    }
    find_ranges(kernel, extents, begin_together, &mut facts, interrupt)?;
    for inst in invariant {
        inst.op.operands(|operand| {
            let (Operand::Use(reg) | Operand::Def(reg)) = operand;
            let facts = &mut facts[reg.0 as usize];
            (facts.alone, facts.range) = (true, Some((0, 0)));
        });
    }
    place(kernel, &facts, interrupt)
}

/// Slots for a kernel that is watched: each register keeps its row to itself, which all warps share where nobody can tell. `None` if
/// it was interrupted.
pub(super) fn assign_alone(
    kernel: &Kernel,
    invariant: &[Inst],
    extents: &Extents,
    begin_together: bool,
    interrupt: &Interrupt<'_>,
) -> Option<Assignment> {
    let mut facts = vec![Facts::default(); kernel.registers.len()];
    find_ranges(kernel, extents, begin_together, &mut facts, interrupt)?;
    let uniformity = Uniformity::of(kernel, invariant, interrupt)?;
    for (reg, facts) in facts.iter_mut().enumerate() {
        let level = uniformity.level(Reg(reg as u32));
        facts.uniform = level <= Uniform::Cta && !facts.starts_zero;
        (facts.alone, facts.range) = (true, Some((0, 0)));
    }
    keep_own(kernel, &mut facts, interrupt)?;
    place(kernel, &facts, interrupt)
}

/// A register that is computed from what each warp has for itself is each warp's own, too: what all warps share is computed once, from
/// what they share.
fn keep_own(kernel: &Kernel, facts: &mut [Facts], interrupt: &Interrupt<'_>) -> Option<()> {
    loop {
        let mut changed = false;
        for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
            interrupt.go_on(1)?;
            let mut shared =
                inst.guard.and_then(Pred::reg).is_none_or(|p| facts[p.0 as usize].uniform);
            inst.op.operands(|operand| {
                if let Operand::Use(reg) = operand {
                    shared &= facts[reg.0 as usize].uniform;
                }
            });
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand
                    && !shared
                {
                    changed |= std::mem::replace(&mut facts[reg.0 as usize].uniform, false);
                }
            });
        }
        if !changed {
            return Some(());
        }
    }
}

/// Gives every register that is used a row of its own in every warp, zero when a CTA starts. `None` if it was interrupted.
pub(super) fn one_row_each(kernel: &Kernel, interrupt: &Interrupt<'_>) -> Option<Assignment> {
    let mut facts = vec![Facts::default(); kernel.registers.len()];
    for facts in &mut facts {
        (facts.alone, facts.starts_zero, facts.range) = (true, true, Some((0, 0)));
    }
    place(kernel, &facts, interrupt)
}

/// Finds the positions between which each register's value is needed.
fn find_ranges(
    kernel: &Kernel,
    extents: &Extents,
    begin_together: bool,
    facts: &mut [Facts],
    interrupt: &Interrupt<'_>,
) -> Option<()> {
    for reg in &extents.at_entry {
        facts[reg.0 as usize].starts_zero = true;
    }
    let mut position = 0;
    // Per block, the positions of its start and its end.
    let mut blocks = Vec::with_capacity(kernel.blocks.len());
    for (id, block) in kernel.blocks.iter().enumerate() {
        let start = position;
        for inst in &block.insts {
            interrupt.go_on(1)?;
            position += 1;
            inst.op.operands(|operand| {
                let (Operand::Use(reg) | Operand::Def(reg)) = operand;
                facts[reg.0 as usize].cover(position);
            });
            if let Some(reg) = inst.guard.and_then(Pred::reg) {
                facts[reg.0 as usize].cover(position);
            }
            if let Some(Src::Reg(a)) = inst.op.offered() {
                // Lanes that are not here may be read: their registers must be their own. In the entry block
                // all lanes are here that begin together.
                if id > 0 || !begin_together {
                    let facts = &mut facts[a.0 as usize];
                    (facts.alone, facts.starts_zero) = (true, true);
                }
            }
        }
        position += 1;
        if let Some(reg) = terminator_use(&block.terminator) {
            facts[reg.0 as usize].cover(position);
        }
        blocks.push((start, position));
        position += 1;
    }
    for extent in &extents.all {
        let facts = &mut facts[extent.reg.0 as usize];
        let (first, last) = extent.starts;
        facts.cover(blocks[first as usize].0);
        facts.cover(blocks[last as usize].0);
        if let Some((first, last)) = extent.ends {
            facts.cover(blocks[first as usize].1);
            facts.cover(blocks[last as usize].1);
        }
    }
    Some(())
}

impl Facts {
    fn cover(&mut self, position: u32) {
        let (first, last) = self.range.unwrap_or((position, position));
        self.range = Some((first.min(position), last.max(position)));
    }
}

/// Gives each register a row. Rows are used again when the last value in them is no longer needed.
fn place(kernel: &Kernel, facts: &[Facts], interrupt: &Interrupt<'_>) -> Option<Assignment> {
    let mut homes = vec![None; facts.len()];
    let (mut words_per_warp, mut predicates_per_warp, mut shared_end) = (0, 0, 0);
    let mut order: Vec<usize> =
        (0..facts.len()).filter(|reg| facts[*reg].range.is_some()).collect();
    order.sort_by_key(|reg| facts[*reg].range);
    // Free rows by class, and rows in use by the position after which they are free.
    let mut free: [Vec<u32>; 3] = Default::default();
    let mut used: BinaryHeap<Reverse<(u32, usize, u32)>> = BinaryHeap::new();
    for reg in order {
        interrupt.go_on(1)?;
        let (Some((first, last)), facts) = (facts[reg].range, &facts[reg]) else { continue };
        while let Some(Reverse((until, kind, offset))) = used.peek().copied() {
            if until >= first {
                break;
            }
            free[kind].push(offset);
            used.pop();
        }
        let class = kernel.registers[reg];
        let size = words(class);
        let kind = match class {
            Class::W32 => 0,
            Class::W64 => 1,
            Class::Pred => 2,
        };
        let shares = !(facts.alone || facts.starts_zero || facts.uniform);
        let offset = match free[kind].pop() {
            Some(offset) if shares => offset,
            unused => {
                free[kind].extend(unused);
                let (end, size) = match class {
                    _ if facts.uniform => (&mut shared_end, shared_words(class)),
                    Class::Pred => (&mut predicates_per_warp, size),
                    Class::W32 | Class::W64 => (&mut words_per_warp, size),
                };
                *end += size;
                *end - size
            }
        };
        if shares {
            used.push(Reverse((last, kind, offset)));
        }
        let starts_zero = facts.starts_zero;
        homes[reg] = Some(Home { offset, shared: facts.uniform, starts_zero, words: size });
    }
    Some(Assignment { homes, words_per_warp, predicates_per_warp, shared_words: shared_end })
}
