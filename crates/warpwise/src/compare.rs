//! Comparison of results with expected values.

use crate::element::{ElementType, Scalar};

/// How far a value may lie from the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tolerance {
    /// The bits are the same: -0 is not +0, and NaNs have the same payload.
    #[default]
    Exact,
    /// The rule of `numpy.testing.assert_allclose`: `|got - expected| <= atol + rtol * |expected|`, in binary64. Infinities
    /// are close to themselves only, and any NaN is close to any other.
    Close {
        /// The part that grows with the expected value.
        rtol: f64,
        /// The part that does not.
        atol: f64,
    },
}

impl Tolerance {
    /// Whether a value is as good as the expected one. Both have the same type.
    pub fn admits(self, got: Scalar, expected: Scalar) -> bool {
        let Tolerance::Close { rtol, atol } = self else { return got == expected };
        if got == expected {
            return true;
        }
        let close = |difference: f64, size: f64| difference <= atol + rtol * size;
        match (got.integer(), expected.integer(), got.float(), expected.float()) {
            (Some(a), Some(b), _, _) => close(a.abs_diff(b) as f64, b.unsigned_abs() as f64),
            (_, _, Some(a), Some(b)) if a.is_finite() && b.is_finite() => {
                close((a - b).abs(), b.abs())
            }
            (_, _, Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
            _ => false,
        }
    }
}

/// An element that is not as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which element, from 0 on, in the order of memory.
    pub index: u64,
    /// What it is.
    pub got: Scalar,
    /// What it should be.
    pub expected: Scalar,
}

impl Difference {
    /// How many floats of the type lie between the two, and one more: units in the last place. Zeros of both signs are one.
    /// `None` for integers, bits and NaN.
    pub fn ulps(&self) -> Option<u64> {
        let place = |value: Scalar| {
            value.float().filter(|float| !float.is_nan())?;
            let sign = 1_u64 << (8 * value.ty().bytes() - 1);
            let size = i128::from(value.bits() & (sign - 1));
            Some(if value.bits() & sign == 0 { size } else { -size })
        };
        u64::try_from(place(self.got)?.abs_diff(place(self.expected)?)).ok()
    }
}

/// What a comparison has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// How many elements there are.
    pub elements: u64,
    /// How many are not as expected.
    pub differing: u64,
    /// The first of those.
    pub first: Vec<Difference>,
    /// The most [`Difference::ulps`] among those that have some.
    pub max_ulps: Option<u64>,
}

impl Comparison {
    /// Whether all is as expected.
    pub fn matches(&self) -> bool {
        self.differing == 0
    }
}

/// How many differences a comparison keeps.
const KEPT: usize = 5;

/// Compares elements of one type, little-endian as in memory; `None` if there are not as many bytes of both.
pub fn compare(
    got: &[u8],
    expected: &[u8],
    ty: ElementType,
    tolerance: Tolerance,
) -> Option<Comparison> {
    if got.len() != expected.len() {
        return None;
    }
    let size = ty.bytes();
    let mut found = Comparison { elements: (got.len() / size) as u64, ..Comparison::default() };
    // The same bits are as expected under every rule.
    if got == expected {
        return Some(found);
    }
    let pairs = got.chunks_exact(size).zip(expected.chunks_exact(size));
    for (index, (got, expected)) in (0..).zip(pairs) {
        if got == expected {
            continue;
        }
        let difference = Difference { index, got: scalar(ty, got), expected: scalar(ty, expected) };
        if tolerance.admits(difference.got, difference.expected) {
            continue;
        }
        found.differing += 1;
        found.max_ulps = found.max_ulps.max(difference.ulps());
        if found.first.len() < KEPT {
            found.first.push(difference);
        }
    }
    Some(found)
}

/// The element of a type that bytes hold.
fn scalar(ty: ElementType, bytes: &[u8]) -> Scalar {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    Scalar::new(ty, u64::from_le_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(rtol: f64, atol: f64) -> Tolerance {
        Tolerance::Close { rtol, atol }
    }

    // Expected: numpy.isclose(got, expected, rtol, atol, equal_nan=True).
    #[test]
    fn the_rule_of_numpy() {
        let nan = f64::NAN;
        let inf = f64::INFINITY;
        for (got, expected, rtol, atol, is_close) in [
            (1.0, 1.0 + 1e-5, 1e-5, 0.0, true),
            (1.0 + 2e-5, 1.0, 1e-5, 0.0, false),
            (1e-9, 0.0, 1e-5, 0.0, false),
            (1e-9, 0.0, 1e-5, 1e-8, true),
            (10.0, 8.0, 0.25, 0.0, true),
            (8.0, 10.5, 0.2, 0.0, false),
            (inf, inf, 0.0, 0.0, true),
            (inf, -inf, 1.0, 1.0, false),
            (1.0, inf, 1.0, 1.0, false),
            (nan, -nan, 0.0, 0.0, true),
            (nan, 0.0, 1.0, 1.0, false),
            (0.0, -0.0, 0.0, 0.0, true),
        ] {
            let admits = close(rtol, atol).admits(got.into(), expected.into());
            assert_eq!(admits, is_close, "{got} {expected} {rtol} {atol}");
        }
        assert!(close(0.0, 1.0).admits(7_u8.into(), 8_u8.into()));
        assert!(!close(0.0, 1.0).admits(u64::MAX.into(), 0_u64.into()));
        assert!(close(0.5, 0.0).admits((-5).into(), (-10).into()));
    }

    #[test]
    fn exact_means_bits() {
        assert!(!Tolerance::Exact.admits(0.0_f32.into(), (-0.0_f32).into()));
        assert!(Tolerance::Exact.admits(f32::NAN.into(), f32::NAN.into()));
    }

    #[test]
    fn ulps_count_the_floats_between() {
        let ulps = |got: Scalar, expected: Scalar| Difference { index: 0, got, expected }.ulps();
        assert_eq!(ulps(1.0_f32.into(), 1.000_000_1_f32.into()), Some(1));
        assert_eq!(ulps((-1.0_f64).into(), (-1.0_f64).next_up().into()), Some(1));
        // The least positive number and the greatest negative one have zero between them.
        assert_eq!(ulps(f32::from_bits(1).into(), (-f32::from_bits(1)).into()), Some(2));
        assert_eq!(ulps(0.0_f64.into(), (-0.0_f64).into()), Some(0));
        assert_eq!(ulps(f32::INFINITY.into(), f32::MAX.into()), Some(1));
        assert_eq!(ulps(f32::NAN.into(), 1.0_f32.into()), None);
        assert_eq!(ulps(1.into(), 2.into()), None);
    }

    #[test]
    fn the_first_differences_are_kept_and_all_are_counted() {
        let got = [0_u8, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        let expected = [0_u8, 1, 2, 0, 0, 0, 0, 0, 0, 0];
        let found = compare(&got, &expected, ElementType::U8, Tolerance::Exact).expect("as many");
        assert_eq!((found.elements, found.differing, found.first.len()), (10, 7, KEPT));
        let first = Difference { index: 3, got: 3_u8.into(), expected: 0_u8.into() };
        assert_eq!(found.first[0], first);
        assert!(
            compare(&got, &got, ElementType::U8, Tolerance::Exact).is_some_and(|it| it.matches())
        );
        assert_eq!(compare(&got, &got[1..], ElementType::U8, Tolerance::Exact), None);
    }
}
