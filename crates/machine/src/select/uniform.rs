//! Results that instructions write to a register of the warp. Where such a value is needed in a register of the
//! lanes, a copy brings it there.

use super::forms::{Forms, Site, result};
use super::refusal::{Refusal, unsupported};
use super::step::Step;
use super::wanted::candidates;
use ir::{Inst, Kernel, Op, Operand, Reg, Src, UnaryOp};
use std::collections::{HashMap, HashSet};

/// Decides which registers of the kernel live in registers of the warp, and inserts copies.
pub(super) fn place(forms: &mut Forms<'_>, kernel: &mut Kernel) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let written = written(forms, kernel);
    if written.is_empty() {
        return refusals;
    }
    let wanted: HashSet<Reg> = written.iter().map(|(_, _, d)| *d).collect();
    let uses = uses(kernel, &wanted);
    // Instructions behind which a copy goes: block, position, the register that it writes.
    let mut copied = Vec::new();
    for (block, nth, d) in written {
        let inst = &kernel.blocks[block].insts[nth];
        let uses = &uses[&d];
        // Instructions that take the value from a register of the lanes only.
        let needy: Vec<&Inst> = uses
            .readers
            .iter()
            .filter(|(block, nth)| !takes(forms, kernel, (*block, *nth), d))
            .map(|(block, nth)| &kernel.blocks[*block].insts[*nth])
            .collect();
        if uses.writes == 1 && needy.is_empty() {
            forms.uniform.insert(d);
            continue;
        }
        if copies(forms, inst, d) {
            copied.push((block, nth, d));
            continue;
        }
        let machine = forms.description.name().to_owned();
        let name = candidates(&inst.op).first().map_or("", |candidate| candidate.name);
        if uses.writes > 1 {
            let message = format!(
                "{machine} has {name} that writes a register of the warp, and no MOV from there to the register that \
                 holds other values, too"
            );
            refusals.push(unsupported(inst.place, message, HELP));
            continue;
        }
        forms.uniform.insert(d);
        // What is no warp instruction is left out, and finds the value in the register of the warp.
        for reader in needy.into_iter().filter(|reader| reader.op.is_collective()) {
            let message = format!(
                "{machine} has {name}, which computes an operand of this instruction, with a register of the warp as \
                 its result, and no MOV from there to a register of the lanes"
            );
            refusals.push(unsupported(reader.place, message, HELP));
        }
    }
    insert(forms, kernel, &copied);
    refusals
}

const HELP: &str = "describe a MOV with a uniform register as its source, or take another machine";

/// The instructions whose result can go to a register of the warp only: block, position, the register of the kernel.
fn written(forms: &mut Forms<'_>, kernel: &Kernel) -> Vec<(usize, usize, Reg)> {
    let mut found = Vec::new();
    for (block, code) in kernel.blocks.iter().enumerate() {
        for (nth, inst) in code.insts.iter().enumerate() {
            let Some(d) = result_of(inst) else { continue };
            let site = Site { block, nth, grouped: false };
            if matches!(forms.steps(inst, site), Ok(None)) {
                let fits = with(forms, &[d], |forms| !matches!(forms.steps(inst, site), Ok(None)));
                found.extend(fits.then_some((block, nth, d)));
            }
        }
    }
    found
}

/// Who reads and writes a register.
#[derive(Default)]
struct Uses {
    writes: usize,
    readers: Vec<(usize, usize)>,
}

fn uses(kernel: &Kernel, wanted: &HashSet<Reg>) -> HashMap<Reg, Uses> {
    let mut uses: HashMap<Reg, Uses> = HashMap::new();
    for (block, code) in kernel.blocks.iter().enumerate() {
        for (nth, inst) in code.insts.iter().enumerate() {
            inst.op.operands(|operand| match operand {
                Operand::Use(reg) if wanted.contains(&reg) => {
                    uses.entry(reg).or_default().readers.push((block, nth));
                }
                Operand::Def(reg) if wanted.contains(&reg) => {
                    uses.entry(reg).or_default().writes += 1;
                }
                Operand::Use(_) | Operand::Def(_) => {}
            });
        }
    }
    uses
}

/// Whether an instruction takes a value from a register of the warp, or is left out wherever the value is.
fn takes(forms: &mut Forms<'_>, kernel: &Kernel, (block, nth): (usize, usize), d: Reg) -> bool {
    let inst = &kernel.blocks[block].insts[nth];
    let site = Site { block, nth, grouped: false };
    let own = result_of(inst);
    let mut made = |uniform: &[Reg]| {
        let also: Vec<Reg> = uniform.iter().copied().chain(own.filter(|own| *own != d)).collect();
        let mut fits = |uniform: &[Reg]| {
            with(forms, uniform, |forms| matches!(forms.steps(inst, site), Ok(Some(_))))
        };
        fits(uniform) || fits(&also)
    };
    made(&[d]) || !made(&[])
}

/// Whether the machine copies registers of the warp to those of the lanes.
fn copies(forms: &mut Forms<'_>, inst: &Inst, d: Reg) -> bool {
    // Stands for the register of the warp: any register that is none of the lanes'.
    let from = Reg(forms.classes.len() as u32);
    let step = Step { candidates: candidates(&copy(d, from)), guard: inst.guard };
    with(forms, &[from], |forms| forms.fits(&step))
}

fn copy(d: Reg, from: Reg) -> Op {
    Op::Unary { op: UnaryOp::Mov32, d, a: Src::Reg(from) }
}

/// Asks something as if these registers, too, lived in registers of the warp.
fn with<T>(forms: &mut Forms<'_>, uniform: &[Reg], ask: impl FnOnce(&Forms<'_>) -> T) -> T {
    let new: Vec<Reg> = uniform.iter().copied().filter(|reg| forms.uniform.insert(*reg)).collect();
    let answer = ask(forms);
    for reg in new {
        forms.uniform.remove(&reg);
    }
    answer
}

/// Lets instructions write a register of the warp each, and copies that behind them.
fn insert(forms: &mut Forms<'_>, kernel: &mut Kernel, copied: &[(usize, usize, Reg)]) {
    // From the last to the first, so that positions stay true.
    for (block, nth, d) in copied.iter().rev() {
        let from = Reg(kernel.registers.len() as u32);
        kernel.registers.push(ir::Class::W32);
        forms.uniform.insert(from);
        let insts = &mut kernel.blocks[*block].insts;
        let Some(inst) = insts.get_mut(*nth) else { continue };
        inst.op.rename(|operand| match operand {
            Operand::Def(reg) if reg == *d => from,
            Operand::Use(reg) | Operand::Def(reg) => reg,
        });
        let copy = Inst { guard: inst.guard, op: copy(*d, from), place: inst.place };
        insts.insert(nth + 1, copy);
    }
    forms.classes.clone_from(&kernel.registers);
}

/// The data register that an instruction writes, if a machine may have it.
fn result_of(inst: &Inst) -> Option<Reg> {
    result(&Step { candidates: candidates(&inst.op), guard: None })
}
