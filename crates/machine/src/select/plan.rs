//! What becomes of each instruction of a kernel: instructions of the machine, or nothing.

use super::forms::{Forms, Site};
use super::refusal::{Refusal, unsupported};
use super::registers::Demand;
use super::step::Step;
use super::wanted::{Wanted, candidates};
use ir::{BlockId, Class, Inst, Kernel, Op, Operand, Place, Pred, Reg, Src, Terminator};
use std::collections::HashSet;

/// What becomes of an instruction.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// Instructions of the machine, one after the other.
    Made(Vec<Step>),
    /// Nothing.
    LeftOut,
}

/// What becomes of a kernel's instructions.
pub(super) struct Plan<'a> {
    pub(super) forms: &'a Forms<'a>,
    pub(super) kernel: &'a Kernel,
    /// What becomes of each instruction of each block.
    pub(super) fates: Vec<Vec<Fate>>,
    pub(super) demand: Demand,
    pub(super) refusals: Vec<Refusal>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(forms: &'a Forms<'a>, kernel: &'a Kernel, refusals: Vec<Refusal>) -> Self {
        let demand = Demand { branches: forms.branches, ..Demand::default() };
        Plan { forms, kernel, fates: Vec::new(), demand, refusals }
    }

    pub(super) fn decide(&mut self) {
        let mut grouped = false;
        for (nth, block) in self.kernel.blocks.iter().enumerate() {
            // Where lanes part or join, those of one membermask are not apart any more.
            let before = nth.checked_sub(1).map(|before| &self.kernel.blocks[before].terminator);
            let falls = |to: &Terminator| *to == Terminator::Jump(BlockId(nth as u32));
            grouped &= !self.forms.branches || before.is_some_and(falls);
            let mut fates = Vec::with_capacity(block.insts.len());
            // The operations of one instruction are made or left out together.
            for group in block.insts.chunk_by(|a, b| a.place == b.place) {
                let mut decided: Vec<Option<Vec<Step>>> = Vec::with_capacity(group.len());
                let mut refused = false;
                for inst in group {
                    let site = Site { block: nth, nth: fates.len() + decided.len(), grouped };
                    let steps = self.forms.steps(inst, site).unwrap_or_else(|(message, help)| {
                        refused = true;
                        self.refuse(inst.place, message, help);
                        None
                    });
                    for step in steps.iter().flatten() {
                        grouped = step.keeps_apart().unwrap_or(grouped);
                    }
                    decided.push(steps);
                }
                let warp = group.iter().any(|inst| inst.op.is_collective());
                let whole = decided.iter().all(Option::is_some);
                if warp && !whole && !refused {
                    self.refuse_warp(group, &decided);
                }
                fates.extend(decided.into_iter().map(|steps| match steps {
                    Some(steps) if whole => Fate::Made(steps),
                    Some(_) | None => Fate::LeftOut,
                }));
            }
            self.fates.push(fates);
        }
        self.demand();
    }

    pub(super) fn class(&self, reg: Reg) -> Class {
        self.forms.class(reg)
    }

    /// One refusal an instruction: the first says why.
    fn refuse(&mut self, place: Place, message: impl Into<String>, help: &str) {
        if !self.refusals.iter().any(|refusal| refusal.place == place) {
            self.refusals.push(unsupported(place, message, help));
        }
    }

    fn refuse_warp(&mut self, group: &[Inst], decided: &[Option<Vec<Step>>]) {
        let missing = group.iter().zip(decided).find(|(_, steps)| steps.is_none());
        let Some((inst, _)) = missing else { return };
        let known = candidates(&inst.op);
        let names: Vec<&str> = known.iter().map(|candidate| candidate.name).collect();
        let message = match names.first() {
            // A step of what the instruction does with matrices or memory.
            Some(_) if !inst.op.is_collective() => {
                format!("{} has no instruction for this one", self.forms.description.name())
            }
            Some(name) => {
                format!(
                    "{} has no form of {name} for this instruction",
                    self.forms.description.name()
                )
            }
            None => "no machine instruction is known for this one".to_owned(),
        };
        self.refuse(inst.place, message, "describe the form, or take another machine");
    }

    /// Which registers come from outside, and which are needed there.
    fn demand(&mut self) {
        let mut outer_uses = HashSet::new();
        let mut outer_defs = HashSet::new();
        let mut made = self.made();
        for (inst, _) in self.instructions().filter(|(_, fate)| matches!(fate, Fate::LeftOut)) {
            inst.op.operands(|operand| match operand {
                Operand::Use(reg) => drop(outer_uses.insert(reg)),
                Operand::Def(reg) => drop(outer_defs.insert(reg)),
            });
            outer_uses.extend(inst.guard.and_then(Pred::reg));
        }
        // A constant that went into the instructions needs no register.
        let dead = |reg: &Reg| !made.uses.contains(reg) && self.forms.is_constant(*reg);
        let dead: HashSet<Reg> = made.defs.iter().copied().filter(dead).collect();
        for (block, fates) in self.kernel.blocks.iter().zip(&mut self.fates) {
            for (inst, fate) in block.insts.iter().zip(fates) {
                if let (Op::Unary { d, .. }, Fate::Made(_)) = (&inst.op, &fate)
                    && dead.contains(d)
                {
                    *fate = Fate::Made(Vec::new());
                }
            }
        }
        made.defs.retain(|reg| !dead.contains(reg));
        let count = self.kernel.registers.len() as u32;
        for reg in (0..count).map(Reg) {
            let (used, defined) = (made.uses.contains(&reg), made.defs.contains(&reg));
            if used && (outer_defs.contains(&reg) || !defined) {
                self.demand.inputs.push(reg);
            }
            if defined && outer_uses.contains(&reg) {
                self.demand.outputs.push(reg);
            } else if defined && !used {
                self.demand.results.push(reg);
            }
            if !used && !defined {
                self.demand.unused.push(reg);
            }
        }
    }

    /// Every instruction with its fate.
    pub(super) fn instructions(&self) -> impl Iterator<Item = (&'a Inst, &Fate)> {
        let blocks = self.kernel.blocks.iter().zip(&self.fates);
        blocks.flat_map(|(block, fates)| block.insts.iter().zip(fates))
    }

    /// The registers that the assembly reads and writes.
    fn made(&self) -> Registers {
        let mut made = Registers::default();
        for (_, fate) in self.instructions() {
            let Fate::Made(steps) = fate else { continue };
            for step in steps {
                made.uses.extend(step.guard.and_then(Pred::reg));
                let operands = step.candidates.iter().flat_map(|candidate| &candidate.operands);
                for (_, wanted) in operands {
                    match wanted {
                        Wanted::Value(Src::Reg(reg)) => drop(made.uses.insert(*reg)),
                        Wanted::Value(Src::Imm(_)) => {}
                        Wanted::Truth(pred) => made.uses.extend(pred.reg()),
                        Wanted::Result(reg) | Wanted::Flag(reg) => made.defs.extend(*reg),
                    }
                }
            }
        }
        for block in &self.kernel.blocks {
            if let Terminator::Branch { p, .. } = block.terminator {
                made.uses.extend(p.reg());
            }
        }
        made
    }
}

/// Registers that are read and written.
#[derive(Default)]
struct Registers {
    uses: HashSet<Reg>,
    defs: HashSet<Reg>,
}
