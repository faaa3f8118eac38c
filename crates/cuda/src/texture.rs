//! `cuTexObject*` and `cuSurfObject*`: over arrays and memory.

use crate::abi::constants::*;
use crate::abi::{
    Answer, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUarray,
    CUmipmappedArray, CUresult, CUsurfObject, CUtexObject, In, Out,
};
use crate::context::{Context, current};
use crate::driver::driver;
use crate::memory::{array, check, format, mipmapped};
use crate::say;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use warpwise::texture::{AddressMode, Filter, Levels, ReadMode, Texels, Texture};

/// Flags of textures (`CU_TRSF_*`).
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED: u32 = 2;
const SRGB: u32 = 16;

/// A texture or a surface, as the program described it.
#[derive(Clone, Debug)]
struct Described {
    context: Arc<Context>,
    resource: CUDA_RESOURCE_DESC,
    /// Of a texture alone.
    texture: Option<(CUDA_TEXTURE_DESC, Option<CUDA_RESOURCE_VIEW_DESC>)>,
}

fn objects() -> MutexGuard<'static, HashMap<u64, Described>> {
    static ALL: OnceLock<Mutex<HashMap<u64, Described>>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// The levels of detail of a resource; 0 if it is not mipmapped.
fn levels(resource: &CUDA_RESOURCE_DESC) -> Answer<u32> {
    match resource.kind {
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            Ok(mipmapped(CUmipmappedArray(resource.address))?.levels)
        }
        _ => Ok(0),
    }
}

/// The texels of a resource.
pub(crate) fn texels(resource: &CUDA_RESOURCE_DESC) -> Answer<Texels> {
    let number = |number: u64| u32::try_from(number).map_err(|_| CUresult::INVALID_VALUE);
    if resource.flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    match resource.kind {
        CU_RESOURCE_TYPE_ARRAY => Ok(array(CUarray(resource.address))?.texels),
        CU_RESOURCE_TYPE_LINEAR => {
            let format = format(resource.format, resource.channels)?;
            let width = number(resource.width_or_bytes / format.bytes())?;
            check(resource.address, resource.width_or_bytes)?;
            Ok(Texels::dense(resource.address, format, [width, 0, 0], 0))
        }
        CU_RESOURCE_TYPE_PITCH2D => {
            let format = format(resource.format, resource.channels)?;
            let (width, height) = (number(resource.width_or_bytes)?, number(resource.height)?);
            let dense = Texels::dense(resource.address, format, [width, height, 0], 0);
            let pitch = resource.pitch;
            let slice = pitch.checked_mul(resource.height).ok_or(CUresult::INVALID_VALUE)?;
            let texels = Texels { pitch, slice, ..dense };
            check(resource.address, texels.bytes().ok_or(CUresult::INVALID_VALUE)?)?;
            Ok(texels)
        }
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            Ok(mipmapped(CUmipmappedArray(resource.address))?.texels)
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn not_there(what: &str) -> CUresult {
    say::once(&format!("textures of {what} are not there"));
    CUresult::NOT_SUPPORTED
}

pub(crate) fn address_mode(mode: u32) -> Answer<AddressMode> {
    match mode {
        CU_TR_ADDRESS_MODE_WRAP => Ok(AddressMode::Wrap),
        CU_TR_ADDRESS_MODE_CLAMP => Ok(AddressMode::Clamp),
        CU_TR_ADDRESS_MODE_MIRROR => Ok(AddressMode::Mirror),
        CU_TR_ADDRESS_MODE_BORDER => Ok(AddressMode::Border),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn filter_of(mode: u32) -> Answer<Filter> {
    match mode {
        CU_TR_FILTER_MODE_POINT => Ok(Filter::Point),
        CU_TR_FILTER_MODE_LINEAR => Ok(Filter::Linear),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The texture that reads a resource as it is described.
pub(crate) fn texture_of(
    resource: &CUDA_RESOURCE_DESC,
    described: &CUDA_TEXTURE_DESC,
) -> Answer<Texture> {
    let mut modes = [AddressMode::Clamp; 3];
    for (mode, given) in modes.iter_mut().zip(described.address_mode) {
        *mode = address_mode(given)?;
    }
    let filter = filter_of(described.filter)?;
    let texels = texels(resource)?;
    // Integers of 32 bits are never read as floats.
    let is_element = described.flags & READ_AS_INTEGER != 0 || texels.format.bits == 32;
    let levels = Levels {
        count: levels(resource)?,
        filter: filter_of(described.level_filter)?,
        bias: described.level_bias,
        clamp: [described.least_level, described.greatest_level],
    };
    Ok(Texture {
        texels,
        address: modes,
        filter,
        read: if is_element { ReadMode::Element } else { ReadMode::Normalized },
        normalized: described.flags & NORMALIZED != 0,
        border: described.border.map(f32::to_bits),
        srgb: described.flags & SRGB != 0,
        levels,
    })
}

/// `cuTexObjectCreate`.
pub(crate) fn create(
    to: Out<CUtexObject>,
    resource: In<CUDA_RESOURCE_DESC>,
    texture: In<CUDA_TEXTURE_DESC>,
    view: In<CUDA_RESOURCE_VIEW_DESC>,
) -> Answer {
    let context = current()?;
    to.check()?;
    let (resource, described) = (resource.get()?, texture.get()?);
    let view = if view.is_null() { None } else { Some(view.get()?) };
    if view.is_some() {
        return Err(not_there("a part of an array (a resource view)"));
    }
    let texture = texture_of(&resource, &described)?;
    let handle = context.device()?.create_texture(texture).map_err(|error| {
        say::once(&error.to_string());
        CUresult::INVALID_VALUE
    })?;
    let texture = Some((described, view));
    objects().insert(handle, Described { context: Arc::clone(&context), resource, texture });
    context.owns(handle, forget);
    to.set(handle)
}

/// Forgets a texture or a surface: its context is gone.
fn forget(handle: u64) {
    let Some(known) = objects().remove(&handle) else { return };
    if let Ok(device) = known.context.device() {
        let _ = device.destroy_texture(handle);
    }
}

/// What is behind a handle.
fn find(handle: u64, is_texture: bool) -> Answer<Described> {
    driver()?;
    let known = objects().get(&handle).cloned();
    known.filter(|known| known.texture.is_some() == is_texture).ok_or(CUresult::INVALID_VALUE)
}

fn destroyed(handle: u64, is_texture: bool) -> Answer {
    if handle == 0 {
        return driver().map(drop);
    }
    let known = find(handle, is_texture)?;
    known.context.wait();
    known.context.disowns(handle);
    forget(handle);
    Ok(())
}

/// `cuTexObjectDestroy`.
pub(crate) fn destroy(handle: CUtexObject) -> Answer {
    destroyed(handle, true)
}

/// `cuTexObjectGetResourceDesc`.
pub(crate) fn resource(to: Out<CUDA_RESOURCE_DESC>, handle: CUtexObject) -> Answer {
    to.set(find(handle, true)?.resource)
}

/// `cuTexObjectGetTextureDesc`.
pub(crate) fn described(to: Out<CUDA_TEXTURE_DESC>, handle: CUtexObject) -> Answer {
    match find(handle, true)?.texture {
        Some((described, _)) => to.set(described),
        None => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuTexObjectGetResourceViewDesc`.
pub(crate) fn view(to: Out<CUDA_RESOURCE_VIEW_DESC>, handle: CUtexObject) -> Answer {
    match find(handle, true)?.texture {
        Some((_, Some(view))) => to.set(view),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuSurfObjectCreate`.
pub(crate) fn create_surface(to: Out<CUsurfObject>, resource: In<CUDA_RESOURCE_DESC>) -> Answer {
    let context = current()?;
    to.check()?;
    let resource = resource.get()?;
    if resource.kind != CU_RESOURCE_TYPE_ARRAY {
        return Err(CUresult::INVALID_VALUE);
    }
    let handle = context.device()?.create_surface(texels(&resource)?).map_err(|error| {
        say::once(&error.to_string());
        CUresult::INVALID_VALUE
    })?;
    let of = Described { context: Arc::clone(&context), resource, texture: None };
    objects().insert(handle, of);
    context.owns(handle, forget);
    to.set(handle)
}

/// `cuSurfObjectDestroy`.
pub(crate) fn destroy_surface(handle: CUsurfObject) -> Answer {
    destroyed(handle, false)
}

/// `cuSurfObjectGetResourceDesc`.
pub(crate) fn surface_resource(to: Out<CUDA_RESOURCE_DESC>, handle: CUsurfObject) -> Answer {
    to.set(find(handle, false)?.resource)
}
