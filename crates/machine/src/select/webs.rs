//! One register for each value of a kernel that is on its own: PTX registers are used again for values that
//! have nothing to do with each other, which may have to go to different files of the machine.
//!
//! A *web* is a set of writes of one register that reach a common read, with all their reads.

use ir::analysis::Liveness;
use ir::{Kernel, Operand, Reg, Terminator};
use petgraph::unionfind::UnionFind;
use std::collections::HashMap;

/// Values at the starts of blocks that are worth their memory.
const MOST_VALUES: usize = 1 << 24;

/// The kernel with a register for each web. The first web of a register keeps its number. Kernels that are too large
/// stay as they are.
pub(super) fn split(kernel: &Kernel) -> Kernel {
    let mut split = kernel.clone();
    let Some(liveness) = Liveness::of(kernel) else { return split };
    let mut values = Values { webs: UnionFind::new_empty(), registers: Vec::new() };
    // The value that a register has at the start of a block.
    let mut at_start: Vec<HashMap<Reg, u32>> = Vec::with_capacity(kernel.blocks.len());
    for block in 0..kernel.blocks.len() {
        let live = liveness.live_in(block);
        at_start.push(live.map(|reg| (reg, values.add(reg))).collect());
        if values.registers.len() > MOST_VALUES {
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
struct Values {
    webs: UnionFind<u32>,
    /// The register of each value.
    registers: Vec<Reg>,
}

impl Values {
    fn add(&mut self, reg: Reg) -> u32 {
        self.registers.push(reg);
        self.webs.new_set()
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

    /// A value that stands for its web. All of them are of one register.
    fn web(&mut self, value: u32) -> u32 {
        self.webs.find_mut(value)
    }

    fn join(&mut self, a: u32, b: u32) {
        self.webs.union(a, b);
    }
}
