//! The oracle for IEEE 754 arithmetic: `rustc_apfloat`, with the NaN rules put on top.

use crate::numeric::Round;
use rustc_apfloat::ieee::Quad;
use rustc_apfloat::{Float, FloatConvert};

/// The mode in the oracle's terms.
pub(crate) fn mode(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::NearestEven => rustc_apfloat::Round::NearestTiesToEven,
        Round::TowardZero => rustc_apfloat::Round::TowardZero,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Up => rustc_apfloat::Round::TowardPositive,
    }
}

/// The number with the given encoding.
pub(crate) fn number<F: Float>(bits: impl Into<u128>) -> F {
    F::from_bits(bits.into())
}

/// The same value in another format, which must hold it.
pub(crate) fn exact<F: FloatConvert<G>, G: Float>(a: F) -> G {
    let mut loses = false;
    let converted = a.convert(&mut loses).value;
    assert!(!loses, "{a} is not exact in the wider format");
    converted
}

/// The square root of a positive finite number, found by comparing squares in quadruple
/// precision, where they are exact for formats of up to 53 bits.
pub(crate) fn sqrt<F: FloatConvert<Quad>>(a: F, round: Round) -> F {
    let square_is_at_most = |root: Quad| root * root;
    let target: Quad = exact(a);
    // Encodings of positive numbers are in order: bisect for the last root whose square fits.
    let (mut low, mut high) = (0u128, F::INFINITY.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let root: Quad = exact(F::from_bits(middle));
        if square_is_at_most(root).value <= target { low = middle } else { high = middle }
    }
    let below: Quad = exact(F::from_bits(low));
    if (below * below).value == target {
        return F::from_bits(low);
    }
    let above: Quad = exact(F::from_bits(high));
    let half = Quad::from_str_r("0.5", rustc_apfloat::Round::NearestTiesToEven);
    let middle = ((below + above).value * half.expect("a literal").value).value;
    let up = match round {
        Round::NearestEven => (middle * middle).value < target,
        Round::TowardZero | Round::Down => false,
        Round::Up => true,
    };
    F::from_bits(if up { high } else { low })
}
