//! A warp as a picture: one cell per lane.

use crate::detail::WarpLanes;
use diag::{Picture, Tint};
use lanes::{LaneMask, WARP};
use std::fmt;

/// What a lane is in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// It takes part, or has arrived.
    Arrived,
    /// It is the lane that the finding is about.
    Wrong,
    /// It is alive and somewhere else.
    Absent,
    /// It has exited.
    Exited,
    /// It never existed: the last warp of a CTA may have fewer lanes.
    Missing,
    /// It takes part in nothing here: the membermask does not name it.
    Outside,
}

impl Cell {
    /// Every kind of cell, in the order of legends.
    pub const ALL: [Cell; 6] =
        [Cell::Arrived, Cell::Wrong, Cell::Absent, Cell::Exited, Cell::Missing, Cell::Outside];

    /// Its mark.
    pub fn mark(self) -> char {
        match self {
            Cell::Arrived => '#',
            Cell::Wrong => '!',
            Cell::Absent => '.',
            Cell::Exited => 'x',
            Cell::Missing => '_',
            Cell::Outside => '-',
        }
    }

    /// Its colour.
    pub fn tint(self) -> Tint {
        match self {
            Cell::Arrived => Tint::Good,
            Cell::Wrong => Tint::Bad,
            Cell::Absent => Tint::Away,
            Cell::Exited | Cell::Missing => Tint::Gone,
            Cell::Outside => Tint::Aside,
        }
    }
}

/// The 32 lanes of a warp, each with its cell, and what the cells mean here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The cells by lane.
    pub cells: [Cell; WARP],
    /// What [`Cell::Arrived`] means here.
    pub arrived: &'static str,
    /// What [`Cell::Wrong`] means here.
    pub wrong: &'static str,
}

impl Strip {
    /// The lanes of a warp, and what it means to take part and to be wrong.
    pub fn new(lanes: &WarpLanes, arrived: &'static str, wrong: &'static str) -> Strip {
        Strip { cells: [Cell::Missing; WARP], arrived, wrong }
            .mark(lanes.existing, Cell::Exited)
            .mark(lanes.live, Cell::Absent)
            .mark(lanes.outside, Cell::Outside)
            .mark(lanes.taking_part, Cell::Arrived)
            .mark(lanes.wrong, Cell::Wrong)
    }

    /// Gives lanes another cell.
    fn mark(mut self, lanes: LaneMask, cell: Cell) -> Strip {
        for lane in lanes {
            self.cells[lane as usize] = cell;
        }
        self
    }

    /// What a cell means in this picture.
    pub fn meaning(&self, cell: Cell) -> &'static str {
        match cell {
            Cell::Arrived => self.arrived,
            Cell::Wrong => self.wrong,
            Cell::Absent => "elsewhere",
            Cell::Exited => "exited",
            Cell::Missing => "never existed",
            Cell::Outside => "outside the membermask",
        }
    }

    /// Three lines: lane numbers, cells, legend.
    pub fn picture(&self) -> Picture {
        let mut picture = Picture::default()
            .line()
            .piece("lane 0       8       16      24     31", None)
            .line()
            .piece("     ", None);
        for cell in self.cells {
            picture = picture.piece(cell.mark().encode_utf8(&mut [0; 4]), Some(cell.tint()));
        }
        picture = picture.line().piece("    ", None);
        for (cell, meaning) in self.legend() {
            let mark = cell.mark();
            picture =
                picture.piece(" ", None).piece(&format!("{mark} {meaning}"), Some(cell.tint()));
            picture = picture.piece(" ", None);
        }
        picture
    }

    /// The cells that occur, in the order of legends.
    pub fn legend(&self) -> impl Iterator<Item = (Cell, &'static str)> {
        let occurs = |cell: &Cell| self.cells.contains(cell);
        Cell::ALL.into_iter().filter(occurs).map(|cell| (cell, self.meaning(cell)))
    }
}

/// The picture without colour.
impl fmt::Display for Strip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.picture().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_cell_per_lane_and_a_legend_of_what_occurs() {
        let lanes = WarpLanes::new(LaneMask(0x00ff_ffff), LaneMask(0x0fff_ffff))
            .with(LaneMask(0xffff), LaneMask(1 << 3));
        let strip = Strip::new(&lanes, "arrived", "wrong");
        let shown = strip.to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "     ###!############........xxxx____");
        assert_eq!(lines[2].trim(), "# arrived  ! wrong  . elsewhere  x exited  _ never existed");
        // The number above a cell is its lane's.
        for (number, lane) in [("0", 0), ("8", 8), ("16", 16), ("24", 24)] {
            assert_eq!(lines[0].find(&format!(" {number}")).map(|at| at + 1), Some(5 + lane));
        }
    }
}
