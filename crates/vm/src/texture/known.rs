//! The textures that code has read last, decoded, each with the footprint that was wanted last: the components of a texel are read one
//! after the other.

use super::descriptor::Texture;
use super::warp::{Footprint, WarpTexture};
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
        (handle, removed): (u64, u64),
        (what, coordinates): (Sampling, &[Lanes<u32>; 4]),
        look_up: impl FnOnce() -> Option<Texture>,
    ) -> Option<&Known> {
        let place = &mut self.0[handle as usize % KEPT];
        match place {
            Some(known) if (known.handle, known.removed) == (handle, removed) => {
                known.texture.find_again(&mut known.footprint, what, coordinates);
            }
            _ => {
                let texture = WarpTexture::new(&look_up()?)?;
                let footprint = texture.footprint(what, coordinates);
                *place = Some(Box::new(Known { handle, removed, texture, footprint }));
            }
        }
        place.as_deref()
    }
}
