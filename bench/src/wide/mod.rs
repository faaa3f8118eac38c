//! Native loops written with the vector instructions that a person would choose, where compilers do not find them.
//!
//! Each is called for the best level that the machine has; elsewhere the loops that compilers vectorise stand in.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod parts;

use crate::{families, native};
use multiversion::multiversion;
use multiversion::target::match_target;

/// See [`native::block_reduce`].
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2+fma"))]
pub fn block_reduce(input: &[f32], out: &mut [f32]) {
    match_target! {
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl" => avx512::block_reduce(input, out),
        "x86_64+avx2+fma" => avx2::block_reduce(input, out),
        _ => native::block_reduce(input, out),
    }
}

/// See [`native::warp_scan`].
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2+fma"))]
pub fn warp_scan(input: &[i32], out: &mut [i32]) {
    match_target! {
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl" => avx512::warp_scan(input, out),
        "x86_64+avx2+fma" => avx2::warp_scan(input, out),
        _ => native::warp_scan(input, out),
    }
}

/// See [`families::compact`].
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2+fma"))]
pub fn compact(input: &[i32], out: &mut [i32]) -> usize {
    match_target! {
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl" => avx512::compact(input, out),
        _ => families::compact(input, out),
    }
}

/// See [`families::matmul`].
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2+fma"))]
pub fn matmul(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    match_target! {
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl" => avx512::matmul(a, b, c, n),
        "x86_64+avx2+fma" => avx2::matmul(a, b, c, n),
        _ => families::matmul(a, b, c, n),
    }
}

/// See [`families::mandelbrot`].
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2+fma"))]
pub fn mandelbrot(out: &mut [u32], width: usize, step: f32, most: u32) {
    match_target! {
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl" => avx512::mandelbrot(out, width, step, most),
        "x86_64+avx2+fma" => avx2::mandelbrot(out, width, step, most),
        _ => families::mandelbrot(out, width, step, most),
    }
}

/// See [`native::xorshift`].
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2+fma"))]
pub fn xorshift(out: &mut [u32], rounds: u32) {
    match_target! {
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl" => avx512::xorshift(out, rounds),
        _ => native::xorshift(out, rounds),
    }
}
