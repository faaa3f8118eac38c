//! Which registers' values are still needed where.
//!
//! Registers that no block reads before it writes them are left out: nobody needs their values at the start of a block. The
//! others are looked at some hundred at a time, in the part of the kernel that mentions them, so that memory is linear in the
//! kernel and time nearly so.

use super::dominators::Dominators;
use super::graph::Graph;
use crate::{Inst, Interrupt, Kernel, Operand, Pred, Reg, terminator_use};

/// Bits of liveness sets that are worth their memory.
const MAX_BITS: usize = 1 << 26;

/// Visits of blocks after which a fixed point is not looked for any longer: graphs that compilers make need a
/// few for each set of registers.
const MAX_VISITS: usize = 1 << 26;

/// Registers that are looked at together, in words of 64.
const WORDS: usize = 4;

type Bits = [u64; WORDS];

/// Per block, the registers whose values some path from its start reads before it writes them.
#[derive(Clone, Debug)]
pub struct Liveness {
    globals: Globals,
    /// Per set of registers and block.
    live: Vec<Vec<Bits>>,
}

impl Liveness {
    /// Backward liveness over blocks; `None` for kernels whose sets would be too large.
    pub fn of(kernel: &Kernel) -> Option<Liveness> {
        Liveness::of_some(kernel, |_| true, &Interrupt::never())
    }

    /// The same, of some registers. `None` if it was interrupted, too.
    pub fn of_some(
        kernel: &Kernel,
        counts: impl Fn(Reg) -> bool,
        interrupt: &Interrupt<'_>,
    ) -> Option<Liveness> {
        let globals = Globals::of(kernel, counts, interrupt)?;
        let sets = globals.sets();
        if sets.saturating_mul(WORDS * 64).saturating_mul(kernel.blocks.len()) > MAX_BITS {
            return None;
        }
        let mut solver = Solver::new(kernel, interrupt);
        let live = (0..sets).map(|set| {
            solver.fix(&globals, set)?;
            Some(solver.live.clone())
        });
        let live = live.collect::<Option<_>>()?;
        Some(Liveness { globals, live })
    }

    /// The registers whose values are needed at the start of a block.
    pub fn live_in(&self, block: usize) -> impl Iterator<Item = Reg> + '_ {
        self.live.iter().enumerate().flat_map(move |(set, blocks)| {
            let bits = blocks.get(block).into_iter().flat_map(ones);
            bits.map(move |bit| self.globals.register(set, bit))
        })
    }

    /// The registers whose values are needed before the `nth` instruction of a block, or its terminator.
    pub fn live_before(&self, kernel: &Kernel, block: usize, nth: usize) -> Vec<Reg> {
        let Some(code) = kernel.blocks.get(block) else { return Vec::new() };
        let mut live = vec![false; kernel.registers.len()];
        for to in code.terminator.successors() {
            for (set, blocks) in self.live.iter().enumerate() {
                for bit in ones(&blocks[to.0 as usize]) {
                    live[self.globals.register(set, bit).0 as usize] = true;
                }
            }
        }
        if let Some(reg) = terminator_use(&code.terminator) {
            live[reg.0 as usize] = true;
        }
        for inst in code.insts.iter().skip(nth).rev() {
            reads_and_writes(inst, |reg, reads| live[reg.0 as usize] = reads);
        }
        (0..).map(Reg).zip(live).filter(|(_, live)| *live).map(|(reg, _)| reg).collect()
    }
}

/// Calls `each` with what an instruction certainly overwrites, and then, with `true`, with what it reads: on the way from the end
/// of a block to its start, with whether the value of a register is needed before the instruction. A guarded write leaves the old value in some
/// lanes.
pub fn reads_and_writes(inst: &Inst, mut each: impl FnMut(Reg, bool)) {
    if inst.guard.is_none() {
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                each(reg, false);
            }
        });
    }
    inst.op.operands(|operand| {
        if let Operand::Use(reg) = operand {
            each(reg, true);
        }
    });
    if let Some(reg) = inst.guard.and_then(Pred::reg) {
        each(reg, true);
    }
}

/// Where the value of a register is needed: the first and the last block, in the order of the kernel, at whose start it is, and
/// those at whose end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The register.
    pub reg: Reg,
    /// Needed at the start of these blocks at least.
    pub starts: (u32, u32),
    /// Needed at the end of these blocks at least; `None` if at the end of no block.
    pub ends: Option<(u32, u32)>,
}

/// How far the values of registers are needed, without what is between.
#[derive(Clone, Debug, Default)]
pub struct Extents {
    /// The registers that are needed when the kernel begins: some path reads them before it writes them.
    pub at_entry: Vec<Reg>,
    /// The registers that are needed at the start of some block. Of those that are needed when the kernel begins, only what lies
    /// between the blocks that mention them is told.
    pub all: Vec<Extent>,
}

impl Extents {
    /// Finds them by backward liveness. `None` if it was interrupted, or takes too long because control flow is
    /// tangled beyond what compilers make.
    pub fn of(kernel: &Kernel, interrupt: &Interrupt<'_>) -> Option<Extents> {
        let globals = Globals::of(kernel, |_| true, interrupt)?;
        let mut solver = Solver::new(kernel, interrupt);
        let mut found = Extents::default();
        for set in 0..globals.sets() {
            let (span, at_entry) = match solver.is_regular {
                true => solver.sweep(&globals, set)?,
                false => solver.fix(&globals, set)?,
            };
            found.at_entry.extend(ones(&at_entry).map(|bit| globals.register(set, bit)));
            solver.extents(&globals, set, span, &mut found);
        }
        found.at_entry.sort_unstable();
        Some(found)
    }
}

/// What a block does to a register first.
#[derive(Clone, Copy, Debug)]
struct Event {
    block: u32,
    /// The register's number among those that count.
    global: u32,
    /// It reads the register before it writes it; or else it writes it in all lanes.
    reads: bool,
}

/// The registers that some block reads before it writes them, in the order in which blocks first do so.
#[derive(Clone, Debug)]
struct Globals {
    registers: Vec<Reg>,
    /// What blocks do to them, by set.
    events: Vec<Vec<Event>>,
}

impl Globals {
    fn of(
        kernel: &Kernel,
        counts: impl Fn(Reg) -> bool,
        interrupt: &Interrupt<'_>,
    ) -> Option<Globals> {
        let count = kernel.registers.len();
        let mut numbers = vec![u32::MAX; count];
        let mut registers = Vec::new();
        // The last block, counted from 1, that read each register first, and that wrote it.
        let (mut read, mut written) = (vec![0u32; count], vec![0u32; count]);
        let mut writes = Vec::new();
        let mut reads = Vec::new();
        for (block, code) in (0u32..).zip(&kernel.blocks) {
            let mut use_of = |reg: Reg, written: &[u32]| {
                let at = reg.0 as usize;
                if written[at] != block + 1 && read[at] != block + 1 && counts(reg) {
                    read[at] = block + 1;
                    if numbers[at] == u32::MAX {
                        numbers[at] = registers.len() as u32;
                        registers.push(reg);
                    }
                    reads.push((block, reg));
                }
            };
            for inst in &code.insts {
                interrupt.go_on(1)?;
                reads_and_writes(inst, |reg, reads| {
                    if reads {
                        use_of(reg, &written);
                    }
                });
                reads_and_writes(inst, |reg, reads| {
                    if !reads && written[reg.0 as usize] != block + 1 {
                        written[reg.0 as usize] = block + 1;
                        writes.push((block, reg));
                    }
                });
            }
            terminator_use(&code.terminator).into_iter().for_each(|reg| use_of(reg, &written));
        }
        let mut events = vec![Vec::new(); registers.len().div_ceil(64 * WORDS)];
        let all = writes.iter().map(|it| (it, false)).chain(reads.iter().map(|it| (it, true)));
        for ((block, reg), reads) in all {
            let global = numbers[reg.0 as usize];
            if global != u32::MAX {
                let event = Event { block: *block, global, reads };
                events[global as usize / (64 * WORDS)].push(event);
            }
        }
        Some(Globals { registers, events })
    }

    fn sets(&self) -> usize {
        self.events.len()
    }

    fn register(&self, set: usize, bit: usize) -> Reg {
        self.registers[set * 64 * WORDS + bit]
    }
}

/// The places of the bits that are set.
fn ones(bits: &Bits) -> impl Iterator<Item = usize> + use<> {
    (*bits).into_iter().enumerate().flat_map(|(nth, mut word)| {
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros() as usize);
            word &= word.wrapping_sub(1);
            bit.map(|bit| 64 * nth + bit)
        })
    })
}

fn or(a: Bits, b: Bits) -> Bits {
    std::array::from_fn(|nth| a[nth] | b[nth])
}

fn without(a: Bits, b: Bits) -> Bits {
    std::array::from_fn(|nth| a[nth] & !b[nth])
}

const NO_BITS: Bits = [0; WORDS];
const NO_BLOCK: u32 = u32::MAX;

/// The first and the last of some blocks.
type Span = (usize, usize);

/// Finds live registers, a set at a time.
struct Solver<'a> {
    interrupt: &'a Interrupt<'a>,
    successors: Vec<[u32; 2]>,
    /// Per block, the lowest one that leads to it, or itself.
    lowest_before: Vec<u32>,
    /// Per block, the last one that leads back to it, or `NO_BLOCK`.
    last_latch: Vec<u32>,
    /// Per block, the ends of the largest stretch of overlapping loops that it lies in.
    stretch: Vec<(u32, u32)>,
    /// All edges that lead back in the order of blocks lead to a block that dominates where they come from, and every block can
    /// be reached.
    is_regular: bool,
    visits: usize,
    reads: Vec<Bits>,
    writes: Vec<Bits>,
    live: Vec<Bits>,
}

impl<'a> Solver<'a> {
    fn new(kernel: &Kernel, interrupt: &'a Interrupt<'a>) -> Solver<'a> {
        let count = kernel.blocks.len();
        let mut successors = vec![[NO_BLOCK; 2]; count];
        let mut lowest_before: Vec<u32> = (0..count as u32).collect();
        let mut last_latch = vec![NO_BLOCK; count];
        let graph = Graph::of_blocks(kernel);
        for (from, to) in graph.edges() {
            let free = usize::from(successors[from][0] != NO_BLOCK);
            successors[from][free] = to as u32;
            lowest_before[to] = lowest_before[to].min(from as u32);
            if to <= from {
                // Edges come in the order of the blocks that they leave.
                last_latch[to] = from as u32;
            }
        }
        let dominators = Dominators::new(&graph, 0);
        let leads_up = |(from, to): (usize, usize)| to > from || dominators.dominates(to, from);
        let is_regular =
            (0..count).all(|block| dominators.reaches(block)) && graph.edges().all(leads_up);
        let mut stretch: Vec<(u32, u32)> = (0..count as u32).map(|at| (at, at)).collect();
        let mut at = 0;
        while at < count {
            let (start, mut end) = (at, at);
            while at <= end {
                if last_latch[at] != NO_BLOCK {
                    end = end.max(last_latch[at] as usize);
                }
                at += 1;
            }
            stretch[start..=end].fill((start as u32, end as u32));
        }
        Solver {
            interrupt,
            successors,
            lowest_before,
            last_latch,
            stretch,
            is_regular,
            visits: 0,
            reads: vec![NO_BITS; count],
            writes: vec![NO_BITS; count],
            live: vec![NO_BITS; count],
        }
    }

    /// Prepares some blocks for a set.
    fn begin(&mut self, globals: &Globals, set: usize, (first, last): Span) {
        self.reads[first..=last].fill(NO_BITS);
        self.writes[first..=last].fill(NO_BITS);
        self.live[first..=last].fill(NO_BITS);
        for event in &globals.events[set] {
            let into = if event.reads { &mut self.reads } else { &mut self.writes };
            let bit = event.global as usize % (64 * WORDS);
            into[event.block as usize][bit / 64] |= 1 << (bit % 64);
        }
    }

    /// What is live at the end of a block, if its successors are among some blocks.
    fn live_out(&self, block: usize, (first, last): Span) -> Bits {
        let mut live = NO_BITS;
        for to in self.successors[block] {
            if to != NO_BLOCK && (first..=last).contains(&(to as usize)) {
                live = or(live, self.live[to as usize]);
            }
        }
        live
    }

    fn visit(&mut self, block: usize, live_out: Bits) -> bool {
        let live = or(self.reads[block], without(live_out, self.writes[block]));
        let changes = live != self.live[block];
        self.live[block] = live;
        changes
    }

    /// Live registers of a set at the start of every block. All blocks, and what is live when the kernel begins.
    fn fix(&mut self, globals: &Globals, set: usize) -> Option<(Span, Bits)> {
        let count = self.live.len();
        let all = (0, count.checked_sub(1)?);
        self.begin(globals, set, all);
        let mut changes = true;
        while std::mem::take(&mut changes) {
            self.visits += count;
            if self.visits > MAX_VISITS {
                return None;
            }
            self.interrupt.go_on(count)?;
            for block in (0..count).rev() {
                changes |= self.visit(block, self.live_out(block, all));
            }
        }
        Some((all, self.live[0]))
    }

    /// Live registers of a set, the blocks outside which nobody mentions them, and what is live when the kernel begins. Where a register is live when a loop begins, it
    /// is taken to be so to the last block that leads back there: its value has to last that long. Where a loop in it ends behind that, it is
    /// taken to be so to the end of that loop, which is longer than needed if the register is written there first.
    ///
    /// One sweep over edges that lead on and one into loops are enough, as for Boissinot et al. 2011: a path on
    /// which a loop begins twice can be cut short.
    fn sweep(&mut self, globals: &Globals, set: usize) -> Option<(Span, Bits)> {
        let blocks = || globals.events[set].iter().map(|event| event.block as usize);
        let first = self.stretch[blocks().min()?].0 as usize;
        let last = self.stretch[blocks().max()?].1 as usize;
        let span = (first, last);
        self.interrupt.go_on(2 * (last - first + 1))?;
        self.begin(globals, set, span);
        for block in (first..=last).rev() {
            let ahead = (block + 1, last);
            self.visit(block, self.live_out(block, ahead));
        }
        // Nobody outside writes them.
        let entered = |block: &usize| *block == 0 || (self.lowest_before[*block] as usize) < first;
        let at_entry =
            (first..=last).filter(entered).fold(NO_BITS, |live, block| or(live, self.live[block]));
        // Loops that have begun: where they end, and what is live there.
        let mut open: Vec<(u32, Bits)> = Vec::new();
        for block in first..=last {
            while open.last().is_some_and(|(end, _)| (*end as usize) < block) {
                open.pop();
            }
            let Some(latch) = Some(self.last_latch[block]).filter(|latch| *latch != NO_BLOCK)
            else {
                if let Some((_, live)) = open.last() {
                    self.live[block] = or(self.live[block], *live);
                }
                continue;
            };
            let outer = open.last().map_or(NO_BITS, |(_, live)| *live);
            self.live[block] = or(self.live[block], outer);
            // A loop that ends behind the one around it carries on what is live there.
            let mut end = latch;
            while let Some((other, live)) = open.last().copied()
                && other <= end
            {
                self.live[block] = or(self.live[block], live);
                end = end.max(other);
                open.pop();
            }
            open.push((end, self.live[block]));
        }
        Some((span, at_entry))
    }

    /// Notes how far the registers of a set are live.
    fn extents(
        &self,
        globals: &Globals,
        set: usize,
        span @ (first, last): Span,
        found: &mut Extents,
    ) {
        let registers = globals.registers[set * 64 * WORDS..].iter().take(64 * WORDS);
        let none = (NO_BLOCK, NO_BLOCK);
        let mut extents: Vec<_> = registers.map(|reg| (*reg, none, none)).collect();
        let (mut starts, mut ends) = (NO_BITS, NO_BITS);
        for block in first..=last {
            let (live, out) = (self.live[block], self.live_out(block, span));
            for bit in ones(&without(live, starts)) {
                extents[bit].1.0 = block as u32;
            }
            for bit in ones(&without(out, ends)) {
                extents[bit].2.0 = block as u32;
            }
            (starts, ends) = (or(starts, live), or(ends, out));
        }
        let (mut starts, mut ends) = (NO_BITS, NO_BITS);
        for block in (first..=last).rev() {
            let (live, out) = (self.live[block], self.live_out(block, span));
            for bit in ones(&without(live, starts)) {
                extents[bit].1.1 = block as u32;
            }
            for bit in ones(&without(out, ends)) {
                extents[bit].2.1 = block as u32;
            }
            (starts, ends) = (or(starts, live), or(ends, out));
        }
        let known = |ends: (u32, u32)| Some(ends).filter(|ends| *ends != none);
        found.all.extend(extents.into_iter().map(|(reg, starts, ends)| Extent {
            reg,
            starts,
            ends: known(ends),
        }));
    }
}

#[cfg(test)]
mod tests;
