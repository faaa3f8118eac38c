//! Textures and surfaces of a device.

use crate::device::{Buffer, Device};
use crate::error::{Error, Stage};
use bytemuck::{AnyBitPattern, NoUninit};
use diag::Class;
use std::ops::Range;
use vm::texture::{Format, Texels, Texture, TextureError, TextureObject};

/// An array (`cudaArray_t`): texels in device memory, in an order of Warpwise's own: rows, each of which begins at a
/// multiple of 16 bytes (`texels.pitch`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureArray {
    /// The memory that holds it.
    pub buffer: Buffer,
    /// Its texels, for textures and surfaces.
    pub texels: Texels,
}

/// So many bytes of an array, from the first one on.
fn pieces(
    array: TextureArray,
    bytes: usize,
) -> Result<impl Iterator<Item = (u64, Range<usize>)>, Error> {
    let texels = array.texels;
    if texels.contents().is_none_or(|all| bytes as u64 > all)
        || texels.bytes() > Some(array.buffer.bytes)
    {
        let message = format!("{bytes} bytes are more than the array has");
        return Err(Error::message(Stage::Launch, Class::BadInput, message));
    }
    Ok(texels.pieces(0, bytes))
}

impl From<TextureError> for Error {
    fn from(error: TextureError) -> Error {
        Error::message(Stage::Launch, Class::BadInput, error.to_string())
    }
}

impl Device {
    /// Makes a texture and returns its handle, which a kernel receives as a 64-bit number (`cudaTextureObject_t`). The texels are
    /// in an array ([`Device::create_array`]) or in any buffer. Kernels read them as they are when they are read.
    ///
    /// # Errors
    /// There can be no such texture.
    pub fn create_texture(&self, texture: Texture) -> Result<u64, Error> {
        Ok(self.memory.create_texture_object(TextureObject::Texture(texture))?)
    }

    /// Makes a surface and returns its handle (`cudaSurfaceObject_t`).
    ///
    /// # Errors
    /// There can be no such surface.
    pub fn create_surface(&self, texels: Texels) -> Result<u64, Error> {
        Ok(self.memory.create_texture_object(TextureObject::Surface(texels))?)
    }

    /// Forgets a texture. Its texels stay. A kernel that uses the handle afterwards is stopped.
    ///
    /// # Errors
    /// No texture has that handle.
    pub fn destroy_texture(&self, handle: u64) -> Result<(), Error> {
        match self.memory.destroy_texture_object(handle) {
            true => Ok(()),
            false => {
                let message = format!("{handle:#x} is no texture or surface of this device");
                Err(Error::message(Stage::Launch, Class::BadInput, message))
            }
        }
    }

    /// Forgets a surface, as [`Device::destroy_texture`] does a texture.
    ///
    /// # Errors
    /// No surface has that handle.
    pub fn destroy_surface(&self, handle: u64) -> Result<(), Error> {
        self.destroy_texture(handle)
    }

    /// Allocates an array of zeroed texels: width, height and depth, 0 for a dimension that there is not, and layers, 0 without
    /// any; a cube map has six layers for each cube. Rows lie `texels.pitch` bytes from each other in the buffer, planes and layers
    /// `texels.slice`; [`Device::write_array`] and [`Device::read_array`] know.
    ///
    /// # Errors
    /// So much memory is not left.
    pub fn create_array(
        &self,
        format: Format,
        extents: [u32; 3],
        layers: u32,
    ) -> Result<TextureArray, Error> {
        let sized = Texels::array(0, format, extents, layers);
        let bytes = sized.bytes().ok_or_else(|| {
            let message = "these are more texels than any memory holds";
            Error::message(Stage::Launch, Class::Limit, message)
        })?;
        let buffer = self.allocate(bytes)?;
        Ok(TextureArray { buffer, texels: Texels { address: buffer.address, ..sized } })
    }

    /// Writes the texels of an array from the first one on: those of a row behind those of the row before, without gaps.
    ///
    /// # Errors
    /// There are more than the array has, or it is not of this device.
    pub fn write_array<T: NoUninit>(&self, array: TextureArray, texels: &[T]) -> Result<(), Error> {
        let bytes: &[u8] = bytemuck::cast_slice(texels);
        for (place, held) in pieces(array, bytes.len())? {
            self.write(array.buffer, place, &bytes[held])?;
        }
        Ok(())
    }

    /// The texels of an array, as [`Device::write_array`] writes them; bytes that fill no whole value at their end are left out.
    ///
    /// # Errors
    /// It is not of this device.
    pub fn read_array<T: AnyBitPattern>(&self, array: TextureArray) -> Result<Vec<T>, Error> {
        let mut bytes = vec![0; array.texels.contents().map_or(usize::MAX, |all| all as usize)];
        for (place, held) in pieces(array, bytes.len())? {
            self.read(array.buffer, place, &mut bytes[held])?;
        }
        Ok(bytes.chunks_exact(size_of::<T>().max(1)).map(bytemuck::pod_read_unaligned).collect())
    }

    /// Frees an array.
    ///
    /// # Errors
    /// It is not of this device, or it is free already.
    pub fn destroy_array(&self, array: TextureArray) -> Result<(), Error> {
        self.free(array.buffer)
    }
}
