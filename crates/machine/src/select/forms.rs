//! Which instructions of the machine do what an instruction of a kernel does, wherever its registers will live.

use super::fit::fit;
use super::meeting;
use super::registers::Home;
use super::step::{SCRATCH, Step};
use super::wanted::{self, Candidate, Wanted, candidates};
use crate::register::File;
use ir::{Class, Collective, Inst, Kernel, Op, Operand, Pred, Reg, Src, Terminator, UnaryOp};
use isa::Description;
use std::collections::{HashMap, HashSet};

/// Why an instruction cannot be made, and what to do.
pub(super) type Why = (String, &'static str);

/// What a machine has for the instructions of a kernel.
pub(super) struct Forms<'a> {
    pub(super) description: &'a Description,
    /// The class of every register of the kernel.
    pub(super) classes: Vec<Class>,
    /// Registers that hold one constant throughout.
    constants: HashMap<Reg, u32>,
    /// Whether lanes may part.
    pub(super) branches: bool,
    /// The blocks and positions of collectives that lanes may complete from different instructions.
    meeting: HashSet<(usize, usize)>,
    /// Registers that live in registers of the warp.
    pub(super) uniform: HashSet<Reg>,
}

/// Where an instruction stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) block: usize,
    pub(super) nth: usize,
    /// Whether lanes take part with fewer than execute an instruction together, since a `WARPSYNC.EXCLUSIVE`.
    pub(super) grouped: bool,
}

impl<'a> Forms<'a> {
    pub(super) fn new(description: &'a Description, kernel: &Kernel) -> Self {
        let branches =
            kernel.blocks.iter().any(|b| matches!(b.terminator, Terminator::Branch { .. }));
        let constants = constants(kernel);
        let meeting = match branches {
            true => meeting::elsewhere(kernel, &|src| constant(&constants, src)),
            false => HashSet::new(),
        };
        let classes = kernel.registers.clone();
        Forms { description, classes, constants, branches, meeting, uniform: HashSet::new() }
    }

    /// The instructions of the machine for an operation; `None` when there are none.
    ///
    /// # Errors
    /// A collective whose lanes cannot be brought together, or kept apart.
    pub(super) fn steps(&self, inst: &Inst, site: Site) -> Result<Option<Vec<Step>>, Why> {
        let mut steps = Vec::new();
        let mut apart = false;
        let members = wanted::members(&inst.op);
        if let Some(members) = members {
            let Rendezvous { steps: sync, apart: kept_apart } =
                self.rendezvous(inst, members, site)?;
            steps.extend(sync);
            apart = kept_apart;
            if matches!(&inst.op, Op::Collective { what, .. } if what.only_waits()) {
                return Ok(Some(steps));
            }
        } else if inst.op.is_collective() && site.grouped {
            steps.extend(self.ungrouped(inst)?);
        }
        let step = Step { candidates: candidates(&inst.op), guard: inst.guard };
        let Some(made) = self.way(&step) else { return Ok(None) };
        steps.extend(made);
        let lost = result(&step).is_some_and(|d| self.uniform.contains(&d));
        if lost && apart {
            let message = "lanes with different membermasks have different results, which go to one register of the \
                           warp";
            return Err((message.to_owned(), "write the membermask as a number"));
        }
        Ok(Some(steps))
    }

    /// The instructions for a step: with constants in it, as it is, or with one constant through a register.
    fn way(&self, step: &Step) -> Option<Vec<Step>> {
        let mut folded = step.clone();
        for candidate in &mut folded.candidates {
            candidate.fold(&|reg| self.constants.get(&reg).copied());
        }
        if let Some(step) = [&folded, step].into_iter().find(|step| self.fits(step)) {
            return Some(vec![step.clone()]);
        }
        let copied = through_register(step).into_iter().chain(through_register(&folded));
        let mut ways = copied.filter(|(copy, step)| self.fits(copy) && self.fits(step));
        ways.next().map(|(copy, step)| vec![copy, step])
    }

    /// What brings the lanes of a collective's membermask together, if they may not be.
    fn rendezvous(&self, inst: &Inst, members: Src, site: Site) -> Result<Rendezvous, Why> {
        let counts = wanted::counts_lanes(&inst.op);
        let constant = self.constant(members);
        let meets = self.meeting.contains(&(site.block, site.nth));
        let rendezvous = matches!(inst.op, Op::Collective { what: Collective::WarpSync, .. });
        // Lanes that execute it may be of other membermasks, or have to wait for some that are elsewhere.
        let apart = counts && constant.is_none();
        let partial = counts && constant.is_some_and(|mask| mask != u32::MAX);
        if (partial || meets)
            && !apart
            && let Some(steps) = self.sync(members, true, inst.guard)
        {
            return Ok(Rendezvous { steps, apart: false });
        }
        if !(self.branches || rendezvous || apart || site.grouped) {
            return Ok(Rendezvous { steps: Vec::new(), apart });
        }
        match self.sync(members, apart, inst.guard) {
            Some(steps) => Ok(Rendezvous { steps, apart }),
            None => Err(self.no_sync(members)),
        }
    }

    /// What lets all lanes that execute an instruction together take part in it again.
    fn ungrouped(&self, inst: &Inst) -> Result<Vec<Step>, Why> {
        if self.branches {
            // Lanes may be apart already: who is active, nobody promises.
            if matches!(inst.op, Op::ActiveMask { .. }) {
                return Ok(Vec::new());
            }
            let message = "lanes that a membermask in a register keeps apart execute this together";
            return Err((message.to_owned(), "use the form with `.sync`"));
        }
        let all = Src::Imm(u32::MAX.into());
        self.sync(all, false, None).ok_or_else(|| self.no_sync(all))
    }

    /// What brings the lanes of a membermask together; `None` when the description has nothing that does.
    fn sync(&self, members: Src, apart: bool, guard: Option<Pred>) -> Option<Vec<Step>> {
        let step = |mask| Step { candidates: wanted::warpsync(mask, apart), guard };
        let number = self.constant(members).map(|mask| Src::Imm(mask.into()));
        let mut ways = number.into_iter().chain([members]).map(step);
        if let Some(step) = ways.find(|step| self.fits(step)) {
            return Some(vec![step]);
        }
        let copied = through_register(&step(number.unwrap_or(members)));
        let fits = |(copy, step): &(Step, Step)| self.fits(copy) && self.fits(step);
        copied.into_iter().find(fits).map(|(copy, step)| vec![copy, step])
    }

    /// Why the lanes of a membermask cannot be brought together, and what to do.
    fn no_sync(&self, members: Src) -> Why {
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

    /// Whether the description has an instruction for a step, wherever the registers will live.
    pub(super) fn fits(&self, step: &Step) -> bool {
        let home = |reg: Reg| Some(self.anywhere(reg));
        fit(self.description, &step.candidates, step.guard, &home, 0).is_some()
    }

    /// Some register of the right file.
    fn anywhere(&self, reg: Reg) -> Home {
        let file = match self.class(reg) {
            Class::Pred => File::Predicate,
            Class::W32 | Class::W64 if self.uniform.contains(&reg) => File::Uniform,
            Class::W32 | Class::W64 => File::General,
        };
        Home { file, number: 0 }
    }

    pub(super) fn class(&self, reg: Reg) -> Class {
        self.classes.get(reg.0 as usize).copied().unwrap_or(Class::W32)
    }

    /// The value of an operand that has one value throughout.
    pub(super) fn constant(&self, src: Src) -> Option<u32> {
        constant(&self.constants, src)
    }

    /// Whether a register holds one constant throughout.
    pub(super) fn is_constant(&self, reg: Reg) -> bool {
        self.constants.contains_key(&reg)
    }
}

/// How the lanes of a collective come together.
struct Rendezvous {
    steps: Vec<Step>,
    /// Whether lanes with different membermasks execute it together.
    apart: bool,
}

fn constant(constants: &HashMap<Reg, u32>, src: Src) -> Option<u32> {
    match src {
        Src::Imm(value) => Some(value as u32),
        Src::Reg(reg) => constants.get(&reg).copied(),
    }
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
pub(super) fn result(step: &Step) -> Option<Reg> {
    written(step.candidates.first()?)
}

fn written(candidate: &Candidate) -> Option<Reg> {
    candidate.operands.iter().find_map(|(_, wanted)| match wanted {
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
                candidate.operands.get_mut(nth)?.1 = Wanted::Value(Src::Reg(SCRATCH));
            }
            Some((copy, changed))
        })
        .collect()
}
