//! The element types of buffers and scalar arguments.

use half::{bf16, f16};
use std::fmt;
use std::str::FromStr;

/// How the bits of an element are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An unsigned integer.
    Unsigned,
    /// A two's-complement integer.
    Signed,
    /// Bits without a meaning of their own.
    Bits,
    /// IEEE 754 binary16, 32 or 64, by size.
    Float,
    /// bfloat16: the upper half of a binary32.
    Brain,
}

/// Defines [`ElementType`]: variant, spelling, bytes, kind and meaning in one row each.
macro_rules! element_types {
    ($($variant:ident $word:literal $bytes:literal $kind:ident $doc:literal;)+) => {
        /// The type of a buffer's elements or of a scalar argument, named as PTX names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ElementType {
            $(#[doc = $doc] $variant,)+
        }

        impl ElementType {
    /// The element type that a declared one is; `None` for those that no buffer has.
    pub(crate) fn of_declared(ty: ptx::syntax::ScalarType) -> Option<ElementType> {
        ElementType::ALL.iter().copied().find(|element| ty.to_string()[1..] == *element.word())
    }

            /// Every type.
            pub const ALL: &[ElementType] = &[$(ElementType::$variant),+];

            /// The PTX spelling without the dot.
            pub fn word(self) -> &'static str {
                match self {
                    $(ElementType::$variant => $word,)+
                }
            }

            /// Bytes of one element.
            pub fn bytes(self) -> usize {
                match self {
                    $(ElementType::$variant => $bytes,)+
                }
            }

            /// How its bits are read.
            pub fn kind(self) -> Kind {
                match self {
                    $(ElementType::$variant => Kind::$kind,)+
                }
            }
        }
    };
}

element_types! {
    U8 "u8" 1 Unsigned "8-bit unsigned integer.";
    S8 "s8" 1 Signed "8-bit signed integer.";
    B8 "b8" 1 Bits "8 bits.";
    U16 "u16" 2 Unsigned "16-bit unsigned integer.";
    S16 "s16" 2 Signed "16-bit signed integer.";
    B16 "b16" 2 Bits "16 bits.";
    F16 "f16" 2 Float "IEEE 754 binary16.";
    Bf16 "bf16" 2 Brain "bfloat16.";
    U32 "u32" 4 Unsigned "32-bit unsigned integer.";
    S32 "s32" 4 Signed "32-bit signed integer.";
    B32 "b32" 4 Bits "32 bits.";
    F32 "f32" 4 Float "IEEE 754 binary32.";
    U64 "u64" 8 Unsigned "64-bit unsigned integer.";
    S64 "s64" 8 Signed "64-bit signed integer.";
    B64 "b64" 8 Bits "64 bits.";
    F64 "f64" 8 Float "IEEE 754 binary64.";
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ElementType {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        ElementType::ALL.iter().copied().find(|ty| ty.word() == word).ok_or_else(|| {
            let words: Vec<_> = ElementType::ALL.iter().map(|ty| ty.word()).collect();
            format!("`{word}` is not a type: the types are {}", words.join(" "))
        })
    }
}

/// One value of an [`ElementType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    ty: ElementType,
    bits: u64,
}

impl Scalar {
    /// The value of type `ty` that has the low bits of `bits`.
    pub fn new(ty: ElementType, bits: u64) -> Scalar {
        let unused = 64 - 8 * ty.bytes() as u32;
        Scalar { ty, bits: bits << unused >> unused }
    }

    /// Its type.
    pub fn ty(self) -> ElementType {
        self.ty
    }

    /// Its bits, zero-extended.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// An integer's value; `None` for the other kinds.
    pub fn integer(self) -> Option<i128> {
        let unused = 64 - 8 * self.ty.bytes() as u32;
        match self.ty.kind() {
            Kind::Unsigned | Kind::Bits => Some(i128::from(self.bits)),
            Kind::Signed => Some(i128::from((self.bits << unused).cast_signed() >> unused)),
            Kind::Float | Kind::Brain => None,
        }
    }

    /// A float's value; `None` for the other kinds. Exact, but for the payload of a NaN.
    pub fn float(self) -> Option<f64> {
        match (self.ty.kind(), self.ty.bytes()) {
            (Kind::Brain, _) => Some(bf16::from_bits(self.bits as u16).to_f64()),
            (Kind::Float, 2) => Some(f16::from_bits(self.bits as u16).to_f64()),
            (Kind::Float, 4) => Some(f64::from(f32::from_bits(self.bits as u32))),
            (Kind::Float, _) => Some(f64::from_bits(self.bits)),
            (Kind::Unsigned | Kind::Signed | Kind::Bits, _) => None,
        }
    }
}

/// Bits as `0x…`, integers in decimal, floats with the fewest digits that identify them; `nan`, `inf`, `-inf`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ty.kind() == Kind::Bits {
            return write!(f, "{:#0width$x}", self.bits, width = 2 + 2 * self.ty.bytes());
        }
        if let Some(value) = self.integer() {
            return write!(f, "{value}");
        }
        let value = self.float().unwrap_or(f64::NAN);
        if value.is_nan() {
            return f.write_str("nan");
        }
        match self.ty.bytes() {
            8 => write!(f, "{value:?}"),
            // Every narrower float is a binary32, and the shortest digits depend on the width.
            _ => write!(f, "{:?}", value as f32),
        }
    }
}

macro_rules! from_numbers {
    ($($number:ty => $variant:ident, $value:ident: $bits:expr;)+) => {
        $(impl From<$number> for Scalar {
            fn from($value: $number) -> Scalar {
                Scalar { ty: ElementType::$variant, bits: u64::from($bits) }
            }
        })+
    };
}

from_numbers! {
    u8 => U8, value: value;
    i8 => S8, value: value.cast_unsigned();
    u16 => U16, value: value;
    i16 => S16, value: value.cast_unsigned();
    u32 => U32, value: value;
    i32 => S32, value: value.cast_unsigned();
    u64 => U64, value: value;
    i64 => S64, value: value.cast_unsigned();
    f16 => F16, value: value.to_bits();
    bf16 => Bf16, value: value.to_bits();
    f32 => F32, value: value.to_bits();
    f64 => F64, value: value.to_bits();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_print_as_their_type_says() {
        let shown = |ty, bits| Scalar::new(ty, bits).to_string();
        assert_eq!(shown(ElementType::S8, 0xff), "-1");
        assert_eq!(shown(ElementType::S64, u64::MAX), "-1");
        assert_eq!(shown(ElementType::U64, u64::MAX), "18446744073709551615");
        assert_eq!(shown(ElementType::B16, 0xab), "0x00ab");
        assert_eq!(shown(ElementType::F32, 0x8000_0000), "-0.0");
        assert_eq!(shown(ElementType::F32, 0x3dcc_cccd), "0.1");
        assert_eq!(shown(ElementType::F64, 0x3fb9_9999_9999_999a), "0.1");
        assert_eq!(shown(ElementType::F16, 0x3c00), "1.0");
        assert_eq!(shown(ElementType::Bf16, 0x3f80), "1.0");
        assert_eq!(shown(ElementType::F32, 0x7fff_ffff), "nan");
        assert_eq!(shown(ElementType::F64, 0xfff0 << 48), "-inf");
    }

    #[test]
    fn bits_beyond_the_type_do_not_count() {
        assert_eq!(Scalar::new(ElementType::U8, 0x1ff), Scalar::from(0xff_u8));
        assert_eq!(Scalar::from(-1_i16).bits(), 0xffff);
    }
}
