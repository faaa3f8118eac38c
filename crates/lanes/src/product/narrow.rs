//! The elements of `a` and `b` as binary32, in which sums are made.

use super::kind::Factor;
use numeric::convert;

/// Elements of a row or column, at most.
pub(super) const LONGEST: usize = 64;

/// Takes the elements of words apart; binary64 and single bits are not for this. Integers are exact.
#[inline(always)]
pub(super) fn elements<const W: usize>(ty: Factor, words: &[u32; W], found: &mut [f32; LONGEST]) {
    #[inline(always)]
    fn split<const W: usize, const PER: usize>(
        words: &[u32; W],
        found: &mut [f32; LONGEST],
        element: impl Fn(u32) -> f32,
    ) {
        for (word, found) in words.iter().zip(found.chunks_exact_mut(PER)) {
            for (nth, found) in found.iter_mut().enumerate() {
                *found = element(word >> (32 / PER * nth));
            }
        }
    }
    let half = |bits: u16| f32::from_bits(convert::f32::from_f16(bits));
    match ty {
        Factor::F16 => split::<W, 2>(words, found, |bits| half(bits as u16)),
        Factor::Bf16 => split::<W, 2>(words, found, |bits| f32::from_bits(bits << 16)),
        Factor::Tf32 => split::<W, 1>(words, found, |bits| {
            f32::from_bits(bits & Factor::Tf32.significant() as u32)
        }),
        Factor::E4m3 => {
            split::<W, 4>(words, found, |bits| half(convert::e4m3::to_f16(bits as u8)));
        }
        Factor::E5m2 => {
            split::<W, 4>(words, found, |bits| half(convert::e5m2::to_f16(bits as u8)));
        }
        Factor::S8 => split::<W, 4>(words, found, |bits| (bits as i8).into()),
        Factor::U8 => split::<W, 4>(words, found, |bits| (bits as u8).into()),
        Factor::S4 => split::<W, 8>(words, found, |bits| ((bits << 4) as i8 >> 4).into()),
        Factor::U4 => split::<W, 8>(words, found, |bits| (bits as u8 & 0xf).into()),
        Factor::F64 | Factor::B1 => {}
    }
}
