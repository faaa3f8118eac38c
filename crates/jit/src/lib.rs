//! Machine code for warps: a kernel of the warp IR as x86-64 vector instructions, for AVX2 and AVX-512.
//!
//! [`compile`] makes [`Code`] of a kernel for one launch shape. Code runs one warp at a time, or a gang of two, and keeps its values in vector
//! registers; where it cannot go on, it says so ([`Exit`]), and where every value is. Who calls it ([`Context`] says how) is
//! another crate's business, as is memory: this crate makes bytes, and on other machines than x86-64 it makes none.

mod allocate;
mod code;
mod context;
mod emit;
mod exit;
pub mod fuel;
mod gang;
mod head;
mod input;
mod isa;
mod key;
mod lower;
mod mir;
mod partial;
mod registers;
#[cfg(test)]
mod tests;
mod transpose;
mod window;
mod x86;

pub use code::{Code, compile};
pub use context::{CONTROLS, Context};
pub use emit::SITE_BYTES;
pub use exit::{Apart, Exit, Found, Index, Kept, Why};
pub use head::{Depends, Head, Station};
pub use input::{Home, Input, Local};
pub use key::Key;
pub use window::Window;

use isa::Family;

/// Vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// 8 lanes of 32 bits, masks in vector registers.
    Avx2,
    /// 16 lanes of 32 bits, and mask registers.
    Avx512,
    /// The same, and arithmetic of binary16.
    Avx512Fp16,
}

impl Level {
    /// All levels, each with what those before it have.
    pub const ALL: [Level; 3] = [Level::Avx2, Level::Avx512, Level::Avx512Fp16];

    /// Whether this machine has the instructions that code of the level consists of.
    pub fn is_available(self) -> bool {
        #[cfg(all(target_arch = "x86_64", unix))]
        {
            let base = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd");
            base && match self {
                Level::Avx2 => true,
                Level::Avx512 => avx512,
                Level::Avx512Fp16 => avx512 && is_x86_feature_detected!("avx512fp16"),
            }
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        {
            false
        }
    }

    pub(crate) fn family(self) -> Family {
        match self {
            Level::Avx2 => Family::Avx2,
            Level::Avx512 | Level::Avx512Fp16 => Family::Avx512,
        }
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
            Level::Avx512Fp16 => "avx512fp16",
        })
    }
}
