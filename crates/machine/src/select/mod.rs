//! From a kernel to assembly of a described machine.
//!
//! Warp instructions become instructions of the machine, and so do the instructions around them as far as the
//! description has any. What it has none for is left out: a value that would come from there is in a register
//! when the assembly begins, and a value that would be needed there is in a register when it ends. The head
//! of the assembly says which.
//!
//! Instructions of the machine take the lanes that execute them together as participants. The lanes of a
//! membermask are brought together first (`WARPSYNC`) in a kernel with branches. Lanes that name different
//! membermasks may execute one instruction together, so a membermask must be a constant.

mod fit;
mod registers;
mod wanted;

use crate::codes;
use crate::register::{File, last_register};
use diag::{Class as Blame, Diagnostic, Severity};
use fit::fit;
use ir::{
    Class, Collective, Inst, Kernel, Op, Operand, Place, Pred, Reg, Src, Terminator, UnaryOp,
};
use isa::{Description, Instruction};
use registers::{Demand, Home, homes};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use wanted::{Candidate, Wanted, candidates};

/// Column at which the text of the source begins.
const COMMENT_COLUMN: usize = 40;
/// Bytes of a word.
const WORD_BYTES: u64 = 16;

/// Assembly made of a kernel.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The assembly.
    pub text: String,
    /// The registers that must hold values before it runs, as text such as `R4` or `R[2:3]`, and the
    /// instructions that would have computed these.
    pub inputs: Vec<(String, Option<Place>)>,
    /// The registers that hold results after it ran, and the instructions that computed them.
    pub outputs: Vec<(String, Option<Place>)>,
    /// The instructions that are left out, in order.
    pub left_out: Vec<Place>,
}

/// Something that cannot be turned into assembly.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The instruction.
    pub place: Place,
    /// Why, and what to do; it has no label yet.
    pub diagnostic: Diagnostic,
}

/// Turns a kernel into assembly. `source` gives the text of an instruction, for comments.
///
/// # Errors
/// Warp instructions that the description has no instruction for, and a kernel that needs more registers
/// than the machine has.
pub fn select(
    description: &Description,
    kernel: &Kernel,
    source: &dyn Fn(Place) -> Option<String>,
) -> Result<Selected, Vec<Refusal>> {
    let mut plan = Plan::new(description, kernel);
    plan.decide();
    if !plan.refusals.is_empty() {
        return Err(plan.refusals);
    }
    let limit = |file: File| last_register(description, file).map_or(0, |last| last + 1);
    // The last general register holds constants on their way.
    let usable = |file: File| limit(file) - u16::from(file == File::General && limit(file) > 0);
    // Results that nobody uses are kept for the reader as long as there is room.
    let generous = plan.demand.with_results();
    let found = homes(kernel, &generous, &usable);
    let found = match found {
        Ok(homes) => Ok((homes, generous)),
        Err(_) => homes(kernel, &plan.demand, &usable).map(|homes| (homes, plan.demand.clone())),
    };
    let (homes, demand) = found.map_err(|file| {
        let message =
            format!("the kernel needs more {} registers than the machine has", file.name());
        let diagnostic = Diagnostic::new(Severity::Error, Blame::Limit, message);
        let help = "split the kernel";
        let place = Place::default();
        vec![Refusal { place, diagnostic: diagnostic.code(codes::LIMIT).help(help) }]
    })?;
    let scratch = usable(File::General);
    Ok(Writer { plan: &plan, demand: &demand, homes: &homes, scratch, source }.write())
}

/// A stand-in for the register that holds a constant on its way.
const SCRATCH: Reg = Reg(u32::MAX);

/// What becomes of an instruction.
#[derive(Clone, Debug)]
enum Fate {
    /// Instructions of the machine, one after the other.
    Made(Vec<Step>),
    /// Nothing.
    LeftOut,
}

/// One instruction of the machine: what may do it, and its guard.
#[derive(Clone, Debug)]
struct Step {
    candidates: Vec<Candidate>,
    guard: Option<Pred>,
}

/// What becomes of a kernel's instructions.
struct Plan<'a> {
    description: &'a Description,
    kernel: &'a Kernel,
    /// Registers that hold one constant throughout.
    constants: HashMap<Reg, u32>,
    /// Whether lanes may part.
    branches: bool,
    fates: Vec<Vec<Fate>>,
    demand: Demand,
    refusals: Vec<Refusal>,
}

impl<'a> Plan<'a> {
    fn new(description: &'a Description, kernel: &'a Kernel) -> Self {
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

    fn decide(&mut self) {
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
        if let Some(members) = wanted::members(&inst.op) {
            let Some(mask) = self.constant(members) else {
                self.refuse(
                    inst.place,
                    "the membermask is not a constant",
                    "lanes with different membermasks would take part together; write the mask as a number",
                );
                return Some(steps);
            };
            let rendezvous = matches!(inst.op, Op::Collective { what: Collective::WarpSync, .. });
            if self.branches || rendezvous {
                let sync = Step { candidates: wanted::warpsync(mask), guard: inst.guard };
                if self.fits(&sync) {
                    steps.push(sync);
                } else {
                    self.refuse(
                        inst.place,
                        "the machine has no instruction that brings the lanes of a mask together",
                        "describe WARPSYNC",
                    );
                }
            }
            if rendezvous {
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

    fn class(&self, reg: Reg) -> Class {
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
    fn instructions(&self) -> impl Iterator<Item = (&'a Inst, &Fate)> {
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

/// A plan while it becomes text.
struct Writer<'a> {
    plan: &'a Plan<'a>,
    demand: &'a Demand,
    homes: &'a HashMap<Reg, Home>,
    scratch: u16,
    source: &'a dyn Fn(Place) -> Option<String>,
}

/// A line of the assembly.
enum Line<'a> {
    Instruction(Instruction<'a>, Place),
    LeftOut(Place),
    /// A line for the reader.
    Remark(String),
}

impl<'a> Writer<'a> {
    fn home(&self, reg: Reg) -> Option<Home> {
        if reg == SCRATCH {
            return Some(Home { file: File::General, number: self.scratch });
        }
        self.homes.get(&reg).copied()
    }

    fn fit(&self, step: &Step, address: u64) -> Option<Instruction<'a>> {
        let home = |reg: Reg| self.home(reg);
        fit(self.plan.description, &step.candidates, step.guard, &home, address)
    }

    fn write(&self) -> Selected {
        // Addresses of blocks do not depend on themselves: a branch has one word, wherever it goes.
        let count = self.plan.kernel.blocks.len();
        let mut starts = vec![0; count];
        let mut address = 0;
        for (nth, start) in starts.iter_mut().enumerate() {
            *start = address;
            address += self.instructions(nth, address, &vec![0; count]) * WORD_BYTES;
        }
        let mut body = String::new();
        let mut left_out = Vec::new();
        for (nth, start) in starts.iter().enumerate() {
            if nth > 0 {
                let _ = writeln!(body, "block_{start:x}:");
            }
            let mut address = *start;
            for line in self.lines(nth, address, &starts) {
                match line {
                    Line::Instruction(instruction, place) => {
                        let text = instruction.text(address).unwrap_or_default();
                        let source = (self.source)(place).map(|text| format!("// {text}"));
                        let line = format!(
                            "{:<COMMENT_COLUMN$} {}",
                            format!("{text} ;"),
                            source.unwrap_or_default()
                        );
                        let _ = writeln!(body, "{}", line.trim_end());
                        address += WORD_BYTES;
                    }
                    Line::LeftOut(place) => {
                        if left_out.last() != Some(&place) {
                            left_out.push(place);
                            let text = (self.source)(place).unwrap_or_default();
                            let _ = writeln!(body, "// left out: {text}");
                        }
                    }
                    Line::Remark(text) => {
                        let _ = writeln!(body, "// {text}");
                    }
                }
            }
        }
        let inputs = self.interface(&self.demand.inputs, |fate| matches!(fate, Fate::LeftOut));
        let outputs = self.interface(&self.demand.outputs, |fate| matches!(fate, Fate::Made(_)));
        let text = format!("{}{body}", self.head(&inputs, &outputs));
        Selected { text, inputs, outputs, left_out }
    }

    fn instructions(&self, block: usize, address: u64, starts: &[u64]) -> u64 {
        let lines = self.lines(block, address, starts);
        lines.iter().filter(|line| matches!(line, Line::Instruction(..))).count() as u64
    }

    fn lines(&self, nth: usize, start: u64, starts: &[u64]) -> Vec<Line<'a>> {
        let block = &self.plan.kernel.blocks[nth];
        let mut lines = Vec::new();
        let mut address = start;
        let mut push = |lines: &mut Vec<Line<'a>>, step: &Step, place, otherwise: &str| match self
            .fit(step, address)
        {
            Some(instruction) => {
                lines.push(Line::Instruction(instruction, place));
                address += WORD_BYTES;
            }
            None => lines.push(Line::Remark(otherwise.to_owned())),
        };
        for (inst, fate) in block.insts.iter().zip(&self.plan.fates[nth]) {
            match fate {
                Fate::LeftOut => lines.push(Line::LeftOut(inst.place)),
                Fate::Made(steps) => {
                    for step in steps {
                        push(&mut lines, step, inst.place, "this instruction does not fit");
                    }
                }
            }
        }
        let place = block.place;
        let mut go = |lines: &mut Vec<Line<'a>>, to: ir::BlockId, guard: Option<Pred>| {
            let target = starts[to.0 as usize];
            let step = Step { candidates: wanted::branch(target), guard };
            push(lines, &step, place, &format!("left out: a branch to block_{target:x}"));
        };
        let next = |to: ir::BlockId| to.0 as usize == nth + 1;
        match block.terminator {
            Terminator::Jump(to) if next(to) => {}
            Terminator::Jump(to) => go(&mut lines, to, None),
            Terminator::Branch { p, then, otherwise } => {
                if next(then) {
                    go(&mut lines, otherwise, Some(p.negated()));
                } else {
                    go(&mut lines, then, Some(p));
                    if !next(otherwise) {
                        go(&mut lines, otherwise, None);
                    }
                }
            }
            Terminator::Exit => {
                let step = Step { candidates: wanted::end(), guard: None };
                push(&mut lines, &step, place, "left out: the end of the program");
            }
            Terminator::Trap => lines.push(Line::LeftOut(place)),
        }
        lines
    }

    /// Registers with the instructions of a fate that define them.
    fn interface(
        &self,
        registers: &[Reg],
        fate: impl Fn(&Fate) -> bool,
    ) -> Vec<(String, Option<Place>)> {
        let place = |reg: Reg| {
            self.plan.instructions().filter(|(_, found)| fate(found)).find_map(|(inst, _)| {
                let mut defines = false;
                inst.op.operands(|operand| defines |= operand == Operand::Def(reg));
                defines.then_some(inst.place)
            })
        };
        let named = registers.iter().filter_map(|reg| Some((self.text(*reg)?, place(*reg))));
        named.collect()
    }

    /// A register as the state and the assembly name it.
    fn text(&self, reg: Reg) -> Option<String> {
        let Home { file, number } = self.home(reg)?;
        Some(match self.plan.class(reg) {
            Class::W64 => format!("{}[{number}:{}]", file.prefix(), number + 1),
            Class::W32 | Class::Pred => format!("{}{number}", file.prefix()),
        })
    }

    fn head(
        &self,
        inputs: &[(String, Option<Place>)],
        outputs: &[(String, Option<Place>)],
    ) -> String {
        let file = self.plan.description.name().rsplit(['/', '\\']).next().unwrap_or_default();
        let mut out = format!("// {} for the machine of {file}\n", self.plan.kernel.name);
        for (heading, registers) in [("before", inputs), ("after", outputs)] {
            for (register, place) in registers {
                let text = place.and_then(|place| (self.source)(place)).unwrap_or_default();
                let line = format!("//   {heading:<6} {register:<8} {text}");
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        out
    }
}
