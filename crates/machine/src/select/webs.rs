//! One register for each value of a kernel that is on its own: PTX registers are used again for values that
//! have nothing to do with each other, which may have to go to different files of the machine.
//!
//! A *web* is a set of writes of one register that reach a common read, with all their reads.

use ir::{Kernel, Liveness, Operand, Reg, Terminator};
use std::collections::HashMap;

/// Values at the starts of blocks that are worth their memory.
const MOST_VALUES: usize = 1 << 24;

/// The kernel with a register for each web. The first web of a register keeps its number. Kernels that are too large
/// stay as they are.
pub(super) fn split(kernel: &Kernel) -> Kernel {
    let mut split = kernel.clone();
    let Some(liveness) = Liveness::of(kernel) else { return split };
    let mut values = Values::default();
    // The value that a register has at the start of a block.
    let mut at_start: Vec<HashMap<Reg, u32>> = Vec::with_capacity(kernel.blocks.len());
    for block in 0..kernel.blocks.len() {
        let live = liveness.live_in(block);
        at_start.push(live.map(|reg| (reg, values.add(reg))).collect());
        if values.parents.len() > MOST_VALUES {
            return split;
        }
    }
    for (nth, block) in split.blocks.iter_mut().enumerate() {
        let mut now = at_start[nth].clone();
        for inst in &mut block.insts {
            let partial = inst.guard.is_some();
            if let Some(guard) = &mut inst.guard {
                *guard = guard.renamed(|reg| Reg(values.read(&mut now, reg)));
            }
            inst.op.rename(|operand| {
                Reg(match operand {
                    Operand::Use(reg) => values.read(&mut now, reg),
                    Operand::Def(reg) => values.write(&mut now, reg, partial),
                })
            });
        }
        if let Terminator::Branch { p, .. } = &mut block.terminator {
            *p = p.renamed(|reg| Reg(values.read(&mut now, reg)));
        }
        for to in block.terminator.successors() {
            for (reg, there) in &at_start[to.0 as usize] {
                if let Some(here) = now.get(reg) {
                    values.join(*here, *there);
                }
            }
        }
    }
    number(&mut split, &mut values);
    split
}

/// Gives the webs their registers; until then operands hold the numbers of values.
fn number(kernel: &mut Kernel, values: &mut Values) {
    let mut registers = kernel.registers.clone();
    let mut taken = vec![false; registers.len()];
    let mut webs: HashMap<u32, Reg> = HashMap::new();
    let mut register = |value: Reg| {
        let web = values.web(value.0);
        let of = values.registers[web as usize];
        *webs.entry(web).or_insert_with(|| {
            if std::mem::replace(&mut taken[of.0 as usize], true) {
                registers.push(registers[of.0 as usize]);
                Reg(registers.len() as u32 - 1)
            } else {
                of
            }
        })
    };
    for block in &mut kernel.blocks {
        for inst in &mut block.insts {
            if let Some(guard) = &mut inst.guard {
                *guard = guard.renamed(&mut register);
            }
            inst.op.rename(|operand| {
                let (Operand::Use(value) | Operand::Def(value)) = operand;
                register(value)
            });
        }
        if let Terminator::Branch { p, .. } = &mut block.terminator {
            *p = p.renamed(&mut register);
        }
    }
    kernel.registers = registers;
}

/// Values of registers, joined to webs.
#[derive(Default)]
struct Values {
    /// A value of the same web, nearer to the one that stands for the web; of that one, itself.
    parents: Vec<u32>,
    /// The register of each value.
    registers: Vec<Reg>,
}

impl Values {
    fn add(&mut self, reg: Reg) -> u32 {
        let value = self.parents.len() as u32;
        self.parents.push(value);
        self.registers.push(reg);
        value
    }

    fn read(&mut self, now: &mut HashMap<Reg, u32>, reg: Reg) -> u32 {
        *now.entry(reg).or_insert_with(|| self.add(reg))
    }

    /// A write. One under a guard leaves the old value in some lanes.
    fn write(&mut self, now: &mut HashMap<Reg, u32>, reg: Reg, partial: bool) -> u32 {
        let value = self.add(reg);
        if let Some(old) = now.insert(reg, value).filter(|_| partial) {
            self.join(old, value);
        }
        value
    }

    fn web(&mut self, mut value: u32) -> u32 {
        while self.parents[value as usize] != value {
            let parent = self.parents[value as usize];
            self.parents[value as usize] = self.parents[parent as usize];
            value = parent;
        }
        value
    }

    /// The lower one stands for both, so that numbers do not depend on the order of joins.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.web(a), self.web(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
