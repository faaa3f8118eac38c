//! How much the texels around a place count, as an H100 has it.

/// The weight that is one: weights have 8 bits behind the point.
pub(super) const ONE: u32 = 256;

/// How much the texels around count, of a `whole` that all together count, where `high` says how far a place lies towards the next
/// texel on each axis, both out of [`ONE`]. A weight is split by planes first, then by columns, then by rows; what one half gets
/// is rounded, and the other half gets the rest. Bit 0 of a place says which side it is on the first axis, and so on.
#[inline(always)]
pub(super) fn weights<const N: usize>(
    whole: &[u32; N],
    high: [&[u32; N]; 3],
    axes: usize,
) -> [[f64; N]; 8] {
    let mut all = [[0.0; N]; 8];
    for plane in 0..if axes > 2 { 2 } else { 1 } {
        for lane in 0..N {
            let [x, y, z] = high.map(|high| high[lane]);
            // Ties go down, up, and away from the second texel of the first axis.
            let behind = (whole[lane] * z + (ONE / 2 - 1)) / ONE;
            let here = if plane == 1 { behind } else { whole[lane] - behind };
            let right = (here * x + ONE / 2) / ONE;
            let left = here - right;
            let (right_below, left_below) =
                ((right * y + ONE / 2) / ONE, (left * y + (ONE / 2 - 1)) / ONE);
            all[4 * plane][lane] = f64::from(left - left_below);
            all[4 * plane + 1][lane] = f64::from(right - right_below);
            all[4 * plane + 2][lane] = f64::from(left_below);
            all[4 * plane + 3][lane] = f64::from(right_below);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of an H100: a texture whose texels are zeros but for one tells how much that counts.
    #[test]
    fn weights_are_an_h100s() {
        let of = |whole, [x, y, z]: [u32; 3], axes| {
            weights::<1>(&[whole], [&[x], &[y], &[z]], axes).map(|[weight]| weight)
        };
        assert_eq!(of(256, [100, 77, 0], 2)[..4], [109.0, 70.0, 47.0, 30.0]);
        assert_eq!(of(256, [255, 255, 0], 2)[..4], [0.0, 1.0, 1.0, 254.0]);
        assert_eq!(of(256, [3, 0, 0], 1)[..2], [253.0, 3.0]);
        for (x, y, z) in [(1, 2, 3), (128, 128, 128), (200, 13, 255), (64, 238, 110)] {
            assert_eq!(of(256, [x, y, z], 3).iter().sum::<f64>(), 256.0);
        }
    }
}
