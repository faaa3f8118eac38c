//! Words that the grammar fixes: linkage, state spaces and data types.

use std::fmt;

/// How a symbol is seen outside its module (PTX ISA 9.1, linking directives).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// No directive: local to the module.
    #[default]
    None,
    /// `.extern`: defined elsewhere.
    Extern,
    /// `.visible`: seen by other modules.
    Visible,
    /// `.weak`: seen by other modules and replaceable by them.
    Weak,
    /// `.common`: like weak for uninitialised `.global` variables; definitions merge.
    Common,
}

/// A state space (PTX ISA 9.1, state spaces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.reg`: registers of a thread.
    Reg,
    /// `.sreg`: special registers. Predefined; programs cannot declare any.
    Sreg,
    /// `.const`: read-only memory of the module.
    Const,
    /// `.global`: memory of the grid.
    Global,
    /// `.local`: memory of a thread.
    Local,
    /// `.param`: parameters of kernels and functions.
    Param,
    /// `.shared`: memory of a CTA.
    Shared,
    /// `.tex`: texture names, deprecated.
    Tex,
}

/// Defines an enum of words of the language, with the spelling beside each variant.
macro_rules! words {
    ($ty:ident, $what:literal, $($variant:ident = $word:literal),+ $(,)?) => {
        impl $ty {
            #[doc = concat!("Every ", $what, " that has a spelling.")]
            pub const ALL: &[$ty] = &[$($ty::$variant),+];

            #[doc = concat!("The ", $what, " of this spelling, without the dot.")]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($ty::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

words!(
    Linkage,
    "linkage",
    Extern = "extern",
    Visible = "visible",
    Weak = "weak",
    Common = "common"
);
words!(
    Space,
    "state space",
    Reg = "reg",
    Sreg = "sreg",
    Const = "const",
    Global = "global",
    Local = "local",
    Param = "param",
    Shared = "shared",
    Tex = "tex",
);

impl Linkage {
    /// The spelling without the dot; empty for [`Linkage::None`].
    pub fn word(self) -> &'static str {
        match self {
            Linkage::None => "",
            Linkage::Extern => "extern",
            Linkage::Visible => "visible",
            Linkage::Weak => "weak",
            Linkage::Common => "common",
        }
    }
}

impl Space {
    /// The spelling without the dot.
    pub fn word(self) -> &'static str {
        match self {
            Space::Reg => "reg",
            Space::Sreg => "sreg",
            Space::Const => "const",
            Space::Global => "global",
            Space::Local => "local",
            Space::Param => "param",
            Space::Shared => "shared",
            Space::Tex => "tex",
        }
    }
}

/// Defines [`ScalarType`]: variant, spelling, width in bits and meaning in one row each.
macro_rules! scalar_types {
    ($($variant:ident $word:literal $bits:literal $doc:literal;)+) => {
        /// A data type as declarations and instruction suffixes name it (PTX ISA 9.1, types).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ScalarType {
            $(#[doc = concat!("`.", $word, "`: ", $doc)] $variant,)+
        }

        impl ScalarType {
            /// Every type.
            pub const ALL: &[ScalarType] = &[$(ScalarType::$variant),+];

            /// The type of this spelling, without the dot.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(ScalarType::$variant),)+
                    _ => None,
                }
            }

            /// The spelling without the dot.
            pub fn word(self) -> &'static str {
                match self {
                    $(ScalarType::$variant => $word,)+
                }
            }

            /// Width in bits; 1 for predicates.
            pub fn bits(self) -> u32 {
                match self {
                    $(ScalarType::$variant => $bits,)+
                }
            }
        }
    };
}

scalar_types! {
    B8 "b8" 8 "8 untyped bits.";
    B16 "b16" 16 "16 untyped bits.";
    B32 "b32" 32 "32 untyped bits.";
    B64 "b64" 64 "64 untyped bits.";
    B128 "b128" 128 "128 untyped bits.";
    U8 "u8" 8 "unsigned integer.";
    U16 "u16" 16 "unsigned integer.";
    U32 "u32" 32 "unsigned integer.";
    U64 "u64" 64 "unsigned integer.";
    S8 "s8" 8 "signed integer.";
    S16 "s16" 16 "signed integer.";
    S32 "s32" 32 "signed integer.";
    S64 "s64" 64 "signed integer.";
    U16x2 "u16x2" 32 "two unsigned integers, the first in the low half.";
    S16x2 "s16x2" 32 "two signed integers, the first in the low half.";
    F16 "f16" 16 "IEEE 754 binary16.";
    F16x2 "f16x2" 32 "two binary16, the first in the low half.";
    Bf16 "bf16" 16 "bfloat16: the upper half of a binary32.";
    Bf16x2 "bf16x2" 32 "two bfloat16, the first in the low half.";
    Tf32 "tf32" 32 "TF32: a binary32 whose low 13 significand bits do not count.";
    F32 "f32" 32 "IEEE 754 binary32.";
    F32x2 "f32x2" 64 "two binary32, the first in the low half.";
    F64 "f64" 64 "IEEE 754 binary64.";
    E4m3 "e4m3" 8 "8-bit float with 4 exponent and 3 significand bits.";
    E4m3x2 "e4m3x2" 16 "two e4m3.";
    E4m3x4 "e4m3x4" 32 "four e4m3.";
    E5m2 "e5m2" 8 "8-bit float with 5 exponent and 2 significand bits.";
    E5m2x2 "e5m2x2" 16 "two e5m2.";
    E5m2x4 "e5m2x4" 32 "four e5m2.";
    E2m3 "e2m3" 8 "6-bit float in a byte.";
    E2m3x2 "e2m3x2" 16 "two e2m3.";
    E2m3x4 "e2m3x4" 32 "four e2m3.";
    E3m2 "e3m2" 8 "6-bit float in a byte.";
    E3m2x2 "e3m2x2" 16 "two e3m2.";
    E3m2x4 "e3m2x4" 32 "four e3m2.";
    E2m1 "e2m1" 4 "4-bit float.";
    E2m1x2 "e2m1x2" 8 "two e2m1.";
    E2m1x4 "e2m1x4" 16 "four e2m1.";
    Ue8m0 "ue8m0" 8 "8-bit exponent: a power of two.";
    Ue8m0x2 "ue8m0x2" 16 "two ue8m0.";
    Ue4m3 "ue4m3" 8 "e4m3 without a sign.";
    U4 "u4" 4 "unsigned integer of a matrix.";
    S4 "s4" 4 "signed integer of a matrix.";
    B1 "b1" 1 "bit of a matrix.";
    Pred "pred" 1 "predicate.";
    TexRef "texref" 64 "opaque texture reference.";
    SamplerRef "samplerref" 64 "opaque sampler reference.";
    SurfRef "surfref" 64 "opaque surface reference.";
}

impl ScalarType {
    /// Whether variables and registers can have this type. The others only say how an instruction
    /// reads its operands (PTX ISA 9.1, fundamental types, alternate floating-point formats).
    pub fn is_declarable(self) -> bool {
        use ScalarType as T;
        match self {
            T::B8 | T::B16 | T::B32 | T::B64 | T::B128 => true,
            T::U8 | T::U16 | T::U32 | T::U64 | T::S8 | T::S16 | T::S32 | T::S64 => true,
            T::F16 | T::F16x2 | T::F32 | T::F64 | T::Pred => true,
            T::TexRef | T::SamplerRef | T::SurfRef => true,
            T::U4 | T::S4 | T::B1 => false,
            T::U16x2 | T::S16x2 | T::F32x2 | T::Bf16 | T::Bf16x2 | T::Tf32 => false,
            T::E4m3 | T::E4m3x2 | T::E4m3x4 | T::E5m2 | T::E5m2x2 | T::E5m2x4 => false,
            T::E2m3 | T::E2m3x2 | T::E2m3x4 | T::E3m2 | T::E3m2x2 | T::E3m2x4 => false,
            T::E2m1 | T::E2m1x2 | T::E2m1x4 | T::Ue8m0 | T::Ue8m0x2 | T::Ue4m3 => false,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.word())
    }
}
