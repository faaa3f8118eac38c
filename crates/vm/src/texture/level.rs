//! Which levels of detail an access reads.
//!
//! The programming guide has no formula: these are those of OpenGL (4.6, 8.14 "Texture Minification"), with weights as between texels.

use super::address::{ONE, onto_face};
use super::asked::Asked;
use super::descriptor::{Levels, Texture};
use ir::{Detail, Filter, Sampling};

/// A level, and how much of the next one counts, out of [`ONE`].
pub(super) fn levels(texture: &Texture, what: Sampling, asked: &Asked) -> (u32, u32) {
    let Levels { count, filter, bias, clamp } = texture.levels;
    let number = match what.detail {
        _ if count <= 1 => return (0, 0),
        Detail::Base => return (0, 0),
        Detail::Level if what.float => f64::from(f32::from_bits(asked.detail[0])),
        Detail::Level => {
            let number = asked.detail[0].cast_signed().clamp(0, count as i32 - 1);
            return (number.cast_unsigned(), 0);
        }
        Detail::Gradient => from_gradients(texture, what, asked),
    };
    let [least, most] = clamp.map(f64::from);
    let last = f64::from(count - 1);
    // What is no number counts as zero.
    let number = if number.is_nan() { 0.0 } else { number };
    let number = (number + f64::from(bias)).min(most).max(least).clamp(0.0, last);
    match filter {
        Filter::Point => ((number + 0.5).floor().min(last) as u32, 0),
        Filter::Linear => {
            let low = number.floor();
            let weight = ((number - low) * f64::from(ONE) + 0.5).floor() as u32;
            // All of the next level is that level.
            if weight == ONE { (low as u32 + 1, 0) } else { (low as u32, weight) }
        }
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
            false => (direction, usize::from(what.geometry.dimensions)),
        };
        let is_scaled = what.geometry.cube || texture.normalized;
        let texels = |(step, extent): (f64, u32)| {
            let step = if is_scaled { step * f64::from(extent.max(1)) } else { step };
            step * step
        };
        direction.into_iter().zip(texture.texels.extents).take(axes).map(texels).sum::<f64>()
    });
    longest[0].max(longest[1]).log2() / 2.0
}

/// How the place on the face of a cube changes, both coordinates of which go from 0 to 1, when the direction does.
fn derivative(at: [f64; 3], change: [f64; 3]) -> [f64; 3] {
    let (_, [m, s, t]) = onto_face(at, at);
    let (_, [dm, ds, dt]) = onto_face(at, change);
    let side = |value: f64, by: f64| (by * m - value * dm) / (m * m) / 2.0;
    [side(s, ds), side(t, dt), 0.0]
}
