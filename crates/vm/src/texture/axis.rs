//! From coordinates to texels, one axis at a time (CUDA C++ Programming Guide, "Texture Fetching"), with the fixed-point numbers that an
//! H100 has.
//!
//! All is plain loops over lanes, inlined into handlers, so that it is compiled for each level of vector instructions.

use super::weight::ONE;
use ir::{AddressMode, Filter};

/// The texels of an axis for each lane: that of lower coordinates, and the one behind it.
#[derive(Clone, Debug)]
pub(super) struct Taps<const N: usize> {
    /// Their indices.
    pub(super) index: [[u32; N]; 2],
    /// How much of the second one, out of [`ONE`].
    pub(super) high: [u32; N],
    /// Whether they lie outside, where what is there is no texel.
    pub(super) outside: [[bool; N]; 2],
    /// Whether any may.
    pub(super) has_outside: bool,
}

impl<const N: usize> Default for Taps<N> {
    /// The first one, where there is no axis.
    fn default() -> Taps<N> {
        let (index, high) = ([[0; N]; 2], [0; N]);
        Taps { index, high, outside: [[false; N]; 2], has_outside: false }
    }
}

/// How coordinates of an axis are understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Texels, at least one and less than 2^31.
    extent: u32,
    /// The mode that is in force.
    mode: AddressMode,
    /// Whether 1 is the extent.
    normalized: bool,
    /// Texels that are added to the coordinate.
    offset: i32,
}

/// From here on every binary32 is an even number.
const EVEN: f64 = (1_u32 << f32::MANTISSA_DIGITS) as f64;

/// What lies beyond is outside any texture.
const FAR: f64 = (1_u64 << 40) as f64;

/// A coordinate, which is a zero if it is subnormal or no number.
#[inline(always)]
fn coordinate(bits: u32) -> f64 {
    let size = bits & 0x7fff_ffff;
    let is_number = (0x0080_0000..=0x7f80_0000).contains(&size);
    f64::from(f32::from_bits(if is_number { bits } else { 0 }))
}

/// A number that lies between both.
#[inline(always)]
fn between(number: f64, least: f64, most: f64) -> f64 {
    let number = if number < least { least } else { number };
    if number > most { most } else { number }
}

/// An integer from 0 to 2^32 - 1, by its place in the fraction: which every level of vector instructions can.
#[inline(always)]
fn whole(number: f64) -> u32 {
    const PLACE: f64 = (1_u64 << 52) as f64;
    (number + PLACE).to_bits() as u32
}

impl Axis {
    pub(super) fn new(extent: u32, mode: AddressMode, normalized: bool, offset: i32) -> Axis {
        let mode = match mode {
            AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
            AddressMode::Wrap | AddressMode::Clamp | AddressMode::Mirror | AddressMode::Border => {
                mode
            }
        };
        Axis { extent: extent.max(1), mode, normalized, offset }
    }

    /// The texels that coordinates name, which are integers or numbers.
    #[inline(always)]
    pub(super) fn find<const N: usize>(
        self,
        coordinates: &[u32; N],
        (float, filter): (bool, Filter),
        taps: &mut Taps<N>,
    ) {
        match (float, filter) {
            (true, Filter::Linear) => self.linear(coordinates, taps),
            (true, Filter::Point) => self.nearest(coordinates, taps),
            (false, _) => self.integers(coordinates, taps),
        }
    }

    /// The texels that integer coordinates name. Outside there is none, whatever the mode.
    #[inline(always)]
    fn integers<const N: usize>(self, coordinates: &[u32; N], taps: &mut Taps<N>) {
        let last = i64::from(self.extent - 1);
        taps.has_outside = true;
        for (lane, at) in coordinates.iter().enumerate() {
            let at = i64::from(at.cast_signed()) + i64::from(self.offset);
            let inside = at.clamp(0, last);
            taps.outside[0][lane] = inside != at;
            taps.index[0][lane] = inside as u32;
        }
    }

    /// The texels in which coordinates lie.
    #[inline(always)]
    fn nearest<const N: usize>(self, coordinates: &[u32; N], taps: &mut Taps<N>) {
        let (mut places, turned) = self.places(coordinates);
        for place in &mut places {
            *place = place.floor();
        }
        self.indices(&places, &turned, taps, 0);
    }

    /// The texels around, and how far the coordinates lie towards the second one.
    #[inline(always)]
    fn linear<const N: usize>(self, coordinates: &[u32; N], taps: &mut Taps<N>) {
        let (mut places, turned) = self.places(coordinates);
        let (one, last) = (f64::from(ONE), f64::from(self.extent) - 1.0);
        let is_clamped = self.mode == AddressMode::Clamp;
        for (place, high) in places.iter_mut().zip(&mut taps.high) {
            let parts = (*place * one - (one / 2.0 - 0.5)).floor();
            let low = (parts / one).floor();
            // All of the texel at the edge, where both are the same.
            let is_beyond = is_clamped & ((low < 0.0) | (low >= last));
            *high = whole(if is_beyond { 0.0 } else { parts - low * one });
            *place = low;
        }
        self.indices(&places, &turned, taps, 0);
        for place in &mut places {
            *place += 1.0;
        }
        self.indices(&places, &turned, taps, 1);
    }

    /// The smallest part of a normalized coordinate: one by 2^21, or by 256 times the texels.
    fn unit(self) -> f64 {
        let texels = self.extent.next_power_of_two().trailing_zeros();
        1.0 / (1_u64 << (texels + 8).max(21)) as f64
    }

    /// Coordinates in texels, and whether the texture lies reversed there.
    #[inline(always)]
    fn places<const N: usize>(self, coordinates: &[u32; N]) -> ([f64; N], [bool; N]) {
        let (count, unit) = (f64::from(self.extent), self.unit());
        // Exact, as all that follows: powers of two.
        let (parts, texels) = (1.0 / unit, count * unit);
        let offset = f64::from(self.offset);
        let (mut places, mut turned) = ([0.0; N], [false; N]);
        for (place, bits) in places.iter_mut().zip(coordinates) {
            *place = coordinate(*bits);
        }
        match (self.normalized, self.mode) {
            (false, _) => {
                for place in &mut places {
                    *place = between(*place, -FAR, FAR) + offset;
                }
            }
            (true, AddressMode::Clamp | AddressMode::Border) => {
                for place in &mut places {
                    *place = (between(*place, -EVEN, EVEN) * parts).floor() * texels + offset;
                }
            }
            (true, AddressMode::Wrap) => {
                for place in &mut places {
                    let given = in_period(*place);
                    *place = ((given - given.floor()) * parts).floor() * texels + offset;
                }
            }
            (true, AddressMode::Mirror) => {
                for (place, turned) in places.iter_mut().zip(&mut turned) {
                    let given = in_period(*place);
                    let inside = ((given - given.floor()) * parts).floor() * texels;
                    let moved = inside + offset;
                    let times = (moved / count).floor();
                    *place = moved - times * count;
                    let times = given.floor() + times;
                    *turned = times - 2.0 * (times / 2.0).floor() != 0.0;
                }
            }
        }
        (places, turned)
    }

    /// The texels of indices that may lie outside.
    #[inline(always)]
    fn indices<const N: usize>(
        self,
        indices: &[f64; N],
        turned: &[bool; N],
        taps: &mut Taps<N>,
        side: usize,
    ) {
        let count = f64::from(self.extent);
        let last = count - 1.0;
        taps.has_outside = self.mode == AddressMode::Border;
        match self.mode {
            AddressMode::Wrap => {
                let part = 1.0 / count;
                for (found, at) in taps.index[side].iter_mut().zip(indices) {
                    let rest = at - (at * part).floor() * count;
                    let rest = if rest < 0.0 { rest + count } else { rest };
                    *found = whole(if rest >= count { rest - count } else { rest });
                }
            }
            AddressMode::Clamp | AddressMode::Border => {
                for (found, at) in taps.index[side].iter_mut().zip(indices) {
                    *found = whole(between(*at, 0.0, last));
                }
                if taps.has_outside {
                    for (outside, at) in taps.outside[side].iter_mut().zip(indices) {
                        *outside = !(0.0..count).contains(at);
                    }
                }
            }
            AddressMode::Mirror => {
                let found = taps.index[side].iter_mut();
                for ((found, at), turned) in found.zip(indices).zip(turned) {
                    let at = between(*at, 0.0, last);
                    *found = whole(if *turned { last - at } else { at });
                }
            }
        }
    }
}

/// A normalized coordinate that repeats: one far away is a multiple of two times the texture, so zero does as well, and what is
/// computed of it stays exact. What is infinite counts as zero, too.
#[inline(always)]
fn in_period(coordinate: f64) -> f64 {
    if coordinate.abs() < EVEN { coordinate } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(axis: Axis, coordinate: f32) -> ([u32; 2], u32) {
        let mut taps = Taps::<1>::default();
        axis.linear(&[coordinate.to_bits()], &mut taps);
        (taps.index.map(|[index]| index), taps.high[0])
    }

    /// CUDA C++ Programming Guide, "Texture Fetching": x becomes frac(x), or 1 - frac(x) where floor(x) is odd; alpha is
    /// frac(x N - 0.5). All these coordinates are even numbers, so x is 0.
    #[test]
    fn coordinates_far_away_repeat() {
        let axis = |mode| Axis::new(5, mode, true, 0);
        for far in [1e30_f32, -1e30, 1e13, -1e13, f32::MAX, f32::MIN, 16_777_216.0, 16_777_217e3] {
            assert_eq!(linear(axis(AddressMode::Wrap), far), ([4, 0], 128), "{far}");
            assert_eq!(linear(axis(AddressMode::Mirror), far), ([0, 0], 128), "{far}");
            for mode in [AddressMode::Wrap, AddressMode::Mirror] {
                let mut taps = Taps::<1>::default();
                axis(mode).nearest(&[far.to_bits()], &mut taps);
                assert_eq!(taps.index[0][0], 0, "{far}");
            }
        }
    }

    /// Of an H100: a coordinate is cut off at 21 bits, and a mirrored one is what is left of the texture.
    #[test]
    fn coordinates_have_21_bits() {
        let axis = |extent, mode| Axis::new(extent, mode, true, 0);
        // 549.5001 / 256 texels, which 22 bits would tell from a tie.
        let near = 3_001_003.5 / (1 << 22) as f32;
        assert_eq!(linear(axis(3, AddressMode::Clamp), near), ([1, 2], 421 - 256));
        assert_eq!(linear(axis(2, AddressMode::Mirror), -0.250_976_56), ([0, 0], 0));
    }
}
