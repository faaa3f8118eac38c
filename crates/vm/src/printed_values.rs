//! Which values a `printf` takes, for those who observe it.

use crate::observer::View;
use crate::printf::{self, Values};
use ir::Space;
use lanes::WARP;

/// Bytes of the longest string that is looked at.
const MAX_TEXT: usize = 1 << 12;

/// The values of a thread, as they stand.
struct Seen<'v, 'f> {
    view: &'v View<'f>,
    warp: usize,
    lane: u32,
    next: u64,
    taken: Vec<(u64, u32)>,
}

impl View<'_> {
    /// The values that a thread prints by a format at one generic address, from another one on: the address and the bytes of
    /// each. What cannot be read is left out; it is a fault.
    pub fn printed(&self, (warp, lane): (usize, u32), format: u64, values: u64) -> Vec<(u64, u32)> {
        let lane = lane % WARP as u32;
        let mut seen = Seen { view: self, warp, lane, next: values, taken: Vec::new() };
        if let Ok(format) = seen.text(format) {
            // A value that cannot be read ends the text, and those before it count.
            let _ = printf::format(&format, &mut seen, &mut Vec::new());
        }
        seen.taken
    }
}

impl Seen<'_, '_> {
    fn peek(&self, address: u64, bytes: u32) -> Result<u64, u64> {
        let at = self.view.locate(Space::Generic, address);
        self.view.peek(at, (self.warp, self.lane), bytes).ok_or(address)
    }
}

impl Values for Seen<'_, '_> {
    fn next(&mut self, bytes: u32) -> Result<u64, u64> {
        let start = self.next.next_multiple_of(u64::from(bytes));
        self.next = start.wrapping_add(bytes.into());
        self.taken.push((start, bytes));
        self.peek(start, bytes)
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, u64> {
        let mut text = Vec::new();
        while text.len() < MAX_TEXT {
            match self.peek(address.wrapping_add(text.len() as u64), 1)? {
                0 => break,
                byte => text.push(byte as u8),
            }
        }
        Ok(text)
    }
}
