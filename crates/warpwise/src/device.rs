//! A device: its memory, and the modules whose variables live there.

use crate::element::ElementType;
use crate::error::{Error, Stage};
use bytemuck::{AnyBitPattern, NoUninit};
use diag::Class;
use ptx::Image;
use std::sync::Arc;
use vm::Memory;
use vm::memory::MemoryError;

/// A device. Its memory outlives launches, as do the variables of the modules it has run.
#[derive(Debug)]
pub struct Device {
    pub(crate) memory: Memory,
    /// Modules whose variables have been laid out, and where.
    loaded: Vec<(Arc<Image>, u64)>,
}

/// Memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// The device address of its first byte, a multiple of 256.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// What it consists of, if that was said; reports name elements then, not bytes.
    pub element: Option<ElementType>,
}

impl Buffer {
    /// The same buffer, with the type of its elements.
    pub fn of(self, element: ElementType) -> Buffer {
        Buffer { element: Some(element), ..self }
    }
}

impl From<MemoryError> for Error {
    fn from(error: MemoryError) -> Error {
        let class = match error {
            MemoryError::Reserve(_) | MemoryError::Full { .. } => Class::Limit,
            MemoryError::OutOfBounds { .. } => Class::BadInput,
        };
        Error::message(Stage::Launch, class, error.to_string())
    }
}

impl Device {
    /// A device with nothing in its memory.
    ///
    /// # Errors
    /// The host reserves no address range.
    pub fn new() -> Result<Device, Error> {
        Ok(Device { memory: Memory::new()?, loaded: Vec::new() })
    }

    /// Allocates zeroed memory. The host commits a page when it is first touched.
    ///
    /// # Errors
    /// So much is not left.
    pub fn allocate(&mut self, bytes: u64) -> Result<Buffer, Error> {
        let address = self.memory.allocate(bytes)?;
        Ok(Buffer { address, bytes, element: None })
    }

    /// Allocates memory that holds the values.
    ///
    /// # Errors
    /// So much is not left.
    pub fn upload<T: NoUninit>(&mut self, values: &[T]) -> Result<Buffer, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let buffer = self.allocate(bytes.len() as u64)?;
        self.memory.write(buffer.address, bytes)?;
        Ok(buffer)
    }

    /// Frees a buffer. A kernel that accesses it afterwards is stopped; [`crate::Kernel::check`] says why.
    ///
    /// # Errors
    /// The buffer is not of this device, or it is free already.
    pub fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        Ok(self.memory.free(buffer.address)?)
    }

    /// Overwrites a buffer from byte `offset` on.
    ///
    /// # Errors
    /// The values reach past the end of the buffer.
    pub fn write<T: NoUninit>(
        &mut self,
        buffer: Buffer,
        offset: u64,
        values: &[T],
    ) -> Result<(), Error> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let address = buffer.address.saturating_add(offset);
        Ok(self.memory.write(address, bytes)?)
    }

    /// The bytes of a buffer.
    ///
    /// # Errors
    /// The buffer is not of this device.
    pub fn bytes(&self, buffer: Buffer) -> Result<&[u8], Error> {
        let bytes = usize::try_from(buffer.bytes).unwrap_or(usize::MAX);
        Ok(self.memory.read(buffer.address, bytes)?)
    }

    /// The values of a buffer; bytes that fill no whole value at its end are left out.
    ///
    /// # Errors
    /// The buffer is not of this device.
    pub fn download<T: AnyBitPattern>(&self, buffer: Buffer) -> Result<Vec<T>, Error> {
        let size = size_of::<T>();
        if size == 0 {
            return Ok(Vec::new());
        }
        let values = self.bytes(buffer)?.chunks_exact(size);
        Ok(values.map(bytemuck::pod_read_unaligned).collect())
    }

    /// Where a module's variables stand; lays them out the first time.
    pub(crate) fn load(&mut self, image: &Arc<Image>) -> Result<u64, Error> {
        if let Some((_, base)) = self.loaded.iter().find(|(known, _)| Arc::ptr_eq(known, image)) {
            return Ok(*base);
        }
        let objects: Vec<_> = image.objects.iter().map(|at| (at.offset, at.bytes)).collect();
        let base = self.memory.allocate_image(&objects)?;
        for object in image.objects.iter().filter(|object| object.constant && object.bytes > 0) {
            self.memory.make_constant(base + object.offset)?;
        }
        for (offset, contents) in &image.contents {
            self.memory.write(base + offset, contents)?;
        }
        for relocation in &image.relocations {
            let address = base.wrapping_add(relocation.target);
            let field = address.checked_shr(relocation.shift).unwrap_or(0).to_le_bytes();
            let bytes = field.len().min(relocation.bytes as usize);
            self.memory.write(base + relocation.at, &field[..bytes])?;
        }
        self.loaded.push((Arc::clone(image), base));
        Ok(base)
    }
}
