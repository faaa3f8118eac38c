//! Which levels of detail an access reads.
//!
//! The programming guide has no formula: these are those of OpenGL (4.6, 8.14 "Texture Minification"), with the 8 bits behind the point
//! that an H100 has.

use super::asked::Asked;
use super::cube::onto_face;
use super::descriptor::{Levels, Texture};
use super::sum::leading;
use super::weight::ONE;
use ir::{Detail, Filter, Sampling};

/// What is added to the number of a level, at most.
const MOST_BIAS: f64 = 15.0;

/// A level, and how much of the next one counts, out of [`ONE`].
pub(super) fn levels(texture: &Texture, what: Sampling, asked: &Asked) -> (u32, u32) {
    let Levels { count, filter, bias, clamp } = texture.levels;
    let number = match what.detail {
        _ if count <= 1 => return (0, 0),
        Detail::Base => 0.0,
        Detail::Level if what.float => f64::from(f32::from_bits(asked.detail[0])),
        Detail::Level => {
            let number = asked.detail[0].cast_signed().clamp(0, count as i32 - 1);
            return (number.cast_unsigned(), 0);
        }
        Detail::Gradient => from_gradients(texture, what, asked),
    };
    let one = f64::from(ONE);
    let parts = |number: f64| (number * one).trunc();
    // What is no number counts as zero.
    let number = if number.is_nan() { 0.0 } else { number };
    let bias = f64::from(bias).clamp(-MOST_BIAS, MOST_BIAS);
    let [least, most] = clamp.map(|limit| (f64::from(limit) * one).floor());
    let last = f64::from(count - 1) * one;
    let number = (parts(number) + parts(bias)).min(most).max(least).clamp(0.0, last) as u32;
    match filter {
        Filter::Point => ((number + ONE / 2) / ONE, 0),
        Filter::Linear => (number / ONE, number % ONE),
    }
}

/// The binary logarithm of how many texels lie between places beside each other, in the direction in which there are more.
fn from_gradients(texture: &Texture, what: Sampling, asked: &Asked) -> f64 {
    let number = |nth: usize| f64::from(f32::from_bits(asked.detail[nth]));
    let directions = [[0, 1, 2], [3, 4, 5]].map(|all| all.map(number));
    let first = usize::from(what.geometry.layered);
    let at = [0, 1, 2].map(|axis| {
        let bits = asked.coordinates.get(first + axis).copied().unwrap_or(0);
        f64::from(f32::from_bits(bits))
    });
    let longest = directions.map(|direction| {
        let (direction, axes) = match what.geometry.cube {
            true => (derivative(at, direction), 2),
            false => (direction, usize::from(what.geometry.dimensions).min(3)),
        };
        let is_scaled = what.geometry.cube || texture.normalized;
        let mut sides = [0.0; 3];
        for axis in 0..axes {
            let scale = if is_scaled { texture.texels.extents[axis].max(1) } else { 1 };
            sides[axis] = (direction[axis] * f64::from(scale)).abs();
        }
        length(sides)
    });
    logarithm(longest[0].max(longest[1]))
}

/// About the length of a vector, as an H100 has it: its largest side and 11/32 of the others, cut off.
fn length(sides: [f64; 3]) -> f64 {
    let largest = sides.into_iter().fold(f64::NAN, f64::max);
    if largest.is_nan() || largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let all: f64 = sides.into_iter().filter(|side| !side.is_nan()).sum();
    let others = cut(all - largest, leading(all - largest) / 1024.0);
    let unit = leading(largest);
    cut(largest, unit / 1024.0) + cut(others * 11.0 / 32.0, unit / 512.0)
}

/// A multiple of the unit.
fn cut(number: f64, unit: f64) -> f64 {
    if number > 0.0 { (number / unit).floor() * unit } else { 0.0 }
}

/// What 8 bits behind the leading one have another logarithm for than that of the middle of what they stand for.
const LOWER: [u64; 14] = [0, 61, 86, 108, 109, 110, 111, 115, 116, 117, 141, 162, 170, 255];

/// The binary logarithm that an H100 finds in a table by the 8 bits behind the leading one.
fn logarithm(number: f64) -> f64 {
    if !number.is_normal() {
        return number.ln();
    }
    let place = number.to_bits() >> 44 & 0xff;
    let middle = (1.0 + (place as f64 + 0.5) / 256.0).log2();
    let parts = (middle * 256.0 + 0.5).floor() - if LOWER.contains(&place) { 1.0 } else { 0.0 };
    let exponent = (number.to_bits() >> 52) as f64 - 1023.0;
    exponent + parts / 256.0
}

/// How the place on the face of a cube changes, both coordinates of which go from 0 to 1, when the direction does.
fn derivative(at: [f64; 3], change: [f64; 3]) -> [f64; 3] {
    let (_, [m, s, t]) = onto_face(at, at);
    let (_, [dm, ds, dt]) = onto_face(at, change);
    let side = |value: f64, by: f64| (by * m - value * dm) / (m * m) / 2.0;
    [side(s, ds), side(t, dt), 0.0]
}
