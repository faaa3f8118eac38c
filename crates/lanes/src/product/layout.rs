//! Where the elements of the matrices lie in the registers of a warp.

use super::kind::{Layout, MOST_REGISTERS, Product, Sum};
use crate::{Lanes, WARP};

/// Rows and columns that are multiplied at once.
pub(super) const SIDE: usize = 8;

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
const QUADS: usize = WARP / QUAD;

/// Columns of `c` and `d` that a lane of a quad holds.
const COLUMNS: usize = 2;

/// How the words of rows of `a` or columns of `b` lie in registers. Words are registers full of elements, in ascending order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    layout: Layout,
    /// Rows or columns.
    count: usize,
    /// Registers of a lane, a power of two.
    registers: usize,
}

impl Lines {
    #[inline(always)]
    fn place(self, line: usize, word: usize) -> Place {
        let Lines { layout, count, registers } = self;
        match layout {
            Layout::Mma => Place {
                register: word / QUAD * (count / QUADS) + line / QUADS,
                lane: QUAD * (line % QUADS) + word % QUAD,
            },
            Layout::Wmma => {
                let part = word >> registers.trailing_zeros();
                Place { register: word & registers.wrapping_sub(1), lane: line + part * count }
            }
        }
    }

    /// Calls `take` for so many words of the lines from `first` on, with its line counted from there, its number and its
    /// value.
    #[inline(always)]
    pub(super) fn each<T: Copy>(
        self,
        fragment: &[&Lanes<T>; MOST_REGISTERS],
        (first, words): (usize, usize),
        mut take: impl FnMut(usize, usize, T),
    ) {
        for word in 0..words {
            // Lines of a part lie in lanes at equal distances.
            let Place { register, lane } = self.place(first, word);
            let row = fragment[register % MOST_REGISTERS];
            match self.layout {
                Layout::Mma => {
                    for line in 0..SIDE {
                        take(line, word, row[QUAD * line + word % QUAD]);
                    }
                }
                Layout::Wmma => {
                    for line in 0..SIDE {
                        take(line, word, row[(lane + line) % WARP]);
                    }
                }
            }
        }
    }
}

/// How the elements of `c` and `d` lie in lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    layout: Layout,
    /// Rows.
    count: usize,
    /// Elements that a lane holds, a power of two.
    held: usize,
}

impl Sums {
    /// The lane of an element, and which of those that the lane holds it is.
    #[inline(always)]
    fn place(self, row: usize, column: usize) -> (usize, usize) {
        let Sums { layout, count, held } = self;
        match layout {
            Layout::Mma => {
                let lane = QUAD * (row % QUADS) + column / COLUMNS;
                (lane, COLUMNS * (row / QUADS) + column % COLUMNS)
            }
            Layout::Wmma => {
                let part = column >> held.trailing_zeros();
                (row + part * count, column & held.wrapping_sub(1))
            }
        }
    }

    /// Calls `take` for every element of a square part: its row and column counted from the first, its lane, and which of
    /// those that the lane holds it is. Columns ascend.
    #[inline(always)]
    pub(super) fn each(
        self,
        (first_row, first_column): (usize, usize),
        mut take: impl FnMut(usize, usize, usize, usize),
    ) {
        for column in 0..SIDE {
            let (first_lane, nth) = self.place(first_row, first_column + column);
            match self.layout {
                Layout::Mma => {
                    for row in 0..SIDE {
                        take(row, column, QUAD * row + column / COLUMNS, nth);
                    }
                }
                Layout::Wmma => {
                    for row in 0..SIDE {
                        take(row, column, (first_lane + row) % WARP, nth);
                    }
                }
            }
        }
    }
}

impl Product {
    /// How the rows of `a` lie in registers.
    #[inline(always)]
    pub(super) fn rows(&self) -> Lines {
        Lines { layout: self.layout, count: self.m as usize, registers: self.registers().a }
    }

    /// How the columns of `b` lie in registers.
    #[inline(always)]
    pub(super) fn columns(&self) -> Lines {
        Lines { layout: self.layout, count: self.n as usize, registers: self.registers().b }
    }

    /// How the elements of `c` and `d` lie in lanes.
    #[inline(always)]
    pub(super) fn elements(&self) -> Sums {
        Sums { layout: self.layout, count: self.m as usize, held: self.sums() }
    }

    /// Where word `word` of a row of `a` lies: words are registers full of elements, in ascending order.
    #[inline(always)]
    pub fn place_in_a(&self, row: usize, word: usize) -> Place {
        self.rows().place(row, word)
    }

    /// Where word `word` of a column of `b` lies.
    #[inline(always)]
    pub fn place_in_b(&self, column: usize, word: usize) -> Place {
        self.columns().place(column, word)
    }

    /// Where an element of `c` or `d` lies: the lane, and which of the elements that the lane holds. Of binary16, two
    /// are in a register.
    #[inline(always)]
    pub fn place_of_sum(&self, row: usize, column: usize) -> (usize, usize) {
        self.elements().place(row, column)
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
