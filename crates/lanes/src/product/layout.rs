//! Where the elements of the matrices lie in the registers of a warp.

use super::kind::{Layout, Product, Sum};

/// A register of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which of the registers that a lane has of the matrix.
    pub register: usize,
    /// The lane.
    pub lane: usize,
}

/// Lanes that together hold a row of `a` or a column of `b` (`mma`).
const QUAD: usize = 4;

/// Rows that the quads of a warp hold.
const QUADS: usize = crate::WARP / QUAD;

/// Columns of `c` and `d` that a lane of a quad holds.
const COLUMNS: usize = 2;

impl Product {
    /// Where word `word` of a row of `a` lies. Words are registers full of elements, in ascending order.
    #[inline(always)]
    pub const fn place_in_a(&self, row: usize, word: usize) -> Place {
        self.place_of_factor(row, word, (self.m as usize, self.registers().a))
    }

    /// Where word `word` of a column of `b` lies.
    #[inline(always)]
    pub const fn place_in_b(&self, column: usize, word: usize) -> Place {
        self.place_of_factor(column, word, (self.n as usize, self.registers().b))
    }

    #[inline(always)]
    const fn place_of_factor(
        &self,
        line: usize,
        word: usize,
        (lines, registers): (usize, usize),
    ) -> Place {
        match self.layout {
            Layout::Mma => Place {
                register: word / QUAD * (lines / QUADS) + line / QUADS,
                lane: QUAD * (line % QUADS) + word % QUAD,
            },
            Layout::Wmma => {
                Place { register: word % registers, lane: line + word / registers * lines }
            }
        }
    }

    /// Where an element of `c` or `d` lies: the lane, and which of the elements that the lane holds. Of binary16, two
    /// are in a register.
    #[inline(always)]
    pub const fn place_of_sum(&self, row: usize, column: usize) -> (usize, usize) {
        match self.layout {
            Layout::Mma => {
                let lane = QUAD * (row % QUADS) + column / COLUMNS;
                (lane, COLUMNS * (row / QUADS) + column % COLUMNS)
            }
            Layout::Wmma => {
                let held = self.sums();
                (row + column / held * self.m as usize, column % held)
            }
        }
    }
}

impl Sum {
    /// In which register a lane's element `nth` lies, and how many bits above the lowest.
    #[inline(always)]
    pub const fn place(self, nth: usize) -> (usize, u32) {
        match self {
            Sum::F16 => (nth / 2, 16 * (nth % 2) as u32),
            Sum::F32 | Sum::F64 | Sum::S32 => (nth, 0),
        }
    }
}
