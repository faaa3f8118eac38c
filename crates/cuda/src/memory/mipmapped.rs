//! Mipmapped arrays: the levels of detail of a texture, each of which is an array, too.

use super::array::{Array, arrays, forget as forget_array, texels};
use super::space::{self, Kind};
use crate::abi::{Answer, CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUmipmappedArray, CUresult, In, Out};
use crate::context::{Context, current};
use crate::driver::driver;
use crate::registry::Registry;
use std::sync::Arc;
use warpwise::texture::Texels;

/// A mipmapped array.
#[derive(Debug)]
pub(crate) struct Mipmapped {
    /// The texels of the first level, behind which the others lie ([`Texels::level`]).
    pub(crate) texels: Texels,
    pub(crate) levels: u32,
    /// The handles of the levels.
    arrays: Vec<u64>,
    context: Arc<Context>,
}

fn all() -> &'static Registry<Mipmapped> {
    static ALL: Registry<Mipmapped> = Registry::new(15);
    &ALL
}

/// The mipmapped array of a handle.
pub(crate) fn mipmapped(handle: CUmipmappedArray) -> Answer<Arc<Mipmapped>> {
    driver()?;
    all().get(handle.0)
}

/// Forgets a mipmapped array: its context is gone.
fn forget(handle: u64) {
    let _ = all().remove(handle);
}

/// `cuMipmappedArrayCreate`.
pub(crate) fn mipmapped_create(
    to: Out<CUmipmappedArray>,
    described: In<CUDA_ARRAY3D_DESCRIPTOR>,
    levels: u32,
) -> Answer {
    let context = current()?;
    to.check()?;
    let described = described.get()?;
    let sized = texels(&described)?;
    // More than there can be are as many as there can be, as the documentation has it.
    let levels = levels.clamp(1, sized.most_levels());
    let bytes = sized.bytes_of_levels(levels).ok_or(CUresult::OUT_OF_MEMORY)?;
    let address = space::allocate(&context, bytes, Kind::Array, 0)?;
    let texels = Texels { address, ..sized };
    let array = |nth: u32| {
        let texels = texels.level(nth);
        let [width, height, depth] = texels.extents.map(u64::from);
        let depth = depth.max(texels.layers.into());
        let described = CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, ..described };
        let context = Arc::clone(&context);
        arrays().insert(Arc::new(Array { described, texels, context, is_level: true }))
    };
    let arrays: Vec<u64> = (0..levels).map(array).collect();
    arrays.iter().for_each(|handle| context.owns(*handle, forget_array));
    let new = Mipmapped { texels, levels, arrays, context: Arc::clone(&context) };
    let handle = all().insert(Arc::new(new));
    context.owns(handle, forget);
    to.set(CUmipmappedArray(handle))
}

/// `cuMipmappedArrayGetLevel`.
pub(crate) fn mipmapped_level(to: Out<CUarray>, of: CUmipmappedArray, level: u32) -> Answer {
    let mipmapped = mipmapped(of)?;
    let handle = mipmapped.arrays.get(level as usize).ok_or(CUresult::INVALID_VALUE)?;
    to.set(CUarray(*handle))
}

/// `cuMipmappedArrayDestroy`: waits for the work of its context.
pub(crate) fn mipmapped_destroy(handle: CUmipmappedArray) -> Answer {
    let mipmapped = mipmapped(handle)?;
    mipmapped.context.wait();
    all().remove(handle.0)?;
    mipmapped.context.disowns(handle.0);
    for array in &mipmapped.arrays {
        arrays().remove(*array)?;
        mipmapped.context.disowns(*array);
    }
    mipmapped.context.disowns(mipmapped.texels.address);
    space::free(mipmapped.texels.address, |block| block.kind == Kind::Array).map(drop)
}
