//! How much faster grids of many CTAs and native loops are on several cores than on one.

use crate::clock::shortest;
use crate::level::Level;
use crate::{families, wide};
use std::num::NonZero;
use std::time::{Duration, Instant};
use warpwise::{Arg, Device, EngineChoice, Error, LaunchConfig, Module};

const ELEMENTS: usize = 1 << 24;
const ROUNDS: u32 = 1000;
const INTEGERS: usize = 1 << 18;
const SIDE: usize = 512;
const WIDTH: usize = 1024;
const MOST: u32 = 256;
const REPETITIONS: usize = 15;

/// A kernel, and the loop that computes the same, in a part for each core: a share of it, or the whole with a result of its own.
struct Row<'a> {
    name: &'a str,
    module: &'a Module,
    kernel: &'a str,
    grid: u32,
    block: [u32; 3],
    args: Vec<Arg>,
    parts: Vec<Box<dyn FnMut() + Send + 'a>>,
}

/// Prints, for every kernel, by how much all cores shorten the loop, and the kernel by each kind of engine: time by the clock, the shortest of
/// several, in turns.
pub(crate) fn bench() -> Result<(), Error> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let first = Module::from_ptx("kernels.ptx", include_str!("../kernels/kernels.ptx"))?;
    let second = Module::from_ptx("families.ptx", include_str!("../kernels/families.ptx"))?;
    let device = Device::new()?;
    let floats: Vec<f32> = (0..ELEMENTS).map(|i| (i % 2048) as f32 - 1024.0).collect();
    let integers: Vec<i32> = floats.iter().map(|value| *value as i32).collect();
    let matrix = &floats[..SIDE * SIDE];
    let (x, y, ints) =
        (device.upload(&floats)?, device.upload(&floats)?, device.upload(&integers)?);
    let (a, out) = (device.upload(matrix)?, device.upload(&vec![0u32; ELEMENTS])?);
    let (level, step) = (Level::best(), 3.0f32 / WIDTH as f32);
    let share = ELEMENTS / cores / 256 * 256;

    let mut line = floats.clone();
    let mut sums = vec![0f32; ELEMENTS / 256];
    let mut scanned = vec![0i32; ELEMENTS];
    let mut products = vec![vec![0f32; SIDE * SIDE]; cores];
    let mut hashes = vec![vec![0u32; INTEGERS]; cores];
    let mut rounds = vec![vec![0u32; WIDTH * WIDTH]; cores];
    let rows = vec![
        Row {
            name: "saxpy",
            module: &second,
            kernel: "saxpy",
            grid: ELEMENTS as u32 / 256,
            block: [256, 1, 1],
            args: vec![(ELEMENTS as u32).into(), 2f32.into(), x.into(), y.into()],
            parts: parts(line.chunks_mut(share).zip(floats.chunks(share)), |(y, x)| {
                families::saxpy(level, 2.0, x, y);
            }),
        },
        Row {
            name: "reduction",
            module: &first,
            kernel: "block_reduce",
            grid: ELEMENTS as u32 / 256,
            block: [256, 1, 1],
            args: vec![x.into(), out.into()],
            parts: parts(sums.chunks_mut(share / 256).zip(floats.chunks(share)), |(out, x)| {
                wide::block_reduce(level, x, out);
            }),
        },
        Row {
            name: "scan",
            module: &first,
            kernel: "warp_scan",
            grid: ELEMENTS as u32 / 256,
            block: [256, 1, 1],
            args: vec![ints.into(), out.into()],
            parts: parts(scanned.chunks_mut(share).zip(integers.chunks(share)), |(out, x)| {
                wide::warp_scan(level, x, out);
            }),
        },
        Row {
            name: "matmul",
            module: &second,
            kernel: "matmul",
            grid: (SIDE / 16) as u32,
            block: [16, 16, 1],
            args: vec![a.into(), a.into(), out.into(), (SIDE as i32).into()],
            parts: parts(products.iter_mut(), |out| wide::matmul(level, matrix, matrix, out, SIDE)),
        },
        Row {
            name: "integer",
            module: &first,
            kernel: "xorshift",
            grid: INTEGERS as u32 / 256,
            block: [256, 1, 1],
            args: vec![out.into(), ROUNDS.into()],
            parts: parts(hashes.iter_mut(), |out| wide::xorshift(level, out, ROUNDS)),
        },
        Row {
            name: "mandelbrot",
            module: &second,
            kernel: "mandelbrot",
            grid: (WIDTH * WIDTH / 256) as u32,
            block: [256, 1, 1],
            args: vec![out.into(), (WIDTH as i32).into(), step.into(), (MOST as i32).into()],
            parts: parts(rounds.iter_mut(), |out| wide::mandelbrot(level, out, WIDTH, step, MOST)),
        },
    ];
    let engines = [EngineChoice::interpreter(), EngineChoice::Auto];
    println!("{cores} cores: times faster than one");
    println!("{:<12}{:>8}{:>8}{:>8}", "kernel", "native", "interp", "auto");
    for mut row in rows {
        let kernel = row.module.kernel(row.kernel)?;
        let grid = if row.block[1] > 1 { [row.grid, row.grid, 1] } else { [row.grid, 1, 1] };
        let mut times = [const { [const { Vec::new() }; 2] }; 3];
        for repetition in 0..=REPETITIONS {
            let mut native = [Duration::ZERO; 2];
            native[0] = timed(|| row.parts.iter_mut().for_each(|part| part()));
            native[1] = timed(|| {
                std::thread::scope(|scope| {
                    row.parts.iter_mut().for_each(|part| drop(scope.spawn(part)));
                });
            });
            let mut all = vec![native];
            for engine in engines {
                let mut ours = [Duration::ZERO; 2];
                for (time, threads) in ours.iter_mut().zip([1, cores]) {
                    let config =
                        LaunchConfig { threads, engine, ..LaunchConfig::new(grid, row.block) };
                    let started = Instant::now();
                    kernel.launch(&device, &config, &row.args)?;
                    *time = started.elapsed();
                }
                all.push(ours);
            }
            // What comes first makes code and touches memory.
            for (times, all) in times.iter_mut().zip(all).filter(|_| repetition > 0) {
                times.iter_mut().zip(all).for_each(|(times, time)| times.push(time));
            }
        }
        print!("{:<12}", row.name);
        for [one, all] in times {
            print!("{:>8.2}", shortest(&one) / shortest(&all));
        }
        println!();
    }
    Ok(())
}

/// A call for each of the parts.
fn parts<'a, T: Send + 'a>(
    parts: impl Iterator<Item = T>,
    work: impl Fn(&mut T) + Copy + Send + 'a,
) -> Vec<Box<dyn FnMut() + Send + 'a>> {
    parts.map(|mut part| Box::new(move || work(&mut part)) as Box<dyn FnMut() + Send>).collect()
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}
