//! From the coordinates of a warp to texels, one axis at a time: [`Axis::taps`] of 32 lanes.

use super::address::{Axis, ONE, in_period};
use ir::{AddressMode, Filter};
use lanes::{Lanes, WARP};

/// The texels of an axis for each lane: that of lower coordinates, and the one behind it.
#[derive(Clone, Debug)]
pub(super) struct Taps {
    /// Their bytes from the first texel of the axis; of the border, 0.
    pub(super) offset: [Lanes<u32>; 2],
    /// How much of them, out of [`ONE`].
    weight: [Lanes<f64>; 2],
    /// Not 0 where they are the border.
    outside: [Lanes<u32>; 2],
    /// Whether any may be.
    has_border: bool,
}

/// The axes of a geometry.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    /// How many there are.
    pub(super) count: usize,
    pub(super) taps: [Taps; 3],
}

impl Default for Axes {
    fn default() -> Axes {
        let taps = || Taps {
            offset: [[0; WARP]; 2],
            weight: [[0.0; WARP]; 2],
            outside: [[0; WARP]; 2],
            has_border: false,
        };
        Axes { count: 0, taps: [taps(), taps(), taps()] }
    }
}

impl Axes {
    /// Whether any texel may be the border.
    #[inline(always)]
    pub(super) fn reach_border(&self) -> bool {
        self.taps.iter().take(self.count).any(|taps| taps.has_border)
    }

    /// How much texels count, out of [`ONE`] to the power of how many axes there are.
    #[inline(always)]
    pub(super) fn weights(&self, sides: [usize; 3]) -> Lanes<f64> {
        let mut weights = self.taps[0].weight[sides[0]];
        for (taps, side) in self.taps.iter().zip(sides).take(self.count).skip(1) {
            for (weight, by) in weights.iter_mut().zip(&taps.weight[side]) {
                *weight *= by;
            }
        }
        weights
    }

    /// Where texels are the border.
    #[inline(always)]
    pub(super) fn outside(&self, sides: [usize; 3]) -> Lanes<u32> {
        let mut all = [0; WARP];
        for (taps, side) in self.taps.iter().zip(sides).take(self.count) {
            for (all, outside) in all.iter_mut().zip(&taps.outside[side]) {
                *all |= outside;
            }
        }
        all
    }
}

/// Numbers below it are exact however they are divided here; what lies beyond goes lane by lane.
const FAR: f64 = (1_u64 << 40) as f64;

/// How the coordinates of an axis are understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct WarpAxis {
    /// Texels, at least one and less than 2^31.
    pub(super) extent: u32,
    /// Bytes from one to the next.
    pub(super) step: u32,
    /// The mode that is in force.
    pub(super) mode: AddressMode,
    /// Whether 1 is the extent.
    pub(super) normalized: bool,
}

impl WarpAxis {
    /// The texels in which integer coordinates lie.
    #[inline(always)]
    pub(super) fn integers(self, coordinates: &Lanes<u32>, taps: &mut Taps) {
        let last = (self.extent - 1).cast_signed();
        taps.has_border = self.mode == AddressMode::Border;
        for (lane, at) in coordinates.iter().enumerate() {
            let at = at.cast_signed();
            let inside = at.clamp(0, last);
            taps.outside[0][lane] = u32::from(taps.has_border && inside != at);
            taps.offset[0][lane] = inside.cast_unsigned().wrapping_mul(self.step);
        }
    }

    /// The texels in which coordinates lie.
    #[inline(always)]
    pub(super) fn nearest(self, coordinates: &Lanes<u32>, taps: &mut Taps) {
        let mut index = self.places(coordinates);
        for at in &mut index {
            *at = at.floor();
        }
        self.indices(&index, taps, 0);
    }

    /// The texels around, and their weights.
    #[inline(always)]
    pub(super) fn linear(self, coordinates: &Lanes<u32>, taps: &mut Taps) {
        let one = f64::from(ONE);
        let mut index = self.places(coordinates);
        for (lane, at) in index.iter_mut().enumerate() {
            let low = (*at - 0.5).floor();
            let fraction = if low.is_finite() { *at - 0.5 - low } else { 0.0 };
            let high = (fraction * one + 0.5).floor();
            taps.weight[0][lane] = one - high;
            taps.weight[1][lane] = high;
            *at = low;
        }
        self.indices(&index, taps, 0);
        for at in &mut index {
            *at += 1.0;
        }
        self.indices(&index, taps, 1);
    }

    /// Coordinates in texels, those of a mirrored texture inside.
    #[inline(always)]
    fn places(self, coordinates: &Lanes<u32>) -> Lanes<f64> {
        let count = f64::from(self.extent);
        let scale = if self.normalized { count } else { 1.0 };
        // Of coordinates that count texels, no mode that is in force repeats them.
        let repeats = matches!(self.mode, AddressMode::Wrap | AddressMode::Mirror);
        let mut at: Lanes<f64> = [0.0; WARP];
        for (at, bits) in at.iter_mut().zip(coordinates) {
            let given = f64::from(f32::from_bits(*bits));
            let given = if repeats { in_period(given) } else { given };
            *at = if given.is_nan() { 0.0 } else { given } * scale;
        }
        if self.mode == AddressMode::Mirror {
            for at in &mut at {
                let times = (*at / count).floor();
                let inside = *at - times * count;
                let is_even = times - 2.0 * (times / 2.0).floor() == 0.0;
                *at = if is_even { inside } else { count - inside };
            }
        }
        at
    }

    /// The texels of indices that may lie outside.
    #[inline(always)]
    fn indices(self, index: &Lanes<f64>, taps: &mut Taps, side: usize) {
        let count = f64::from(self.extent);
        let last = count - 1.0;
        let mut inside: Lanes<f64> = [0.0; WARP];
        taps.has_border = self.mode == AddressMode::Border;
        match self.mode {
            AddressMode::Clamp | AddressMode::Mirror | AddressMode::Border => {
                for (inside, at) in inside.iter_mut().zip(index) {
                    let at = if *at < 0.0 { 0.0 } else { *at };
                    *inside = if at > last { last } else { at };
                }
                if taps.has_border {
                    for (outside, at) in taps.outside[side].iter_mut().zip(index) {
                        *outside = u32::from(!(0.0..count).contains(at));
                    }
                }
            }
            AddressMode::Wrap => {
                let part = 1.0 / count;
                let mut is_far = false;
                for (inside, at) in inside.iter_mut().zip(index) {
                    is_far |= at.abs() >= FAR;
                    let rest = at - (at * part).floor() * count;
                    let rest = if rest < 0.0 { rest + count } else { rest };
                    *inside = if rest >= count { rest - count } else { rest };
                }
                if is_far {
                    for (inside, at) in inside.iter_mut().zip(index) {
                        *inside = self.one_by_one(*at);
                    }
                }
            }
        }
        for (offset, inside) in taps.offset[side].iter_mut().zip(&inside) {
            *offset = whole(*inside).wrapping_mul(self.step);
        }
    }

    /// The same for a lane.
    #[cold]
    fn one_by_one(self, index: f64) -> f64 {
        let (extent, mode) = (self.extent, self.mode);
        let (filter, normalized) = (Filter::Point, self.normalized);
        let axis = Axis { extent, mode, filter, normalized, offset: 0 };
        f64::from(axis.index(index, mode).unwrap_or(0))
    }
}

/// An integer from 0 to 2^32 - 1, by its place in the fraction: which every level of vector instructions can.
#[inline(always)]
fn whole(number: f64) -> u32 {
    const PLACE: f64 = (1_u64 << 52) as f64;
    (number + PLACE).to_bits() as u32
}
