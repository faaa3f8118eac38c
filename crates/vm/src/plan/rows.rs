//! The register file of a CTA: which row each register has, and each constant.

use super::slot::Slot;
use super::slots::{self, Assignment};
use ir::{Class, Kernel, Pred, Reg, Src};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Where values lie in the register file of a CTA, in words of 32 bits: rows that all warps share, rows of each warp, their
/// predicates, and rows of constants. An engine may add constants of its own at the end.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Per register, its row and its class.
    registers: Arc<[(Slot, Class)]>,
    constants: HashMap<(Class, u64), Slot>,
    /// What the rows of constants hold.
    held: Vec<Constant>,
    /// Words of the register file.
    words: u32,
    /// Registers that are zero when a CTA starts, and their words.
    pub(crate) zeros: Vec<(Reg, Range<usize>)>,
}

impl Rows {
    /// The rows of a kernel's registers in CTAs of so many warps.
    pub(super) fn new(kernel: &Kernel, assignment: &Assignment, warps: u32) -> Rows {
        let shared = assignment.shared_words;
        let predicates = shared + assignment.words_per_warp * warps;
        let end = predicates + assignment.predicates_per_warp * warps;
        // Predicates lie behind the rows, so that rows start at whole cache lines.
        let start =
            |words: u32| if words == slots::words(Class::Pred) { predicates } else { shared };
        let mut zeros = Vec::new();
        let mut registers = Vec::with_capacity(kernel.registers.len());
        for (reg, (home, class)) in (0..).zip(assignment.homes.iter().zip(&kernel.registers)) {
            let slot = home.map_or(Slot::NONE, |home| match home.shared {
                true => Slot { offset: home.offset, stride: 0 },
                // The rows of one register lie together, warp after warp.
                false => {
                    Slot { offset: start(home.words) + home.offset * warps, stride: home.words }
                }
            });
            if let Some(home) = home.filter(|home| home.starts_zero) {
                let words = home.words * if home.shared { 1 } else { warps };
                let row = slot.offset as usize..(slot.offset + words) as usize;
                zeros.push((Reg(reg), row));
            }
            registers.push((slot, *class));
        }
        let (constants, held) = (HashMap::new(), Vec::new());
        let words = end.next_multiple_of(slots::LINE);
        Rows { registers: registers.into(), constants, held, words, zeros }
    }

    /// Words of the register file.
    pub(crate) fn words(&self) -> usize {
        self.words as usize
    }

    /// What the rows of constants hold.
    pub(crate) fn constants(&self) -> &[Constant] {
        &self.held
    }

    /// The class of a register.
    pub(crate) fn class(&self, reg: Reg) -> Option<Class> {
        self.registers.get(reg.0 as usize).map(|(_, class)| *class)
    }

    /// The row of a register; [`Slot::NONE`] if nothing uses it.
    pub(crate) fn reg(&self, reg: Reg) -> Slot {
        self.registers.get(reg.0 as usize).map_or(Slot::NONE, |(slot, _)| *slot)
    }

    /// The row of a result that may be dropped.
    pub(crate) fn optional(&self, reg: Option<Reg>) -> Slot {
        reg.map_or(Slot::NONE, |reg| self.reg(reg))
    }

    /// The row of an operand.
    pub(crate) fn src(&mut self, src: Src, class: Class) -> Slot {
        match src {
            Src::Reg(reg) => self.reg(reg),
            Src::Imm(value) => self.constant(class, value),
        }
    }

    /// The row of a predicate operand, and whether it is negated.
    pub(crate) fn pred(&mut self, pred: Pred) -> (Slot, bool) {
        match pred {
            Pred::Is(reg) => (self.reg(reg), false),
            Pred::Not(reg) => (self.reg(reg), true),
            Pred::Const(value) => (self.constant(Class::Pred, u64::from(value)), false),
        }
    }

    /// The row of an address's base, and whether it has 64 bits.
    pub(crate) fn base(&mut self, base: Src) -> (Slot, bool) {
        let wide = match base {
            Src::Reg(reg) => self.class(reg) == Some(Class::W64),
            Src::Imm(_) => true,
        };
        (self.src(base, value_class(wide)), wide)
    }

    /// A shared row that holds a constant from the start.
    fn constant(&mut self, class: Class, value: u64) -> Slot {
        let value = match class {
            Class::W32 => u64::from(value as u32),
            Class::W64 => value,
            Class::Pred => u64::from(value != 0),
        };
        let end = &mut self.words;
        let held = &mut self.held;
        *self.constants.entry((class, value)).or_insert_with(|| {
            let slot = Slot { offset: *end, stride: 0 };
            *end += slots::shared_words(class);
            held.push(Constant { start: slot.offset as usize, class, value });
            slot
        })
    }
}

/// The class of values of 32 or 64 bits.
pub(crate) fn value_class(wide: bool) -> Class {
    if wide { Class::W64 } else { Class::W32 }
}

/// A row that holds the same in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    /// Its first word.
    start: usize,
    class: Class,
    value: u64,
}

impl Constant {
    /// The words of the register file that it is, and what they hold.
    pub(crate) fn words(self) -> impl Iterator<Item = (usize, u32)> {
        let Constant { start, class, value } = self;
        let (low, high) = (value as u32, (value >> 32) as u32);
        (0..slots::words(class) as usize).map(move |at| {
            let word = match class {
                Class::W32 => low,
                Class::W64 if at.is_multiple_of(2) => low,
                Class::W64 => high,
                Class::Pred => u32::from(value != 0).wrapping_neg(),
            };
            (start + at, word)
        })
    }
}
