//! Native loops beside the kernels of `families.cu`, in their order of arithmetic.

use crate::level::at_each_level;

at_each_level! {
    /// `y = a x + y`.
    fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
        for (x, y) in x.iter().zip(y) {
            *y = a.mul_add(*x, *y);
        }
    }

    /// The positive numbers; how many there are.
    fn compact(input: &[i32], out: &mut [i32]) -> usize {
        let mut count = 0;
        for x in input {
            out[count.min(out.len() - 1)] = *x;
            count += usize::from(*x > 0);
        }
        count
    }
}

/// How often each value of bits 2..9 occurs.
pub(crate) fn histogram(input: &[u32], out: &mut [u32; 256]) {
    let mut copies = [[0u32; 256]; 4];
    for four in input.chunks_exact(4) {
        for (value, copy) in four.iter().zip(&mut copies) {
            copy[(value >> 2 & 255) as usize] += 1;
        }
    }
    for (bin, out) in out.iter_mut().enumerate() {
        *out = copies.iter().map(|copy| copy[bin]).sum();
    }
}

at_each_level! {
    /// The product of square matrices, each sum in order of `k`: 4 rows by 16 columns at a time.
    fn matmul(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
        const ROWS: usize = 4;
        const COLUMNS: usize = 16;
        for column in (0..n).step_by(COLUMNS) {
            for row in (0..n).step_by(ROWS) {
                let mut sums = [[0f32; COLUMNS]; ROWS];
                for k in 0..n {
                    let b = &b[k * n + column..][..COLUMNS];
                    for (nth, sums) in sums.iter_mut().enumerate() {
                        let a = a[(row + nth) * n + k];
                        for (sum, b) in sums.iter_mut().zip(b) {
                            *sum = a.mul_add(*b, *sum);
                        }
                    }
                }
                for (nth, sums) in sums.iter().enumerate() {
                    c[(row + nth) * n + column..][..COLUMNS].copy_from_slice(sums);
                }
            }
        }
    }

    /// Rounds until each point escapes.
    fn mandelbrot(out: &mut [u32], width: usize, step: f32, most: u32) {
        const LANES: usize = 16;
        for (nth, out) in out.chunks_exact_mut(LANES).enumerate() {
            let at: [usize; LANES] = std::array::from_fn(|lane| nth * LANES + lane);
            let cx = at.map(|at| ((at % width) as f32).mul_add(step, -2.0));
            let cy = at.map(|at| ((at / width) as f32).mul_add(step, -1.5));
            let (mut x, mut y) = ([0f32; LANES], [0f32; LANES]);
            let (mut rounds, mut inside) = ([0u32; LANES], [u32::MAX; LANES]);
            for _ in 0..most {
                let mut any = 0;
                for lane in 0..LANES {
                    let (xx, yy) = (x[lane] * x[lane], y[lane] * y[lane]);
                    inside[lane] &= if xx + yy > 4.0 { 0 } else { u32::MAX };
                    any |= inside[lane];
                    y[lane] = (x[lane] + x[lane]).mul_add(y[lane], cy[lane]);
                    x[lane] = cx[lane] + (xx - yy);
                    rounds[lane] += inside[lane] & 1;
                }
                if any == 0 {
                    break;
                }
            }
            out.copy_from_slice(&rounds);
        }
    }
}
