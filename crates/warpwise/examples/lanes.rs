//! Which lanes execute what: `cargo run --example lanes -- KERNEL.ptx THREADS [BYTES...]`. Runs the file's first kernel as one
//! CTA, with a zeroed buffer of so many bytes for each parameter, and prints each instruction with the most and the fewest lanes
//! of a warp that executed it together, and how often memory was written.

use std::collections::BTreeMap;
use warpwise::ir::{Inst, Place};
use warpwise::observe::{Observer, View};
use warpwise::{Arg, Device, Kernel, LaunchConfig, Module};

/// By place, the fewest and the most lanes, and the executions.
#[derive(Default)]
struct Lanes(BTreeMap<u32, (u32, u32, u64)>);

impl Observer for Lanes {
    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        for (_, lanes) in view.group() {
            let row = self.0.entry(inst.place.0).or_insert((u32::MAX, 0, 0));
            *row = (row.0.min(lanes.count()), row.1.max(lanes.count()), row.2 + 1);
        }
    }
}

/// Counts what is written. A second observer of the same run.
#[derive(Default)]
struct Writes(u64);

impl Observer for Writes {
    const EFFECTS: bool = true;

    fn after_inst(&mut self, _: &View<'_>, inst: &Inst) {
        self.0 += u64::from(inst.op.touches().any(|touched| touched.writes));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("usage: lanes KERNEL.ptx THREADS [BYTES...]")?;
    let threads: u32 = words.next().unwrap_or_else(|| "32".to_owned()).parse()?;
    let module = Module::from_ptx_file(path)?;
    let name = module.kernels().next().ok_or("the module has no kernel")?;
    let kernel: Kernel = module.kernel(name)?;
    let device = Device::new()?;
    let mut args = Vec::new();
    for bytes in words {
        args.push(Arg::Buffer(device.allocate(bytes.parse()?)?));
    }
    let mut watched = (Lanes::default(), Writes::default());
    kernel.observe(&device, &LaunchConfig::new(1, threads), &args, &mut watched)?;
    let (Lanes(rows), Writes(writes)) = watched;
    for (place, (fewest, most, times)) in rows {
        let Some((at, text)) = kernel.instruction(Place(place)) else { continue };
        println!("{:>5}  {fewest:>2} to {most:>2} lanes, {times} times: {text}", at.line);
    }
    println!("memory was written {writes} times");
    Ok(())
}
