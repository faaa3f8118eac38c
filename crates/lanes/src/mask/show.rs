//! How a set of lanes is printed.

use core::fmt::{self, Write as _};

use super::LaneMask;

impl LaneMask {
    /// Shows the set as 32 cells, lane 0 on the left: `#` in the set, `.` not in it.
    #[inline]
    pub const fn strip(self) -> Strip {
        Strip(self)
    }

    /// Shows the set as lane numbers and ranges: `0-15,31`; `none` for the empty set.
    #[inline]
    pub const fn ranges(self) -> Ranges {
        Ranges(self)
    }
}

/// Prints the mask as an operand: `0x` and eight hexadecimal digits.
impl fmt::Display for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

impl fmt::Debug for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LaneMask({self})")
    }
}

impl fmt::LowerHex for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

impl fmt::UpperHex for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::UpperHex::fmt(&self.0, f)
    }
}

impl fmt::Binary for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Binary::fmt(&self.0, f)
    }
}

/// A set of lanes as 32 cells; see [`LaneMask::strip`].
#[derive(Clone, Copy, Debug)]
pub struct Strip(LaneMask);

impl fmt::Display for Strip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.to_bools().iter().try_for_each(|&set| f.write_char(if set { '#' } else { '.' }))
    }
}

/// A set of lanes as numbers and ranges; see [`LaneMask::ranges`].
#[derive(Clone, Copy, Debug)]
pub struct Ranges(LaneMask);

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        if rest.is_empty() {
            return f.write_str("none");
        }
        let mut separator = "";
        while let Some(first) = rest.lowest() {
            let last = first + (rest.0 >> first).trailing_ones() - 1;
            f.write_str(separator)?;
            if first == last {
                write!(f, "{first}")?;
            } else {
                write!(f, "{first}-{last}")?;
            }
            separator = ",";
            rest -= LaneMask::le(last);
        }
        Ok(())
    }
}
