//! The elements of `a` and `b` as binary32, in which sums are made.

use super::kind::Factor;
use super::layout::SIDE;
use numeric::convert;

/// Elements that are taken out of a word at once, at most.
pub(super) const PLANES: usize = 4;

/// The first elements of words, then the second ones, and so on.
pub(super) type Planes = [[[f32; SIDE]; SIDE]; PLANES];

/// How many elements are taken out of a word at once: of those of four bits every second one.
#[inline(always)]
pub(super) fn per_word(ty: Factor) -> usize {
    ty.per_register().min(PLANES)
}

/// Takes words apart that are first shifted to the right. Binary64 and single bits are not for this. Integers are exact. Once, and not
/// for each instruction set: it is large, and the products of most kernels are made elsewhere.
#[inline(never)]
pub(super) fn split(ty: Factor, words: &[[u32; SIDE]; SIDE], shift: u32, planes: &mut Planes) {
    #[inline(always)]
    fn split(
        words: &[[u32; SIDE]; SIDE],
        shift: u32,
        planes: &mut [[[f32; SIDE]; SIDE]],
        element: impl Fn(u32) -> f32,
    ) {
        // Few planes, and a loop for them: unrolled, this would be a thousand operations for each type.
        let bits = u32::BITS / planes.len().max(1) as u32;
        for (nth, plane) in (0..).zip(planes) {
            for (found, words) in plane.iter_mut().zip(words) {
                for (found, word) in found.iter_mut().zip(words) {
                    *found = element(word >> ((bits * nth + shift) % u32::BITS));
                }
            }
        }
    }
    let planes = &mut planes[..per_word(ty)];
    match ty {
        Factor::F16 => {
            split(words, shift, planes, |bits| f32::from_bits(convert::f32::from_f16(bits as u16)))
        }
        Factor::Bf16 => split(words, shift, planes, |bits| f32::from_bits(bits << 16)),
        Factor::Tf32 => split(words, shift, planes, |bits| {
            f32::from_bits(bits & Factor::Tf32.significant() as u32)
        }),
        Factor::E4m3 => {
            split(words, shift, planes, |bits| f32::from_bits(convert::e4m3::to_f32(bits as u8)))
        }
        Factor::E5m2 => {
            split(words, shift, planes, |bits| f32::from_bits(convert::e5m2::to_f32(bits as u8)))
        }
        Factor::E2m3 => {
            split(words, shift, planes, |bits| f32::from_bits(convert::e2m3::to_f32(bits as u8)))
        }
        Factor::E3m2 => {
            split(words, shift, planes, |bits| f32::from_bits(convert::e3m2::to_f32(bits as u8)))
        }
        Factor::E2m1 => split(words, shift, planes, |bits| {
            f32::from_bits(convert::e2m1::to_f32((bits >> 2) as u8))
        }),
        Factor::S8 => split(words, shift, planes, |bits| (bits as i8).into()),
        Factor::U8 => split(words, shift, planes, |bits| (bits as u8).into()),
        Factor::S4 => split(words, shift, planes, |bits| ((bits << 4) as i8 >> 4).into()),
        Factor::U4 => split(words, shift, planes, |bits| (bits as u8 & 0xf).into()),
        Factor::F64 | Factor::B1 => {}
    }
}
