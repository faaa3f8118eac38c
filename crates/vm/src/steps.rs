//! Whether the values of a row lie in equal steps, as the addresses of adjacent elements do.

use lanes::{Lanes, WARP};

/// The same for each width: differences are collected and looked at once, so that the loop is vector code.
macro_rules! in_steps {
    ($name:ident, $vectors:ident, $ty:ty) => {
        /// Whether each lane's value is that of the lane before it and so much more.
        pub(crate) fn $name(row: &Lanes<$ty>, step: $ty) -> bool {
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "avx2")]
                fn $vectors(row: &Lanes<$ty>, step: $ty) -> bool {
                    in_steps!(@ row, step)
                }
                // SAFETY: the machine has these instructions.
                return unsafe { $vectors(row, step) };
            }
            in_steps!(@ row, step)
        }
    };
    (@ $row:ident, $step:ident) => {{
        let mut differences = 0;
        for lane in 1..WARP {
            differences |= $row[lane].wrapping_sub($row[lane - 1]) ^ $step;
        }
        differences == 0
    }};
}

in_steps!(words, words_avx2, u32);
in_steps!(longs, longs_avx2, u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_counts() {
        let narrow = std::array::from_fn(|lane| (lane as u32).wrapping_mul(12).wrapping_sub(30));
        let wide = std::array::from_fn(|lane| 7 + 16 * lane as u64);
        assert!(words(&narrow, 12) && longs(&wide, 16) && words(&[5; WARP], 0));
        assert!(!words(&narrow, 16) && !longs(&wide, 8));
        for lane in 0..WARP {
            let (mut narrow, mut wide) = (narrow, wide);
            narrow[lane] ^= 1 << lane;
            wide[lane] ^= 1 << (2 * lane);
            assert!(!words(&narrow, 12) && !longs(&wide, 16), "lane {lane}");
        }
    }
}
