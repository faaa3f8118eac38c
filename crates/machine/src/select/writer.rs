//! A plan → text.

use super::fit::fit;
use super::plan::{Fate, Plan};
use super::refusal::{Refusal, unsupported};
use super::registers::{Demand, Home};
use super::step::{SCRATCH, Step};
use super::wanted;
use crate::register::File;
use ir::{Class, Operand, Place, Pred, Reg, Terminator};
use isa::Instruction;
use std::collections::HashMap;
use std::fmt::Write;

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

/// A plan while it becomes text.
pub(super) struct Writer<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) demand: &'a Demand,
    pub(super) homes: &'a HashMap<Reg, Home>,
    pub(super) scratch: u16,
    pub(super) source: &'a dyn Fn(Place) -> Option<String>,
}

/// A line of the assembly.
enum Line<'a> {
    Instruction(Instruction<'a>, Place),
    LeftOut(Place),
    /// What the machine does not have of the ways that control goes: a branch, the end.
    LeftOutControl(Place, String),
    /// A register or an address that does not fit into the fields of the instruction.
    Misfit(Place),
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
        fit(self.plan.forms.description, &step.candidates, step.guard, &home, address)
    }

    pub(super) fn write(&self) -> Result<Selected, Vec<Refusal>> {
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
        let mut refusals = Vec::new();
        let mut labelled = None;
        for (nth, start) in starts.iter().enumerate() {
            // Blocks without an instruction begin where the next one does.
            if nth > 0 && labelled.replace(*start) != Some(*start) {
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
                    Line::LeftOutControl(place, what) => {
                        if left_out.last() != Some(&place) {
                            left_out.push(place);
                        }
                        let _ = writeln!(body, "// left out: {what}");
                    }
                    Line::Misfit(place) => {
                        let machine = self.plan.forms.description.name();
                        let message = format!(
                            "{machine} has no form of this instruction with the registers or the address that it needs"
                        );
                        refusals.push(unsupported(place, message, "split the kernel"));
                    }
                }
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let inputs = self.interface(&self.demand.inputs, |fate| matches!(fate, Fate::LeftOut));
        let outputs = self.interface(&self.demand.outputs, |fate| matches!(fate, Fate::Made(_)));
        let text = format!("{}{body}", self.head(&inputs, &outputs));
        Ok(Selected { text, inputs, outputs, left_out })
    }

    fn instructions(&self, block: usize, address: u64, starts: &[u64]) -> u64 {
        let lines = self.lines(block, address, starts);
        lines.iter().filter(|line| matches!(line, Line::Instruction(..))).count() as u64
    }

    fn lines(&self, nth: usize, start: u64, starts: &[u64]) -> Vec<Line<'a>> {
        let block = &self.plan.kernel.blocks[nth];
        let mut lines = Vec::new();
        let mut address = start;
        let mut push = |lines: &mut Vec<Line<'a>>, step: &Step, place, otherwise: Line<'a>| {
            let instruction = self.fit(step, address);
            address += if instruction.is_some() { WORD_BYTES } else { 0 };
            lines.push(instruction.map_or(otherwise, |found| Line::Instruction(found, place)));
        };
        for (inst, fate) in block.insts.iter().zip(&self.plan.fates[nth]) {
            match fate {
                Fate::LeftOut => lines.push(Line::LeftOut(inst.place)),
                Fate::Made(steps) => {
                    for step in steps {
                        push(&mut lines, step, inst.place, Line::Misfit(inst.place));
                    }
                }
            }
        }
        let place = block.place;
        let mut go = |lines: &mut Vec<Line<'a>>, to: ir::BlockId, guard: Option<Pred>| {
            let target = starts[to.0 as usize];
            let step = Step { candidates: wanted::branch(target), guard };
            let what = format!("a branch to block_{target:x}");
            push(lines, &step, place, Line::LeftOutControl(place, what));
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
            Terminator::Exit | Terminator::Trap => {
                if matches!(block.terminator, Terminator::Trap) {
                    lines.push(Line::LeftOut(place));
                }
                // What stands behind a trap is not for these lanes, either.
                let step = Step { candidates: wanted::end(), guard: None };
                let what = "the end of the program".to_owned();
                push(&mut lines, &step, place, Line::LeftOutControl(place, what));
            }
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
        let file =
            self.plan.forms.description.name().rsplit(['/', '\\']).next().unwrap_or_default();
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
