//! Loops in vectors of 512 bits.

use super::avx2;
use super::parts::{put_together, sum_of_warps};
use bytemuck::cast;
use core::arch::x86_64::*;

/// Sixteen numbers as a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn floats(of: &[f32]) -> __m512 {
    cast::<[f32; 16], __m512>(of.try_into().unwrap_or_default())
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn integers(of: &[i32]) -> __m512i {
    cast::<[i32; 16], __m512i>(of.try_into().unwrap_or_default())
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn put(to: &mut [i32], vector: __m512i) {
    to.copy_from_slice(&cast::<__m512i, [i32; 16]>(vector));
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn block_reduce(input: &[f32], out: &mut [f32]) {
    for (input, out) in input.chunks_exact(256).zip(out) {
        let mut partial = [0f32; 8];
        for (warp, partial) in input.chunks_exact(32).zip(&mut partial) {
            let sums = _mm512_add_ps(floats(&warp[..16]), floats(&warp[16..]));
            let (low, high) = (_mm512_castps512_ps256(sums), _mm512_extractf32x8_ps::<1>(sums));
            *partial = avx2::sum(_mm256_add_ps(low, high));
        }
        *out = sum_of_warps(partial);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn warp_scan(input: &[i32], out: &mut [i32]) {
    let zero = _mm512_setzero_si512();
    for (input, out) in input.chunks_exact(32).zip(out.chunks_exact_mut(32)) {
        let (mut low, mut high) = (integers(&input[..16]), integers(&input[16..]));
        macro_rules! step {
            ($rest:literal) => {
                high = _mm512_add_epi32(high, _mm512_alignr_epi32::<$rest>(high, low));
                low = _mm512_add_epi32(low, _mm512_alignr_epi32::<$rest>(low, zero));
            };
        }
        step!(15);
        step!(14);
        step!(12);
        step!(8);
        high = _mm512_add_epi32(high, low);
        put(&mut out[..16], low);
        put(&mut out[16..], high);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn compact(input: &[i32], out: &mut [i32]) -> usize {
    let mut count = 0;
    for input in input.chunks_exact(16) {
        let values = integers(input);
        let positive = _mm512_cmpgt_epi32_mask(values, _mm512_setzero_si512());
        let kept = positive.count_ones() as usize;
        let dense = cast::<__m512i, [i32; 16]>(_mm512_maskz_compress_epi32(positive, values));
        match out.get_mut(count..).and_then(|out| out.first_chunk_mut::<16>()) {
            Some(out) => *out = dense,
            None => out[count..count + kept].copy_from_slice(&dense[..kept]),
        }
        count += kept;
    }
    count
}

/// 12 rows by 32 columns at a time, whose part of `b` lies together.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn matmul(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    const ROWS: usize = 12;
    const COLUMNS: usize = 32;
    let mut part = vec![0f32; n * COLUMNS];
    for column in (0..n).step_by(COLUMNS) {
        put_together::<COLUMNS>(b, n, column, &mut part);
        let mut row = 0;
        while row + ROWS <= n {
            tile::<ROWS>(a, &part, c, [row, column, n]);
            row += ROWS;
        }
        while row + 4 <= n {
            tile::<4>(a, &part, c, [row, column, n]);
            row += 4;
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn tile<const ROWS: usize>(a: &[f32], part: &[f32], c: &mut [f32], [row, column, n]: [usize; 3]) {
    let rows: [&[f32]; ROWS] = std::array::from_fn(|nth| &a[(row + nth) * n..][..n]);
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    for (k, part) in part.chunks_exact(32).enumerate() {
        let (low, high) = (floats(&part[..16]), floats(&part[16..]));
        for (row, sums) in rows.iter().zip(&mut sums) {
            let factor = _mm512_set1_ps(row[k]);
            sums[0] = _mm512_fmadd_ps(factor, low, sums[0]);
            sums[1] = _mm512_fmadd_ps(factor, high, sums[1]);
        }
    }
    for (nth, sums) in sums.into_iter().enumerate() {
        let out = &mut c[(row + nth) * n + column..][..32];
        out.copy_from_slice(&cast::<[__m512; 2], [f32; 32]>(sums));
    }
}

/// 32 points at a time, whose rounds have nothing to do with each other.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn mandelbrot(out: &mut [u32], width: usize, step: f32, most: u32) {
    for (nth, out) in out.chunks_exact_mut(32).enumerate() {
        let mut low = Points::new(nth * 32, width, step);
        let mut high = Points::new(nth * 32 + 16, width, step);
        for _ in 0..most {
            low.advance();
            high.advance();
            if low.inside | high.inside == 0 {
                break;
            }
        }
        out[..16].copy_from_slice(&cast::<__m512i, [u32; 16]>(low.rounds));
        out[16..].copy_from_slice(&cast::<__m512i, [u32; 16]>(high.rounds));
    }
}

/// Sixteen points of the plane.
struct Points {
    at: [__m512; 2],
    x: __m512,
    y: __m512,
    rounds: __m512i,
    inside: __mmask16,
}

impl Points {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn new(first: usize, width: usize, step: f32) -> Points {
        let x: [f32; 16] =
            std::array::from_fn(|lane| (((first + lane) % width) as f32).mul_add(step, -2.0));
        let y: [f32; 16] =
            std::array::from_fn(|lane| (((first + lane) / width) as f32).mul_add(step, -1.5));
        let zero = _mm512_setzero_ps();
        let rounds = _mm512_setzero_si512();
        Points { at: [cast(x), cast(y)], x: zero, y: zero, rounds, inside: u16::MAX }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn advance(&mut self) {
        let Points { at: [cx, cy], x, y, rounds, inside } = *self;
        let (xx, yy) = (_mm512_mul_ps(x, x), _mm512_mul_ps(y, y));
        let square = _mm512_add_ps(xx, yy);
        self.inside = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(inside, square, _mm512_set1_ps(4.0));
        self.y = _mm512_fmadd_ps(_mm512_add_ps(x, x), y, cy);
        self.x = _mm512_add_ps(cx, _mm512_sub_ps(xx, yy));
        self.rounds = _mm512_mask_add_epi32(rounds, self.inside, rounds, _mm512_set1_epi32(1));
    }
}

/// Four vectors at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn xorshift(out: &mut [u32], rounds: u32) {
    let (factor, more) = (_mm512_set1_epi32(1_664_525), _mm512_set1_epi32(1_013_904_223));
    for (nth, out) in out.chunks_exact_mut(64).enumerate() {
        let first = nth as u32 * 64 + 1;
        let numbers: [u32; 64] = std::array::from_fn(|lane| first + lane as u32);
        let mut x: [__m512i; 4] = cast(numbers);
        for _ in 0..rounds {
            for x in &mut x {
                *x = _mm512_xor_si512(*x, _mm512_slli_epi32::<13>(*x));
                *x = _mm512_xor_si512(*x, _mm512_srli_epi32::<17>(*x));
                *x = _mm512_xor_si512(*x, _mm512_slli_epi32::<5>(*x));
                *x = _mm512_add_epi32(_mm512_mullo_epi32(*x, factor), more);
            }
        }
        out.copy_from_slice(&cast::<[__m512i; 4], [u32; 64]>(x));
    }
}
