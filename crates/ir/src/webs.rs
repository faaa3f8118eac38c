//! One register for each value that is on its own: registers are used again for values that have nothing to do with each
//! other.
//!
//! A *web* is a set of writes of one register that reach a common read, with all their reads.

use crate::analysis::{Liveness, definitions};
use crate::{Interrupt, Kernel, Operand, Reg, Terminator};
use foldhash::{HashMap, HashMapExt};
use petgraph::unionfind::UnionFind;

/// Values at the starts of blocks that are worth their time.
const MOST_VALUES: usize = 1 << 20;

/// Gives each web a register. The first web of a register keeps its number; the registers that `keeps` names stay as they are, and
/// so do kernels that are too large. `None` if it was interrupted: then the kernel means nothing any more.
pub fn split_webs(
    kernel: &mut Kernel,
    keeps: impl Fn(Reg) -> bool,
    interrupt: &Interrupt<'_>,
) -> Option<()> {
    let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    let written = definitions(kernel.registers.len(), insts, interrupt)?;
    let splits: Vec<bool> =
        (0..).map(Reg).zip(&written).map(|(reg, count)| *count > 1 && !keeps(reg)).collect();
    if !splits.contains(&true) {
        return Some(());
    }
    let Some(live) = Liveness::of_some(kernel, |reg| splits[reg.0 as usize], interrupt) else {
        return (!interrupt.heard()).then_some(());
    };
    let mut values = Values { splits, of: Vec::new(), webs: UnionFind::new_empty() };
    // The value that a register has at the start of a block.
    let mut at_start: Vec<HashMap<Reg, u32>> = Vec::with_capacity(kernel.blocks.len());
    for block in 0..kernel.blocks.len() {
        interrupt.go_on(1)?;
        at_start.push(live.live_in(block).map(|reg| (reg, values.add(reg))).collect());
        if values.of.len() > MOST_VALUES {
            return Some(());
        }
    }
    find(kernel, &mut values, &at_start, interrupt)?;
    number(kernel, &mut values, interrupt)
}

/// Finds the webs. Operands become the numbers of values, counted behind those of registers.
fn find(
    kernel: &mut Kernel,
    values: &mut Values,
    at_start: &[HashMap<Reg, u32>],
    interrupt: &Interrupt<'_>,
) -> Option<()> {
    for (block, start) in kernel.blocks.iter_mut().zip(at_start) {
        let mut now = start.clone();
        for inst in &mut block.insts {
            interrupt.go_on(1)?;
            let partial = inst.guard.is_some();
            if let Some(guard) = &mut inst.guard {
                *guard = guard.renamed(|reg| values.read(&mut now, reg));
            }
            inst.op.rename(|operand| match operand {
                Operand::Use(reg) => values.read(&mut now, reg),
                Operand::Def(reg) => values.write(&mut now, reg, partial),
            });
        }
        if let Terminator::Branch { p, .. } = &mut block.terminator {
            *p = p.renamed(|reg| values.read(&mut now, reg));
        }
        for to in block.terminator.successors() {
            for (reg, there) in &at_start[to.0 as usize] {
                if let Some(here) = now.get(reg) {
                    values.join(*here, *there);
                }
            }
        }
    }
    Some(())
}

/// Gives the webs their registers.
fn number(kernel: &mut Kernel, values: &mut Values, interrupt: &Interrupt<'_>) -> Option<()> {
    let first = values.splits.len() as u32;
    let registers = &mut kernel.registers;
    let mut taken = vec![false; registers.len()];
    let mut webs: HashMap<u32, Reg> = HashMap::new();
    let mut register = |operand: Reg| {
        let Some(value) = operand.0.checked_sub(first) else { return operand };
        let web = values.web(value);
        let of = values.of[web as usize];
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
            interrupt.go_on(1)?;
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
    Some(())
}

/// Values of registers, joined to webs.
struct Values {
    /// Per register, whether its webs become registers.
    splits: Vec<bool>,
    /// The register of each value.
    of: Vec<Reg>,
    webs: UnionFind<u32>,
}

impl Values {
    fn add(&mut self, reg: Reg) -> u32 {
        self.of.push(reg);
        self.webs.new_set()
    }

    /// What stands for a value in operands.
    fn operand(&self, value: u32) -> Reg {
        Reg(self.splits.len() as u32 + value)
    }

    fn read(&mut self, now: &mut HashMap<Reg, u32>, reg: Reg) -> Reg {
        if !self.splits[reg.0 as usize] {
            return reg;
        }
        let value = *now.entry(reg).or_insert_with(|| self.add(reg));
        self.operand(value)
    }

    /// A write. One under a guard leaves the old value in some lanes.
    fn write(&mut self, now: &mut HashMap<Reg, u32>, reg: Reg, partial: bool) -> Reg {
        if !self.splits[reg.0 as usize] {
            return reg;
        }
        let value = self.add(reg);
        if let Some(old) = now.insert(reg, value).filter(|_| partial) {
            self.join(old, value);
        }
        self.operand(value)
    }

    /// The value that stands for the web of one. All of a web are of one register.
    fn web(&mut self, value: u32) -> u32 {
        self.webs.find_mut(value)
    }

    fn join(&mut self, a: u32, b: u32) {
        self.webs.union(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, keeps: impl Fn(Reg) -> bool) -> String {
        let mut kernel = crate::text::parse(text).expect("a kernel");
        split_webs(&mut kernel, keeps, &Interrupt::never()).expect("nobody interrupts");
        let problems = crate::verify(&kernel);
        assert!(problems.is_ok(), "{problems:?}");
        kernel.to_string()
    }

    /// The lines of a kernel's blocks, split, with all lines but registers as given.
    fn lines(registers: &str, blocks: &str, keeps: impl Fn(Reg) -> bool) -> Vec<String> {
        let text = format!("kernel \"k\" independent\nregisters {registers}\n{blocks}");
        let lines = split(&text, keeps);
        let blocks = lines.lines().skip_while(|line| !line.starts_with("block"));
        blocks.map(|line| line.trim().to_owned()).collect()
    }

    const USED_AGAIN: &str = "block0:
        v0 = special.laneid
        v1 = AddI32 v0, 0x1
        v0 = AddI32 v1, v1
        v0 = AddI32 v0, v1
        nanosleep v0
        exit";

    #[test]
    fn each_value_has_a_register() {
        let expected = [
            "block0:",
            "v0 = special.laneid",
            "v1 = AddI32 v0, 0x1",
            "v2 = AddI32 v1, v1",
            "v3 = AddI32 v2, v1",
            "nanosleep v3",
            "exit",
        ];
        assert_eq!(lines("v0-v1 w32", USED_AGAIN, |_| false), expected);
    }

    #[test]
    fn what_is_to_be_kept_is() {
        let kept = lines("v0-v1 w32", USED_AGAIN, |reg| reg == Reg(0));
        let given: Vec<_> = USED_AGAIN.lines().map(str::trim).collect();
        assert_eq!(kept, given);
    }

    /// A guarded write leaves the old value in some lanes, and a read before all writes sees zero.
    #[test]
    fn writes_that_reach_one_read_are_one_value() {
        let blocks = "block0:
        v0 = AddI32 v0, 0x1
        @v1 v0 = special.laneid
        nanosleep v0
        v0 = Mov32 0x7
        nanosleep v0
        exit";
        let expected = [
            "block0:",
            "v2 = AddI32 v0, 0x1",
            "@v1 v2 = special.laneid",
            "nanosleep v2",
            "v3 = Mov32 0x7",
            "nanosleep v3",
            "exit",
        ];
        assert_eq!(lines("v0 w32, v1 pred", blocks, |_| false), expected);
    }

    /// The counter of a loop is one value round after round; what is behind it is another.
    #[test]
    fn values_go_round_loops() {
        let blocks = "block0:
        v0 = Mov32 0x0
        v1 = Mov32 0x5
        jump block1
        block1:
        v2 = AddI32 v0, v1
        v0 = AddI32 v0, 0x1
        v3 = LtU32 v0, v1
        branch v3, block1, block2
        block2:
        v0 = AddI32 v2, 0x0
        v3 = LtU32 v0, v1
        @v3 nanosleep v0
        exit";
        let expected = [
            "block0:",
            "v0 = Mov32 0x0",
            "v1 = Mov32 0x5",
            "jump block1",
            "block1:",
            "v2 = AddI32 v0, v1",
            "v0 = AddI32 v0, 0x1",
            "v3 = LtU32 v0, v1",
            "branch v3, block1, block2",
            "block2:",
            "v4 = AddI32 v2, 0x0",
            "v5 = LtU32 v4, v1",
            "@v5 nanosleep v4",
            "exit",
        ];
        assert_eq!(lines("v0-v2 w32, v3 pred", blocks, |_| false), expected);
    }

    #[test]
    fn long_kernels_are_split_and_can_be_interrupted() {
        let mut b = crate::Builder::new("k", crate::WarpRules::Independent);
        let reg = b.reg(crate::Class::W32);
        (0..100_000).for_each(|nth| b.copy_to(reg, crate::Src::Imm(nth)));
        let mut kernel = b.finish();
        let asked = || true;
        let interrupt = Interrupt::new(&asked);
        assert_eq!(split_webs(&mut kernel.clone(), |_| false, &interrupt), None);
        assert_eq!(split_webs(&mut kernel, |_| false, &Interrupt::never()), Some(()));
        assert_eq!(kernel.registers.len(), 100_000);
    }
}
