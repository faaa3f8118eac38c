//! What the variants of enums are called.

use crate::{
    Access, BarrierReduction, Class, Dim, Groups, MatrixWork, Scope, Service, Space, WarpRules,
};
use lanes::product::{Adder, Factor, Layout, Sum};
use lanes::{MinMax, ReduxOp, ShflMode, VoteMode};
use numeric::Round;

/// A type whose values have names.
pub(super) trait Word: Copy + 'static {
    /// What they are, with an article.
    const WHAT: &str;
    /// All of them.
    const ALL: &[Self];

    /// The name.
    fn word(self) -> &'static str;

    /// The value with a name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == name)
    }

    /// What should stand where no name does.
    fn expected() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|value| value.word()).collect();
        format!("{} ({})", Self::WHAT, names.join(", "))
    }
}

macro_rules! words {
    ($($type:ident, $what:literal { $($variant:ident = $word:literal),* })*) => { $(
        impl Word for $type {
            const WHAT: &str = $what;
            const ALL: &[Self] = &[$($type::$variant),*];

            fn word(self) -> &'static str {
                match self {
                    $($type::$variant => $word,)*
                }
            }
        }
    )* };
}

words! {
    Class, "a class" { W32 = "w32", W64 = "w64", Pred = "pred" }
    WarpRules, "the rules of its warps" { Independent = "independent", Lockstep = "lockstep" }
    Space, "an address space" {
        Generic = "generic", Global = "global", Shared = "shared", Local = "local", Param = "param"
    }
    Access, "the type of an element" {
        U8 = "u8", S8 = "s8", U16 = "u16", S16 = "s16", B32 = "b32", B64 = "b64"
    }
    Scope, "a scope" { Cta = "cta", Cluster = "cluster", Gpu = "gpu", Sys = "sys" }
    Round, "a rounding mode" { NearestEven = "rn", TowardZero = "rz", Down = "rm", Up = "rp" }
    Dim, "a dimension" { X = "x", Y = "y", Z = "z" }
    ShflMode, "the mode of a shuffle" { Up = "up", Down = "down", Bfly = "bfly", Idx = "idx" }
    VoteMode, "the mode of a vote" { All = "all", Any = "any", Uni = "uni" }
    ReduxOp, "a reduction" {
        Add = "add", MinU32 = "min_u32", MaxU32 = "max_u32", MinS32 = "min_s32", MaxS32 = "max_s32",
        And = "and", Or = "or", Xor = "xor"
    }
    MinMax, "an extreme" { Min = "min", Max = "max" }
    MatrixWork, "work on matrices" { Load = "load", Store = "store", Multiply = "multiply" }
    Layout, "a layout of fragments" { Mma = "mma", Wmma = "wmma" }
    Adder, "how products are summed up" { Full = "full", Halves = "halves", Short = "short" }
    Factor, "the type of a factor" {
        F16 = "f16", Bf16 = "bf16", Tf32 = "tf32", E4m3 = "e4m3", E5m2 = "e5m2", E2m3 = "e2m3", E3m2 = "e3m2",
        E2m1 = "e2m1", F64 = "f64", S8 = "s8", U8 = "u8", S4 = "s4", U4 = "u4", B1 = "b1"
    }
    Sum, "the type of a sum" { F16 = "f16", F32 = "f32", F64 = "f64", S32 = "s32" }
    BarrierReduction, "a reduction" { Popc = "popc", And = "and", Or = "or" }
    Groups, "the groups of copies" { Plain = "plain", Bulk = "bulk" }
    Service, "a service" {
        Print = "print", AssertFail = "assert_fail", NoFunction = "no_function",
        BadTensor = "bad_tensor",
        Malloc = "malloc", Free = "free", BeginFrame = "begin_frame",
        StackOverflow = "stack_overflow", Sample = "sample", SurfaceAddress = "surface_address",
        QueryTexture = "query_texture", SampleDetail = "sample_detail",
        Launch = "launch", LastError = "last_error"
    }
}
