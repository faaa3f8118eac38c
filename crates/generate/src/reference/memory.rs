//! Memory of the reference: bytes at addresses of its own.

use crate::case::{Buffers, Case};

/// Where the buffers stand, and where shared and local memory appear among generic addresses.
pub(super) const INPUT: u64 = 1 << 20;
pub(super) const OUTPUT: u64 = 2 << 20;
pub(super) const COUNTERS: u64 = 3 << 20;
pub(super) const SHARED: u64 = 1 << 40;
pub(super) const LOCAL: u64 = 2 << 40;
/// Addresses of each buffer, and of each window.
pub(super) const EACH: u64 = 1 << 20;
pub(super) const WINDOW: u64 = ir::WINDOW;

/// Global memory.
pub(super) struct Global {
    input: Vec<u8>,
    output: Vec<u8>,
    counters: Vec<u8>,
}

impl Global {
    pub(super) fn new(case: &Case) -> Self {
        let (output, counters) = (vec![0; case.output_bytes], vec![0; case.counter_bytes]);
        Global { input: case.input.clone(), output, counters }
    }

    /// The buffer at an address, and the offset in it.
    pub(super) fn at(&mut self, address: u64) -> Result<(&mut [u8], u64), String> {
        let buffers =
            [(INPUT, &mut self.input), (OUTPUT, &mut self.output), (COUNTERS, &mut self.counters)];
        for (start, bytes) in buffers {
            if (start..start + EACH).contains(&address) {
                return Ok((bytes, address - start));
            }
        }
        Err(format!("nothing is at address {address:#x}"))
    }

    pub(super) fn into_buffers(self) -> Buffers {
        Buffers { output: self.output, counters: self.counters }
    }
}

/// The bytes of one element.
fn element(memory: &mut [u8], offset: u64, bytes: usize) -> Result<&mut [u8], String> {
    let outside = || format!("{bytes} bytes at {offset:#x} are not inside");
    let start = usize::try_from(offset).map_err(|_| outside())?;
    if !start.is_multiple_of(bytes) {
        return Err(format!("{bytes} bytes at {offset:#x} are not aligned"));
    }
    memory.get_mut(start..start.saturating_add(bytes)).ok_or_else(outside)
}

pub(super) fn load(memory: &mut [u8], offset: u64, bytes: usize) -> Result<u64, String> {
    let found = element(memory, offset, bytes)?;
    Ok(found.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

pub(super) fn store(
    memory: &mut [u8],
    offset: u64,
    bytes: usize,
    value: u64,
) -> Result<(), String> {
    let found = element(memory, offset, bytes)?;
    for (byte, new) in found.iter_mut().zip(value.to_le_bytes()) {
        *byte = new;
    }
    Ok(())
}
