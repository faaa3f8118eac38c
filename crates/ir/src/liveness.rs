//! Which registers' values are still needed where.

use crate::{Inst, Kernel, Operand, Pred, Reg, Terminator};

/// Bits of liveness sets that are worth their memory.
const MAX_BITS: usize = 1 << 30;

/// Per block, the registers whose values some path from its start reads before it writes them.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: Vec<BitSet>,
}

impl Liveness {
    /// Backward liveness over blocks; `None` for kernels whose sets would be too large.
    pub fn of(kernel: &Kernel) -> Option<Liveness> {
        let registers = kernel.registers.len();
        let count = kernel.blocks.len();
        if registers.saturating_mul(count) > MAX_BITS {
            return None;
        }
        let mut live_in = vec![BitSet::new(registers); count];
        let mut changed = true;
        while changed {
            changed = false;
            for (id, block) in kernel.blocks.iter().enumerate().rev() {
                let mut live = BitSet::new(registers);
                for to in block.terminator.successors() {
                    live.add_all(&live_in[to.0 as usize]);
                }
                if let Some(reg) = terminator_use(&block.terminator) {
                    live.insert(reg);
                }
                for inst in block.insts.iter().rev() {
                    step_back(inst, &mut live);
                }
                changed |= live_in[id].add_all(&live);
            }
        }
        Some(Liveness { live_in })
    }

    /// The registers whose values are needed before the `nth` instruction of a block, or its terminator.
    pub fn live_before(&self, kernel: &Kernel, block: usize, nth: usize) -> Vec<Reg> {
        let Some(code) = kernel.blocks.get(block) else { return Vec::new() };
        let mut live = BitSet::new(kernel.registers.len());
        for to in code.terminator.successors() {
            live.add_all(&self.live_in[to.0 as usize]);
        }
        if let Some(reg) = terminator_use(&code.terminator) {
            live.insert(reg);
        }
        for inst in code.insts.iter().skip(nth).rev() {
            step_back(inst, &mut live);
        }
        live.iter().map(|reg| Reg(reg as u32)).collect()
    }

    /// The registers whose values are needed at the start of a block.
    pub fn live_in(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        self.live_in.get(block).into_iter().flat_map(BitSet::iter)
    }
}

/// The register that a terminator reads.
pub fn terminator_use(terminator: &Terminator) -> Option<Reg> {
    match terminator {
        Terminator::Branch { p, .. } => p.reg(),
        Terminator::Jump(_) | Terminator::Exit | Terminator::Trap => None,
    }
}

fn step_back(inst: &Inst, live: &mut BitSet) {
    // A guarded write leaves the old value in some lanes.
    if inst.guard.is_none() {
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                live.remove(reg);
            }
        });
    }
    inst.op.operands(|operand| {
        if let Operand::Use(reg) = operand {
            live.insert(reg);
        }
    });
    if let Some(reg) = inst.guard.and_then(Pred::reg) {
        live.insert(reg);
    }
}

/// A set of registers.
#[derive(Clone, Debug)]
struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    fn new(count: usize) -> Self {
        BitSet { words: vec![0; count.div_ceil(64)] }
    }

    fn insert(&mut self, reg: Reg) {
        self.words[reg.0 as usize / 64] |= 1 << (reg.0 % 64);
    }

    fn remove(&mut self, reg: Reg) {
        self.words[reg.0 as usize / 64] &= !(1 << (reg.0 % 64));
    }

    /// Adds all of another set and says whether that changed anything.
    fn add_all(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            changed |= *more & !*word != 0;
            *word |= more;
        }
        changed
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at * 64 + bit)
        })
    }
}
