//! Which values come from `activemask`, in registers and in the threads' own memory.

use crate::per_cta::PerCta;
use foldhash::{HashMap, HashMapExt};
use ir::{Reg, Src};
use lanes::WARP;
use vm::View;

/// Lanes in which a value has to do with `activemask`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The value was computed from the mask.
    pub(super) comes: u32,
    /// The mask had a say in it: it was computed from it, or a branch on it decided whether it was written.
    pub(super) depends: u32,
}

impl Mark {
    /// Computed from the mask in every lane.
    pub(super) const ALL: Mark = Mark { comes: u32::MAX, depends: u32::MAX };

    pub(super) fn is_none(self) -> bool {
        self.depends == 0
    }

    pub(super) fn or(self, other: Mark) -> Mark {
        Mark { comes: self.comes | other.comes, depends: self.depends | other.depends }
    }

    /// What is computed from an address has it as a reason, not as a source.
    pub(super) fn only_depends(self) -> Mark {
        Mark { comes: 0, ..self }
    }

    fn with(self, lanes: u32, other: Mark) -> Mark {
        let merge = |old: u32, new: u32| old & !lanes | new & lanes;
        Mark { comes: merge(self.comes, other.comes), depends: merge(self.depends, other.depends) }
    }
}

/// Bytes of local memory that have one mark.
const WORD: u64 = 4;

/// The marks of a CTA.
#[derive(Debug)]
pub(super) struct Marks {
    warps: usize,
    registers: Vec<Mark>,
    /// Words of local memory with a mark, by warp and number of the word.
    local: HashMap<(usize, u64), Mark>,
}

impl Marks {
    /// A CTA begins.
    pub(super) fn begin(all: &mut PerCta<Marks>, view: &View<'_>, registers: usize) {
        let rows = registers * view.warps();
        let restart = |marks: &mut Marks| {
            marks.registers.fill(Mark::default());
            marks.local.clear();
        };
        let new = || Marks {
            warps: view.warps(),
            registers: vec![Mark::default(); rows],
            local: HashMap::new(),
        };
        all.begin(view.cta(), restart, new);
    }

    pub(super) fn get(&self, src: Src, warp: usize) -> Mark {
        match src {
            Src::Reg(reg) => self.registers[reg.0 as usize * self.warps + warp],
            Src::Imm(_) => Mark::default(),
        }
    }

    /// The lanes of a register are written.
    pub(super) fn set(&mut self, reg: Reg, warp: usize, lanes: u32, mark: Mark) {
        let row = &mut self.registers[reg.0 as usize * self.warps + warp];
        *row = row.with(lanes, mark);
    }

    /// Whether no local memory has a mark.
    pub(super) fn local_is_clean(&self) -> bool {
        self.local.is_empty()
    }

    /// The mark of bytes that a lane reads.
    pub(super) fn read(&self, warp: usize, lane: u32, address: u64, bytes: u64) -> Mark {
        let words = address / WORD..(address + bytes).div_ceil(WORD);
        let marks = words.filter_map(|word| self.local.get(&(warp, word)));
        let all = marks.fold(Mark::default(), |all, mark| all.or(*mark));
        let lane = 1 << lane;
        Mark { comes: all.comes & lane, depends: all.depends & lane }
    }

    /// A lane writes bytes. Part of a word does not take its mark away.
    pub(super) fn write(&mut self, warp: usize, lane: u32, address: u64, bytes: u64, mark: Mark) {
        debug_assert!((lane as usize) < WARP);
        for word in address / WORD..(address + bytes).div_ceil(WORD) {
            let whole = address <= word * WORD && (word + 1) * WORD <= address + bytes;
            let old = self.local.get(&(warp, word)).copied().unwrap_or_default();
            let new = if whole { mark } else { mark.or(old) };
            let new = old.with(1 << lane, new);
            if new.is_none() {
                self.local.remove(&(warp, word));
            } else {
                self.local.insert((warp, word), new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks() -> Marks {
        Marks { warps: 2, registers: vec![Mark::default(); 4], local: HashMap::new() }
    }

    #[test]
    fn registers_keep_the_lanes_that_are_not_written() {
        let mut marks = marks();
        marks.set(Reg(1), 1, 0xff, Mark::ALL);
        marks.set(Reg(1), 1, 0x0f, Mark::default());
        let of = |reg, warp| marks.get(Src::Reg(Reg(reg)), warp);
        assert_eq!(of(1, 1), Mark { comes: 0xf0, depends: 0xf0 });
        assert_eq!((of(1, 0), of(0, 1)), (Mark::default(), Mark::default()));
    }

    #[test]
    fn memory_is_marked_by_lane_and_word() {
        let mut marks = marks();
        marks.write(1, 3, 8, 8, Mark::ALL);
        let lane = Mark { comes: 8, depends: 8 };
        assert_eq!(marks.read(1, 3, 12, 4), lane);
        assert_eq!(marks.read(1, 3, 4, 8), lane);
        for (warp, lane, address) in [(1, 2, 8), (0, 3, 8), (1, 3, 4), (1, 3, 16)] {
            assert_eq!(marks.read(warp, lane, address, 4), Mark::default());
        }
        // One byte of four leaves the mark; all four take it away.
        marks.write(1, 3, 8, 1, Mark::default());
        assert_eq!(marks.read(1, 3, 8, 4), lane);
        marks.write(1, 3, 8, 8, Mark::default());
        assert!(marks.local_is_clean());
    }
}
