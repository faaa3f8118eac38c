//! What a warm launch costs: the time from the call to the result, without what only the first launch of a kernel does.

use crate::median::median;
use std::time::Instant;
use warpwise::{Arg, Device, Error, Kernel, LaunchConfig, Module, pool};

/// Launches that are timed together.
const LAUNCHES: u32 = 2000;
const REPETITIONS: usize = 15;

/// Threads of the CTA of each kernel, and extents of the matrices.
const THREADS: u32 = 128;
const M: usize = 32;
const N: usize = 64;
const K: usize = 96;

pub(crate) fn bench() -> Result<(), Error> {
    let module = Module::from_ptx("launch.ptx", include_str!("../kernels/launch.ptx"))?;
    let device = Device::new()?;
    let ones = vec![1f32; THREADS as usize];
    let (x, y) = (device.upload(&ones)?, device.upload(&ones)?);
    // Halves of value 1.
    let (a, b) = (device.upload(&vec![0x3c00u16; M * K])?, device.upload(&vec![0x3c00u16; K * N])?);
    let c = device.upload(&vec![0f32; M * N])?;
    let saxpy = [(THREADS as i32).into(), 2f32.into(), x.into(), y.into()];
    let gemm = [a.into(), b.into(), c.into()];

    println!("one CTA of {THREADS} threads, warm      µs a launch   instructions a warp");
    row("empty", &module.kernel("empty")?, &device, &[])?;
    row("saxpy", &module.kernel("saxpy")?, &device, &saxpy)?;
    row("gemm", &module.kernel("gemm")?, &device, &gemm)?;
    let found: Vec<f32> = device.download(c)?;
    assert!(found.iter().all(|value| *value == K as f32), "gemm computes something else");

    for threads in [1, pool::cores()] {
        let time = timed(|| {
            pool::run(threads, || (), |others| others.call());
            Ok(())
        })?;
        println!("{:<32} {time:>12.2}", format!("an empty call on {threads} threads"));
    }
    Ok(())
}

fn row(name: &str, kernel: &Kernel, device: &Device, args: &[Arg]) -> Result<(), Error> {
    let config = LaunchConfig::new(1, THREADS);
    let stats = kernel.launch(device, &config, args)?.stats;
    let time = timed(|| kernel.launch(device, &config, args).map(|_| ()))?;
    let instructions = stats.warp_instructions / u64::from(THREADS / 32);
    println!("{name:<32} {time:>12.2} {instructions:>21}");
    Ok(())
}

/// The median time of a call, in microseconds.
fn timed(mut call: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        let started = Instant::now();
        for _ in 0..LAUNCHES {
            call()?;
        }
        times.push(started.elapsed() / LAUNCHES);
    }
    Ok(median(times) * 1e6)
}
