//! How long allocations of device memory take, and how much of it is resident.

use std::time::Instant;
use warpwise::{Error, Memory, Quarantine};

/// Allocations and frees of each row.
const CALLS: u64 = 1_000_000;

/// A row: the largest allocation as a power of two, how many live at a time, and the quarantine.
const ROWS: [(u32, usize, Quarantine); 4] = [
    (12, 10_000, Quarantine::Short),
    (12, 100_000, Quarantine::Short),
    (20, 10_000, Quarantine::Short),
    (20, 10_000, Quarantine::Forever),
];

/// Prints what a million allocations and frees cost. Sizes are spread evenly over their logarithms, from 16 bytes on; the first
/// and the last byte of each allocation are written.
pub(crate) fn bench() -> Result<(), Error> {
    println!("largest   live      quarantine   ns/call   written pages MB   resident MB");
    for (largest, count, quarantine) in ROWS {
        let memory = Memory::new()?;
        memory.set_quarantine(quarantine);
        let before = resident();
        let mut live: Vec<(u64, u64)> = Vec::with_capacity(count);
        let mut state = 1_u64;
        let mut number = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let (mut calls, mut writing) = (0, std::time::Duration::ZERO);
        let started = Instant::now();
        while calls < CALLS {
            if live.len() == count {
                let (address, _) = live.swap_remove(number() as usize % count);
                memory.free(address)?;
                calls += 1;
            }
            let top = 16_u64 << (number() % u64::from(largest - 3));
            let bytes = top / 2 + number() % (top / 2) + 1;
            let address = memory.allocate(bytes)?;
            calls += 1;
            let write = Instant::now();
            memory.write(address, &[1])?;
            memory.write(address + bytes - 1, &[1])?;
            writing += write.elapsed();
            live.push((address, bytes));
        }
        let elapsed = started.elapsed() - writing;
        let pages: u64 =
            live.iter().map(|(_, bytes)| if *bytes > 4096 { 8192 } else { 4096 }).sum();
        println!(
            "{:<9} {:<9} {:<12} {:>7.0} {:>18.0} {:>13.0}",
            1_u64 << largest,
            count,
            format!("{quarantine:?}"),
            elapsed.as_secs_f64() * 1e9 / calls as f64,
            pages as f64 / 1e6,
            resident().saturating_sub(before) as f64 / 1e6,
        );
    }
    Ok(())
}

/// Bytes of this process that are in memory; 0 where the system does not say it as Linux does.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok())
        .map_or(0, |pages| pages * 4096)
}
