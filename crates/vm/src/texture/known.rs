//! The textures that code has read last, decoded, each with the footprint that was wanted last: the components of a texel are read one
//! after the other.

use super::TextureObject;
use super::warp::{Footprint, WarpTexture};
use crate::memory::Memory;
use ir::Sampling;
use lanes::Lanes;

/// A texture that was read.
#[derive(Debug)]
pub(crate) struct Known {
    handle: u64,
    /// How many objects were gone when it was looked up.
    removed: u64,
    pub(crate) texture: WarpTexture,
    pub(crate) footprint: Footprint,
}

/// Textures that are kept. Handles that are made one after the other do not meet in one place.
const KEPT: usize = 8;

/// Those that were read last.
#[derive(Debug, Default)]
pub(crate) struct LastTextures([Option<Box<Known>>; KEPT]);

impl LastTextures {
    /// A texture with the footprint of a warp's coordinates. It is looked up where it is not known, or where objects are gone since;
    /// `None` if there is none, or if its lanes are to read one by one.
    #[inline(always)]
    pub(crate) fn find(
        &mut self,
        memory: &Memory,
        handle: u64,
        what: Sampling,
        coordinates: &[Lanes<u32>; 4],
    ) -> Option<&Known> {
        let removed = memory.texture_objects_removed();
        let place = &mut self.0[handle as usize % KEPT];
        let is_known = |known: &Known| known.handle == handle && known.removed == removed;
        if !place.as_deref().is_some_and(is_known) {
            *place = look_up(memory, handle, removed);
        }
        let known = place.as_deref_mut()?;
        known.texture.find(&mut known.footprint, what, coordinates);
        Some(known)
    }
}

#[inline(never)]
fn look_up(memory: &Memory, handle: u64, removed: u64) -> Option<Box<Known>> {
    let Some(TextureObject::Texture(texture)) = memory.texture_object(handle) else { return None };
    let (texture, footprint) = (WarpTexture::new(&texture)?, Footprint::new());
    Some(Box::new(Known { handle, removed, texture, footprint }))
}
