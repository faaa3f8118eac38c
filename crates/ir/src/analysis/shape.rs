//! How the values of a warp's lanes follow from that of its first lane.

use lanes::WARP;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How the values that a register has in the lanes of a warp follow from each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// The value of the first lane plus a constant of the lane.
    Affine(Affine),
    /// Of a predicate: true in these lanes, in every warp.
    Mask(u32),
    /// Anything.
    Varying,
}

/// The value of the first lane, whatever it is, plus a constant of each lane, modulo two to the power of the register's width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// The constants, the first of them 0; `None` if all are, so that the value is uniform.
    pub steps: Option<Arc<[u64; WARP]>>,
    /// So many low bits of the first lane's value are zero, in every warp: 64 if all are.
    pub zeros: u32,
    /// Between which the first lane's value lies, in every warp, without sign; `None` if that is not known.
    pub range: Option<(u64, u64)>,
}

impl Affine {
    /// The same in all lanes, and nothing else is known.
    pub const UNIFORM: Affine = Affine { steps: None, zeros: 0, range: None };

    /// A constant.
    pub fn constant(value: u64) -> Affine {
        let zeros = if value == 0 { 64 } else { value.trailing_zeros() };
        Affine { steps: None, zeros, range: Some((value, value)) }
    }

    /// The value, if it is the same constant in all lanes of all warps.
    pub fn value(&self) -> Option<u64> {
        match (self.is_uniform(), self.range) {
            (true, Some((low, high))) if low == high => Some(low),
            _ => None,
        }
    }

    /// With other constants, of which those that are all 0 say that it is uniform.
    pub fn with_steps(self, steps: [u64; WARP]) -> Affine {
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

    /// All constants.
    pub fn all_steps(&self) -> [u64; WARP] {
        self.steps.as_ref().map_or([0; WARP], |steps| **steps)
    }

    /// The least and the greatest constant, taken for signed numbers of so many bits.
    pub fn extremes(&self, bits: u32) -> (i64, i64) {
        let signed = |step: u64| (step << (64 - bits)).cast_signed() >> (64 - bits);
        let steps = self.all_steps().map(signed);
        (steps.into_iter().min().unwrap_or(0), steps.into_iter().max().unwrap_or(0))
    }

    /// Whether the lanes' values, for numbers of so many bits without sign, are the first one's plus their constants, for
    /// numbers of any size: none wraps, in any warp.
    pub fn is_exact(&self, bits: u32) -> bool {
        let (low, high) = self.extremes(bits);
        self.range.is_some_and(|(first, last)| {
            let end = (1u128 << bits) - 1;
            i128::from(first) + i128::from(low) >= 0
                && u128::from(last) + high.max(0) as u128 <= end
        })
    }

    /// What is true of both.
    fn join(&self, other: &Affine) -> Option<Affine> {
        let range = self.range.filter(|range| other.range == Some(*range));
        let zeros = self.zeros.min(other.zeros);
        (self.steps == other.steps).then(|| Affine { steps: self.steps.clone(), zeros, range })
    }
}

impl Shape {
    /// The same in all lanes.
    pub const UNIFORM: Shape = Shape::Affine(Affine::UNIFORM);

    /// Its constants, if it has any.
    pub fn affine(&self) -> Option<&Affine> {
        if let Shape::Affine(affine) = self { Some(affine) } else { None }
    }

    /// Whether all lanes have the same value.
    pub fn is_uniform(&self) -> bool {
        match self {
            Shape::Affine(affine) => affine.is_uniform(),
            Shape::Mask(lanes) => *lanes == 0 || *lanes == u32::MAX,
            Shape::Varying => false,
        }
    }

    /// What is true of a value that has one of two shapes.
    pub(super) fn join(&self, other: &Shape) -> Shape {
        match (self, other) {
            (Shape::Affine(a), Shape::Affine(b)) => a.join(b).map_or(Shape::Varying, Shape::Affine),
            (Shape::Mask(a), Shape::Mask(b)) if a == b => Shape::Mask(*a),
            (a, b) if a.is_uniform() && b.is_uniform() => Shape::UNIFORM,
            (Shape::Affine(_) | Shape::Mask(_) | Shape::Varying, _) => Shape::Varying,
        }
    }
}
