//! How the values of a gang's lanes follow from that of its first lane.

use super::launch::{GANG_LANES, LaunchShape};
use crate::Class;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How the values that a register has in the lanes of a gang ([`LaunchShape`]) follow from each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// The value of the first lane plus a constant of the lane.
    Affine(Affine),
    /// The value of the first lane of the slice, of so many lanes, plus a constant of the lane.
    Sliced(u32, Affine),
    /// Of a predicate: true in these lanes, in every gang.
    Mask(u64),
    /// Anything.
    Varying,
}

/// The value of the first lane, whatever it is, plus a constant of each lane, modulo two to the power of the register's width. Of a
/// value that follows in slices, what is said of the first lane is said of the first of each slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// The constants, the first of them 0; `None` if all are, so that the value is uniform.
    #[serde(with = "steps")]
    pub steps: Option<Arc<Steps>>,
    /// So many low bits of the first lane's value are zero, in every gang: 64 if all are.
    pub zeros: u32,
    /// Between which the first lane's value lies, in every gang, without sign; `None` if that is not known.
    pub range: Option<(u64, u64)>,
}

/// A constant of each lane.
pub type Steps = [u64; GANG_LANES];

impl Affine {
    /// The same in all lanes, and nothing else is known.
    pub const UNIFORM: Affine = Affine { steps: None, zeros: 0, range: None };

    /// A constant.
    pub fn constant(value: u64) -> Affine {
        let zeros = if value == 0 { 64 } else { value.trailing_zeros() };
        Affine { steps: None, zeros, range: Some((value, value)) }
    }

    /// The value, if it is the same constant in all lanes of all gangs.
    pub fn value(&self) -> Option<u64> {
        match (self.is_uniform(), self.range) {
            (true, Some((low, high))) if low == high => Some(low),
            _ => None,
        }
    }

    /// The values of all lanes, cut to so many bits, if they are the same in all gangs.
    pub fn lanes(&self, bits: u32) -> Option<Steps> {
        let (low, high) = self.range?;
        (low == high).then(|| self.all_steps().map(|step| cut(low.wrapping_add(step), bits)))
    }

    /// These values of lanes, in all gangs.
    pub(super) fn of_lanes(values: Steps, bits: u32) -> Affine {
        let steps = values.map(|value| cut(value.wrapping_sub(values[0]), bits));
        Affine::constant(values[0]).with_steps(steps)
    }

    /// With other constants, of which those that are all 0 say that it is uniform.
    pub fn with_steps(self, steps: Steps) -> Affine {
        let steps = steps.iter().any(|step| *step != 0).then(|| Arc::new(steps));
        Affine { steps, ..self }
    }

    /// Whether all lanes have the same value.
    pub fn is_uniform(&self) -> bool {
        self.steps.is_none()
    }

    /// The constant of a lane.
    pub fn step(&self, lane: usize) -> u64 {
        self.steps.as_ref().map_or(0, |steps| steps[lane])
    }

    /// The same, taken for a signed number of so many bits.
    pub fn signed_step(&self, lane: usize, bits: u32) -> i64 {
        signed(self.step(lane), bits)
    }

    /// All constants.
    pub fn all_steps(&self) -> Steps {
        self.steps.as_ref().map_or([0; GANG_LANES], |steps| **steps)
    }

    /// The same, taken for signed numbers of so many bits.
    pub fn signed_steps(&self, bits: u32) -> [i64; GANG_LANES] {
        self.all_steps().map(|step| signed(step, bits))
    }

    /// The least and the greatest constant, taken for signed numbers of so many bits.
    pub fn extremes(&self, bits: u32) -> (i64, i64) {
        let steps = self.signed_steps(bits);
        (steps.into_iter().min().unwrap_or(0), steps.into_iter().max().unwrap_or(0))
    }

    /// Whether the lanes' values, for numbers of so many bits without sign, are the first one's plus their constants, for
    /// numbers of any size: none wraps, in any gang.
    pub fn is_exact(&self, bits: u32) -> bool {
        let (low, high) = self.extremes(bits);
        self.range.is_some_and(|(first, last)| {
            let end = (1u128 << bits) - 1;
            i128::from(first) + i128::from(low) >= 0
                && u128::from(last) + high.max(0) as u128 <= end
        })
    }

    /// What no lane's value exceeds, in any gang, for numbers of so many bits without sign. `None` if that is not known.
    pub(super) fn greatest(&self, bits: u32) -> Option<u64> {
        let (_, last) = self.range.filter(|_| self.is_exact(bits))?;
        last.checked_add(self.extremes(bits).1.max(0).cast_unsigned())
    }

    /// What it says of each slice of so many lanes.
    fn in_slices(&self, class: Class, lanes: u32) -> Affine {
        let Some(steps) = &self.steps else { return self.clone() };
        let bits = if class == Class::W64 { 64 } else { 32 };
        let first = |lane: usize| steps[lane - lane % lanes as usize];
        let own = std::array::from_fn(|lane| cut(steps[lane].wrapping_sub(first(lane)), bits));
        let firsts = (0..GANG_LANES).map(first);
        let zeros = firsts.clone().filter(|step| *step != 0).map(u64::trailing_zeros);
        let zeros = zeros.fold(self.zeros, u32::min);
        let firsts = firsts.map(|step| signed(step, bits));
        let (low, high) = firsts.fold((0, 0), |(low, high), step| (step.min(low), step.max(high)));
        let range = self.range.and_then(|(first, last)| {
            let range = (first.checked_add_signed(low)?, last.checked_add_signed(high)?);
            (range.1 <= cut(u64::MAX, bits)).then_some(range)
        });
        Affine { steps: None, zeros, range }.with_steps(own)
    }

    /// What is true of both.
    fn join(&self, other: &Affine) -> Option<Affine> {
        let range = self.range.filter(|range| other.range == Some(*range));
        let zeros = self.zeros.min(other.zeros);
        (self.steps == other.steps).then(|| Affine { steps: self.steps.clone(), zeros, range })
    }
}

/// The low bits of a number.
pub(super) fn cut(value: u64, bits: u32) -> u64 {
    if bits == 64 { value } else { value & ((1 << bits) - 1) }
}

/// The low bits of a number, as one with a sign.
fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)).cast_signed() >> (64 - bits)
}

impl Shape {
    /// The same in all lanes.
    pub const UNIFORM: Shape = Shape::Affine(Affine::UNIFORM);

    /// Its constants, if all lanes follow from the first.
    pub fn affine(&self) -> Option<&Affine> {
        if let Shape::Affine(affine) = self { Some(affine) } else { None }
    }

    /// Whether all lanes have the same value.
    pub fn is_uniform(&self) -> bool {
        match self {
            Shape::Affine(affine) => affine.is_uniform(),
            Shape::Mask(lanes) => *lanes == 0 || *lanes == u64::MAX,
            Shape::Sliced(..) | Shape::Varying => false,
        }
    }

    /// How the lanes of each slice of so many follow from its first one, of a value of a class, if they do.
    pub fn in_slices(&self, class: Class, lanes: u32) -> Option<Affine> {
        match self {
            Shape::Affine(affine) => Some(affine.in_slices(class, lanes)),
            Shape::Sliced(own, affine) => (*own >= lanes).then(|| affine.in_slices(class, lanes)),
            Shape::Mask(_) | Shape::Varying => None,
        }
    }

    /// What is true of a value of a class that has one of two shapes.
    pub(super) fn join(&self, other: &Shape, class: Class, launch: &LaunchShape) -> Shape {
        match (self, other) {
            (Shape::Mask(a), Shape::Mask(b)) if a == b => Shape::Mask(*a),
            (Shape::Affine(a), Shape::Affine(b)) if a.steps == b.steps => {
                a.join(b).map_or(Shape::Varying, Shape::Affine)
            }
            (a, b) if a.is_uniform() && b.is_uniform() => Shape::UNIFORM,
            (Shape::Affine(_) | Shape::Sliced(..), Shape::Affine(_) | Shape::Sliced(..)) => {
                let joined = launch.slices().find_map(|lanes| {
                    let slices = self.in_slices(class, lanes).zip(other.in_slices(class, lanes));
                    let both = slices.and_then(|(a, b)| a.join(&b))?;
                    Some(Shape::Sliced(lanes, both))
                });
                joined.unwrap_or(Shape::Varying)
            }
            (Shape::Affine(_) | Shape::Sliced(..) | Shape::Mask(_) | Shape::Varying, _) => {
                Shape::Varying
            }
        }
    }
}

/// Constants of lanes as a list: there are more than serde has arrays for.
mod steps {
    use super::Steps;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<S: Serializer>(
        steps: &Option<Arc<Steps>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        steps.as_ref().map(|steps| steps.as_slice()).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Arc<Steps>>, D::Error> {
        let Some(steps) = Option::<Vec<u64>>::deserialize(from)? else { return Ok(None) };
        let steps = steps.try_into().map_err(|_| D::Error::custom("a constant is missing"))?;
        Ok(Some(Arc::new(steps)))
    }
}
