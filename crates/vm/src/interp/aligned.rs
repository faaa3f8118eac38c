//! Sums of products of floats with instructions of AVX2, bit for bit those of `lanes::product::sums`: eight columns of a row at once.
#![cfg(target_arch = "x86_64")]

use lanes::product::{Adder, Factor, Sum, sums};
use std::arch::x86_64::*;

/// Elements of a line, at most.
pub(super) const LONGEST: usize = 32;
/// Rows and columns that are multiplied at once.
pub(super) const SIDE: usize = 8;

/// A line of words or sums.
pub(super) type Line<T> = [T; SIDE];

/// The elements of eight rows of `a` and of eight columns of `b`.
pub(super) struct Factors<'a> {
    /// Elements of a row.
    pub(super) count: usize,
    /// Row by row.
    pub(super) of_a: &'a [[f32; LONGEST]; SIDE],
    /// Row by row, that is, element by element of all columns.
    pub(super) of_b: &'a [Line<f32>; LONGEST],
}

/// The columns of a row in binary64, the first four and the others.
type Wide = [__m256d; 2];

/// Adds the products of all elements to the sums of eight rows, for results of a type.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline(never)]
pub(super) fn add_aligned(
    factors: [Factor; 2],
    ty: Sum,
    Factors { count, of_a, of_b }: &Factors<'_>,
    found: &mut [__m256; SIDE],
) {
    let [least_a, least_b] = factors.map(sums::least);
    let mut exponents = [_mm256_setzero_si256(); LONGEST];
    let mut wide = [[_mm256_setzero_pd(); 2]; LONGEST];
    let mut greatest = _mm256_set1_epi32(sums::NONE);
    for ((b, exponent), wide) in of_b.iter().zip(&mut exponents).zip(&mut wide).take(*count) {
        let b = load(b);
        *exponent = exponents_of(b, least_b);
        greatest = _mm256_max_epi32(greatest, *exponent);
        *wide = widened(b);
    }
    for (a, sum) in of_a.iter().zip(found) {
        let mut of_a = [0; LONGEST];
        let lines = a.as_chunks::<SIDE>().0.iter().zip(of_a.as_chunks_mut::<SIDE>().0);
        let mut most = greatest;
        for (line, to) in lines.take(count.div_ceil(SIDE)) {
            let exponents = exponents_of(load(line), least_a);
            most = _mm256_max_epi32(most, exponents);
            // SAFETY: both have 32 bytes, of which any are eight numbers.
            *to = unsafe { std::mem::transmute::<__m256i, Line<i32>>(exponents) };
        }
        let own = exponents_of(*sum, sums::LEAST);
        most = _mm256_max_epi32(most, own);
        let mut largest = own;
        for (a, b) in of_a.iter().zip(&exponents).take(*count) {
            largest = _mm256_max_epi32(largest, _mm256_add_epi32(_mm256_set1_epi32(*a), *b));
        }
        let [up, down] = scales(largest);
        let old = widened(*sum);
        let mut total = [cut(_mm256_mul_pd(old[0], up[0])), cut(_mm256_mul_pd(old[1], up[1]))];
        for (a, b) in a.iter().zip(&wide).take(*count) {
            let a = _mm256_set1_pd(f64::from(*a));
            for ((total, b), up) in total.iter_mut().zip(b).zip(&up) {
                *total = _mm256_add_pd(*total, cut(_mm256_mul_pd(_mm256_mul_pd(a, *b), *up)));
            }
        }
        let mut numbers = [_mm_setzero_ps(); 2];
        for ((number, total), down) in numbers.iter_mut().zip(total).zip(down) {
            // A sum of zeros is +0.
            let total = _mm256_add_pd(total, _mm256_setzero_pd());
            *number = finished(ty, _mm256_mul_pd(total, down));
        }
        let is_no_number = _mm256_cmpeq_epi32(most, _mm256_set1_epi32(sums::INFINITE));
        if _mm256_movemask_epi8(is_no_number) != 0 {
            let mut plain = old;
            for (a, b) in a.iter().zip(&wide).take(*count) {
                let a = _mm256_set1_pd(f64::from(*a));
                for (plain, b) in plain.iter_mut().zip(b) {
                    *plain = _mm256_add_pd(*plain, _mm256_mul_pd(a, *b));
                }
            }
            for (number, plain) in numbers.iter_mut().zip(plain) {
                // A number less itself is zero; anything else is none.
                let none = _mm256_sub_pd(plain, plain);
                let none = narrow(_mm256_cmp_pd(none, none, _CMP_UNORD_Q));
                *number = _mm_blendv_ps(*number, _mm256_cvtpd_ps(plain), _mm_castsi128_ps(none));
            }
        }
        *sum = _mm256_set_m128(numbers[1], numbers[0]);
    }
}

/// [`sums::exponent`].
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn exponents_of(numbers: __m256, least: i32) -> __m256i {
    let bits = _mm256_and_si256(_mm256_castps_si256(numbers), _mm256_set1_epi32(i32::MAX));
    let exponents = _mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(127));
    let exponents = _mm256_max_epi32(exponents, _mm256_set1_epi32(least));
    let is_zero = _mm256_cmpeq_epi32(bits, _mm256_setzero_si256());
    _mm256_blendv_epi8(exponents, _mm256_set1_epi32(sums::NONE), is_zero)
}

/// [`sums::scales`].
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn scales(largest: __m256i) -> [Wide; 2] {
    let largest = _mm256_max_epi32(largest, _mm256_set1_epi32(sums::LOWEST));
    let at = _mm256_sub_epi32(_mm256_set1_epi32(sums::kept(Adder::Full)), largest);
    let halves = [_mm256_castsi256_si128(at), _mm256_extracti128_si256(at, 1)];
    // Without closures: who calls those has not the instructions, and the compiler may leave them where they are.
    let wide = [_mm256_cvtepi32_epi64(halves[0]), _mm256_cvtepi32_epi64(halves[1])];
    let bias = _mm256_set1_epi64x(1023);
    [
        [power(_mm256_add_epi64(bias, wide[0])), power(_mm256_add_epi64(bias, wide[1]))],
        [power(_mm256_sub_epi64(bias, wide[0])), power(_mm256_sub_epi64(bias, wide[1]))],
    ]
}

/// The powers of two of biased exponents.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn power(biased: __m256i) -> __m256d {
    _mm256_castsi256_pd(_mm256_slli_epi64(biased, 52))
}

/// [`sums::finished`].
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn finished(ty: Sum, sums: __m256d) -> __m128 {
    let magnitude = |numbers| _mm256_andnot_pd(_mm256_set1_pd(-0.0), numbers);
    let nearest = _mm256_cvtpd_ps(sums);
    let limit = _mm256_set1_pd(f64::from(2_f32.powi(sums::INFINITE - 1)) * 2.0);
    let beyond = _mm256_cmp_pd(magnitude(_mm256_cvtps_pd(nearest)), magnitude(sums), _CMP_GT_OQ);
    let beyond = _mm256_and_pd(beyond, _mm256_cmp_pd(magnitude(sums), limit, _CMP_LT_OQ));
    // The mask is -1.
    let bits = _mm_add_epi32(_mm_castps_si128(nearest), narrow(beyond));
    let bits = match ty {
        Sum::F16 => {
            let cut = _mm256_cvtps_pd(_mm_castsi128_ps(bits));
            let inexact = narrow(_mm256_cmp_pd(cut, sums, _CMP_NEQ_UQ));
            _mm_or_si128(bits, _mm_srli_epi32(inexact, 31))
        }
        Sum::F32 | Sum::F64 | Sum::S32 => bits,
    };
    _mm_castsi128_ps(bits)
}

/// Without what is behind the point.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn cut(numbers: __m256d) -> __m256d {
    _mm256_round_pd(numbers, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
}

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn widened(numbers: __m256) -> Wide {
    [
        _mm256_cvtps_pd(_mm256_castps256_ps128(numbers)),
        _mm256_cvtps_pd(_mm256_extractf128_ps(numbers, 1)),
    ]
}

/// A mask of four lanes of 64 bits in lanes of 32.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn narrow(mask: __m256d) -> __m128i {
    let mask = _mm256_castpd_ps(mask);
    let [low, high] = [_mm256_castps256_ps128(mask), _mm256_extractf128_ps(mask, 1)];
    _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn load(line: &Line<f32>) -> __m256 {
    // SAFETY: the line has as many bytes as the vector.
    unsafe { _mm256_loadu_ps(line.as_ptr()) }
}
