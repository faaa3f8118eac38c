//! A device: its memory, and the modules whose variables live there.

use crate::element::ElementType;
use crate::error::{Error, Stage};
use crate::module::Module;
use crate::properties::Properties;
use bytemuck::{AnyBitPattern, NoUninit};
use diag::Class;
use ptx::Image;
use std::sync::{Arc, Mutex, PoisonError};
use vm::Memory;
use vm::memory::{MemoryError, Quarantine};

/// A device. Its memory outlives launches, as do the variables of the modules it has run.
///
/// Everything works through shared references: several threads of the host may launch kernels, copy and allocate at once. What
/// comes first is up to them. A copy beside a kernel that writes the same bytes finds some old and some new ones, and
/// kernels that run at once race as those of two streams do.
#[derive(Debug)]
pub struct Device {
    pub(crate) memory: Memory,
    properties: Option<Properties>,
    /// Modules whose variables have been laid out, and where.
    loaded: Mutex<Vec<(Arc<Image>, u64)>>,
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
            MemoryError::OutOfBounds { .. } | MemoryError::NotMappable { .. } => Class::BadInput,
        };
        Error::message(Stage::Launch, class, error.to_string())
    }
}

impl Device {
    /// A device with nothing in its memory, which runs what any device runs: the largest limits are its limits.
    ///
    /// # Errors
    /// The host reserves no address range.
    pub fn new() -> Result<Device, Error> {
        Ok(Device { memory: Memory::new()?, properties: None, loaded: Mutex::default() })
    }

    /// A device that exists: launches that it could not run are refused.
    ///
    /// # Errors
    /// The host reserves no address range, or there is no such architecture.
    pub fn of(properties: Properties) -> Result<Device, Error> {
        let unknown = |why| Error::message(Stage::Launch, Class::BadInput, why);
        ptx::target::check_name(&properties.target).map_err(unknown)?;
        Ok(Device { properties: Some(properties), ..Device::new()? })
    }

    /// The device of an architecture, if one is named and a device of it is known ([`Properties::of`]); one without properties
    /// otherwise.
    ///
    /// # Errors
    /// The host reserves no address range.
    pub fn of_target(target: Option<&str>) -> Result<Device, Error> {
        target.and_then(Properties::of).map_or_else(Device::new, Device::of)
    }

    /// What it says of itself, if it is one that exists.
    pub fn properties(&self) -> Option<&Properties> {
        self.properties.as_ref()
    }

    /// Allocates zeroed memory. The host commits a page when it is first touched.
    ///
    /// # Errors
    /// So much is not left.
    pub fn allocate(&self, bytes: u64) -> Result<Buffer, Error> {
        let address = self.memory.allocate(bytes)?;
        Ok(Buffer { address, bytes, element: None })
    }

    /// Allocates memory that holds the values.
    ///
    /// # Errors
    /// So much is not left.
    pub fn upload<T: NoUninit>(&self, values: &[T]) -> Result<Buffer, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let buffer = self.allocate(bytes.len() as u64)?;
        self.memory.write(buffer.address, bytes)?;
        Ok(buffer)
    }

    /// The memory itself: for memory of the host that kernels are to reach ([`Memory::map_host`]), and for what kernels have
    /// allocated ([`Memory::blocks`]).
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// How long the addresses of buffers that are freed from now on are not given out again: [`Quarantine::Short`] at first. The
    /// first check or observed launch makes it [`Quarantine::Forever`].
    pub fn set_quarantine(&self, quarantine: Quarantine) {
        self.memory.set_quarantine(quarantine);
    }

    /// Frees a buffer. A kernel that accesses it afterwards is stopped; [`crate::Kernel::check`] says why. Whoever checks
    /// should say so before buffers are freed ([`Device::set_quarantine`]): their addresses are given out again sooner or later.
    ///
    /// # Errors
    /// The buffer is not of this device, or it is free already.
    pub fn free(&self, buffer: Buffer) -> Result<(), Error> {
        Ok(self.memory.free(buffer.address)?)
    }

    /// Overwrites a buffer from byte `offset` on.
    ///
    /// # Errors
    /// The values reach past the end of the buffer.
    pub fn write<T: NoUninit>(
        &self,
        buffer: Buffer,
        offset: u64,
        values: &[T],
    ) -> Result<(), Error> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let address = buffer.address.saturating_add(offset);
        Ok(self.memory.write(address, bytes)?)
    }

    /// Copies within the device: each side lies in one buffer.
    pub(crate) fn copy_within(&self, from: u64, to: u64, bytes: u64) -> Result<(), Error> {
        let mut held = vec![0; self.room(from, bytes)?];
        self.memory.read(from, &mut held)?;
        Ok(self.memory.write(to, &held)?)
    }

    /// Fills bytes of one buffer.
    pub(crate) fn fill_bytes(&self, to: u64, value: u8, bytes: u64) -> Result<(), Error> {
        Ok(self.memory.write(to, &vec![value; self.room(to, bytes)?])?)
    }

    /// So many bytes, if they are there.
    fn room(&self, address: u64, bytes: u64) -> Result<usize, Error> {
        let region = self.memory.region(address).filter(|region| region.holds(address, bytes));
        let room = region.and_then(|_| usize::try_from(bytes).ok());
        room.ok_or_else(|| MemoryError::OutOfBounds { address, bytes }.into())
    }

    /// Copies what a buffer holds from byte `offset` on.
    ///
    /// # Errors
    /// So many bytes are not there, or the buffer is not of this device.
    pub fn read(&self, buffer: Buffer, offset: u64, to: &mut [u8]) -> Result<(), Error> {
        Ok(self.memory.read(buffer.address.saturating_add(offset), to)?)
    }

    /// The bytes of a buffer, as a copy.
    ///
    /// # Errors
    /// The buffer is not of this device.
    pub fn bytes(&self, buffer: Buffer) -> Result<Vec<u8>, Error> {
        let outside = MemoryError::OutOfBounds { address: buffer.address, bytes: buffer.bytes };
        let held = self.memory.regions().find(buffer.address);
        if buffer.bytes > 0 && !held.is_some_and(|it| it.holds(buffer.address, buffer.bytes)) {
            return Err(outside.into());
        }
        let mut bytes = vec![0; buffer.bytes as usize];
        self.memory.read(buffer.address, &mut bytes)?;
        Ok(bytes)
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
        let bytes = self.bytes(buffer)?;
        Ok(bytes.chunks_exact(size).map(bytemuck::pod_read_unaligned).collect())
    }

    /// Gives the variables of a module memory on this device, with their initial values, if they have none yet: what its first
    /// launch does, or the first look at one of its variables. Clones of a module are one module.
    ///
    /// # Errors
    /// The variables do not fit.
    pub fn load(&self, module: &Module) -> Result<(), Error> {
        self.load_image(module.image()).map(drop)
    }

    /// Frees the variables of a module: their addresses are no longer valid, wherever they have been kept, and a kernel that
    /// accesses them is stopped. Whether the module was loaded. A later launch loads it anew, with initial values. Launches of the
    /// module that are still running are the caller's to wait for.
    ///
    /// # Errors
    /// The device does not know the memory any more.
    pub fn unload(&self, module: &Module) -> Result<bool, Error> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(known, _): &(Arc<Image>, u64)| Arc::ptr_eq(known, module.image());
        let Some(at) = loaded.iter().position(is_it) else { return Ok(false) };
        let (_, base) = loaded.remove(at);
        self.memory.free(base)?;
        Ok(true)
    }

    /// Where a module's variables stand; lays them out the first time.
    pub(crate) fn load_image(&self, image: &Arc<Image>) -> Result<u64, Error> {
        // Under the lock, so that launches at once lay it out once.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, base)) = loaded.iter().find(|(known, _)| Arc::ptr_eq(known, image)) {
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
        loaded.push((Arc::clone(image), base));
        Ok(base)
    }
}
