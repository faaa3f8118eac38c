//! What it takes until the first CTA of a kernel begins: reading a module, lowering its kernels, making plan and code of them.

use std::time::{Duration, Instant};
use warpwise::{Arg, Device, EngineChoice, Error, LaunchConfig, Module};

/// Prints the times of each file, and of all its kernels together.
pub(crate) fn bench(files: &[String]) -> Result<(), Error> {
    println!("   KB   kernels   read ms   lower ms   interpreter ms   native ms   file");
    for file in files {
        let started = Instant::now();
        let module = Module::from_ptx_file(file)?;
        let read = started.elapsed();
        let bytes = std::fs::metadata(file).map_or(0, |file| file.len());
        let names: Vec<&str> = module.kernels().collect();
        let mut lower = Duration::ZERO;
        let mut engines = [Duration::ZERO; 2];
        let device = Device::new()?;
        for name in &names {
            let started = Instant::now();
            let Ok(kernel) = module.kernel(name) else { continue };
            lower += started.elapsed();
            for (time, engine) in engines.iter_mut().zip(["interp", "jit"]) {
                let Ok(engine) = engine.parse::<EngineChoice>() else { continue };
                let args: Vec<Arg> = kernel
                    .params()
                    .iter()
                    .map(|it| Arg::Bytes(vec![0; it.bytes as usize]))
                    .collect();
                let began = std::sync::OnceLock::new();
                let progress = |_| _ = began.set(Instant::now());
                let config =
                    LaunchConfig { engine, progress: &progress, ..LaunchConfig::new(1, 128) };
                let config = LaunchConfig { max_steps: Some(1), threads: 1, ..config };
                let started = Instant::now();
                // It faults, or is stopped: what is measured lies before.
                let _ = kernel.launch(&device, &config, &args);
                let Some(began) = began.get() else { continue };
                *time += began.duration_since(started);
            }
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{:>5} {:>9} {:>9.2} {:>10.2} {:>16.2} {:>11.2}   {file}",
            bytes / 1000,
            names.len(),
            ms(read),
            ms(lower),
            ms(engines[0]),
            ms(engines[1]),
        );
    }
    Ok(())
}
