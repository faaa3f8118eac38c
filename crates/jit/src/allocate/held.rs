//! What registers hold, and how one becomes free.

use super::sequence::Spot;
use super::state::{Allocator, Move, Rank, Sets, registers_of};
use super::uses::FAR;
use crate::registers::CLASSES;
use regalloc2::{Inst, PReg, ProgPoint, RegClass};

impl Allocator<'_> {
    /// Brings a value to a register, if it is in none.
    pub(super) fn bring(
        &mut self,
        value: usize,
        kept: &mut Sets,
        before: ProgPoint,
    ) -> Result<u8, String> {
        let class = self.uses.class[value];
        if let Some(reg) = self.values[value].reg {
            return Ok(reg);
        }
        if !self.values[value].is_in_slot() {
            return Err("a value is nowhere".to_owned());
        }
        let hint = self.values[value].hint.or(self.values[value].made_in);
        let reg = self.take(class, hint, *kept, before)?;
        kept[class as usize] |= 1 << reg;
        let from = self.slot(value);
        self.moves.push(Move::new(before, Rank::Inst, class, from, Spot::Register(reg)));
        self.hold(value, reg);
        Ok(reg)
    }

    /// A register that is free from here on, whoever had it.
    pub(super) fn take(
        &mut self,
        class: RegClass,
        hint: Option<u8>,
        kept: Sets,
        before: ProgPoint,
    ) -> Result<u8, String> {
        let free = self.free[class as usize] & !kept[class as usize];
        if let Some(hint) = hint.filter(|hint| free & 1 << hint != 0) {
            return Ok(hint);
        }
        if free != 0 {
            let unwanted = self.unwanted(class);
            let from = if free & !unwanted != 0 { free & !unwanted } else { free };
            return Ok(from.trailing_zeros() as u8);
        }
        // Of values that are needed as late as each other, one that is stored.
        let held = |reg: u8| {
            let value = &self.values[self.holds[class as usize][usize::from(reg)] as usize];
            (value.next, value.is_in_slot(), reg)
        };
        let taken = registers_of(self.registers.all[class as usize] & !kept[class as usize]);
        let last = taken.map(held).max();
        let (_, _, reg) = last.ok_or("an instruction has too many operands")?;
        self.evict(class, reg, before);
        Ok(reg)
    }

    /// Registers that others wait for, or that calls have their results in.
    fn unwanted(&self, class: RegClass) -> u32 {
        self.awaited_sets[class as usize] | self.registers.results[class as usize]
    }

    /// Takes a register from its value, which is in its slot from then on.
    fn evict(&mut self, class: RegClass, reg: u8, before: ProgPoint) {
        let value = self.holds[class as usize][usize::from(reg)] as usize;
        self.store(value, reg, before);
        self.let_go(value);
    }

    /// Stores a value, unless that was done.
    fn store(&mut self, value: usize, reg: u8, before: ProgPoint) {
        if self.values[value].is_in_slot() {
            return;
        }
        let class = self.uses.class[value];
        let slot = self.slot(value);
        let known = self.values[value];
        let often = |block: usize| self.order.often(self.func, block);
        if let (Some(made), Some(made_in)) = (self.uses.made[value], known.made_in)
            && often(made.block as usize) <= often(self.block)
        {
            self.values[value].is_always_stored = true;
            let (point, rank) = match made.inst {
                Some(inst) => (ProgPoint::after(Inst::new(inst as usize)), Rank::Inst),
                None => {
                    let first = self.func.blocks[made.block as usize].insts.start;
                    (ProgPoint::before(Inst::new(first as usize)), Rank::Params)
                }
            };
            self.moves.push(Move::new(point, rank, class, Spot::Register(made_in), slot));
        } else {
            self.values[value].is_stored = true;
            self.moves.push(Move::new(before, Rank::Inst, class, Spot::Register(reg), slot));
        }
    }

    /// The slot of a value.
    pub(super) fn slot(&mut self, value: usize) -> Spot {
        self.values[value].has_slot = true;
        Spot::Slot(value as u32)
    }

    /// Notes that a register has a value from here on.
    pub(super) fn hold(&mut self, value: usize, reg: u8) {
        let class = self.uses.class[value] as usize;
        self.holds[class][usize::from(reg)] = value as u32;
        self.free[class] &= !(1 << reg);
        self.values[value].reg = Some(reg);
    }

    /// Notes that a value is in no register from here on.
    pub(super) fn let_go(&mut self, value: usize) {
        if let Some(reg) = self.values[value].reg.take() {
            self.free[self.uses.class[value] as usize] |= 1 << reg;
        }
    }

    /// Frees a register that an instruction needs for itself.
    pub(super) fn vacate(&mut self, reg: PReg, kept: Sets, before: ProgPoint) {
        let class = reg.class();
        let number = reg.hw_enc() as u8;
        if self.free[class as usize] & 1 << number != 0 {
            return;
        }
        let value = self.holds[class as usize][usize::from(number)] as usize;
        let free = self.free[class as usize] & !kept[class as usize];
        match free {
            0 => self.evict(class, number, before),
            _ => self.relocate(value, number, free.trailing_zeros() as u8, before),
        }
    }

    fn relocate(&mut self, value: usize, from: u8, to: u8, before: ProgPoint) {
        let class = self.uses.class[value];
        let (source, target) = (Spot::Register(from), Spot::Register(to));
        self.moves.push(Move::new(before, Rank::Inst, class, source, target));
        self.let_go(value);
        self.hold(value, to);
    }

    /// Takes values out of registers that change, to others that were free already, or to their slots.
    pub(super) fn save(&mut self, changed: Sets, free_before: Sets, before: ProgPoint) {
        for class in CLASSES {
            let nth = class as usize;
            for reg in registers_of(changed[nth] & !self.free[nth] & self.registers.all[nth]) {
                let value = self.holds[nth][usize::from(reg)] as usize;
                let other = self.free[nth] & free_before[nth] & !changed[nth];
                if other != 0 && self.values[value].next != FAR {
                    self.relocate(value, reg, other.trailing_zeros() as u8, before);
                } else {
                    self.evict(class, reg, before);
                }
            }
        }
    }
}
