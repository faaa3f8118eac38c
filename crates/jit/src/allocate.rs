//! Which register or slot of the context each value has, and what is moved between them.
//!
//! Blocks are done once each, in an order in which all that leads to one comes before it, but for ways back ([`order`]). Before that,
//! it is found where each value is needed next ([`uses`]). When a block begins, what it needs is where most of those have it that come
//! to it ([`entries`]); the others move it on their way ([`edges`]). Within a block a value is brought to a register when an instruction
//! needs it there, and stays until the register is needed for one that is needed sooner (Belady's rule; M. Braun, S. Hack, "Register
//! Spilling and Live-Range Splitting for SSA-Form Programs"). Each value is made once, so it is stored once: behind the instruction that
//! makes it, or before the first that needs its register where that is executed less often.
//!
//! Operands, registers and moves are those of `regalloc2`, whose checker proves in tests that each instruction finds its operands.

#[cfg(test)]
mod check;
mod edges;
mod entries;
mod held;
mod inst;
mod order;
mod per_block;
mod sequence;
mod sink;
mod slots;
mod state;
mod uses;

use crate::mir::Func;
use crate::registers::Registers;
use order::Order;
use per_block::PerBlock;
use regalloc2::{Allocation, Block, Edit, Function, Inst, ProgPoint, SpillSlot};
use sequence::{Readers, Spot};
use slots::Slots;
use state::{Allocator, Value, allocation};
use uses::Uses;

/// Where values are.
#[derive(Debug)]
pub(crate) struct Allocated {
    /// Per operand of the function.
    pub(crate) operands: Vec<Allocation>,
    /// What is moved, in order.
    pub(crate) moves: Vec<(ProgPoint, Edit)>,
    /// Words of all slots.
    pub(crate) words: usize,
}

impl Allocated {
    /// What is moved from an instruction on.
    pub(crate) fn moves_from(&self, inst: u32) -> &[(ProgPoint, Edit)] {
        let from = ProgPoint::before(Inst::new(inst as usize));
        &self.moves[self.moves.partition_point(|(point, _)| *point < from)..]
    }
}

/// Allocates registers. The error is a sentence.
pub(crate) fn allocate(func: &mut Func, registers: &Registers) -> Result<Allocated, String> {
    let order = Order::of(func);
    let mut uses = Uses::of(func, &order)?;
    let changed = sink::sink(func, &order, &uses, registers);
    if !changed.is_empty() {
        uses.look_again(func, &order, &changed);
    }
    let func = &*func;
    let mut allocator = Allocator {
        func,
        registers,
        values: vec![Value::default(); func.num_vregs()],
        holds: [[0; 32]; 3],
        free: registers.all,
        awaited: [[0; 32]; 3],
        awaited_sets: [0; 3],
        block: 0,
        entries: vec![Vec::new(); func.num_blocks()],
        exits: vec![Vec::new(); func.num_blocks()],
        operands: vec![Allocation::none(); func.operands().len()],
        moves: Vec::new(),
        elsewhere: vec![None; func.num_vregs()],
        readers: Readers::new(func.num_vregs()),
        read_in: PerBlock::new(func.num_vregs()),
        order,
        uses,
    };
    for block in allocator.order.blocks.clone() {
        allocator.block = block;
        allocator.enter()?;
        for inst in func.block_insns(Block::new(block)).iter() {
            allocator.inst(inst)?;
        }
        allocator.end()?;
    }
    Ok(allocator.finish())
}

impl Allocator<'_> {
    /// Pairs of values whose slots are copied to each other, those first that are most often.
    fn copied_slots(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(i32, u32, u32)> = Vec::new();
        for made in &self.moves {
            if let (Spot::Slot(from), Spot::Slot(to)) = (made.from, made.to)
                && let Some(made) = self.uses.made[from as usize]
            {
                pairs.push((-self.order.often(self.func, made.block as usize), from, to));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.into_iter().map(|(_, from, to)| (from as usize, to as usize)).collect()
    }

    /// Gives values slots, and everything its final form.
    fn finish(mut self) -> Allocated {
        let spilled = (0..self.values.len()).filter(|value| self.values[*value].has_slot);
        let spilled: Vec<usize> = spilled.collect();
        let copied = self.copied_slots();
        let slots = Slots::of(self.func, &self.order, &self.uses, &spilled, &copied);
        let of_slot = |value: usize| slots.get(value).map_or(Allocation::none(), Allocation::stack);
        for (place, operand) in self.operands.iter_mut().zip(self.func.operands()) {
            if place.is_none() {
                *place = of_slot(operand.vreg().vreg());
            }
        }
        self.moves.sort_by_key(|made| made.key());
        let mut words = slots.words;
        let mut spares = [None; 3];
        let mut moves = Vec::with_capacity(self.moves.len());
        for made in &self.moves {
            let [from, to] = [made.from, made.to].map(|spot| match spot {
                Spot::Register(reg) => allocation(made.class, reg),
                Spot::Slot(value) => of_slot(value as usize),
                Spot::Spare => {
                    let slot = *spares[made.class as usize].get_or_insert_with(|| {
                        words += self.func.spillslot_size(made.class);
                        SpillSlot::new(words - self.func.spillslot_size(made.class))
                    });
                    Allocation::stack(slot)
                }
            });
            if from == to {
                continue;
            }
            if from.is_stack() && to.is_stack() {
                let over = allocation(made.class, self.registers.scratch[made.class as usize]);
                moves.push((made.point, Edit::Move { from, to: over }));
                moves.push((made.point, Edit::Move { from: over, to }));
            } else {
                moves.push((made.point, Edit::Move { from, to }));
            }
        }
        Allocated { operands: self.operands, moves, words }
    }
}
