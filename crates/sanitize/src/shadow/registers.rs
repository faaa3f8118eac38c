//! Undefined bits of the registers of a CTA.
//!
//! Per register and warp, one word says in which lanes any bit is undefined. Nearly always it is zero for all
//! operands of an instruction, and nothing else is looked at. The bits themselves, and where they come from,
//! count in the lanes of that word only.

use super::origin::Origin;
use super::transfer::full;
use ir::{Class, Kernel, Reg};
use lanes::WARP;

/// The shadow of a CTA's registers.
#[derive(Debug)]
pub(crate) struct Registers {
    warps: usize,
    /// Per register and warp, the lanes in which a bit is undefined.
    undefined: Vec<u32>,
    /// Per register and warp, the undefined lanes that nothing has written; their bits do not count.
    unwritten: Vec<u32>,
    /// Per register, warp and lane, the undefined bits.
    bits: Vec<u64>,
    /// Where they come from, as numbers.
    origins: Vec<u64>,
    classes: Vec<Class>,
}

impl Registers {
    /// The registers of a CTA that begins: nothing is written.
    pub(crate) fn new(kernel: &Kernel, warps: usize) -> Registers {
        let rows = kernel.registers.len() * warps;
        Registers {
            warps,
            undefined: vec![u32::MAX; rows],
            unwritten: vec![u32::MAX; rows],
            bits: vec![0; rows * WARP],
            origins: vec![0; rows * WARP],
            classes: kernel.registers.clone(),
        }
    }

    /// The same, for the next CTA of the same size.
    pub(crate) fn restart(&mut self) {
        self.undefined.fill(u32::MAX);
        self.unwritten.fill(u32::MAX);
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
        self.undefined[self.row(reg, warp)]
    }

    /// Whether nothing wrote a lane that is undefined.
    pub(crate) fn is_unwritten(&self, reg: Reg, warp: usize, lane: u32) -> bool {
        let row = self.row(reg, warp);
        self.undefined[row] & self.unwritten[row] & 1 << lane != 0
    }

    /// The undefined bits of a lane.
    pub(crate) fn bits(&self, reg: Reg, warp: usize, lane: u32) -> u64 {
        let row = self.row(reg, warp);
        let bit = 1 << lane;
        if self.undefined[row] & bit == 0 {
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

    /// A lane is written with a value of which these bits are undefined.
    pub(crate) fn set(&mut self, reg: Reg, warp: usize, lane: u32, bits: u64, origin: Origin) {
        let row = self.row(reg, warp);
        let bit = 1 << lane;
        if bits == 0 {
            self.undefined[row] &= !bit;
            return;
        }
        self.undefined[row] |= bit;
        self.unwritten[row] &= !bit;
        self.bits[row * WARP + lane as usize] = bits;
        self.origins[row * WARP + lane as usize] = origin.number();
    }
}
