//! Kernels that people write, by every engine and level that the machine has, beside native loops in the same run: one thread, in turns, by
//! the processor's time.

use crate::clock::{processor_time, shortest};
use crate::cub;
use crate::families;
use crate::level::Level;
use crate::patterns;
use crate::row::Row;
use crate::wide;
use warpwise::{Device, EngineChoice, Error, LaunchConfig, Module};

const ELEMENTS: usize = 1 << 24;
const ROUNDS: u32 = 1000;
const INTEGERS: usize = 1 << 16;
const SIDE: usize = 512;
const WIDTH: usize = 1024;
const MOST: u32 = 256;
const REPETITIONS: usize = 7;

/// Prints, for every kernel, how many times longer each engine takes than the loop. Names of kernels and engines leave
/// out the others.
pub(crate) fn bench(names: &[String]) -> Result<(), Error> {
    let first = Module::from_ptx("kernels.ptx", include_str!("../kernels/kernels.ptx"))?;
    let second = Module::from_ptx("families.ptx", include_str!("../kernels/families.ptx"))?;
    let third = Module::from_ptx("patterns.ptx", include_str!("../kernels/patterns.ptx"))?;
    let fourth = Module::from_ptx("cub.ptx", include_str!("../kernels/cub.ptx"))?;
    let device = Device::new()?;
    let integers: Vec<i32> = (0..ELEMENTS as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 15 & 0x7ff) as i32 - 1024)
        .collect();
    let words: Vec<u32> = integers.iter().map(|i| i.cast_unsigned().wrapping_mul(4)).collect();
    let floats: Vec<f32> = integers.iter().map(|i| *i as f32).collect();
    let matrix: Vec<f32> = floats[..SIDE * SIDE].to_vec();
    let (ints, words_in, x) =
        (device.upload(&integers)?, device.upload(&words)?, device.upload(&floats)?);
    let (y, out) = (device.upload(&floats)?, device.upload(&vec![0u32; ELEMENTS])?);
    let (count, bins) = (device.upload(&[0u32])?, device.upload(&[0u32; 256])?);
    let (a, b) = (device.upload(&matrix)?, device.upload(&matrix)?);
    let points = WIDTH * WIDTH;
    let step = 3.0f32 / WIDTH as f32;
    let grid = |threads: usize| [threads as u32 / 256, 1, 1];
    let wide = [256, 1, 1];
    let nothing = || -> Box<dyn Fn() -> Result<(), Error>> { Box::new(|| Ok(())) };

    let mut sums = vec![0f32; ELEMENTS / 256];
    let mut scanned = vec![0i32; ELEMENTS];
    let mut kept = vec![0i32; ELEMENTS];
    let mut found = [0u32; 256];
    let mut product = vec![0f32; SIDE * SIDE];
    let mut hashes = vec![0u32; INTEGERS];
    let mut rounds = vec![0u32; points];
    let mut line = floats.clone();
    let best = Level::best();
    wide::block_reduce(best, &floats, &mut sums);
    wide::warp_scan(best, &integers, &mut scanned);
    families::histogram(&words, &mut found);
    wide::matmul(best, &matrix, &matrix, &mut product, SIDE);
    wide::xorshift(best, &mut hashes, ROUNDS);
    wide::mandelbrot(best, &mut rounds, WIDTH, step, MOST);
    let positive = wide::compact(best, &integers, &mut kept);
    families::saxpy(best, 2.0, &floats, &mut line);
    let of_floats = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<u32>>();
    let of_integers =
        |values: &[i32]| values.iter().map(|v| v.cast_unsigned()).collect::<Vec<u32>>();
    let count_of = ELEMENTS as u32;
    let mut rows = vec![
        Row {
            name: "saxpy",
            result: y,
            wanted: of_floats(&line),
            kernel: "saxpy",
            module: &second,
            grid: grid(ELEMENTS),
            block: wide,
            args: vec![count_of.into(), 2f32.into(), x.into(), y.into()],
            native: Box::new(|level| families::saxpy(level, 2.0, &floats, &mut line)),
            before: Box::new(|| device.write(y, 0, &floats)),
        },
        Row {
            name: "reduction",
            result: out,
            wanted: of_floats(&sums),
            kernel: "block_reduce",
            module: &first,
            grid: grid(ELEMENTS),
            block: wide,
            args: vec![x.into(), out.into()],
            native: Box::new(|level| wide::block_reduce(level, &floats, &mut sums)),
            before: nothing(),
        },
        Row {
            name: "scan",
            result: out,
            wanted: of_integers(&scanned),
            kernel: "warp_scan",
            module: &first,
            grid: grid(ELEMENTS),
            block: wide,
            args: vec![ints.into(), out.into()],
            native: Box::new(|level| wide::warp_scan(level, &integers, &mut scanned)),
            before: nothing(),
        },
        Row {
            name: "compaction",
            result: count,
            wanted: vec![positive as u32],
            kernel: "compact",
            module: &second,
            grid: grid(ELEMENTS),
            block: wide,
            args: vec![ints.into(), out.into(), count.into()],
            native: Box::new(|level| {
                wide::compact(level, &integers, &mut kept);
            }),
            before: Box::new(|| device.write(count, 0, &[0u32])),
        },
        Row {
            name: "histogram",
            result: bins,
            wanted: found.to_vec(),
            kernel: "histogram",
            module: &second,
            grid: [ELEMENTS as u32 / 4096, 1, 1],
            block: wide,
            args: vec![words_in.into(), bins.into()],
            native: Box::new(|_| families::histogram(&words, &mut found)),
            before: Box::new(|| device.write(bins, 0, &[0u32; 256])),
        },
        Row {
            name: "matmul",
            result: out,
            wanted: of_floats(&product),
            kernel: "matmul",
            module: &second,
            grid: [SIDE as u32 / 16, SIDE as u32 / 16, 1],
            block: [16, 16, 1],
            args: vec![a.into(), b.into(), out.into(), (SIDE as i32).into()],
            native: Box::new(|level| wide::matmul(level, &matrix, &matrix, &mut product, SIDE)),
            before: nothing(),
        },
        Row {
            name: "integer",
            result: out,
            wanted: hashes.clone(),
            kernel: "xorshift",
            module: &first,
            grid: grid(INTEGERS),
            block: wide,
            args: vec![out.into(), ROUNDS.into()],
            native: Box::new(|level| wide::xorshift(level, &mut hashes, ROUNDS)),
            before: nothing(),
        },
        Row {
            name: "mandelbrot",
            result: out,
            wanted: rounds.clone(),
            kernel: "mandelbrot",
            module: &second,
            grid: grid(points),
            block: wide,
            args: vec![out.into(), (WIDTH as i32).into(), step.into(), (MOST as i32).into()],
            native: Box::new(|level| wide::mandelbrot(level, &mut rounds, WIDTH, step, MOST)),
            before: nothing(),
        },
    ];
    rows.extend(patterns::rows(&device, &third)?);
    rows.extend(cub::rows(&device, &fourth)?);
    let engines: Vec<EngineChoice> =
        EngineChoice::available().chain([EngineChoice::Auto]).collect();
    let (engines_named, names): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| engines.iter().any(|engine| engine.to_string() == **name));
    let is_named = |engine: &EngineChoice| {
        engines_named.is_empty() || engines_named.iter().any(|name| **name == engine.to_string())
    };
    let engines: Vec<EngineChoice> = engines.into_iter().filter(is_named).collect();
    let mut levels: Vec<Level> = engines.iter().map(|engine| Level::of(*engine)).collect();
    levels.sort_unstable();
    levels.dedup();
    // Per engine, the number of its level.
    let beside = |engine: &EngineChoice| levels.partition_point(|it| *it < Level::of(*engine));
    let beside: Vec<usize> = engines.iter().map(beside).collect();
    print!("{:<12}", "kernel");
    levels.iter().for_each(|level| print!("{:>12}", format!("{level} ms")));
    engines.iter().for_each(|engine| print!("{:>17}", engine.to_string()));
    println!("   times the loop in the same vectors (ns a warp instruction)");
    for mut row in rows
        .into_iter()
        .filter(|row| names.is_empty() || names.iter().any(|name| *name == row.name))
    {
        let mut ours = vec![Vec::new(); engines.len()];
        let mut theirs = vec![Vec::new(); levels.len()];
        let mut instructions = 1;
        let kernel = row.module.kernel(row.kernel)?;
        // The first launch by an engine makes its code.
        for repetition in 0..=REPETITIONS {
            for ((engine, level), times) in engines.iter().zip(&beside).zip(&mut ours) {
                (row.before)()?;
                let config = LaunchConfig {
                    threads: 1,
                    engine: *engine,
                    ..LaunchConfig::new(row.grid, row.block)
                };
                let started = processor_time();
                let report = kernel.launch(&device, &config, &row.args)?;
                if repetition > 0 {
                    times.push(processor_time() - started);
                }
                instructions = report.stats.warp_instructions;
                let result: Vec<u32> = device.download(row.result)?;
                let name = row.name;
                assert!(
                    result[..row.wanted.len()] == row.wanted,
                    "{name} by {engine}: something else than the loop"
                );
                let started = processor_time();
                (row.native)(levels[*level]);
                theirs[*level].push(processor_time() - started);
            }
        }
        let theirs: Vec<f64> = theirs.iter().map(|times| shortest(times)).collect();
        print!("{:<12}", row.name);
        theirs.iter().for_each(|time| print!("{:>12.3}", time * 1e3));
        for (level, times) in beside.iter().zip(ours) {
            let time = shortest(&times);
            print!("{:>9.2} ({:>5.2})", time / theirs[*level], time * 1e9 / instructions as f64);
        }
        println!();
    }
    Ok(())
}
