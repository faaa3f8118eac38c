//! Rounding single precision to fewer fraction bits and a smaller exponent range.
//!
//! Both functions take the magnitude bits of a finite number, a format's fraction bits and its
//! exponent bias. They return the encoding the destination would have if its exponent range were
//! unbounded above: the caller replaces what lies beyond the largest number.

use crate::Round;

/// The fraction bits of single precision.
const SOURCE: u32 = 23;

/// The exponent fields of single precision that belong to subnormals of the destination end with
/// this one. Where both formats have the same range, encodings are proportional and it is 0.
#[inline(always)]
const fn lowest_field(bias: u32) -> u32 {
    127 - bias
}

/// To nearest even.
#[inline(always)]
pub(super) const fn nearest<const FRACTION: u32, const BIAS: u32>(magnitude: u32) -> u32 {
    let lowest = lowest_field(BIAS);
    let drop = SOURCE - FRACTION;
    let odd = magnitude >> drop & 1;
    let rounded = (magnitude + (1 << (drop - 1)) - 1 + odd) >> drop;
    let normal = rounded.wrapping_sub(lowest << FRACTION);
    // Added to a number whose last place is the destination's smallest subnormal, the magnitude
    // is rounded by the host.
    let large = (lowest + 1 + drop) << SOURCE;
    let sum = f32::from_bits(magnitude) + f32::from_bits(large);
    let subnormal = sum.to_bits().wrapping_sub(large);
    let is_normal = (magnitude >> SOURCE > lowest) | (lowest == 0);
    if is_normal { normal } else { subnormal }
}

/// What rounding drops, and half a unit of the last kept bit on the same scale.
#[derive(Clone, Copy)]
pub(super) struct Dropped {
    rest: u32,
    half: u32,
}

impl Dropped {
    /// Whether a directed `round` moves away from zero. False for nearest.
    #[inline(always)]
    pub(super) const fn rounds_outward(self, negative: bool, round: Round) -> bool {
        (self.rest != 0) & round.is_outward(negative)
    }

    /// Whether rounding to nearest, ties away from zero, moves away from zero.
    #[inline(always)]
    pub(super) const fn rounds_to_nearest_away(self) -> bool {
        self.rest >= self.half
    }
}

/// In the direction that `up` chooses: true for away from zero.
#[inline(always)]
pub(super) fn directed<const FRACTION: u32, const BIAS: u32>(
    magnitude: u32,
    up: impl Fn(Dropped) -> bool,
) -> u32 {
    let lowest = lowest_field(BIAS);
    let drop = SOURCE - FRACTION;
    let field = magnitude >> SOURCE;
    let is_normal = (field > lowest) | (lowest == 0);
    let implicit = ((field != 0) as u32) << SOURCE;
    let significand = magnitude & ((1 << SOURCE) - 1) | implicit;
    // Two bits past the significand nothing is left but the fact that it is not zero.
    let distance = (lowest + 1).wrapping_sub(field);
    let shift = if is_normal { drop } else { drop.wrapping_add(distance).min(SOURCE + 2) };
    let bits = if is_normal { magnitude.wrapping_sub(lowest << SOURCE) } else { significand };
    let dropped = Dropped { rest: bits & ((1 << shift) - 1), half: 1 << (shift - 1) };
    (bits >> shift) + up(dropped) as u32
}
