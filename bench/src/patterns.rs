//! Native loops beside the kernels of `patterns.cu`, in their order of arithmetic, and what both work on.

use crate::level::{Level, at_each_level};
use crate::row::Row;
use warpwise::{Device, Error, Module};

const SIDE: usize = 1024;
const WIDTH: usize = 1024;
const ROWS: usize = 1024;
const KEYS: usize = 512;
const PARTS: usize = 1024;
const BODIES: usize = 2048;
/// Of matrices that are multiplied.
const FACTOR: usize = 256;

at_each_level! {
    /// The transposed square matrix: 32 rows by 32 columns at a time.
    fn transpose(input: &[f32], out: &mut [f32], side: usize) {
        const TILE: usize = 32;
        for row in (0..side).step_by(TILE) {
            for column in (0..side).step_by(TILE) {
                let mut tile = [[0f32; TILE]; TILE];
                for (nth, tile) in tile.iter_mut().enumerate() {
                    tile.copy_from_slice(&input[(row + nth) * side + column..][..TILE]);
                }
                for nth in 0..TILE {
                    let out = &mut out[(column + nth) * side + row..][..TILE];
                    for (out, tile) in out.iter_mut().zip(&tile) {
                        *out = tile[nth];
                    }
                }
            }
        }
    }

    /// Five points of a square matrix, but for its edges.
    fn stencil(input: &[f32], out: &mut [f32], side: usize) {
        for y in 1..side - 1 {
            let [above, row, below] = [y - 1, y, y + 1].map(|y| &input[y * side..][..side]);
            let out = &mut out[y * side..][..side];
            for x in 1..side - 1 {
                let sum = row[x - 1] + row[x + 1] + above[x] + below[x];
                out[x] = row[x].mul_add(0.5, sum * 0.125);
            }
        }
    }

    /// The softmax of each row, in sums of 256 lanes.
    fn softmax(input: &[f32], out: &mut [f32], width: usize) {
        for (input, out) in input.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let mut most = [-3.0e38f32; 64];
            for chunk in input.chunks_exact(64) {
                for (most, x) in most.iter_mut().zip(chunk) {
                    *most = if *x > *most { *x } else { *most };
                }
            }
            let most = most.into_iter().fold(-3.0e38, f32::max);
            let mut sums = [0f32; 256];
            for (input, out) in input.chunks_exact(256).zip(out.chunks_exact_mut(256)) {
                let mut exponents = [0; 256];
                for lane in 0..256 {
                    exponents[lane] = ((input[lane] - most) * std::f32::consts::LOG2_E).to_bits();
                }
                let powers = numeric::f32::ex2_approx(exponents);
                for lane in 0..256 {
                    out[lane] = f32::from_bits(powers[lane]);
                    sums[lane] += out[lane];
                }
            }
            let mut sum = 0.0;
            for warp in sums.chunks_exact(32) {
                let mut x: [f32; 32] = warp.try_into().unwrap_or([0.0; 32]);
                for step in [16, 8, 4, 2, 1] {
                    x = std::array::from_fn(|lane| x[lane] + x[lane ^ step]);
                }
                sum += x[0];
            }
            out.iter_mut().for_each(|out| *out /= sum);
        }
    }

    /// Every 512 keys sorted by the kernel's network.
    fn bitonic(keys: &mut [u32]) {
        for part in keys.chunks_exact_mut(KEYS) {
            let mut size = 2;
            while size <= KEYS {
                let mut stride = size / 2;
                while stride > 0 {
                    for (nth, pairs) in part.chunks_exact_mut(2 * stride).enumerate() {
                        let up = (nth * 2 * stride) & size == 0;
                        let (low, high) = pairs.split_at_mut(stride);
                        for (a, b) in low.iter_mut().zip(high) {
                            let (least, most) = ((*a).min(*b), (*a).max(*b));
                            (*a, *b) = if up { (least, most) } else { (most, least) };
                        }
                    }
                    stride /= 2;
                }
                size *= 2;
            }
        }
    }

    /// The forces on bodies of three coordinates and a mass, 32 bodies at a time.
    fn nbody(bodies: &[[f32; 4]], forces: &mut [[f32; 4]]) {
        const LANES: usize = 32;
        for (mine, forces) in bodies.chunks_exact(LANES).zip(forces.chunks_exact_mut(LANES)) {
            let at: [[f32; LANES]; 3] =
                [0, 1, 2].map(|axis| std::array::from_fn(|lane| mine[lane][axis]));
            let mut sums = [[0f32; LANES]; 3];
            for body in bodies {
                let mut squares = [0; LANES];
                for lane in 0..LANES {
                    let [x, y, z] = [0, 1, 2].map(|axis| body[axis] - at[axis][lane]);
                    squares[lane] = (z.mul_add(z, x.mul_add(x, y * y)) + 0.01).to_bits();
                }
                let inverses = numeric::f32::rsqrt_approx(squares);
                for lane in 0..LANES {
                    let [x, y, z] = [0, 1, 2].map(|axis| body[axis] - at[axis][lane]);
                    let inverse = f32::from_bits(inverses[lane]);
                    let force = inverse * (inverse * (inverse * body[3]));
                    sums[0][lane] = x.mul_add(force, sums[0][lane]);
                    sums[1][lane] = y.mul_add(force, sums[1][lane]);
                    sums[2][lane] = z.mul_add(force, sums[2][lane]);
                }
            }
            for (lane, force) in forces.iter_mut().enumerate() {
                *force = [sums[0][lane], sums[1][lane], sums[2][lane], 0.0];
            }
        }
    }

    /// The product of two square matrices, a row at a time.
    fn product(a: &[f32], b: &[f32], out: &mut [f32], side: usize) {
        for (a, out) in a.chunks_exact(side).zip(out.chunks_exact_mut(side)) {
            out.fill(0.0);
            for (a, b) in a.iter().zip(b.chunks_exact(side)) {
                for (sum, b) in out.iter_mut().zip(b) {
                    *sum = a.mul_add(*b, *sum);
                }
            }
        }
    }

    /// The scalar products of rows with a vector, in sums of 32 lanes of four elements.
    fn gemv(rows: &[f32], vector: &[f32], out: &mut [f32]) {
        for (row, out) in rows.chunks_exact(vector.len()).zip(out) {
            let mut sums = [0f32; 32];
            for (a, b) in row.chunks_exact(128).zip(vector.chunks_exact(128)) {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    for nth in 4 * lane..4 * lane + 4 {
                        *sum = a[nth].mul_add(b[nth], *sum);
                    }
                }
            }
            for step in [16, 8, 4, 2, 1] {
                sums = std::array::from_fn(|lane| sums[lane] + sums[lane ^ step]);
            }
            *out = sums[0];
        }
    }

    /// The sums of eight, for each of them.
    fn tiles(input: &[f32], out: &mut [f32]) {
        for (input, out) in input.chunks_exact(8).zip(out.chunks_exact_mut(8)) {
            let mut sums: [f32; 8] = input.try_into().unwrap_or([0.0; 8]);
            for step in [4, 2, 1] {
                sums = std::array::from_fn(|lane| sums[lane] + sums[lane ^ step]);
            }
            out.copy_from_slice(&sums);
        }
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// The rows of the table.
pub(crate) fn rows<'a>(device: &'a Device, module: &'a Module) -> Result<Vec<Row<'a>>, Error> {
    let hash = |i: u32| i.wrapping_mul(2_654_435_761);
    let numbers = |count: usize| -> Vec<f32> {
        (0..count as u32).map(|i| (hash(i) >> 16) as f32 / 65_536.0 - 0.5).collect()
    };
    let (level, matrix) = (Level::best(), numbers(SIDE * SIDE));
    let (from, to) = (device.upload(&matrix)?, device.upload(&vec![0f32; SIDE * SIDE])?);
    let side = SIDE as u32;
    let nothing = || -> Box<dyn Fn() -> Result<(), Error>> { Box::new(|| Ok(())) };
    let clear = move || -> Box<dyn Fn() -> Result<(), Error> + 'a> {
        Box::new(move || device.write(to, 0, &vec![0f32; SIDE * SIDE]))
    };

    let mut turned = vec![0f32; SIDE * SIDE];
    transpose(level, &matrix, &mut turned, SIDE);
    let mut smoothed = vec![0f32; SIDE * SIDE];
    stencil(level, &matrix, &mut smoothed, SIDE);
    let mut shares = vec![0f32; ROWS * WIDTH];
    softmax(level, &matrix, &mut shares, WIDTH);
    let keys: Vec<u32> = (0..(KEYS * PARTS) as u32).map(hash).collect();
    let mut sorted = keys.clone();
    bitonic(level, &mut sorted);
    let held = device.upload(&keys)?;
    let bodies: Vec<[f32; 4]> =
        numbers(4 * BODIES).chunks_exact(4).map(|it| [it[0], it[1], it[2], it[3] + 1.0]).collect();
    let mut forces = vec![[0f32; 4]; BODIES];
    nbody(level, &bodies, &mut forces);
    let factor = matrix[..FACTOR * FACTOR].to_vec();
    let mut products = vec![0f32; FACTOR * FACTOR];
    product(level, &factor, &factor, &mut products, FACTOR);
    let mut sums = vec![0f32; ROWS];
    gemv(level, &matrix, &matrix[..WIDTH], &mut sums);
    let mut eights = vec![0f32; SIDE * SIDE];
    tiles(level, &matrix, &mut eights);
    let (places, pulls) = (device.upload(&bodies)?, device.upload(&forces)?);

    let row = |name, grid, block| Row {
        name,
        kernel: name,
        module,
        grid,
        block,
        args: vec![from.into(), to.into(), (SIDE as i32).into()],
        native: Box::new(|_| ()),
        before: nothing(),
        result: to,
        wanted: Vec::new(),
    };
    let (parts, wide) = (side / 32, [256, 1, 1]);
    let [one, two, three, four, five] = std::array::from_fn(|_| matrix.clone());
    Ok(vec![
        Row {
            wanted: bits(&turned),
            native: Box::new(move |level| transpose(level, &one, &mut turned, SIDE)),
            ..row("transpose", [parts, parts, 1], [32, 8, 1])
        },
        Row {
            wanted: bits(&smoothed),
            native: Box::new(move |level| stencil(level, &two, &mut smoothed, SIDE)),
            before: clear(),
            ..row("stencil", [parts, side / 8, 1], [32, 8, 1])
        },
        Row {
            wanted: bits(&shares),
            native: Box::new(move |level| softmax(level, &three, &mut shares, WIDTH)),
            ..row("softmax", [ROWS as u32, 1, 1], wide)
        },
        Row {
            wanted: sorted.clone(),
            native: {
                let keys = keys.clone();
                Box::new(move |level| {
                    sorted.copy_from_slice(&keys);
                    bitonic(level, &mut sorted);
                })
            },
            before: Box::new(move || device.write(held, 0, &keys)),
            args: vec![held.into()],
            result: held,
            ..row("bitonic", [PARTS as u32, 1, 1], wide)
        },
        Row {
            wanted: forces.iter().flatten().map(|force| force.to_bits()).collect(),
            native: Box::new(move |level| nbody(level, &bodies, &mut forces)),
            args: vec![places.into(), pulls.into(), (BODIES as i32).into()],
            result: pulls,
            ..row("nbody", [BODIES as u32 / 256, 1, 1], wide)
        },
        Row {
            wanted: bits(&products),
            native: Box::new(move |level| product(level, &factor, &factor, &mut products, FACTOR)),
            args: vec![from.into(), from.into(), to.into(), (FACTOR as i32).into()],
            ..row("product", [FACTOR as u32 / 16, FACTOR as u32 / 16, 1], [16, 16, 1])
        },
        Row {
            wanted: bits(&sums),
            native: Box::new(move |level| gemv(level, &four, &four[..WIDTH], &mut sums)),
            args: vec![from.into(), from.into(), to.into(), (WIDTH as i32).into()],
            ..row("gemv", [ROWS as u32 / 8, 1, 1], wide)
        },
        Row {
            wanted: bits(&eights),
            native: Box::new(move |level| tiles(level, &five, &mut eights)),
            args: vec![from.into(), to.into()],
            ..row("tiles", [(SIDE * SIDE) as u32 / 256, 1, 1], wide)
        },
    ])
}
