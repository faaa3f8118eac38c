//! Rounding an encoding to fewer fraction bits and a smaller exponent range.

use crate::Round;

/// What rounding drops: whether the last kept bit is 1, the dropped bits, and half a unit of the
/// last kept bit on their scale.
#[derive(Clone, Copy)]
pub(super) struct Dropped {
    pub(super) odd: bool,
    pub(super) rest: u64,
    pub(super) half: u64,
}

impl Dropped {
    /// Whether `round` moves away from zero.
    #[inline(always)]
    pub(super) const fn rounds_up(self, negative: bool, round: Round) -> bool {
        match round {
            Round::NearestEven => (self.rest > self.half) | ((self.rest == self.half) & self.odd),
            Round::TowardZero | Round::Down | Round::Up => {
                (self.rest != 0) & round.is_outward(negative)
            }
        }
    }
}

/// Defines a function that rounds the magnitude bits of a finite number to a format of `FRACTION`
/// fraction bits and exponent bias `BIAS`. `up` says whether to move away from zero.
///
/// The result is the encoding of the destination if its exponent range were unbounded above: the
/// caller replaces what lies beyond the largest number.
macro_rules! narrow {
    ($(#[$doc:meta])* $name:ident, $bits:ident, $fraction:expr, $bias:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name<const FRACTION: u32, const BIAS: u32>(
            magnitude: $bits,
            up: impl Fn(Dropped) -> bool,
        ) -> $bits {
            let drop: u32 = $fraction - FRACTION;
            // Exponent fields up to this one belong to subnormals of the destination, unless
            // both formats have the same range.
            let lowest = ($bias - BIAS) as $bits;
            let field = magnitude >> $fraction;
            let linear = (field > lowest) | (lowest == 0);
            let implicit = ((field != 0) as $bits) << $fraction;
            let significand = magnitude & ((1 << $fraction) - 1) | implicit;
            // Two bits past the significand nothing is left but the fact that it is not zero.
            let distance = lowest.wrapping_add(1).wrapping_sub(field) as u32;
            let shift = if linear { drop } else { (drop + distance).min($fraction + 2) };
            let bits =
                if linear { magnitude.wrapping_sub(lowest << $fraction) } else { significand };
            let kept = bits >> shift;
            let dropped = Dropped {
                odd: kept & 1 == 1,
                rest: (bits & ((1 << shift) - 1)) as u64,
                half: 1u64 << (shift - 1),
            };
            kept + up(dropped) as $bits
        }
    };
}

narrow!(
    /// Rounds from single precision.
    from_single, u32, 23, 127
);
narrow!(
    /// Rounds from double precision.
    from_double, u64, 52, 1023
);
