//! Components of texels by their type: as they lie in memory, as numbers, and as threads get them.

use super::descriptor::ReadMode;
use super::srgb::LINEAR;
use super::weight::ONE;

/// A type of components, in memory.
pub(super) trait Texel: Copy + Default {
    /// Of floats, how many bits behind the leading one of the largest texel count where some are added; of integers, all do.
    const BITS: Option<u32>;
    /// Of floats, the number that the smallest one has the exponent of.
    const LEAST: f64 = 0.0;

    /// From 32 bits, of which it is the lowest.
    fn from_bits(bits: u32) -> Self;

    /// As a thread gets it that reads no mean.
    fn read(self, mode: ReadMode) -> u32;

    /// As a number: of integers, any that [`Texel::mean`] understands.
    fn value(self) -> f64;

    /// Of floats, a number that begins with the same power of two.
    #[inline(always)]
    fn size(self, value: f64) -> f64 {
        value.abs()
    }

    /// A mean as a thread gets it, of numbers times weights.
    fn mean(sum: f64) -> u32;

    /// A sum that is infinite or no number.
    #[inline(always)]
    fn odd(sum: f64) -> u32 {
        if sum.is_nan() { numeric::f32::NAN } else { (sum as f32).to_bits() }
    }
}

/// Evaluates an expression in which `$type` is the type of a texture's component.
macro_rules! of_component {
    ($texture:expr, $component:expr, $type:ident => $value:expr) => {{
        use $crate::texture::descriptor::{ChannelKind, Format};
        use $crate::texture::texel::{Half, Srgb};
        let Format { bits, kind, .. } = $texture.texels.format;
        macro_rules! by {
            ($found:ty) => {{
                type $type = $found;
                $value
            }};
        }
        match (bits, kind) {
            _ if $texture.is_srgb($component) => by!(Srgb),
            (8, ChannelKind::Unsigned) => by!(u8),
            (8, _) => by!(i8),
            (16, ChannelKind::Unsigned) => by!(u16),
            (16, ChannelKind::Signed) => by!(i16),
            (16, ChannelKind::Float) => by!(Half),
            (_, ChannelKind::Unsigned | ChannelKind::Signed) => by!(u32),
            (_, ChannelKind::Float) => by!(f32),
        }
    }};
}
pub(super) use of_component;

/// A number of integers is 1 where it is so large.
#[inline(always)]
fn part(number: f64, of: f64) -> u32 {
    let number = if number < -of { -of } else { number };
    ((number / of) as f32).to_bits()
}

/// The nearest integer to a sum of numbers times weights, ties up.
#[inline(always)]
fn whole(sum: f64) -> f64 {
    (sum / f64::from(ONE) + 0.5).floor()
}

/// Integers of 8 and 16 bits: the largest number of the type, what one is times as a number, and the mean of a sum.
macro_rules! integer {
    ($type:ty, $largest:literal, $times:literal, $mean:expr) => {
        impl Texel for $type {
            const BITS: Option<u32> = None;

            #[inline(always)]
            fn from_bits(bits: u32) -> $type {
                bits as $type
            }

            #[inline(always)]
            fn read(self, mode: ReadMode) -> u32 {
                match mode {
                    ReadMode::Element => i32::from(self).cast_unsigned(),
                    ReadMode::Normalized => part(self.into(), $largest),
                }
            }

            #[inline(always)]
            fn value(self) -> f64 {
                f64::from(i32::from(self) * $times)
            }

            #[inline(always)]
            fn mean(sum: f64) -> u32 {
                $mean(sum)
            }
        }
    };
}

// Means of 8 bits have 16.
integer!(u8, 255.0, 257, |sum| part(whole(sum), 65535.0));
integer!(u16, 65535.0, 1, |sum| part(whole(sum), 65535.0));
integer!(i8, 127.0, 1, widened);
integer!(i16, 32767.0, 1, |sum| part(whole(sum), 32767.0));

/// A sum of `i8`, which has 16 bits, becomes one of which the largest is 2^15 - 1: its upper bits are added at the lower end.
#[inline(always)]
fn widened(sum: f64) -> u32 {
    let upper = (sum / 4096.0).floor() * 16.0;
    part(sum + ((sum + upper + 64.0) / 128.0).floor(), 32767.0)
}

/// Integers of 32 bits are read as they are.
impl Texel for u32 {
    const BITS: Option<u32> = None;

    #[inline(always)]
    fn from_bits(bits: u32) -> u32 {
        bits
    }

    #[inline(always)]
    fn read(self, _mode: ReadMode) -> u32 {
        self
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.into()
    }

    #[inline(always)]
    fn mean(sum: f64) -> u32 {
        part(whole(sum), f64::from(u32::MAX))
    }
}

/// The nearest binary32 of a mean, ties away from zero, no subnormal one.
impl Texel for f32 {
    const BITS: Option<u32> = Some(27);
    const LEAST: f64 = f32::MIN_POSITIVE as f64;

    #[inline(always)]
    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }

    #[inline(always)]
    fn read(self, _mode: ReadMode) -> u32 {
        self.to_bits()
    }

    /// Subnormal ones are zeros.
    #[inline(always)]
    fn value(self) -> f64 {
        let bits = self.to_bits();
        let is_tiny = bits & 0x7f80_0000 == 0;
        f64::from(f32::from_bits(if is_tiny { bits & 0x8000_0000 } else { bits }))
    }

    #[inline(always)]
    fn mean(sum: f64) -> u32 {
        let mean = rounded(sum / f64::from(ONE), 24);
        let is_tiny = mean.abs() < f64::from(f32::MIN_POSITIVE);
        (mean as f32).to_bits() & if is_tiny { 0x8000_0000 } else { u32::MAX }
    }
}

/// A number of so many bits, ties away from zero.
#[inline(always)]
fn rounded(number: f64, bits: u32) -> f64 {
    let below = f64::MANTISSA_DIGITS - bits;
    f64::from_bits(((number.to_bits() + (1 << (below - 1))) >> below) << below)
}

/// A binary16.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub(super) struct Half(u16);

impl Half {
    const TINY: f64 = 1.0 / (1 << 14) as f64;
    /// Of subnormal numbers, one by what they are multiples of.
    const PARTS: f64 = (1 << 24) as f64;

    /// The nearest one of a mean, ties away from zero.
    #[inline(always)]
    fn mean(mean: f64) -> u32 {
        let places = (mean.abs() * Half::PARTS + 0.5).floor() / Half::PARTS;
        let is_tiny = mean.abs() < Half::TINY;
        let nearest = if is_tiny { places.copysign(mean) } else { rounded(mean, 11) };
        (nearest as f32).to_bits()
    }
}

impl Texel for Half {
    const BITS: Option<u32> = Some(14);
    const LEAST: f64 = Half::TINY;

    #[inline(always)]
    fn from_bits(bits: u32) -> Half {
        Half(bits as u16)
    }

    /// As binary32; what is no number keeps its bits.
    #[inline(always)]
    fn read(self, _mode: ReadMode) -> u32 {
        let bits = u32::from(self.0);
        let kept = (bits & 0x8000) << 16 | 0x7f80_0000 | (bits & 0x3ff) << 13;
        if bits & 0x7c00 == 0x7c00 { kept } else { numeric::convert::f32::from_f16(self.0) }
    }

    #[inline(always)]
    fn value(self) -> f64 {
        f64::from(f32::from_bits(numeric::convert::f32::from_f16(self.0)))
    }

    #[inline(always)]
    fn mean(sum: f64) -> u32 {
        Half::mean(sum / f64::from(ONE))
    }

    /// A binary16 that is no number has fewer bits.
    #[inline(always)]
    fn odd(sum: f64) -> u32 {
        if sum.is_nan() { 0x7fff_e000 } else { (sum as f32).to_bits() }
    }
}

/// A component of the colour space sRGB, which is read as a linear one.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub(super) struct Srgb(u8);

impl Texel for Srgb {
    const BITS: Option<u32> = Some(7);
    const LEAST: f64 = 1.0 / 128.0;

    #[inline(always)]
    fn from_bits(bits: u32) -> Srgb {
        Srgb(bits as u8)
    }

    #[inline(always)]
    fn read(self, _mode: ReadMode) -> u32 {
        (self.value() as f32).to_bits()
    }

    #[inline(always)]
    fn value(self) -> f64 {
        LINEAR[usize::from(self.0)].value
    }

    /// 128 of its units.
    #[inline(always)]
    fn size(self, value: f64) -> f64 {
        if value == 0.0 { 0.0 } else { LINEAR[usize::from(self.0)].unit * 128.0 }
    }

    #[inline(always)]
    fn mean(sum: f64) -> u32 {
        Half::mean(sum / f64::from(ONE))
    }
}
