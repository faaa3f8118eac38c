//! Where the operands of one instruction are.

use super::sequence::Spot;
use super::state::{Allocator, Move, Rank, Sets, allocation};
use super::uses::{NEVER, wants_register};
use regalloc2::{
    Allocation, Function, Inst, Operand, OperandConstraint, OperandKind, OperandPos, ProgPoint,
    RegClass,
};

/// An instruction whose operands are allocated.
struct Here<'f> {
    inst: Inst,
    before: ProgPoint,
    /// The number of its first operand.
    first: usize,
    operands: &'f [Operand],
}

impl<'f> Here<'f> {
    /// The operands of a kind, with their numbers.
    fn all(&self, wanted: impl Fn(&Operand) -> bool) -> impl Iterator<Item = (usize, &'f Operand)> {
        let operands = (self.first..).zip(self.operands);
        operands.filter(move |(_, operand)| wanted(operand))
    }
}

fn is_use(operand: &Operand) -> bool {
    operand.kind() == OperandKind::Use
}

fn is_result(operand: &Operand) -> bool {
    operand.kind() == OperandKind::Def && operand.pos() == OperandPos::Late
}

/// Whether an operand is written while others are still read.
fn is_early_result(operand: &Operand) -> bool {
    operand.kind() == OperandKind::Def && operand.pos() == OperandPos::Early
}

impl Allocator<'_> {
    /// Allocates the operands of an instruction.
    pub(super) fn inst(&mut self, inst: Inst) -> Result<(), String> {
        let range = self.func.operand_range(inst);
        let here = Here {
            inst,
            before: ProgPoint::before(inst),
            first: range.start,
            operands: &self.func.operands()[range],
        };
        // Registers that the instruction reads, or writes before it has read all.
        let mut kept: Sets = [0; 3];
        self.free_fixed(&here, &mut kept);
        self.read(&here, &mut kept)?;
        self.write_early(&here, &mut kept)?;
        self.overwrite(&here, &mut kept)?;
        for (at, operand) in here.all(|operand| is_use(operand) && !wants_register(*operand)) {
            self.operands[at] = self.anywhere(operand.vreg().vreg(), operand.class())?;
        }
        self.have_read(&here);
        self.write(&here)
    }

    /// Frees registers that the instruction changes before it has read its operands.
    fn free_fixed(&mut self, here: &Here<'_>, kept: &mut Sets) {
        for (_, operand) in here.all(is_early_result) {
            if let OperandConstraint::FixedReg(reg) = operand.constraint() {
                kept[reg.class() as usize] |= 1 << reg.hw_enc();
                self.vacate(reg, *kept, here.before);
            }
        }
    }

    /// Brings to registers what is read there. What is in one stays.
    fn read(&mut self, here: &Here<'_>, kept: &mut Sets) -> Result<(), String> {
        let reads = |operand: &Operand| is_use(operand) && wants_register(*operand);
        for (_, operand) in here.all(reads) {
            if let Some(reg) = self.values[operand.vreg().vreg()].reg {
                kept[operand.class() as usize] |= 1 << reg;
            }
        }
        for (at, operand) in here.all(reads) {
            let reg = self.bring(operand.vreg().vreg(), kept, here.before)?;
            self.operands[at] = allocation(operand.class(), reg);
        }
        Ok(())
    }

    /// Gives registers to what is written while operands are read.
    fn write_early(&mut self, here: &Here<'_>, kept: &mut Sets) -> Result<(), String> {
        for (at, operand) in here.all(is_early_result) {
            let class = operand.class();
            let reg = match operand.constraint() {
                OperandConstraint::FixedReg(reg) => reg.hw_enc() as u8,
                _ => self.take(class, None, *kept, here.before)?,
            };
            kept[class as usize] |= 1 << reg;
            self.make(at, *operand, reg);
        }
        Ok(())
    }

    /// Copies what is overwritten in place, and needed behind that, or overwritten more than once.
    fn overwrite(&mut self, here: &Here<'_>, kept: &mut Sets) -> Result<(), String> {
        let mut overwritten: Sets = [0; 3];
        for (at, operand) in here.all(is_result) {
            if let OperandConstraint::Reuse(from) = operand.constraint() {
                let from_at = here.first + from;
                let bit = |this: &Self| {
                    this.operands[from_at].as_reg().map_or(0, |reg| 1 << reg.hw_enc())
                };
                let again = overwritten[operand.class() as usize] & bit(self) != 0;
                if again || self.uses.next[from_at] != NEVER {
                    let value = here.operands[from].vreg().vreg();
                    let hint = self.values[operand.vreg().vreg()].hint.filter(|_| !again);
                    self.copy_apart(value, hint, from_at, kept, here.before)?;
                }
                overwritten[operand.class() as usize] |= bit(self);
                self.operands[at] = self.operands[from_at];
            }
        }
        Ok(())
    }

    /// Lets go what nobody needs any more, and saves what is needed from registers that the instruction changes.
    fn have_read(&mut self, here: &Here<'_>) {
        let free_before = self.free;
        for (at, operand) in here.all(is_use) {
            let value = operand.vreg().vreg();
            self.values[value].next = self.uses.next[at];
            if self.uses.next[at] == NEVER {
                self.let_go(value);
            }
        }
        let mut changed: Sets = [0; 3];
        for reg in self.func.inst_clobbers(here.inst) {
            changed[reg.class() as usize] |= 1 << reg.hw_enc();
        }
        for (_, operand) in here.all(is_result) {
            if let OperandConstraint::FixedReg(reg) = operand.constraint() {
                changed[reg.class() as usize] |= 1 << reg.hw_enc();
            }
        }
        if changed != [0; 3] {
            self.save(changed, free_before, here.before);
        }
    }

    /// Gives registers to results, among them those of operands that nobody needs any more.
    fn write(&mut self, here: &Here<'_>) -> Result<(), String> {
        let mut kept: Sets = [0; 3];
        for (_, operand) in here.all(is_early_result) {
            let reg = self.values[operand.vreg().vreg()].reg;
            kept[operand.class() as usize] |= reg.map_or(0, |reg| 1 << reg);
        }
        // Those come first that have no choice.
        let given = |this: &Self, at: usize, operand: &Operand| match operand.constraint() {
            OperandConstraint::FixedReg(reg) => Some(reg.hw_enc() as u8),
            OperandConstraint::Reuse(_) => this.operands[at].as_reg().map(|reg| reg.hw_enc() as u8),
            _ => None,
        };
        for has_choice in [false, true] {
            for (at, operand) in here.all(is_result) {
                let class = operand.class();
                let given = given(self, at, operand);
                if given.is_none() != has_choice {
                    continue;
                }
                let hint = self.values[operand.vreg().vreg()].hint;
                let reg = match given {
                    Some(reg) => reg,
                    None => self.take(class, hint, kept, here.before)?,
                };
                kept[class as usize] |= 1 << reg;
                self.make(at, *operand, reg);
            }
        }
        for (at, operand) in here.all(|operand| operand.kind() == OperandKind::Def) {
            if self.uses.next[at] == NEVER {
                self.let_go(operand.vreg().vreg());
            }
        }
        Ok(())
    }

    /// Notes a result.
    fn make(&mut self, at: usize, operand: Operand, reg: u8) {
        let value = operand.vreg().vreg();
        self.operands[at] = allocation(operand.class(), reg);
        self.no_longer_awaited(value);
        let known = &mut self.values[value];
        known.made_in = Some(reg);
        (known.is_stored, known.is_always_stored) = (false, false);
        known.next = self.uses.next[at];
        self.hold(value, reg);
    }

    /// Copies a value whose register is overwritten, for the operand that is, or, where what overwrites it is to have that register, for those
    /// who need it behind that.
    fn copy_apart(
        &mut self,
        value: usize,
        hint: Option<u8>,
        at: usize,
        kept: &mut Sets,
        before: ProgPoint,
    ) -> Result<(), String> {
        let class = self.uses.class[value];
        let reg = self.values[value].reg.ok_or("an operand has no register")?;
        let other = self.take(class, hint, *kept, before)?;
        kept[class as usize] |= 1 << other;
        let (from, to) = (Spot::Register(reg), Spot::Register(other));
        self.moves.push(Move::new(before, Rank::Inst, class, from, to));
        if hint == Some(reg) {
            self.let_go(value);
            self.hold(value, other);
        } else {
            self.operands[at] = allocation(class, other);
        }
        Ok(())
    }

    /// Where a value is, be that a register or not.
    fn anywhere(&mut self, value: usize, class: RegClass) -> Result<Allocation, String> {
        match self.values[value].reg {
            Some(reg) => Ok(allocation(class, reg)),
            None if self.values[value].is_in_slot() => {
                self.slot(value);
                // Its slot is known in the end.
                Ok(Allocation::none())
            }
            None => Err("a value is nowhere".to_owned()),
        }
    }
}
