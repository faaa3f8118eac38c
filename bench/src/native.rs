//! The native loops, compiled for the vector instructions that the machine has.

use crate::level::at_each_level;

at_each_level! {
    /// A thousand rounds of xorshift and multiply-add on each element's number.
    fn xorshift(out: &mut [u32], rounds: u32) {
        const LANES: usize = 64;
        for (nth, chunk) in out.chunks_exact_mut(LANES).enumerate() {
            let mut x: [u32; LANES] = std::array::from_fn(|lane| (nth * LANES + lane) as u32 + 1);
            for _ in 0..rounds {
                for x in &mut x {
                    *x ^= *x << 13;
                    *x ^= *x >> 17;
                    *x ^= *x << 5;
                    *x = x.wrapping_mul(1664525).wrapping_add(1013904223);
                }
            }
            chunk.copy_from_slice(&x);
        }
    }

    /// Inclusive scan of every 32 elements, one after the other: what is fastest on a core.
    fn warp_scan(input: &[i32], out: &mut [i32]) {
        for (input, out) in input.chunks_exact(32).zip(out.chunks_exact_mut(32)) {
            let mut sum = 0i32;
            for (out, x) in out.iter_mut().zip(input) {
                sum = sum.wrapping_add(*x);
                *out = sum;
            }
        }
    }

    /// The sum of every 256 elements, in the kernel's order of additions.
    fn block_reduce(input: &[f32], out: &mut [f32]) {
        for (input, out) in input.chunks_exact(256).zip(out) {
            let mut partial = [0f32; 8];
            for (warp, partial) in input.chunks_exact(32).zip(&mut partial) {
                let mut x = [0f32; 16];
                for lane in 0..16 {
                    x[lane] = warp[lane] + warp[lane + 16];
                }
                for step in [8, 4, 2, 1] {
                    for lane in 0..step {
                        x[lane] += x[lane + step];
                    }
                }
                *partial = x[0];
            }
            for step in [4, 2, 1] {
                for lane in 0..step {
                    partial[lane] += partial[lane + step];
                }
            }
            *out = partial[0];
        }
    }
}

/// Numbers of lane `t` of a warp: four registers of `a` and two of `b`, of which each holds two.
pub(crate) type Operands = [[f32; 2]; 6];

at_each_level! {
    /// So many products of 16×16 by 16×8 for each warp, in the kernel's order of additions; four elements of the sum a lane.
    fn mma(operands: &[Operands], out: &mut [[f32; 4]], rounds: u32) {
        for (operands, out) in operands.chunks_exact(32).zip(out.chunks_exact_mut(32)) {
            let mut a = [[0f32; 16]; 16];
            let mut b = [[0f32; 8]; 16];
            for (lane, registers) in operands.iter().enumerate() {
                for (nth, pair) in registers.iter().enumerate() {
                    for (half, number) in pair.iter().enumerate() {
                        let (group, column) = (lane / 4, lane % 4 * 2 + half);
                        match nth {
                            0..4 => a[group + nth % 2 * 8][column + nth / 2 * 8] = *number,
                            _ => b[column + (nth - 4) * 8][group] = *number,
                        }
                    }
                }
            }
            let mut c = [[0f32; 8]; 16];
            for _ in 0..rounds {
                for (k, b) in b.iter().enumerate() {
                    for (a, c) in a.iter().zip(&mut c) {
                        for (b, c) in b.iter().zip(c) {
                            *c = a[k].mul_add(*b, *c);
                        }
                    }
                }
            }
            for (lane, out) in out.iter_mut().enumerate() {
                for (nth, out) in out.iter_mut().enumerate() {
                    *out = c[lane / 4 + nth / 2 * 8][lane % 4 * 2 + nth % 2];
                }
            }
        }
    }
}
