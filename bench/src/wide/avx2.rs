//! Loops in vectors of 256 bits.

use super::parts::{put_together, sum_of_warps};
use bytemuck::cast;
use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx2,fma")]
fn floats(of: &[f32]) -> __m256 {
    cast::<[f32; 8], __m256>(of.try_into().unwrap_or_default())
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn block_reduce(input: &[f32], out: &mut [f32]) {
    for (input, out) in input.chunks_exact(256).zip(out) {
        let mut partial = [0f32; 8];
        for (warp, partial) in input.chunks_exact(32).zip(&mut partial) {
            let low = _mm256_add_ps(floats(&warp[..8]), floats(&warp[16..24]));
            let high = _mm256_add_ps(floats(&warp[8..16]), floats(&warp[24..]));
            *partial = sum(_mm256_add_ps(low, high));
        }
        *out = sum_of_warps(partial);
    }
}

/// The sum of eight numbers, in halves.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn sum(of: __m256) -> f32 {
    let (low, high) = (_mm256_castps256_ps128(of), _mm256_extractf128_ps::<1>(of));
    let sums = _mm_add_ps(low, high);
    let sums = _mm_add_ps(sums, _mm_movehl_ps(sums, sums));
    let sums = _mm_add_ss(sums, _mm_shuffle_ps::<1>(sums, sums));
    _mm_cvtss_f32(sums)
}

/// Eight at a time, and what came before in all of the next eight.
#[target_feature(enable = "avx2,fma")]
pub(super) fn warp_scan(input: &[i32], out: &mut [i32]) {
    let last = _mm256_set1_epi32(7);
    let third = _mm256_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3);
    for (input, out) in input.chunks_exact(32).zip(out.chunks_exact_mut(32)) {
        let mut before = _mm256_setzero_si256();
        for (input, out) in input.chunks_exact(8).zip(out.chunks_exact_mut(8)) {
            let mut x = cast::<[i32; 8], __m256i>(input.try_into().unwrap_or_default());
            x = _mm256_add_epi32(x, _mm256_slli_si256::<4>(x));
            x = _mm256_add_epi32(x, _mm256_slli_si256::<8>(x));
            // The lower half's sum is added to the upper half.
            let lower = _mm256_permutevar8x32_epi32(x, third);
            let zero = _mm256_setzero_si256();
            x = _mm256_add_epi32(x, _mm256_blend_epi32::<0b1111_0000>(zero, lower));
            x = _mm256_add_epi32(x, before);
            out.copy_from_slice(&cast::<__m256i, [i32; 8]>(x));
            before = _mm256_permutevar8x32_epi32(x, last);
        }
    }
}

/// 6 rows by 16 columns at a time, whose part of `b` lies together.
#[target_feature(enable = "avx2,fma")]
pub(super) fn matmul(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    const COLUMNS: usize = 16;
    let mut part = vec![0f32; n * COLUMNS];
    for column in (0..n).step_by(COLUMNS) {
        put_together::<COLUMNS>(b, n, column, &mut part);
        let mut row = 0;
        while row + 6 <= n {
            tile::<6>(a, &part, c, [row, column, n]);
            row += 6;
        }
        while row < n {
            tile::<1>(a, &part, c, [row, column, n]);
            row += 1;
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn tile<const ROWS: usize>(a: &[f32], part: &[f32], c: &mut [f32], [row, column, n]: [usize; 3]) {
    let rows: [&[f32]; ROWS] = std::array::from_fn(|nth| &a[(row + nth) * n..][..n]);
    let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
    for (k, part) in part.chunks_exact(16).enumerate() {
        let (low, high) = (floats(&part[..8]), floats(&part[8..]));
        for (row, sums) in rows.iter().zip(&mut sums) {
            let factor = _mm256_set1_ps(row[k]);
            sums[0] = _mm256_fmadd_ps(factor, low, sums[0]);
            sums[1] = _mm256_fmadd_ps(factor, high, sums[1]);
        }
    }
    for (nth, sums) in sums.into_iter().enumerate() {
        let out = &mut c[(row + nth) * n + column..][..16];
        out.copy_from_slice(&cast::<[__m256; 2], [f32; 16]>(sums));
    }
}

/// 32 points at a time, whose rounds have nothing to do with each other.
#[target_feature(enable = "avx2,fma")]
pub(super) fn mandelbrot(out: &mut [u32], width: usize, step: f32, most: u32) {
    const PARTS: usize = 4;
    let four = _mm256_set1_ps(4.0);
    for (nth, out) in out.chunks_exact_mut(8 * PARTS).enumerate() {
        let at = |part: usize, lane: usize| (nth * PARTS + part) * 8 + lane;
        let place = |of: &dyn Fn(usize) -> f32| cast::<[f32; 8], __m256>(std::array::from_fn(of));
        let cx: [__m256; PARTS] = std::array::from_fn(|part| {
            place(&|lane| ((at(part, lane) % width) as f32).mul_add(step, -2.0))
        });
        let cy: [__m256; PARTS] = std::array::from_fn(|part| {
            place(&|lane| ((at(part, lane) / width) as f32).mul_add(step, -1.5))
        });
        let mut x = [_mm256_setzero_ps(); PARTS];
        let mut y = x;
        let mut rounds = [_mm256_setzero_si256(); PARTS];
        let mut inside = [_mm256_castsi256_ps(_mm256_set1_epi32(-1)); PARTS];
        for _ in 0..most {
            let mut any = _mm256_setzero_ps();
            for part in 0..PARTS {
                let (xx, yy) = (_mm256_mul_ps(x[part], x[part]), _mm256_mul_ps(y[part], y[part]));
                let near = _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_add_ps(xx, yy), four);
                inside[part] = _mm256_and_ps(inside[part], near);
                any = _mm256_or_ps(any, inside[part]);
                let twice = _mm256_add_ps(x[part], x[part]);
                y[part] = _mm256_fmadd_ps(twice, y[part], cy[part]);
                x[part] = _mm256_add_ps(cx[part], _mm256_sub_ps(xx, yy));
                // A mask is minus one.
                rounds[part] = _mm256_sub_epi32(rounds[part], _mm256_castps_si256(inside[part]));
            }
            if _mm256_movemask_ps(any) == 0 {
                break;
            }
        }
        out.copy_from_slice(&cast::<[__m256i; PARTS], [u32; 32]>(rounds));
    }
}
