//! Textures and surfaces: descriptors that the host makes, and the arithmetic of one thread's access.
//!
//! A handle (`cudaTextureObject_t`, `cudaSurfaceObject_t`) is a number that leads to a descriptor in a table beside the device's
//! memory. Texels lie in that memory, in rows; an array (`cudaArray_t`) is rows without gaps.

mod asked;
mod axis;
mod border;
#[cfg(test)]
mod compared;
mod cube;
mod descriptor;
mod known;
mod level;
mod query;
mod read;
mod srgb;
mod sum;
mod surface;
mod texel;
mod warp;
mod weight;

pub use descriptor::{ChannelKind, Format, LEVEL, Levels, ReadMode, Texels, Texture, TextureError};
pub use ir::{AddressMode, Filter, Sampler};

pub(crate) use asked::Asked;
pub(crate) use known::LastTextures;
pub(crate) use query::query;
pub(crate) use read::sample;
pub(crate) use surface::{Place, surface};
pub(crate) use warp::WarpTexture;

use foldhash::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// What a handle leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextureObject {
    /// A texture.
    Texture(Texture),
    /// A surface.
    Surface(Texels),
}

impl TextureObject {
    /// Its texels.
    pub fn texels(&self) -> &Texels {
        match self {
            TextureObject::Texture(texture) => &texture.texels,
            TextureObject::Surface(texels) => texels,
        }
    }
}

/// The handles of a device begin behind this number, which is no address of any memory.
const FIRST: u64 = 0x7458_0000_0000_0000;

/// The descriptors of a device, by their handles.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    all: RwLock<(u64, HashMap<u64, TextureObject>)>,
    /// How many are gone.
    removed: AtomicU64,
}

impl Objects {
    /// Takes an object in. Handles are never given out twice.
    pub(crate) fn insert(&self, object: TextureObject) -> Result<u64, TextureError> {
        match &object {
            TextureObject::Texture(texture) => texture.check()?,
            TextureObject::Surface(texels) => texels.check()?,
        }
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.0 += 1;
        let handle = FIRST + all.0;
        all.1.insert(handle, object);
        Ok(handle)
    }

    /// Forgets an object; whether there was one.
    pub(crate) fn remove(&self, handle: u64) -> bool {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let is_gone = all.1.remove(&handle).is_some();
        self.removed.fetch_add(is_gone.into(), Ordering::Release);
        is_gone
    }

    /// How many objects are gone: what was found before may be one of them when it has changed.
    #[inline]
    pub(crate) fn removed(&self) -> u64 {
        self.removed.load(Ordering::Acquire)
    }

    /// The object of a handle.
    pub(crate) fn find(&self, handle: u64) -> Option<TextureObject> {
        self.all.read().unwrap_or_else(PoisonError::into_inner).1.get(&handle).copied()
    }
}
