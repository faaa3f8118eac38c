//! Products of matrices with instructions of AVX2: what `lanes::product` computes, bit for bit, for the elements that most kernels have.
//!
//! Elements become binary32, rows of `a` one after the other and rows of `b` of eight columns; each row of sums is one vector.
//! Rows of `a` come from quads of lanes, which hold four neighbouring words of a row each (PTX ISA 9.1, "Matrix Fragments").
#![cfg(target_arch = "x86_64")]

use super::aligned::{Factors, LONGEST, Line, SIDE, add_aligned, load};
use lanes::Lanes;
use lanes::product::{Adder, Factor, Fragment, Layout, MOST_REGISTERS, Place, Product, Sum};
use std::arch::x86_64::*;

/// Words of a line, at most.
const WORDS: usize = 8;
/// Neighbouring words that a quad of lanes holds.
const QUAD: usize = 4;

/// Whether [`multiply`] can make a product.
#[inline(always)]
pub(super) fn is_served(product: &Product) -> bool {
    // A product has factors of one kind.
    let factors = match product.a {
        Factor::F16 | Factor::Bf16 | Factor::Tf32 => product.adder == Adder::Full,
        Factor::S8 | Factor::U8 => true,
        Factor::E4m3 | Factor::E5m2 | Factor::E2m3 | Factor::E3m2 | Factor::E2m1 => false,
        Factor::S4 | Factor::U4 | Factor::B1 | Factor::F64 => false,
    };
    factors && !product.satfinite
}

/// What is known of products when this is compiled: all that is computed from it costs nothing then.
trait Known {
    const A: Factor;
    const B: Factor;
    const LAYOUT: Layout;

    /// A product, of which that is known.
    #[inline(always)]
    fn product(product: &Product) -> Product {
        let n = if Self::LAYOUT == Layout::Mma { SIDE as u32 } else { product.n };
        Product { a: Self::A, b: Self::B, layout: Self::LAYOUT, n, ..*product }
    }
}

/// `d = a b + c`, as [`lanes::product::multiply`]: of a valid product that is served.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn multiply(
    product: &Product,
    operands: [&Fragment<'_, u32>; 3],
    d: &mut [Lanes<u32>; MOST_REGISTERS],
) {
    macro_rules! of {
        ($($a:ident $b:ident,)*) => {
            match (product.layout, product.a, product.b) {
                $((Layout::Mma, Factor::$a, Factor::$b) => {
                    struct Of;
                    impl Known for Of {
                        const A: Factor = Factor::$a;
                        const B: Factor = Factor::$b;
                        const LAYOUT: Layout = Layout::Mma;
                    }
                    multiply_known::<Of>(product, operands, d);
                })*
                $((Layout::Wmma, Factor::$a, Factor::$b) => {
                    struct Of;
                    impl Known for Of {
                        const A: Factor = Factor::$a;
                        const B: Factor = Factor::$b;
                        const LAYOUT: Layout = Layout::Wmma;
                    }
                    multiply_known::<Of>(product, operands, d);
                })*
                (_, a, b) => debug_assert!(false, "{a:?} by {b:?} is not served"),
            }
        };
    }
    of! { F16 F16, Bf16 Bf16, Tf32 Tf32, S8 S8, U8 U8, S8 U8, U8 S8, }
}

#[target_feature(enable = "avx2,fma,f16c")]
fn multiply_known<K: Known>(
    product: &Product,
    [a, b, c]: [&Fragment<'_, u32>; 3],
    d: &mut [Lanes<u32>; MOST_REGISTERS],
) {
    let product = &K::product(product);
    let (rows, columns, words) = (product.m as usize, product.n as usize, product.words());
    let (mut of_a, mut of_b) = ([[0.0; LONGEST]; SIDE], [[0.0; LONGEST]; SIDE]);
    let mut turned = [[0.0; SIDE]; LONGEST];
    for first in (0..columns).step_by(SIDE) {
        for (column, elements) in of_b.iter_mut().enumerate() {
            let line = line(product, b, |word| product.place_in_b(first + column, word));
            expand(K::B, words, &line, elements);
        }
        turn(&of_b, product.k as usize, &mut turned);
        for row in (0..rows).step_by(SIDE) {
            for (nth, elements) in of_a.iter_mut().enumerate() {
                let line = line(product, a, |word| product.place_in_a(row + nth, word));
                expand(K::A, words, &line, elements);
            }
            let mut words = sums_of(product, c, (row, first));
            let mut sums = [_mm256_setzero_ps(); SIDE];
            let (integers, count) = (K::A.is_integer(), product.k as usize);
            if integers {
                add_products(count, &of_a, &turned, &mut sums);
            } else {
                for (sum, words) in sums.iter_mut().zip(&words) {
                    *sum = number(product.c, words);
                }
                let factors = Factors { count, of_a: &of_a, of_b: &turned };
                add_aligned([K::A, K::B], product.d, &factors, &mut sums);
            }
            for (sum, words) in sums.iter().zip(&mut words) {
                *words = match integers {
                    // Below 2^24, and so exact.
                    true => {
                        let old = load_words(words);
                        words_of(_mm256_add_epi32(_mm256_cvtps_epi32(*sum), old))
                    }
                    false => bits(product.d, *sum),
                };
            }
            put_sums(product, d, (row, first), &words);
        }
    }
}

/// The words of a row of `a` or a column of `b`.
#[inline(always)]
fn line(
    product: &Product,
    fragment: &Fragment<'_, u32>,
    place: impl Fn(usize) -> Place,
) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    match product.layout {
        Layout::Mma => {
            for (quad, words) in words.chunks_exact_mut(QUAD).enumerate() {
                if QUAD * quad >= product.words() {
                    break;
                }
                let Place { register, lane } = place(QUAD * quad);
                let from = fragment[register % MOST_REGISTERS].as_chunks::<QUAD>().0;
                words.copy_from_slice(&from[lane / QUAD % from.len()]);
            }
        }
        Layout::Wmma => {
            for (word, to) in words.iter_mut().enumerate().take(product.words()) {
                let Place { register, lane } = place(word);
                *to = fragment[register % MOST_REGISTERS][lane % lanes::WARP];
            }
        }
    }
    words
}

/// The elements of so many words as binary32.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn expand(factor: Factor, count: usize, words: &[u32; WORDS], to: &mut [f32; LONGEST]) {
    let all = load_words(words);
    let quads = [_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)];
    let mut to = to.as_chunks_mut::<SIDE>().0.iter_mut();
    let mut put = |numbers: __m256| {
        if let Some(to) = to.next() {
            *to = floats_of(numbers);
        }
    };
    if factor == Factor::Tf32 {
        let kept = _mm256_set1_epi32(Factor::Tf32.significant() as i32);
        return put(_mm256_castsi256_ps(_mm256_and_si256(all, kept)));
    }
    for quad in &quads[..count.div_ceil(QUAD).min(2)] {
        match factor {
            Factor::F16 => put(_mm256_cvtph_ps(*quad)),
            Factor::Bf16 => {
                let wide = _mm256_slli_epi32(_mm256_cvtepu16_epi32(*quad), 16);
                put(_mm256_castsi256_ps(wide));
            }
            Factor::S8 => {
                put(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(*quad)));
                put(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(*quad, 8))));
            }
            Factor::U8 => {
                put(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(*quad)));
                put(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(*quad, 8))));
            }
            Factor::Tf32
            | Factor::E4m3
            | Factor::E5m2
            | Factor::E2m3
            | Factor::E3m2
            | Factor::E2m1
            | Factor::S4
            | Factor::U4
            | Factor::B1
            | Factor::F64 => debug_assert!(false, "{factor:?} is not served"),
        }
    }
}

/// Columns of so many elements as rows.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn turn(columns: &[[f32; LONGEST]; SIDE], count: usize, rows: &mut [Line<f32>; LONGEST]) {
    for (nth, to) in rows.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
        if SIDE * nth >= count {
            break;
        }
        let mut square = [_mm256_setzero_ps(); SIDE];
        for (row, column) in square.iter_mut().zip(columns) {
            *row = load(&column.as_chunks::<SIDE>().0[nth]);
        }
        for (to, row) in to.iter_mut().zip(transposed(square)) {
            *to = floats_of(row);
        }
    }
}

/// The transpose of a square.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn transposed(rows: [__m256; SIDE]) -> [__m256; SIDE] {
    let mut found = rows;
    // Pairs of rows, then pairs of those, within halves; then the halves.
    for (pair, found) in rows.as_chunks::<2>().0.iter().zip(found.as_chunks_mut::<2>().0) {
        *found = [_mm256_unpacklo_ps(pair[0], pair[1]), _mm256_unpackhi_ps(pair[0], pair[1])];
    }
    for four in found.as_chunks_mut::<4>().0 {
        let [a, c, b, d] = *four;
        *four = [
            _mm256_shuffle_ps(a, b, 0x44),
            _mm256_shuffle_ps(a, b, 0xee),
            _mm256_shuffle_ps(c, d, 0x44),
            _mm256_shuffle_ps(c, d, 0xee),
        ];
    }
    for nth in 0..SIDE / 2 {
        let [low, high] = [found[nth], found[nth + SIDE / 2]];
        found[nth] = _mm256_permute2f128_ps(low, high, 0x20);
        found[nth + SIDE / 2] = _mm256_permute2f128_ps(low, high, 0x31);
    }
    found
}

/// Adds the products of so many integers to the sums of eight rows.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn add_products(
    count: usize,
    of_a: &[[f32; LONGEST]; SIDE],
    of_b: &[Line<f32>; LONGEST],
    sums: &mut [__m256; SIDE],
) {
    for (k, of_b) in of_b.iter().enumerate().take(count) {
        let of_b = load(of_b);
        for (row, sum) in of_a.iter().zip(&mut *sums) {
            // Every step is exact, and there is nothing to round.
            *sum = _mm256_fmadd_ps(_mm256_set1_ps(row[k]), of_b, *sum);
        }
    }
}

/// Eight rows of eight sums from the given one on: words, of which binary16 takes the lower half.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn sums_of(
    product: &Product,
    fragment: &Fragment<'_, u32>,
    (row, column): (usize, usize),
) -> [Line<u32>; SIDE] {
    let mut found = [[0; SIDE]; SIDE];
    if let Some(first) = first_of_pair(product, product.c, row) {
        let even = fragment[first].as_chunks::<SIDE>().0;
        let odd = fragment[first + 1].as_chunks::<SIDE>().0;
        let rows = found.as_chunks_mut::<2>().0;
        for (rows, (even, odd)) in rows.iter_mut().zip(even.iter().zip(odd)) {
            let [even, odd] = [load_words(even), load_words(odd)];
            let [low, high] = [_mm256_unpacklo_epi32(even, odd), _mm256_unpackhi_epi32(even, odd)];
            rows[0] = words_of(_mm256_permute2x128_si256(low, high, 0x20));
            rows[1] = words_of(_mm256_permute2x128_si256(low, high, 0x31));
        }
        return found;
    }
    each_sum(product, product.c, (row, column), |at, register, lane, shift| {
        found[at / SIDE][at % SIDE] = fragment[register][lane] >> shift;
    });
    found
}

/// The same the other way.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn put_sums(
    product: &Product,
    d: &mut [Lanes<u32>; MOST_REGISTERS],
    (row, column): (usize, usize),
    sums: &[Line<u32>; SIDE],
) {
    if let Some(first) = first_of_pair(product, product.d, row) {
        for (nth, rows) in sums.as_chunks::<2>().0.iter().enumerate() {
            let [one, other] = [load_words(&rows[0]), load_words(&rows[1])];
            // Of both rows the first four columns, and the last four.
            let low = _mm256_castsi256_ps(_mm256_permute2x128_si256(one, other, 0x20));
            let high = _mm256_castsi256_ps(_mm256_permute2x128_si256(one, other, 0x31));
            let pair = [_mm256_shuffle_ps(low, high, 0x88), _mm256_shuffle_ps(low, high, 0xdd)];
            for (register, words) in (first..).zip(pair) {
                d[register].as_chunks_mut::<SIDE>().0[nth] = words_of(_mm256_castps_si256(words));
            }
        }
        return;
    }
    each_sum(product, product.d, (row, column), |at, register, lane, shift| {
        let (d, sum) = (&mut d[register][lane], sums[at / SIDE][at % SIDE]);
        // The element in the high bits comes behind the one in the low bits.
        *d = if shift == 0 { sum } else { *d | sum << shift };
    });
}

/// The first of two registers that hold the even and the odd columns of eight rows, a quad of lanes each row, if sums lie so.
#[inline(always)]
fn first_of_pair(product: &Product, ty: Sum, row: usize) -> Option<usize> {
    let single = matches!(ty, Sum::F32 | Sum::S32);
    let first = product.place_of_sum(row, 0).1;
    (single && product.layout == Layout::Mma && first + 1 < MOST_REGISTERS).then_some(first)
}

/// Calls `take` for each of 64 sums, row by row, with its number, register and lane, and how far up its bits stand.
#[inline(always)]
fn each_sum(
    product: &Product,
    ty: Sum,
    (first_row, first_column): (usize, usize),
    mut take: impl FnMut(usize, usize, usize, u32),
) {
    for row in 0..SIDE {
        for column in 0..SIDE {
            let (lane, nth) = product.place_of_sum(first_row + row, first_column + column);
            let (register, shift) = ty.place(nth);
            take(SIDE * row + column, register % MOST_REGISTERS, lane % lanes::WARP, shift);
        }
    }
}

/// Sums as binary32.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn number(ty: Sum, words: &Line<u32>) -> __m256 {
    let words = load_words(words);
    match ty {
        Sum::F16 => {
            let low = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
            let packed = _mm256_packus_epi32(low, low);
            _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)))
        }
        Sum::F32 | Sum::F64 | Sum::S32 => _mm256_castsi256_ps(words),
    }
}

/// The bits of sums, with canonical NaNs.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn bits(ty: Sum, sums: __m256) -> Line<u32> {
    let nan = _mm256_castsi256_ps(_mm256_set1_epi32(numeric::f32::NAN as i32));
    let is_nan = _mm256_cmp_ps(sums, sums, _CMP_UNORD_Q);
    let sums = _mm256_blendv_ps(sums, nan, is_nan);
    match ty {
        Sum::F16 => {
            words_of(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(sums, _MM_FROUND_TO_NEAREST_INT)))
        }
        Sum::F32 | Sum::F64 | Sum::S32 => words_of(_mm256_castps_si256(sums)),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_words(line: &Line<u32>) -> __m256i {
    // SAFETY: the line has as many bytes as the vector.
    unsafe { _mm256_loadu_si256(line.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn floats_of(vector: __m256) -> Line<f32> {
    // SAFETY: both are eight numbers of 32 bits, of which any bits are one.
    unsafe { std::mem::transmute(vector) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn words_of(vector: __m256i) -> Line<u32> {
    // SAFETY: both have 32 bytes, of which any are eight words.
    unsafe { std::mem::transmute(vector) }
}
