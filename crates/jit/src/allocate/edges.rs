//! What is moved on the way from one block to the next.

use super::sequence::{Spot, in_sequence};
use super::state::{Allocator, Entered, Move, Rank};
use crate::registers::CLASSES;
use regalloc2::{Block, Function, Inst, ProgPoint};

/// What is moved at once: per class, from where and where to.
type AtOnce = [Vec<(Spot, Spot)>; 3];

impl Allocator<'_> {
    /// Moves what a block hands to another from where it has it to where that one begins with it.
    pub(super) fn edge(&mut self, from: usize, nth: usize, to: usize) -> Result<(), String> {
        let func = self.func;
        let (point, rank) = if func.block_succs(Block::new(from)).len() == 1 {
            let last = func.blocks[from].insts.end - 1;
            (ProgPoint::before(Inst::new(last as usize)), Rank::WayOut)
        } else if func.block_preds(Block::new(to)).len() == 1 {
            let first = func.blocks[to].insts.start;
            (ProgPoint::before(Inst::new(first as usize)), Rank::WayIn)
        } else {
            return Err("a way has no place for what is moved on it".to_owned());
        };
        let args = &func.blocks[from].args[nth];
        self.look_at_exit(from);
        let mut all = AtOnce::default();
        let entry = std::mem::take(&mut self.entries[to]);
        for Entered { value, param, reg } in entry.iter().copied() {
            let source = param.map_or(value, |param| args[param as usize].vreg() as u32);
            let held = self.elsewhere[source as usize].ok_or("a value does not come to a block")?;
            let is_stored = self.is_in_slot(held);
            let class = self.uses.class[value as usize];
            let from = match held.reg {
                Some(reg) => Spot::Register(reg),
                None => self.slot(source as usize),
            };
            let to = match reg {
                Some(reg) => Spot::Register(reg),
                None if param.is_none() && is_stored => continue,
                None => self.slot(value as usize),
            };
            if from != to {
                all[class as usize].push((from, to));
            }
        }
        self.entries[to] = entry;
        self.look_away(from);
        for (class, pairs) in CLASSES.into_iter().zip(all) {
            let scratch = self.registers.scratch[class as usize];
            let sequence = in_sequence(pairs, scratch, &mut self.readers);
            self.moves.extend(
                sequence.into_iter().map(|(from, to)| Move::new(point, rank, class, from, to)),
            );
        }
        Ok(())
    }
}
