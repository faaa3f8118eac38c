//! `cuTexRef*`.

use super::Variable;
use crate::abi::constants::{
    CU_AD_FORMAT_FLOAT, CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_LINEAR,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_PITCH2D,
};
use crate::abi::{
    Answer, CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC,
    CUarray, CUdeviceptr, CUmipmappedArray, CUmodule, CUresult, CUtexref, In, Out, Text,
};
use crate::driver::driver;
use crate::memory::{array, format, mipmapped};
use crate::module;
use crate::registry::Registry;
use crate::texture::{address_mode, filter_of, texels, texture_of};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `CU_TRSA_OVERRIDE_FORMAT`: the format is that of the array.
const OVERRIDE_FORMAT: u32 = 1;

/// A texture reference.
#[derive(Debug)]
struct Reference {
    /// `None` for one that the program has made, and that no kernel knows.
    variable: Option<Variable>,
    settings: Mutex<Settings>,
}

/// What the program has set.
#[derive(Clone, Copy, Debug)]
struct Settings {
    described: CUDA_TEXTURE_DESC,
    /// What texels of memory are.
    format: u32,
    channels: u32,
    resource: Option<CUDA_RESOURCE_DESC>,
}

impl Settings {
    const NEW: Settings = Settings {
        described: CUDA_TEXTURE_DESC::ZERO,
        format: CU_AD_FORMAT_FLOAT,
        channels: 1,
        resource: None,
    };

    /// What it is bound to, in the format that is set.
    fn resource(&self) -> Option<CUDA_RESOURCE_DESC> {
        let resource = self.resource?;
        Some(match resource.kind {
            CU_RESOURCE_TYPE_LINEAR => {
                CUDA_RESOURCE_DESC { format: self.format, channels: self.channels, ..resource }
            }
            _ => resource,
        })
    }

    /// What it is bound to, if that is of a kind.
    fn bound(&self, kinds: &[u32]) -> Answer<u64> {
        let of_kind = self.resource.filter(|resource| kinds.contains(&resource.kind));
        of_kind.map(|resource| resource.address).ok_or(CUresult::INVALID_VALUE)
    }
}

fn all() -> &'static Registry<Reference> {
    static ALL: Registry<Reference> = Registry::new(16);
    &ALL
}

fn get(handle: CUtexref) -> Answer<Arc<Reference>> {
    driver()?;
    all().get(handle.0)
}

/// Forgets a reference: its module is gone.
fn forget(handle: u64) {
    if let Ok(reference) = all().remove(handle)
        && let Some(variable) = &reference.variable
    {
        variable.end();
    }
}

impl Reference {
    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is set. Where no texture can be of it yet, because more has to be set, kernels find none.
    fn change(&self, change: impl FnOnce(&mut Settings)) -> Answer {
        let mut settings = self.settings();
        let mut new = *settings;
        change(&mut new);
        if let Some(variable) = &self.variable {
            let resource = new.resource();
            let texture = resource.and_then(|it| texture_of(&it, &new.described).ok());
            variable.bind(|device| {
                let made = device.create_texture(texture?);
                made.is_ok().then_some(made)
            })?;
        }
        *settings = new;
        Ok(())
    }

    /// Binds it to texels that are there. What says their format sets it.
    fn bind(&self, resource: CUDA_RESOURCE_DESC) -> Answer {
        let set = |settings: &mut Settings| {
            settings.resource = Some(resource);
            if resource.channels != 0 {
                (settings.format, settings.channels) = (resource.format, resource.channels);
            }
        };
        let mut bound = *self.settings();
        set(&mut bound);
        if let Some(resource) = bound.resource() {
            texels(&resource)?;
        }
        self.change(set)
    }
}

/// `cuModuleGetTexRef`.
pub(crate) fn of_module(to: Out<CUtexref>, of: CUmodule, name: Text) -> Answer {
    driver()?;
    to.check()?;
    let loaded = module::loaded(of)?;
    let name = name.get()?;
    let is_texture = |found: &warpwise::Variable| found.is_texture();
    let handle = loaded.reference(&name, is_texture, || {
        let variable = Some(Variable::new(&loaded, &name));
        let settings = Mutex::new(Settings::NEW);
        (all().insert(Arc::new(Reference { variable, settings })), forget)
    })?;
    to.set(CUtexref(handle))
}

/// `cuTexRefCreate`: a reference that no kernel knows.
pub(crate) fn create(to: Out<CUtexref>) -> Answer {
    driver()?;
    to.check()?;
    let settings = Mutex::new(Settings::NEW);
    to.set(CUtexref(all().insert(Arc::new(Reference { variable: None, settings }))))
}

/// `cuTexRefDestroy`: those of modules stay as long as these do.
pub(crate) fn destroy(reference: CUtexref) -> Answer {
    if get(reference)?.variable.is_some() {
        return Err(CUresult::INVALID_VALUE);
    }
    all().remove(reference.0).map(drop)
}

/// `cuTexRefSetArray`.
pub(crate) fn set_array(reference: CUtexref, from: CUarray, flags: u32) -> Answer {
    let reference = get(reference)?;
    if flags != OVERRIDE_FORMAT {
        return Err(CUresult::INVALID_VALUE);
    }
    let CUDA_ARRAY3D_DESCRIPTOR { format, channels, .. } = array(from)?.described;
    let array = CUDA_RESOURCE_DESC::of(CU_RESOURCE_TYPE_ARRAY, from.0);
    reference.bind(CUDA_RESOURCE_DESC { format, channels, ..array })
}

/// `cuTexRefSetMipmappedArray`.
pub(crate) fn set_mipmapped(reference: CUtexref, from: CUmipmappedArray, flags: u32) -> Answer {
    let reference = get(reference)?;
    if flags != OVERRIDE_FORMAT {
        return Err(CUresult::INVALID_VALUE);
    }
    mipmapped(from)?;
    reference.bind(CUDA_RESOURCE_DESC::of(CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, from.0))
}

/// `cuTexRefSetAddress_v2`: any address will do, so the offset is 0.
pub(crate) fn set_address(
    offset: Out<u64>,
    reference: CUtexref,
    address: CUdeviceptr,
    bytes: u64,
) -> Answer {
    get(reference)?.bind(CUDA_RESOURCE_DESC {
        width_or_bytes: bytes,
        ..CUDA_RESOURCE_DESC::of(CU_RESOURCE_TYPE_LINEAR, address)
    })?;
    offset.offer(0);
    Ok(())
}

/// `cuTexRefSetAddress2D_v2`, `cuTexRefSetAddress2D_v3`.
pub(crate) fn set_address_2d(
    reference: CUtexref,
    rows: In<CUDA_ARRAY_DESCRIPTOR>,
    address: CUdeviceptr,
    pitch: u64,
) -> Answer {
    let reference = get(reference)?;
    let CUDA_ARRAY_DESCRIPTOR { width, height, format, channels } = rows.get()?;
    reference.bind(CUDA_RESOURCE_DESC {
        format,
        channels,
        width_or_bytes: width,
        height,
        pitch,
        ..CUDA_RESOURCE_DESC::of(CU_RESOURCE_TYPE_PITCH2D, address)
    })
}

/// `cuTexRefSetFormat`.
pub(crate) fn set_format(reference: CUtexref, code: u32, channels: i32) -> Answer {
    let reference = get(reference)?;
    let channels = channels.cast_unsigned();
    format(code, channels)?;
    reference.change(|settings| (settings.format, settings.channels) = (code, channels))
}

/// The place of a dimension.
fn dimension(dimension: i32) -> Answer<usize> {
    usize::try_from(dimension).ok().filter(|nth| *nth < 3).ok_or(CUresult::INVALID_VALUE)
}

/// `cuTexRefSetAddressMode`.
pub(crate) fn set_address_mode(reference: CUtexref, of: i32, mode: u32) -> Answer {
    let reference = get(reference)?;
    let nth = dimension(of)?;
    address_mode(mode)?;
    reference.change(|settings| settings.described.address_mode[nth] = mode)
}

/// `cuTexRefSetFilterMode`.
pub(crate) fn set_filter(reference: CUtexref, mode: u32) -> Answer {
    let reference = get(reference)?;
    filter_of(mode)?;
    reference.change(|settings| settings.described.filter = mode)
}

/// `cuTexRefSetMipmapFilterMode`.
pub(crate) fn set_level_filter(reference: CUtexref, mode: u32) -> Answer {
    let reference = get(reference)?;
    filter_of(mode)?;
    reference.change(|settings| settings.described.level_filter = mode)
}

/// `cuTexRefSetMipmapLevelBias`.
pub(crate) fn set_level_bias(reference: CUtexref, bias: f32) -> Answer {
    get(reference)?.change(|settings| settings.described.level_bias = bias)
}

/// `cuTexRefSetMipmapLevelClamp`.
pub(crate) fn set_level_clamp(reference: CUtexref, least: f32, greatest: f32) -> Answer {
    get(reference)?.change(|settings| {
        let described = &mut settings.described;
        (described.least_level, described.greatest_level) = (least, greatest);
    })
}

/// `cuTexRefSetMaxAnisotropy`: a hint.
pub(crate) fn set_anisotropy(reference: CUtexref, most: u32) -> Answer {
    get(reference)?.change(|settings| settings.described.anisotropy = most)
}

/// `cuTexRefSetBorderColor`.
pub(crate) fn set_border(reference: CUtexref, colour: Out<f32>) -> Answer {
    let reference = get(reference)?;
    let border = colour.as_in().list(4)?;
    let border = <[f32; 4]>::try_from(border).map_err(|_| CUresult::INVALID_VALUE)?;
    reference.change(|settings| settings.described.border = border)
}

/// `cuTexRefSetFlags`.
pub(crate) fn set_flags(reference: CUtexref, flags: u32) -> Answer {
    get(reference)?.change(|settings| settings.described.flags = flags)
}

/// `cuTexRefGetAddress_v2`.
pub(crate) fn address(to: Out<CUdeviceptr>, reference: CUtexref) -> Answer {
    let kinds = [CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D];
    let address = get(reference)?.settings().bound(&kinds)?;
    to.set(address)
}

/// `cuTexRefGetArray`.
pub(crate) fn bound_array(to: Out<CUarray>, reference: CUtexref) -> Answer {
    let handle = get(reference)?.settings().bound(&[CU_RESOURCE_TYPE_ARRAY])?;
    to.set(CUarray(handle))
}

/// `cuTexRefGetMipmappedArray`.
pub(crate) fn bound_mipmapped(to: Out<CUmipmappedArray>, reference: CUtexref) -> Answer {
    let handle = get(reference)?.settings().bound(&[CU_RESOURCE_TYPE_MIPMAPPED_ARRAY])?;
    to.set(CUmipmappedArray(handle))
}

/// `cuTexRefGetAddressMode`.
pub(crate) fn address_mode_of(to: Out<u32>, reference: CUtexref, of: i32) -> Answer {
    let modes = get(reference)?.settings().described.address_mode;
    to.set(modes[dimension(of)?])
}

/// `cuTexRefGetFilterMode`.
pub(crate) fn filter(to: Out<u32>, reference: CUtexref) -> Answer {
    let filter = get(reference)?.settings().described.filter;
    to.set(filter)
}

/// `cuTexRefGetFormat`.
pub(crate) fn format_of(code: Out<u32>, channels: Out<i32>, reference: CUtexref) -> Answer {
    let settings = *get(reference)?.settings();
    code.offer(settings.format);
    channels.offer(settings.channels.cast_signed());
    Ok(())
}

/// `cuTexRefGetMipmapFilterMode`.
pub(crate) fn level_filter(to: Out<u32>, reference: CUtexref) -> Answer {
    let filter = get(reference)?.settings().described.level_filter;
    to.set(filter)
}

/// `cuTexRefGetMipmapLevelBias`.
pub(crate) fn level_bias(to: Out<f32>, reference: CUtexref) -> Answer {
    let bias = get(reference)?.settings().described.level_bias;
    to.set(bias)
}

/// `cuTexRefGetMipmapLevelClamp`.
pub(crate) fn level_clamp(least: Out<f32>, greatest: Out<f32>, reference: CUtexref) -> Answer {
    let described = get(reference)?.settings().described;
    least.offer(described.least_level);
    greatest.offer(described.greatest_level);
    Ok(())
}

/// `cuTexRefGetMaxAnisotropy`.
pub(crate) fn anisotropy(to: Out<i32>, reference: CUtexref) -> Answer {
    let most = get(reference)?.settings().described.anisotropy;
    to.set(most.cast_signed())
}

/// `cuTexRefGetBorderColor`.
pub(crate) fn border(to: Out<f32>, reference: CUtexref) -> Answer {
    let border = get(reference)?.settings().described.border;
    to.fill(&border)
}

/// `cuTexRefGetFlags`.
pub(crate) fn flags(to: Out<u32>, reference: CUtexref) -> Answer {
    let flags = get(reference)?.settings().described.flags;
    to.set(flags)
}
