//! The registers and memory of one warp.

use crate::register::{File, Register};
use lanes::{LaneMask, Lanes, WARP};
use std::collections::BTreeMap;

/// The state of a warp before or after a program. Registers that are not set are 0 or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The lanes that run. The others take no part in anything.
    pub active: LaneMask,
    /// General-purpose registers by number, one value a lane.
    pub general: BTreeMap<u16, Lanes<u32>>,
    /// Predicate registers by number, one bit a lane.
    pub predicates: BTreeMap<u16, LaneMask>,
    /// Uniform registers by number.
    pub uniform: BTreeMap<u16, u32>,
    /// Uniform predicate registers by number.
    pub uniform_predicates: BTreeMap<u16, bool>,
    /// Memory, from address 0 on.
    pub memory: Vec<u8>,
}

impl Default for State {
    /// All lanes active, nothing set, no memory.
    fn default() -> Self {
        State {
            active: LaneMask::FULL,
            general: BTreeMap::new(),
            predicates: BTreeMap::new(),
            uniform: BTreeMap::new(),
            uniform_predicates: BTreeMap::new(),
            memory: Vec::new(),
        }
    }
}

/// How the registers that a program uses lie in the buffer that the kernel loads them from and stores them
/// to: rows of one 32-bit word a lane. Row 0 holds the active mask, in its first word. Predicates are 0
/// or 1. A register of the warp is the first word of its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The registers of rows 1 and following.
    rows: Vec<Register>,
    /// The row of each register.
    index: BTreeMap<Register, u64>,
}

/// Bytes of a row.
pub(crate) const ROW_BYTES: u64 = 4 * WARP as u64;

impl Layout {
    /// The registers that the program reads or writes.
    pub fn registers(&self) -> &[Register] {
        &self.rows
    }

    /// The row of a register, added if it is new; its offset in bytes.
    pub(crate) fn offset(&mut self, register: Register) -> u64 {
        let Layout { rows, index } = self;
        let row = *index.entry(register).or_insert_with(|| {
            rows.push(register);
            rows.len() as u64
        });
        row * ROW_BYTES
    }

    /// The buffer for a state, as 32-bit words.
    pub fn pack(&self, state: &State) -> Vec<u32> {
        let mut words = vec![0; WARP];
        words[0] = state.active.0;
        for Register { file, number } in &self.rows {
            let row: Lanes<u32> = match file {
                File::General => state.general.get(number).copied().unwrap_or([0; WARP]),
                File::Predicate => {
                    let mask = state.predicates.get(number).copied().unwrap_or(LaneMask::EMPTY);
                    std::array::from_fn(|lane| mask.0 >> lane & 1)
                }
                File::Uniform => [state.uniform.get(number).copied().unwrap_or(0); WARP],
                File::UniformPredicate => {
                    [u32::from(state.uniform_predicates.get(number) == Some(&true)); WARP]
                }
            };
            words.extend(row);
        }
        words
    }

    /// Takes the registers from the buffer; `words` is what [`Layout::pack`] made, after the run.
    pub fn unpack(&self, words: &[u32], state: &mut State) {
        let (rows, _) = words.as_chunks::<WARP>();
        for (Register { file, number }, row) in self.rows.iter().zip(rows.iter().skip(1)) {
            match file {
                File::General => {
                    state.general.insert(*number, *row);
                }
                File::Predicate => {
                    let mask = LaneMask::from_fn(|lane| row[lane] != 0);
                    state.predicates.insert(*number, mask);
                }
                File::Uniform => {
                    state.uniform.insert(*number, row[0]);
                }
                File::UniformPredicate => {
                    state.uniform_predicates.insert(*number, row[0] != 0);
                }
            }
        }
    }
}
