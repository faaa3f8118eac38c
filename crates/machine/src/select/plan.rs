//! What becomes of each instruction of a kernel: instructions of the machine, or nothing.

use super::Refusal;
use super::fit::fit;
use super::registers::{Demand, Home};
use super::wanted::{self, Candidate, Wanted, candidates};
use crate::codes;
use crate::register::File;
use diag::{Class as Blame, Diagnostic, Severity};
use ir::{
    Class, Collective, Inst, Kernel, Op, Operand, Place, Pred, Reg, Src, Terminator, UnaryOp,
};
use isa::Description;
use std::collections::{HashMap, HashSet};

/// A stand-in for the register that holds a constant on its way.
pub(super) const SCRATCH: Reg = Reg(u32::MAX);

/// What becomes of an instruction.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// Instructions of the machine, one after the other.
    Made(Vec<Step>),
    /// Nothing.
    LeftOut,
}

/// One instruction of the machine: what may do it, and its guard.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) candidates: Vec<Candidate>,
    pub(super) guard: Option<Pred>,
}

/// What becomes of a kernel's instructions.
pub(super) struct Plan<'a> {
    pub(super) description: &'a Description,
    pub(super) kernel: &'a Kernel,
    /// Registers that hold one constant throughout.
    constants: HashMap<Reg, u32>,
    /// Whether lanes may part.
    branches: bool,
    /// What becomes of each instruction of each block.
    pub(super) fates: Vec<Vec<Fate>>,
    pub(super) demand: Demand,
    pub(super) refusals: Vec<Refusal>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(description: &'a Description, kernel: &'a Kernel) -> Self {
        let branches =
            kernel.blocks.iter().any(|b| matches!(b.terminator, Terminator::Branch { .. }));
        Plan {
            description,
            kernel,
            constants: constants(kernel),
            branches,
            fates: Vec::new(),
            demand: Demand::default(),
            refusals: Vec::new(),
        }
    }

    pub(super) fn decide(&mut self) {
        for block in &self.kernel.blocks {
            let mut fates = Vec::with_capacity(block.insts.len());
            // The operations of one instruction are made or left out together.
            for group in block.insts.chunk_by(|a, b| a.place == b.place) {
                let decided: Vec<Option<Vec<Step>>> =
                    group.iter().map(|inst| self.steps(inst)).collect();
                let warp = group.iter().any(|inst| inst.op.is_collective());
                let whole = decided.iter().all(Option::is_some);
                if warp && !whole {
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

    /// The instructions of the machine for an operation; `None` when there are none.
    fn steps(&mut self, inst: &Inst) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut apart = false;
        if let Some(members) = wanted::members(&inst.op) {
            apart = self.constant(members).is_none() && wanted::counts_lanes(&inst.op);
            let rendezvous = matches!(inst.op, Op::Collective { what: Collective::WarpSync, .. });
            if self.branches || rendezvous || apart {
                match self.sync(members, apart, inst.guard) {
                    Some(sync) => steps.extend(sync),
                    None => {
                        let (message, help) = self.no_sync(members);
                        self.refuse(inst.place, message, help);
                        return Some(steps);
                    }
                }
            }
            if matches!(inst.op, Op::Collective { what, .. } if what.only_waits()) {
                return Some(steps);
            }
        }
        let step = Step { candidates: candidates(&inst.op), guard: inst.guard };
        let folded = self.fold(&step);
        if let Some(step) = [folded, step.clone()].into_iter().find(|step| self.fits(step)) {
            steps.push(step);
            return Some(steps);
        }
        // A result may have to go to a register of the warp, a constant through a register.
        if let Some(d) = result(&step) {
            self.demand.uniform.push(d);
            if self.fits(&step) {
                if apart {
                    self.refuse(
                        inst.place,
                        "lanes with different membermasks have different results, which go to one register \
                         of the warp",
                        "write the membermask as a number",
                    );
                }
                steps.push(step);
                return Some(steps);
            }
            self.demand.uniform.pop();
        }
        for (copy, step) in through_register(&step) {
            if self.fits(&copy) && self.fits(&step) {
                steps.extend([copy, step]);
                return Some(steps);
            }
        }
        None
    }

    /// What brings the lanes of a membermask together; `None` when the description has nothing that does.
    fn sync(&self, members: Src, apart: bool, guard: Option<Pred>) -> Option<Vec<Step>> {
        let step = |mask| Step { candidates: wanted::warpsync(mask, apart), guard };
        let number = self.constant(members).map(|mask| Src::Imm(mask.into()));
        let mut ways = number.into_iter().chain([members]).map(step);
        if let Some(step) = ways.find(|step| self.fits(step)) {
            return Some(vec![step]);
        }
        let copied = through_register(&step(members));
        let fits = |(copy, step): &(Step, Step)| self.fits(copy) && self.fits(step);
        copied.into_iter().find(fits).map(|(copy, step)| vec![copy, step])
    }

    /// Why the lanes of a membermask cannot be brought together, and what to do.
    fn no_sync(&self, members: Src) -> (String, &'static str) {
        let machine = self.description.name();
        let takes = |mask| self.sync(mask, false, None).is_some();
        match members {
            Src::Reg(_) if takes(members) => (
                format!(
                    "{machine} has no WARPSYNC that keeps lanes with different membermasks apart"
                ),
                "write the membermask as a number, or describe WARPSYNC.EXCLUSIVE",
            ),
            Src::Reg(_) if takes(Src::Imm(1)) => (
                format!("{machine} has no WARPSYNC with the membermask in a register"),
                "write the membermask as a number, or describe a WARPSYNC whose operand `ra` is a register",
            ),
            Src::Imm(_) if takes(Src::Reg(SCRATCH)) => (
                format!(
                    "{machine} has WARPSYNC with registers only, and no MOV for the membermask"
                ),
                "move the membermask to a register in the PTX",
            ),
            Src::Reg(_) | Src::Imm(_) => (
                format!(
                    "{machine} has no WARPSYNC, which brings the lanes of a membermask together"
                ),
                "describe WARPSYNC",
            ),
        }
    }

    /// The step with constants in place of the registers that hold them.
    fn fold(&self, step: &Step) -> Step {
        let mut folded = step.clone();
        for candidate in &mut folded.candidates {
            candidate.fold(&|reg| self.constants.get(&reg).copied());
        }
        folded
    }

    /// Whether the description has an instruction for a step, wherever the registers will live.
    fn fits(&self, step: &Step) -> bool {
        let home = |reg: Reg| Some(self.anywhere(reg));
        fit(self.description, &step.candidates, step.guard, &home, 0).is_some()
    }

    /// Some register of the right file.
    fn anywhere(&self, reg: Reg) -> Home {
        let file = match self.class(reg) {
            Class::Pred => File::Predicate,
            Class::W32 | Class::W64 if self.demand.uniform.contains(&reg) => File::Uniform,
            Class::W32 | Class::W64 => File::General,
        };
        Home { file, number: 0 }
    }

    pub(super) fn class(&self, reg: Reg) -> Class {
        if reg == SCRATCH { Class::W32 } else { self.kernel.class(reg) }
    }

    fn constant(&self, src: Src) -> Option<u32> {
        match src {
            Src::Imm(value) => Some(value as u32),
            Src::Reg(reg) => self.constants.get(&reg).copied(),
        }
    }

    fn refuse(&mut self, place: Place, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::new(Severity::Error, Blame::Unsupported, message);
        let diagnostic = diagnostic.code(codes::NO_COUNTERPART).help(help);
        self.refusals.push(Refusal { place, diagnostic });
    }

    fn refuse_warp(&mut self, group: &[Inst], decided: &[Option<Vec<Step>>]) {
        let missing = group.iter().zip(decided).find(|(_, steps)| steps.is_none());
        let Some((inst, _)) = missing else { return };
        let known = candidates(&inst.op);
        let names: Vec<&str> = known.iter().map(|candidate| candidate.name).collect();
        let message = match names.first() {
            Some(name) => {
                format!("{} has no form of {name} for this instruction", self.description.name())
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
        let dead = |reg: &Reg| !made.uses.contains(reg) && self.constants.contains_key(reg);
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

/// Registers that are written once, with a constant.
fn constants(kernel: &Kernel) -> HashMap<Reg, u32> {
    let mut writes: HashMap<Reg, usize> = HashMap::new();
    let mut constants = HashMap::new();
    for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                *writes.entry(reg).or_default() += 1;
            }
        });
        if let (Op::Unary { op: UnaryOp::Mov32, d, a: Src::Imm(value) }, None) =
            (&inst.op, inst.guard)
        {
            constants.insert(*d, *value as u32);
        }
    }
    constants.retain(|reg, _| writes.get(reg) == Some(&1));
    constants
}

/// The data register that a step writes.
fn result(step: &Step) -> Option<Reg> {
    let operands = &step.candidates.first()?.operands;
    operands.iter().find_map(|(_, wanted)| match wanted {
        Wanted::Result(reg) => *reg,
        Wanted::Value(_) | Wanted::Truth(_) | Wanted::Flag(_) => None,
    })
}

/// The ways to bring one constant operand of a step into a register first.
fn through_register(step: &Step) -> Vec<(Step, Step)> {
    let Some(first) = step.candidates.first() else { return Vec::new() };
    let is_constant = |wanted: &Wanted| matches!(wanted, Wanted::Value(Src::Imm(_)));
    let constants =
        first.operands.iter().enumerate().filter(|(_, (_, wanted))| is_constant(wanted));
    constants
        .filter_map(|(nth, (_, wanted))| {
            let Wanted::Value(a) = *wanted else { return None };
            let op = Op::Unary { op: UnaryOp::Mov32, d: SCRATCH, a };
            let copy = Step { candidates: candidates(&op), guard: None };
            let mut changed = step.clone();
            for candidate in &mut changed.candidates {
                candidate.operands[nth].1 = Wanted::Value(Src::Reg(SCRATCH));
            }
            Some((copy, changed))
        })
        .collect()
}
