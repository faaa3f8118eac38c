//! How many times longer a kernel takes under Warpwise than a native loop that computes the same.
//!
//! `cargo run --release -p bench` prints one row per kernel. Both sides run on one thread, in turns, so
//! that a change of the machine's speed meets both; the medians are compared. Names of kernels as arguments
//! leave out the others. Results are compared bit for bit
//! before anything is timed.
//!
//! `cargo run --release -p bench -- check` instead prints how many times longer a run takes under every detector than by default,
//! and than by the interpreter,
//! `-- lint` how fast a module of fifty thousand lines is linted, `-- launch` what a warm launch of one CTA costs, `-- heap`
//! what allocations of device memory cost, `-- start FILES` what comes before the first CTA of their kernels, `-- engines`
//! how many times longer than native loops thirteen kernels take by each engine, `-- textures` how many texels are read in a second,
//! `-- scale` by how much several cores shorten kernels and native loops.

mod clock;
mod cub;
mod engines;
mod families;
mod heap;
mod launch;
mod level;
mod lint;
mod median;
mod native;
mod patterns;
mod row;
mod scale;
mod start;
mod textures;
mod wide;

use clock::{processor_time, shortest};
use level::Level;
use median::median;
use std::time::Instant;
use warpwise::{Arg, Buffer, CheckOptions, Device, EngineChoice, Error, LaunchConfig};
use warpwise::{Module, Report};

const ELEMENTS: usize = 1 << 24;
const THREADS: u32 = 256;
const ROUNDS: u32 = 1000;
/// Threads of the integer kernel: each does a thousand rounds.
const INTEGER_THREADS: usize = 1 << 16;
/// Threads of the kernel that multiplies matrices, and how often.
const MATRIX_THREADS: usize = 1 << 14;
const PRODUCTS: u32 = 100;
const REPETITIONS: usize = 7;
const CHECKS: usize = 3;

/// One row: a kernel with its buffers, and the loop that does the same.
struct Row<'a> {
    module: &'a Module,
    kernel: &'a str,
    elements: usize,
    args: Vec<Arg>,
    native: Box<dyn FnMut() + 'a>,
}

fn main() -> Result<(), Error> {
    match std::env::args().nth(1).as_deref() {
        Some("lint") => {
            lint::bench();
            return Ok(());
        }
        Some("heap") => return heap::bench(),
        Some("textures") => return textures::bench(),
        Some("scale") => return scale::bench(),
        Some("engines") => {
            return engines::bench(&std::env::args().skip(2).collect::<Vec<String>>());
        }
        Some("start") => return start::bench(&std::env::args().skip(2).collect::<Vec<String>>()),
        Some(_) | None => {}
    }
    if std::env::args().nth(1).as_deref() == Some("launch") {
        return launch::bench();
    }
    let module = Module::from_ptx("kernels.ptx", include_str!("../kernels/kernels.ptx"))?;
    let matrices = Module::from_ptx("mma.ptx", include_str!("../kernels/mma.ptx"))?;
    let device = Device::new()?;

    let integers: Vec<i32> = (0..ELEMENTS as i32).map(|i| i.wrapping_mul(7919) & 0xff).collect();
    let floats: Vec<f32> = integers.iter().map(|i| *i as f32).collect();
    let integers_in = device.upload(&integers)?;
    let floats_in = device.upload(&floats)?;
    let hashes_out = device.upload(&vec![0u32; INTEGER_THREADS])?;
    let scan_out = device.upload(&vec![0i32; ELEMENTS])?;
    let sums_out = device.upload(&vec![0f32; ELEMENTS / THREADS as usize])?;

    let (words, operands) = factors();
    let factors_in = device.upload(&words)?;
    let products_out = device.upload(&vec![0f32; 4 * MATRIX_THREADS])?;

    let mut hashes = vec![0; INTEGER_THREADS];
    let mut scanned = vec![0; ELEMENTS];
    let mut sums = vec![0.0; ELEMENTS / THREADS as usize];
    let level = Level::best();
    native::xorshift(level, &mut hashes, ROUNDS);
    native::warp_scan(level, &integers, &mut scanned);
    native::block_reduce(level, &floats, &mut sums);
    let mut products = vec![[0.0; 4]; MATRIX_THREADS];
    native::mma(level, &operands, &mut products, PRODUCTS);

    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let checking = names.iter().any(|name| name == "check");
    names.retain(|name| name != "check");
    let wanted = |kernel: &str| names.is_empty() || names.iter().any(|name| name == kernel);
    if wanted("xorshift") {
        let args = [hashes_out.into(), ROUNDS.into()];
        run(&module, &device, "xorshift", INTEGER_THREADS, &args)?;
        same("xorshift", &device.download::<u32>(hashes_out)?, &hashes);
    }
    if wanted("warp_scan") {
        let args = [integers_in.into(), scan_out.into()];
        run(&module, &device, "warp_scan", ELEMENTS, &args)?;
        same("warp_scan", &device.download::<i32>(scan_out)?, &scanned);
    }
    if wanted("block_reduce") {
        let args = [floats_in.into(), sums_out.into()];
        run(&module, &device, "block_reduce", ELEMENTS, &args)?;
        same("block_reduce", &device.download::<f32>(sums_out)?, &sums);
    }

    if wanted("mma") {
        let args = [factors_in.into(), products_out.into(), PRODUCTS.into()];
        run(&matrices, &device, "mma", MATRIX_THREADS, &args)?;
        same("mma", &device.download::<f32>(products_out)?, &products.concat());
    }

    let buffers = |a: Buffer, b: Buffer| vec![a.into(), b.into()];
    let rows = [
        Row {
            module: &module,
            kernel: "xorshift",
            elements: INTEGER_THREADS,
            args: vec![hashes_out.into(), ROUNDS.into()],
            native: Box::new(|| native::xorshift(level, &mut hashes, ROUNDS)),
        },
        Row {
            module: &module,
            kernel: "warp_scan",
            elements: ELEMENTS,
            args: buffers(integers_in, scan_out),
            native: Box::new(|| native::warp_scan(level, &integers, &mut scanned)),
        },
        Row {
            module: &module,
            kernel: "block_reduce",
            elements: ELEMENTS,
            args: buffers(floats_in, sums_out),
            native: Box::new(|| native::block_reduce(level, &floats, &mut sums)),
        },
        Row {
            module: &matrices,
            kernel: "mma",
            elements: MATRIX_THREADS,
            args: vec![factors_in.into(), products_out.into(), PRODUCTS.into()],
            native: Box::new(|| native::mma(level, &operands, &mut products, PRODUCTS)),
        },
    ];
    if checking {
        return check(&device, rows.iter().filter(|row| wanted(row.kernel)));
    }
    println!(
        "kernel         warpwise ms   native ms   ratio   G thread-instructions/s   ns/warp instruction"
    );
    for mut row in rows.into_iter().filter(|row| wanted(row.kernel)) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..REPETITIONS {
            let report = run(row.module, &device, row.kernel, row.elements, &row.args)?;
            ours.push(report.elapsed);
            last = Some(report);
            let started = Instant::now();
            (row.native)();
            theirs.push(started.elapsed());
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let Some(Report { stats, .. }) = last else { continue };
        println!(
            "{:<14} {:>11.2} {:>11.2} {:>7.2} {:>25.2} {:>21.2}",
            row.kernel,
            ours * 1e3,
            theirs * 1e3,
            ours / theirs,
            stats.thread_instructions as f64 / ours / 1e9,
            ours * 1e9 / stats.warp_instructions as f64,
        );
    }
    Ok(())
}

/// The ratio of checked runs, which are the interpreter's, to plain ones and to the interpreter's, in processor time. The kernels
/// are correct, so nothing must be found.
fn check<'a>(device: &Device, rows: impl Iterator<Item = &'a Row<'a>>) -> Result<(), Error> {
    println!(
        "kernel        run ms  interp ms    check ms   check/run   check/interp   ns/warp instruction"
    );
    for row in rows {
        let (mut plain, mut interpreted, mut checked) = (Vec::new(), Vec::new(), Vec::new());
        let mut instructions = 1;
        let kernel = row.module.kernel(row.kernel)?;
        for _ in 0..CHECKS {
            let config = config(row.elements);
            let started = processor_time();
            kernel.launch(device, &config, &row.args)?;
            plain.push(processor_time() - started);
            let interpreter =
                LaunchConfig { engine: EngineChoice::interpreter(), ..config.clone() };
            let started = processor_time();
            kernel.launch(device, &interpreter, &row.args)?;
            interpreted.push(processor_time() - started);
            let started = processor_time();
            let checks = kernel.check(device, &config, CheckOptions::default(), &row.args)?;
            checked.push(processor_time() - started);
            instructions = checks.into_result()?.stats.warp_instructions;
        }
        let (plain, interpreted) = (shortest(&plain), shortest(&interpreted));
        let checked = shortest(&checked);
        println!(
            "{:<12} {:>7.2} {:>10.2} {:>11.2} {:>11.2} {:>14.2} {:>21.2}",
            row.kernel,
            plain * 1e3,
            interpreted * 1e3,
            checked * 1e3,
            checked / plain,
            checked / interpreted,
            checked * 1e9 / instructions as f64,
        );
    }
    Ok(())
}

/// Small numbers as pairs of binary16, and the same as numbers.
fn factors() -> (Vec<u32>, Vec<native::Operands>) {
    const NUMBERS: [(u32, f32); 4] = [(0, 0.0), (0x3c00, 1.0), (0xc000, -2.0), (0x3800, 0.5)];
    let number = |nth: usize| NUMBERS[nth.wrapping_mul(2_654_435_761) >> 7 & 3];
    let pair = |nth: usize| [number(2 * nth), number(2 * nth + 1)];
    let words = (0..6 * MATRIX_THREADS).map(|nth| pair(nth)[0].0 | pair(nth)[1].0 << 16);
    let operands = (0..MATRIX_THREADS)
        .map(|t| std::array::from_fn(|nth| pair(6 * t + nth).map(|(_, number)| number)));
    (words.collect(), operands.collect())
}

/// A launch on one thread.
fn config(elements: usize) -> LaunchConfig<'static> {
    LaunchConfig { threads: 1, ..LaunchConfig::new(elements as u32 / THREADS, THREADS) }
}

fn run(
    module: &Module,
    device: &Device,
    kernel: &str,
    elements: usize,
    args: &[Arg],
) -> Result<Report, Error> {
    module.kernel(kernel)?.launch(device, &config(elements), args)
}

fn same<T: PartialEq>(what: &str, ours: &[T], native: &[T]) {
    assert!(ours == native, "{what}: the kernel and the native loop disagree");
}
