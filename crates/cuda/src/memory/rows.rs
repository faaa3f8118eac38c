//! Copies and fills of rows and planes, when it is their turn.

use super::raw::{self, Fill};
use super::space;
use crate::abi::Answer;
use crate::watch;

/// One side of a copy: where it begins, and bytes from a row and from a plane to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) address: u64,
    pub(crate) pitch: u64,
    pub(crate) slice: u64,
    /// Whether it is the program's own memory, of which nothing is known.
    pub(crate) is_foreign: bool,
}

impl Side {
    /// Bytes from the first to the end of the last one.
    fn span(&self, [width, height, depth]: [u64; 3]) -> Option<u64> {
        if width == 0 || height == 0 || depth == 0 {
            return Some(0);
        }
        let rows = self.pitch.checked_mul(height - 1)?;
        self.slice.checked_mul(depth - 1)?.checked_add(rows)?.checked_add(width)
    }

    /// Checks that all of it is there.
    pub(super) fn check(&self, extent: [u64; 3]) -> Answer {
        let bytes = self.span(extent).ok_or(crate::abi::CUresult::INVALID_VALUE)?;
        let checked = match self.is_foreign {
            true => space::check_unified(self.address, bytes),
            false => space::check(self.address, bytes),
        };
        // Of what is no device's nobody knows, unless it was one's once.
        match watch::missing("a copy or fill", self.address) {
            true => Err(crate::abi::CUresult::INVALID_VALUE),
            false => checked,
        }
    }
}

/// A copy of rows and planes; of bytes, one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) to: Side,
    pub(crate) from: Side,
    /// Bytes of a row, rows, planes.
    pub(crate) extent: [u64; 3],
}

impl Rows {
    /// Bytes that are copied.
    pub(crate) fn bytes(&self) -> u64 {
        self.extent.iter().fold(1, |all, extent| all.saturating_mul(*extent))
    }

    /// Checks that all of it is there.
    pub(crate) fn check(&self) -> Answer {
        self.to.check(self.extent)?;
        self.from.check(self.extent)
    }

    /// Copies.
    ///
    /// # Errors
    /// Something is not there any more.
    pub(crate) fn perform(&self) -> Answer {
        self.check()?;
        let [width, height, depth] = self.extent;
        for plane in 0..depth {
            for row in 0..height {
                let at = |side: &Side| side.address + plane * side.slice + row * side.pitch;
                raw::copy(at(&self.to), at(&self.from), width);
            }
        }
        Ok(())
    }
}

impl Fill {
    /// Checks that what is to be filled is there, and aligned.
    pub(crate) fn check(self, to: u64, pitch: u64, extent: [u64; 2]) -> Answer {
        let holds_row = extent[0].checked_mul(self.bytes()).is_some_and(|row| row <= pitch);
        let is_aligned = to.is_multiple_of(self.bytes())
            && (extent[1] <= 1 || (holds_row && pitch.is_multiple_of(self.bytes())));
        match is_aligned {
            true => check_fill(to, pitch, self, extent),
            false => Err(crate::abi::CUresult::INVALID_VALUE),
        }
    }

    /// Fills rows of values, so many in a row, rows.
    ///
    /// # Errors
    /// They are not there any more.
    pub(crate) fn perform(self, to: u64, pitch: u64, [width, height]: [u64; 2]) -> Answer {
        check_fill(to, pitch, self, [width, height])?;
        (0..height).for_each(|row| raw::fill(to + row * pitch, self, width));
        Ok(())
    }
}

/// Checks that what is to be filled is there.
fn check_fill(to: u64, pitch: u64, value: Fill, [width, height]: [u64; 2]) -> Answer {
    let bytes = width.checked_mul(value.bytes()).ok_or(crate::abi::CUresult::INVALID_VALUE)?;
    let side = Side { address: to, pitch, slice: 0, is_foreign: false };
    side.check([bytes, height, 1])
}
