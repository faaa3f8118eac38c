//! The vectors that native loops are compiled for: the best that the machine has, or those of the engine that they stand beside.

use std::fmt;
use warpwise::EngineChoice;

/// Vectors of native loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// What every machine has.
    Any,
    Avx2,
    Avx512,
}

impl Level {
    /// The best that the machine has.
    pub(crate) fn best() -> Level {
        EngineChoice::available().filter_map(Level::of_code).last().unwrap_or(Level::Any)
    }

    /// The vectors of an engine's machine code, or the best.
    pub(crate) fn of(engine: EngineChoice) -> Level {
        Level::of_code(engine).unwrap_or_else(Level::best)
    }

    fn of_code(engine: EngineChoice) -> Option<Level> {
        match engine.to_string().as_str() {
            "jit:avx2" => Some(Level::Avx2),
            "jit:avx512" | "jit:avx512fp16" => Some(Level::Avx512),
            _ => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Any => "plain",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        })
    }
}

/// Loops that compilers vectorise, for the vectors of each level.
macro_rules! at_each_level {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)? $body:block)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(level: $crate::level::Level, $($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn plain($($arg: $type),*) $(-> $out)? $body
            #[multiversion::multiversion(targets("x86_64+avx2+fma"))]
            fn in_avx2($($arg: $type),*) $(-> $out)? {
                plain($($arg),*)
            }
            #[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl"))]
            fn in_avx512($($arg: $type),*) $(-> $out)? {
                plain($($arg),*)
            }
            match level {
                $crate::level::Level::Any => plain($($arg),*),
                $crate::level::Level::Avx2 => in_avx2($($arg),*),
                $crate::level::Level::Avx512 => in_avx512($($arg),*),
            }
        }
    )* };
}

pub(crate) use at_each_level;
