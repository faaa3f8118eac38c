//! A buffer on the device, and the array that it holds.

use crate::npy::Array;
use std::io::Read;
use warpwise::texture::Texels;
use warpwise::{Buffer, Device, ElementType, Error};

/// A buffer and what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    pub(crate) buffer: Buffer,
    pub(crate) array: Array,
    /// Of a surface, how its rows lie; else all elements lie one behind the other.
    texels: Option<Texels>,
}

impl Filled {
    /// Elements one behind the other.
    pub(crate) fn new(buffer: Buffer, array: Array) -> Filled {
        Filled { buffer, array, texels: None }
    }

    /// The channels of texels.
    pub(crate) fn texels(buffer: Buffer, array: Array, texels: Texels) -> Filled {
        let has_gaps = texels.bytes() != texels.contents();
        Filled { buffer, array, texels: has_gaps.then_some(texels) }
    }

    /// The same bytes in another type.
    pub(crate) fn seen_as(&self, element: Option<ElementType>) -> Filled {
        Filled { array: self.array.seen_as(element), ..self.clone() }
    }

    /// Where a byte of the array lies in the buffer, and how many lie behind it without a gap.
    fn place(&self, nth: u64) -> (u64, usize) {
        let (place, here) = self.texels.map_or((nth, u64::MAX), |texels| texels.place(nth));
        (place, usize::try_from(here).unwrap_or(usize::MAX))
    }

    /// Writes bytes of the array from one on.
    pub(crate) fn write(&self, device: &Device, at: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut done = 0;
        while done < bytes.len() {
            let (place, here) = self.place(at + done as u64);
            let end = bytes.len().min(done.saturating_add(here));
            device.write(self.buffer, place, &bytes[done..end])?;
            done = end;
        }
        Ok(())
    }

    /// Reads bytes of the array from one on.
    fn read(&self, device: &Device, at: u64, to: &mut [u8]) -> Result<(), Error> {
        let mut done = 0;
        while done < to.len() {
            let (place, here) = self.place(at + done as u64);
            let end = to.len().min(done.saturating_add(here));
            device.read(self.buffer, place, &mut to[done..end])?;
            done = end;
        }
        Ok(())
    }

    /// The first bytes of the array, so many at most.
    pub(crate) fn bytes(&self, device: &Device, most: u64) -> Result<Vec<u8>, Error> {
        if self.texels.is_none() {
            let bytes = self.buffer.bytes.min(most);
            return device.bytes(Buffer { bytes, ..self.buffer });
        }
        let mut bytes = vec![0; self.array.bytes.min(most) as usize];
        self.read(device, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// All bytes of the array, piece by piece.
    pub(crate) fn download<'d>(&'d self, device: &'d Device) -> impl Read + 'd {
        Download { device, filled: self, done: 0 }
    }
}

struct Download<'d> {
    device: &'d Device,
    filled: &'d Filled,
    done: u64,
}

impl Read for Download<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let all = match self.filled.texels {
            None => self.filled.buffer.bytes,
            Some(_) => self.filled.array.bytes,
        };
        let left = usize::try_from(all - self.done).unwrap_or(usize::MAX);
        let count = left.min(to.len());
        let copied = self.filled.read(self.device, self.done, &mut to[..count]);
        copied.map_err(|error| std::io::Error::other(error.to_string()))?;
        self.done += count as u64;
        Ok(count)
    }
}
