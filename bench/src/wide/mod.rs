//! Native loops written with the vector instructions that a person would choose, where compilers do not find them.
//!
//! Elsewhere the loops that compilers vectorise stand in.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod parts;

use crate::level::Level;
use crate::{families, native};
use multiversion::multiversion;
use multiversion::target::match_target;

/// Loops of 256 bits that compilers write as well.
mod compiled {
    use crate::level::Level;
    use crate::{families, native};

    pub(super) fn compact(input: &[i32], out: &mut [i32]) -> usize {
        families::compact(Level::Avx2, input, out)
    }

    pub(super) fn xorshift(out: &mut [u32], rounds: u32) {
        native::xorshift(Level::Avx2, out, rounds);
    }
}

/// Loops with where each is for AVX-512, for AVX2 and for compilers.
macro_rules! loops {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?
        = $avx512:ident, $avx2:ident, $plain:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(level: Level, $($arg: $type),*) $(-> $out)? {
            #[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl"))]
            fn in_avx512($($arg: $type),*) $(-> $out)? {
                match_target! {
                    "x86_64+avx512f+avx512bw+avx512dq+avx512vl" => $avx512::$name($($arg),*),
                    _ => $plain::$name(Level::Avx512, $($arg),*),
                }
            }
            #[multiversion(targets("x86_64+avx2+fma"))]
            fn in_avx2($($arg: $type),*) $(-> $out)? {
                match_target! {
                    "x86_64+avx2+fma" => $avx2::$name($($arg),*),
                    _ => $plain::$name(Level::Avx2, $($arg),*),
                }
            }
            match level {
                Level::Any => $plain::$name(level, $($arg),*),
                Level::Avx2 => in_avx2($($arg),*),
                Level::Avx512 => in_avx512($($arg),*),
            }
        }
    )* };
}

loops! {
    /// See [`native::block_reduce`].
    fn block_reduce(input: &[f32], out: &mut [f32]) = avx512, avx2, native;
    /// See [`native::warp_scan`].
    fn warp_scan(input: &[i32], out: &mut [i32]) = avx512, avx2, native;
    /// See [`families::compact`].
    fn compact(input: &[i32], out: &mut [i32]) -> usize = avx512, compiled, families;
    /// See [`families::matmul`].
    fn matmul(a: &[f32], b: &[f32], c: &mut [f32], n: usize) = avx512, avx2, families;
    /// See [`families::mandelbrot`].
    fn mandelbrot(out: &mut [u32], width: usize, step: f32, most: u32) = avx512, avx2, families;
    /// See [`native::xorshift`].
    fn xorshift(out: &mut [u32], rounds: u32) = avx512, compiled, native;
}
