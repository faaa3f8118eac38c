//! The heads of loops that lanes execute apart from others, where code is entered with them.

use super::Lower;
use super::apart::{Loop, Part};
use super::value::{Form, INT, Value};
use crate::context;
use crate::head::{Depends, Head, Station};
use crate::mir::{Base, Kind, Mem, O};
use iced_x86::Code;
use ir::analysis::Flow;
use ir::{Class, Kernel, Op, Reg, Space};
use regalloc2::{Block, VReg};
use std::collections::BTreeSet;

impl Lower<'_> {
    /// The loops of all parts whose heads are entered, each head once.
    pub(super) fn loops(&self) -> Vec<Loop> {
        let (parts, kernel) = (self.parts, self.input.kernel);
        let mut found: Vec<Loop> = Vec::new();
        let mut known = BTreeSet::new();
        for (part, all) in parts.all.iter().enumerate() {
            for nth in all.heads(kernel).into_iter().filter(|nth| !all.stops[*nth]) {
                if self.words_at(part, nth) <= context::MAX_GIVEN && known.insert(all.blocks[nth]) {
                    found.push(Loop { part, nth });
                }
            }
        }
        found
    }

    /// Words that code is given at a head.
    fn words_at(&self, part: usize, nth: usize) -> usize {
        let part = &self.parts.all[part];
        let given = self.given(&part.needed[nth]).into_iter().map(|reg| self.slices_of(reg));
        1 + part.waiting[nth].len() + given.sum::<usize>()
    }

    /// Of these registers, those that code is given, because it does not keep all lanes' values.
    fn given(&self, regs: &[Reg]) -> Vec<Reg> {
        let mut given = self.passed(regs);
        given.retain(|reg| match self.class(*reg) {
            Class::Pred => self.shape(*reg).is_uniform(),
            Class::W32 | Class::W64 => self.form(*reg) != Form::Vectors,
        });
        given
    }

    /// Emits the entry of a head: what is given is taken from there, all else from home rows.
    pub(super) fn emit_head(&mut self, entered: Loop, block: Block, flow: &Flow) -> Head {
        let Loop { part, nth } = entered;
        let (parts, nodes) = (self.parts, self.nodes);
        let whole = &parts.all[part];
        self.begin_anew(block);
        let mut next = 0;
        let lanes: Vec<(usize, VReg)> = [nth]
            .into_iter()
            .chain(whole.waiting[nth].iter().copied())
            .map(|position| (position, self.given_word(&mut next)))
            .collect();
        let given = self.given(&whole.needed[nth]);
        for reg in &given {
            let firsts: Vec<VReg> =
                (0..self.slices_of(*reg)).map(|_| self.given_word(&mut next)).collect();
            let value = match self.form(*reg) {
                Form::One => Value::scalar(firsts[0]),
                Form::Firsts | Form::Vectors => Value::firsts(firsts),
            };
            self.set(*reg, value);
        }
        let args = self.handed_to(part, nth, &lanes);
        self.func.end(Kind::Jump, vec![(self.checks[part][nth], args)]);
        let shaped = |reg: &Reg| (*reg, self.shape(*reg).clone());
        let homed = whole.needed[nth].iter().filter(|reg| self.homed[reg.0 as usize]);
        let number = |position: usize| parts.number(part, position);
        Head {
            place: nodes.place(nodes.first[whole.blocks[nth]], self.input.starts),
            number: number(nth),
            waiting: whole.waiting[nth]
                .iter()
                .map(|position| Station {
                    number: number(*position),
                    known: whole.known[*position],
                })
                .collect(),
            given: given.iter().map(shaped).collect(),
            homed: homed.map(shaped).collect(),
            offered: whole.offered.iter().copied().collect(),
            depends: depends(self.input.kernel, flow, whole.blocks[nth]),
        }
    }

    /// The next of the words that are given.
    fn given_word(&mut self, next: &mut usize) -> VReg {
        let word = self.func.value(INT);
        let at = Mem::new(Base::Context, context::GIVEN + 8 * *next as i32);
        self.func.x(Code::Mov_r64_rm64, &[O::D(word), O::M(at)]);
        *next += 1;
        word
    }
}

impl Part {
    /// Where lanes go back to.
    fn heads(&self, kernel: &Kernel) -> BTreeSet<usize> {
        let all = 0..self.blocks.len();
        all.flat_map(|from| self.successors(kernel, from).into_iter().filter(move |to| *to <= from))
            .collect()
    }
}

/// What the loops around a block see of others.
fn depends(kernel: &Kernel, flow: &Flow, head: usize) -> Depends {
    let behind = flow.forward.behind([head]);
    let before = flow.backward.behind([head]);
    let around = behind.intersection(&before);
    let insts = around.flat_map(|block| &kernel.blocks[block].insts);
    insts.map(|inst| sees(&inst.op)).max().unwrap_or(Depends::Never)
}

/// What an instruction sees of others.
fn sees(op: &Op) -> Depends {
    match op {
        Op::Store { .. }
        | Op::Atomic { d: None, .. }
        | Op::Load { space: Space::Param | Space::Local, .. } => Depends::Never,
        Op::Special { what, .. } if !what.is_clock() && !what.is_global_timer() => Depends::Never,
        Op::Load { .. } if !op.is_strong() => Depends::Plainly,
        _ if op.is_pure() => Depends::Never,
        // Fences, too: old programs have one where they wait for what is not volatile.
        _ => Depends::Waits,
    }
}
