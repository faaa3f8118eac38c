//! Arrays: texels that textures and surfaces read. They are rows without gaps.

use super::space::{self, Kind};
use crate::abi::constants::*;
use crate::abi::{
    Answer, CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUresult, In, Out,
};
use crate::context::{Context, current};
use crate::driver::driver;
use crate::registry::Registry;
use std::sync::Arc;
use warpwise::texture::{ChannelKind, Format, Texels};

/// Flags of arrays (`CUDA_ARRAY3D_*`).
const LAYERED: u32 = 1;
const CUBE: u32 = 4;
const KNOWN: u32 = LAYERED | 2 | CUBE | 8;

/// An array.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) described: CUDA_ARRAY3D_DESCRIPTOR,
    pub(crate) texels: Texels,
    pub(super) context: Arc<Context>,
    /// Whether it is a level of a mipmapped array, which it ends with.
    pub(super) is_level: bool,
}

pub(super) fn arrays() -> &'static Registry<Array> {
    static ALL: Registry<Array> = Registry::new(10);
    &ALL
}

/// The array of a handle.
pub(crate) fn array(handle: CUarray) -> Answer<Arc<Array>> {
    driver()?;
    arrays().get(handle.0)
}

/// Forgets an array: its context is gone.
pub(super) fn forget(handle: u64) {
    let _ = arrays().remove(handle);
}

/// A format of texels, if there is one here.
pub(crate) fn format(format: u32, channels: u32) -> Answer<Format> {
    let (kind, bits) = match format {
        CU_AD_FORMAT_UNSIGNED_INT8 => (ChannelKind::Unsigned, 8),
        CU_AD_FORMAT_UNSIGNED_INT16 => (ChannelKind::Unsigned, 16),
        CU_AD_FORMAT_UNSIGNED_INT32 => (ChannelKind::Unsigned, 32),
        CU_AD_FORMAT_SIGNED_INT8 => (ChannelKind::Signed, 8),
        CU_AD_FORMAT_SIGNED_INT16 => (ChannelKind::Signed, 16),
        CU_AD_FORMAT_SIGNED_INT32 => (ChannelKind::Signed, 32),
        CU_AD_FORMAT_HALF => (ChannelKind::Float, 16),
        CU_AD_FORMAT_FLOAT => (ChannelKind::Float, 32),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    match channels {
        1 | 2 | 4 => Ok(Format { channels: channels as u8, bits, kind }),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The texels of an array, as if they began at address 0.
pub(super) fn texels(described: &CUDA_ARRAY3D_DESCRIPTOR) -> Answer<Texels> {
    let CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format: code, channels, flags } =
        *described;
    let format = format(code, channels)?;
    let extent = |extent: u64| u32::try_from(extent).map_err(|_| CUresult::INVALID_VALUE);
    let (width, height, depth) = (extent(width)?, extent(height)?, extent(depth)?);
    let is_layered = flags & (LAYERED | CUBE) != 0;
    let wrong_cube = flags & CUBE != 0
        && (width != height || depth % 6 != 0 || (flags & LAYERED == 0 && depth != 6));
    if flags & !KNOWN != 0
        || width == 0
        || wrong_cube
        || (is_layered && depth == 0)
        || (!is_layered && depth > 0 && height == 0)
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let (extents, layers) = match is_layered {
        true => ([width, height, 0], depth),
        false => ([width, height, depth], 0),
    };
    Ok(Texels::array(0, format, extents, layers))
}

fn created(to: Out<CUarray>, described: CUDA_ARRAY3D_DESCRIPTOR) -> Answer {
    let context = current()?;
    to.check()?;
    let sized = texels(&described)?;
    let bytes = sized.bytes().ok_or(CUresult::OUT_OF_MEMORY)?;
    let address = space::allocate(&context, bytes, Kind::Array, 0)?;
    let texels = Texels { address, ..sized };
    let array = Array { described, texels, context: Arc::clone(&context), is_level: false };
    let handle = arrays().insert(Arc::new(array));
    context.owns(handle, forget);
    to.set(CUarray(handle))
}

/// `cuArrayCreate_v2`.
pub(crate) fn array_create(to: Out<CUarray>, described: In<CUDA_ARRAY_DESCRIPTOR>) -> Answer {
    let CUDA_ARRAY_DESCRIPTOR { width, height, format, channels } = described.get()?;
    let all = CUDA_ARRAY3D_DESCRIPTOR { width, height, depth: 0, format, channels, flags: 0 };
    created(to, all)
}

/// `cuArray3DCreate_v2`.
pub(crate) fn array_create_3d(to: Out<CUarray>, described: In<CUDA_ARRAY3D_DESCRIPTOR>) -> Answer {
    created(to, described.get()?)
}

/// `cuArrayGetDescriptor_v2`.
pub(crate) fn array_descriptor(to: Out<CUDA_ARRAY_DESCRIPTOR>, of: CUarray) -> Answer {
    let CUDA_ARRAY3D_DESCRIPTOR { width, height, format, channels, .. } = array(of)?.described;
    to.set(CUDA_ARRAY_DESCRIPTOR { width, height, format, channels })
}

/// `cuArray3DGetDescriptor_v2`.
pub(crate) fn array_descriptor_3d(to: Out<CUDA_ARRAY3D_DESCRIPTOR>, of: CUarray) -> Answer {
    to.set(array(of)?.described)
}

/// `cuArrayDestroy`: waits for the work of its context.
pub(crate) fn array_destroy(handle: CUarray) -> Answer {
    let array = array(handle)?;
    if array.is_level {
        return Err(CUresult::INVALID_VALUE);
    }
    array.context.wait();
    arrays().remove(handle.0)?;
    array.context.disowns(handle.0);
    array.context.disowns(array.texels.address);
    space::free(array.texels.address, |block| block.kind == Kind::Array).map(drop)
}
