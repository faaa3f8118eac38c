//! The elements of `a` and `b` as binary32, in which sums are made.

use super::kind::Factor;
use numeric::convert;

/// Takes words apart: the first elements of all of them, then the second ones, and so on, `PER` in all; of elements of four bits
/// every second one. Binary64 and single bits are not for this. Integers are exact.
#[inline(always)]
pub(super) fn planes<const X: usize, const Y: usize, const PER: usize>(
    ty: Factor,
    words: &[[u32; X]; Y],
) -> [[[f32; X]; Y]; PER] {
    #[inline(always)]
    fn split<const X: usize, const Y: usize, const PER: usize>(
        words: &[[u32; X]; Y],
        element: impl Fn(u32) -> f32,
    ) -> [[[f32; X]; Y]; PER] {
        let mut planes = [[[0.0; X]; Y]; PER];
        for (nth, plane) in planes.iter_mut().enumerate() {
            for (found, words) in plane.iter_mut().zip(words) {
                for (found, word) in found.iter_mut().zip(words) {
                    *found = element(word >> (32 / PER * nth));
                }
            }
        }
        planes
    }
    match ty {
        Factor::F16 => split(words, |bits| f32::from_bits(convert::f32::from_f16(bits as u16))),
        Factor::Bf16 => split(words, |bits| f32::from_bits(bits << 16)),
        Factor::Tf32 => {
            split(words, |bits| f32::from_bits(bits & Factor::Tf32.significant() as u32))
        }
        Factor::E4m3 => split(words, |bits| f32::from_bits(convert::e4m3::to_f32(bits as u8))),
        Factor::E5m2 => split(words, |bits| f32::from_bits(convert::e5m2::to_f32(bits as u8))),
        Factor::S8 => split(words, |bits| (bits as i8).into()),
        Factor::U8 => split(words, |bits| (bits as u8).into()),
        // The low half of each byte; the high halves are those of shifted words.
        Factor::S4 => split(words, |bits| ((bits << 4) as i8 >> 4).into()),
        Factor::U4 => split(words, |bits| (bits as u8 & 0xf).into()),
        Factor::F64 | Factor::B1 => [[[0.0; X]; Y]; PER],
    }
}
