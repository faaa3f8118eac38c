//! Undefined bits of the registers of a CTA.
//!
//! Per register and warp, one word says in which lanes any bit is undefined. Nearly always it is zero for all
//! operands of an instruction, and nothing else is looked at. The bits themselves, and where they come from,
//! count in the lanes of that word only.

use super::origin::Origin;
use super::transfer::full;
use crate::anew::Anew;
use crate::reg_set::{RegSet, Regs};
use ir::analysis::Extents;
use ir::{Class, Interrupt, Kernel, Reg, Src};
use lanes::WARP;

/// The shadow of a CTA's registers.
#[derive(Debug)]
pub(crate) struct Registers {
    warps: usize,
    /// The registers that are defined in all threads, whatever the words below say.
    whole: RegSet,
    /// Per register and warp, the lanes in which a bit is undefined.
    undefined: Vec<u32>,
    /// Per register and warp, the undefined lanes that nothing has written; their bits do not count.
    unwritten: Anew<Vec<u32>>,
    /// Per register, warp and lane, the undefined bits.
    bits: Vec<u64>,
    /// Where they come from, as numbers.
    origins: Vec<u64>,
    classes: Vec<Class>,
    /// The registers that may be read in a lane that has not written them; `None` if that is not known. What the others hold when a
    /// CTA begins does not count.
    read_first: Option<Vec<Reg>>,
}

/// The registers that some path reads before it writes them, and those in which lanes read what others hold.
fn read_first(kernel: &Kernel) -> Option<Vec<Reg>> {
    let Extents { mut at_entry, .. } = Extents::of(kernel, &Interrupt::never())?;
    let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    at_entry.extend(insts.filter_map(|inst| match inst.op.offered()? {
        Src::Reg(reg) => Some(reg),
        Src::Imm(_) => None,
    }));
    at_entry.sort_unstable();
    at_entry.dedup();
    Some(at_entry)
}

impl Registers {
    /// The registers of a CTA that begins: nothing is written.
    pub(crate) fn new(kernel: &Kernel, warps: usize) -> Registers {
        let rows = kernel.registers.len() * warps;
        Registers {
            warps,
            whole: RegSet::new(kernel.registers.len()),
            undefined: vec![u32::MAX; rows],
            unwritten: Anew::new(vec![u32::MAX; rows]),
            bits: vec![0; rows * WARP],
            origins: vec![0; rows * WARP],
            classes: kernel.registers.clone(),
            read_first: read_first(kernel),
        }
    }

    /// The same, for the next CTA of the same size.
    pub(crate) fn restart(&mut self) {
        self.whole.clear();
        let Some(read_first) = &self.read_first else {
            self.undefined.fill(u32::MAX);
            return self.unwritten.restart(|unwritten| unwritten.fill(u32::MAX));
        };
        let rows = |reg: &Reg| reg.0 as usize * self.warps..(reg.0 as usize + 1) * self.warps;
        read_first.iter().for_each(|reg| self.undefined[rows(reg)].fill(u32::MAX));
        self.unwritten.restart(|unwritten| {
            read_first.iter().for_each(|reg| unwritten[rows(reg)].fill(u32::MAX));
        });
    }

    /// The class of a register.
    pub(crate) fn class(&self, reg: Reg) -> Class {
        self.classes[reg.0 as usize]
    }

    #[inline(always)]
    fn row(&self, reg: Reg, warp: usize) -> usize {
        reg.0 as usize * self.warps + warp
    }

    /// The lanes of a warp in which a bit is undefined.
    #[inline(always)]
    pub(crate) fn undefined(&self, reg: Reg, warp: usize) -> u32 {
        if self.whole.contains(reg) { 0 } else { self.undefined[self.row(reg, warp)] }
    }

    /// Whether nothing wrote a lane that is undefined.
    pub(crate) fn is_unwritten(&self, reg: Reg, warp: usize, lane: u32) -> bool {
        self.undefined(reg, warp) & self.unwritten[self.row(reg, warp)] & 1 << lane != 0
    }

    /// The undefined bits of a lane.
    pub(crate) fn bits(&self, reg: Reg, warp: usize, lane: u32) -> u64 {
        let row = self.row(reg, warp);
        let bit = 1 << lane;
        if self.undefined(reg, warp) & bit == 0 {
            0
        } else if self.unwritten[row] & bit != 0 {
            full(self.classes[reg.0 as usize])
        } else {
            self.bits[row * WARP + lane as usize]
        }
    }

    /// Where the undefined bits of a lane come from. Means nothing for lanes that nothing wrote.
    pub(crate) fn origin(&self, reg: Reg, warp: usize, lane: u32) -> Origin {
        Origin::from_number(self.origins[self.row(reg, warp) * WARP + lane as usize])
    }

    /// The lanes are written with defined values.
    #[inline(always)]
    pub(crate) fn define(&mut self, reg: Reg, warp: usize, lanes: u32) {
        let row = self.row(reg, warp);
        self.undefined[row] &= !lanes;
    }

    /// Whether registers are defined in lanes of several warps, the first of which has this index.
    #[inline]
    pub(crate) fn are_defined(&self, regs: &Regs, first: usize, lanes: &[u32]) -> bool {
        self.whole.holds(regs) || regs.iter().all(|reg| self.is_defined(reg, first, lanes))
    }

    /// Whether a register is defined in lanes of several warps.
    #[inline]
    pub(crate) fn is_defined(&self, reg: Reg, first: usize, lanes: &[u32]) -> bool {
        if self.whole.contains(reg) {
            return true;
        }
        let row = self.row(reg, first);
        let undefined = self.undefined[row..row + lanes.len()].iter().zip(lanes);
        undefined.fold(0, |any, (undefined, lanes)| any | undefined & lanes) == 0
    }

    /// Lanes of several warps are written with defined values; `all` says that these are all threads.
    #[inline]
    pub(crate) fn define_all(&mut self, regs: &Regs, first: usize, lanes: &[u32], all: bool) {
        if all {
            return self.whole.add(regs);
        }
        for reg in regs.iter().filter(|reg| !self.whole.contains(*reg)) {
            let row = reg.0 as usize * self.warps + first;
            let undefined = self.undefined[row..row + lanes.len()].iter_mut().zip(lanes);
            undefined.for_each(|(undefined, lanes)| *undefined &= !lanes);
        }
    }

    /// A lane is written with a value of which these bits are undefined.
    pub(crate) fn set(&mut self, reg: Reg, warp: usize, lane: u32, bits: u64, origin: Origin) {
        let row = self.row(reg, warp);
        let bit = 1 << lane;
        if bits == 0 {
            self.undefined[row] &= !bit;
            return;
        }
        if self.whole.remove(reg) {
            let first = self.row(reg, 0);
            self.undefined[first..first + self.warps].fill(0);
        }
        self.undefined[row] |= bit;
        self.unwritten[row] &= !bit;
        self.bits[row * WARP + lane as usize] = bits;
        self.origins[row * WARP + lane as usize] = origin.number();
    }
}
