//! A buffer on the device, and the array that it holds.

use crate::npy::Array;
use std::io::Read;
use std::ops::Range;
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

    /// The channels of texels. Where rows have gaps between them, no place in memory is said to be that of an element.
    pub(crate) fn texels(buffer: Buffer, array: Array, texels: Texels) -> Filled {
        match texels.bytes() == Some(array.bytes) {
            true => Filled::new(buffer.of(array.element), array),
            false => Filled { buffer, array, texels: Some(texels) },
        }
    }

    /// The same bytes in another type.
    pub(crate) fn seen_as(&self, element: Option<ElementType>) -> Filled {
        Filled { array: self.array.seen_as(element), ..self.clone() }
    }

    /// Bytes of the array from one on: for those that lie one behind the other where in the buffer they are, and which.
    fn pieces(&self, at: u64, count: usize) -> impl Iterator<Item = (u64, Range<usize>)> {
        let rows = self.texels.map(|texels| texels.pieces(at, count));
        let whole = (self.texels.is_none() && count > 0).then_some((at, 0..count));
        rows.into_iter().flatten().chain(whole)
    }

    /// How many bytes there are; a variable may have more than the elements of its array.
    fn size(&self) -> u64 {
        self.texels.map_or(self.buffer.bytes, |_| self.array.bytes)
    }

    /// Writes bytes of the array from one on.
    pub(crate) fn write(&self, device: &Device, at: u64, bytes: &[u8]) -> Result<(), Error> {
        self.pieces(at, bytes.len())
            .try_for_each(|(place, piece)| device.write(self.buffer, place, &bytes[piece]))
    }

    /// Reads bytes of the array from one on.
    fn read(&self, device: &Device, at: u64, to: &mut [u8]) -> Result<(), Error> {
        self.pieces(at, to.len())
            .try_for_each(|(place, piece)| device.read(self.buffer, place, &mut to[piece]))
    }

    /// The first bytes of the array, so many at most.
    pub(crate) fn bytes(&self, device: &Device, most: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; self.size().min(most) as usize];
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
        let left = usize::try_from(self.filled.size() - self.done).unwrap_or(usize::MAX);
        let count = left.min(to.len());
        let copied = self.filled.read(self.device, self.done, &mut to[..count]);
        copied.map_err(|error| std::io::Error::other(error.to_string()))?;
        self.done += count as u64;
        Ok(count)
    }
}
