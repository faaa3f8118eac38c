//! From coordinates to texels: one axis at a time (CUDA C++ Programming Guide, "Texture Fetching").

use ir::{AddressMode, Filter};

/// The weight that is one: weights are fixed-point numbers of 9 bits, 8 of them behind the point.
pub(super) const ONE: u32 = 256;

/// A texel of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tap {
    /// Its index; `None` is the border.
    pub(super) index: Option<u32>,
    /// How much of it, out of [`ONE`].
    pub(super) weight: u32,
}

/// How coordinates of an axis are understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Texels, at least one.
    pub(super) extent: u32,
    pub(super) mode: AddressMode,
    pub(super) filter: Filter,
    /// Whether 1 is the extent.
    pub(super) normalized: bool,
    /// Texels that are added to the coordinate.
    pub(super) offset: i32,
}

impl Axis {
    /// The texels that a coordinate leads to. Products of a binary32 and an extent are exact in binary64.
    pub(super) fn taps(self, coordinate: f64) -> [Tap; 2] {
        let count = f64::from(self.extent);
        // What is no number counts as zero.
        let given = if coordinate.is_nan() { 0.0 } else { coordinate };
        let repeats = matches!(self.mode, AddressMode::Wrap | AddressMode::Mirror);
        let given = if self.normalized && repeats { in_period(given) } else { given };
        let at = if self.normalized { given * count } else { given };
        let (mut at, mut mode) = (at + f64::from(self.offset), self.mode);
        if !self.normalized && matches!(mode, AddressMode::Wrap | AddressMode::Mirror) {
            mode = AddressMode::Clamp;
        }
        if mode == AddressMode::Mirror {
            // The guide: frac(x) where floor(x) is even, else 1 - frac(x).
            let times = (at / count).floor();
            let inside = at - times * count;
            at = if times.rem_euclid(2.0) == 0.0 { inside } else { count - inside };
            mode = AddressMode::Clamp;
        }
        match self.filter {
            Filter::Point => {
                let tap = Tap { index: self.index(at.floor(), mode), weight: ONE };
                [tap, Tap { weight: 0, ..tap }]
            }
            Filter::Linear => {
                let low = (at - 0.5).floor();
                // An infinite coordinate lies as far from both.
                let fraction = if low.is_finite() { at - 0.5 - low } else { 0.0 };
                let high = (fraction * f64::from(ONE) + 0.5).floor() as u32;
                let tap = |index, weight| Tap { index: self.index(index, mode), weight };
                [tap(low, ONE - high), tap(low + 1.0, high)]
            }
        }
    }

    /// The texel of an index that may lie outside.
    pub(super) fn index(self, index: f64, mode: AddressMode) -> Option<u32> {
        let count = f64::from(self.extent);
        match mode {
            AddressMode::Border if !(0.0..count).contains(&index) => None,
            AddressMode::Wrap => Some(index.rem_euclid(count) as u32 % self.extent.max(1)),
            AddressMode::Border | AddressMode::Clamp | AddressMode::Mirror => {
                Some(index.clamp(0.0, count - 1.0) as u32)
            }
        }
    }
}

/// From here on every binary32 is an even number.
const EVEN: f64 = (1_u32 << f32::MANTISSA_DIGITS) as f64;

/// A normalized coordinate that repeats: one far away is a multiple of two times the texture, so zero does as well, and what is
/// computed of it stays exact. What is infinite or no number counts as zero, too.
#[inline(always)]
pub(super) fn in_period(coordinate: f64) -> f64 {
    if coordinate.abs() < EVEN { coordinate } else { 0.0 }
}

/// The face of a cube map that a direction leads to, and the place on it, both coordinates from 0 to 1 (CUDA C++ Programming
/// Guide, "Cubemap Textures").
pub(super) fn face(at: [f64; 3]) -> (u32, [f64; 2]) {
    let (face, [m, s, t]) = onto_face(at, at);
    (face, [s, t].map(|side| (side / m + 1.0) / 2.0))
}

/// The face that a direction leads to, and the components of a vector as seen from it: towards it, to its right and down.
pub(super) fn onto_face([x, y, z]: [f64; 3], [vx, vy, vz]: [f64; 3]) -> (u32, [f64; 3]) {
    let [ax, ay, az] = [x.abs(), y.abs(), z.abs()];
    if ax >= ay && ax >= az {
        if x >= 0.0 { (0, [vx, -vz, -vy]) } else { (1, [-vx, vz, -vy]) }
    } else if ay >= az {
        if y >= 0.0 { (2, [vy, vx, vz]) } else { (3, [-vy, vx, -vz]) }
    } else if z >= 0.0 {
        (4, [vz, vx, -vy])
    } else {
        (5, [-vz, -vx, -vy])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CUDA C++ Programming Guide, "Texture Fetching": x becomes frac(x), or 1 - frac(x) where floor(x) is odd; alpha is
    /// frac(x N - 0.5). All these coordinates are even numbers, so x is 0.
    #[test]
    fn coordinates_far_away_repeat() {
        let axis = |mode, filter| Axis { extent: 5, mode, filter, normalized: true, offset: 0 };
        let tap = |index, weight| Tap { index: Some(index), weight };
        for far in [1e30_f32, -1e30, 1e13, -1e13, f32::MAX, f32::MIN, 16_777_216.0, 16_777_217e3] {
            let far = f64::from(far);
            let linear = |mode| axis(mode, Filter::Linear).taps(far);
            assert_eq!(linear(AddressMode::Wrap), [tap(4, 128), tap(0, 128)], "{far}");
            assert_eq!(linear(AddressMode::Mirror), [tap(0, 128), tap(0, 128)], "{far}");
            for mode in [AddressMode::Wrap, AddressMode::Mirror] {
                assert_eq!(axis(mode, Filter::Point).taps(far)[0], tap(0, ONE), "{far}");
            }
        }
    }
}
