//! Functions about arrays, and the textures and surfaces that read and write them.

use crate::api::{Row, forward, runtime};
use crate::context;
use crate::driver;
use crate::status::{Result, Status};
use crate::types::{Address, Array, ArrayDesc, ChannelDesc, Extent};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// `cudaChannelFormatKind` of plain components.
mod format {
    pub(super) const SIGNED: i32 = 0;
    pub(super) const UNSIGNED: i32 = 1;
    pub(super) const FLOAT: i32 = 2;
}

/// `CUarray_format` with the kind and the bits of its components.
const FORMATS: [(u32, i32, i32); 8] = [
    (0x01, format::UNSIGNED, 8),
    (0x02, format::UNSIGNED, 16),
    (0x03, format::UNSIGNED, 32),
    (0x08, format::SIGNED, 8),
    (0x09, format::SIGNED, 16),
    (0x0a, format::SIGNED, 32),
    (0x10, format::FLOAT, 16),
    (0x20, format::FLOAT, 32),
];

/// `cudaErrorInvalidChannelDescriptor`.
const INVALID_CHANNEL: Status = Status(20);

/// The driver's format and the number of channels.
fn format_of(desc: &ChannelDesc) -> Result<(u32, u32)> {
    let [first, ..] = desc.bits;
    let channels = desc.bits.iter().take_while(|bits| **bits != 0).count();
    let alike = desc.bits[..channels].iter().all(|bits| *bits == first);
    let rest = desc.bits[channels..].iter().all(|bits| *bits == 0);
    let row = FORMATS.iter().find(|(_, kind, bits)| (*kind, *bits) == (desc.kind, first));
    match row {
        Some((format, ..)) if alike && rest => Ok((*format, channels as u32)),
        _ => Err(INVALID_CHANNEL),
    }
}

fn channels_of(format: u32, channels: u32) -> Result<ChannelDesc> {
    let row = FORMATS.iter().find(|(known, ..)| *known == format);
    let (_, kind, bits) = row.ok_or(INVALID_CHANNEL)?;
    let mut desc = ChannelDesc { bits: [0; 4], kind: *kind };
    desc.bits.iter_mut().take(channels as usize).for_each(|channel| *channel = *bits);
    Ok(desc)
}

/// The driver's description of an array. The flags of both interfaces are the same.
///
/// # Safety
/// `desc` can be read, or is null.
unsafe fn array_desc(desc: *const ChannelDesc, extent: Extent, flags: u32) -> Result<ArrayDesc> {
    // SAFETY: the caller says so.
    let (format, channels) = format_of(unsafe { desc.as_ref() }.ok_or(Status::INVALID_VALUE)?)?;
    let Extent { width, height, depth } = extent;
    Ok(ArrayDesc { width, height, depth, format, channels, flags })
}

fn described(array: Array) -> Result<ArrayDesc> {
    context::ensure()?;
    let mut desc = ArrayDesc::default();
    // SAFETY: the driver checks its handles; the place of the result is ours.
    unsafe { driver::cuArray3DGetDescriptor_v2(&mut desc, array) }.map(|()| desc)
}

/// `cudaResourceType`, `CUresourcetype`.
mod resource {
    pub(super) const LINEAR: i32 = 2;
    pub(super) const PITCHED: i32 = 3;
}

/// `cudaResourceDesc`: of an array, the address is its handle.
#[repr(C)]
#[derive(Clone, Copy)]
struct RuntimeResource {
    kind: c_int,
    address: Address,
    channels: ChannelDesc,
    /// Bytes of linear memory; else width, height and pitch of rows.
    sizes: [usize; 3],
    reserved: [u64; 9],
    flags: u32,
}

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
struct DriverResource {
    kind: c_int,
    address: Address,
    format: u32,
    channels: u32,
    sizes: [usize; 3],
    reserved: [u64; 11],
    flags: u32,
}

const _: () = assert!(size_of::<RuntimeResource>() == 144 && size_of::<DriverResource>() == 144);

impl RuntimeResource {
    fn for_driver(&self) -> Result<DriverResource> {
        let (format, channels) = match self.kind {
            resource::LINEAR | resource::PITCHED => format_of(&self.channels)?,
            _ => (0, 0),
        };
        let RuntimeResource { kind, address, sizes, flags, .. } = *self;
        Ok(DriverResource { kind, address, format, channels, sizes, reserved: [0; 11], flags })
    }
}

impl DriverResource {
    const NONE: DriverResource = DriverResource {
        kind: 0,
        address: null_mut(),
        format: 0,
        channels: 0,
        sizes: [0; 3],
        reserved: [0; 11],
        flags: 0,
    };

    fn for_runtime(&self) -> Result<RuntimeResource> {
        let channels = match self.kind {
            resource::LINEAR | resource::PITCHED => channels_of(self.format, self.channels)?,
            _ => ChannelDesc::default(),
        };
        let DriverResource { kind, address, sizes, flags, .. } = *self;
        Ok(RuntimeResource { kind, address, channels, sizes, reserved: [0; 9], flags })
    }
}

/// `cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RuntimeTexture {
    address_modes: [c_int; 3],
    filter: c_int,
    /// 0: elements as they are; 1: integers as fractions.
    read_mode: c_int,
    srgb: c_int,
    border: [f32; 4],
    normalized: c_int,
    max_anisotropy: u32,
    mipmap_filter: c_int,
    mipmap_bias: f32,
    min_level: f32,
    max_level: f32,
    no_trilinear_optimization: c_int,
    seamless_cubemap: c_int,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct DriverTexture {
    address_modes: [c_int; 3],
    filter: c_int,
    flags: u32,
    max_anisotropy: u32,
    mipmap_filter: c_int,
    mipmap_bias: f32,
    min_level: f32,
    max_level: f32,
    border: [f32; 4],
    reserved: [c_int; 12],
}

const _: () = assert!(size_of::<RuntimeTexture>() == 72 && size_of::<DriverTexture>() == 104);

/// The flags of `CUDA_TEXTURE_DESC`.
mod texture {
    pub(super) const AS_INTEGER: u32 = 0x01;
    pub(super) const NORMALIZED: u32 = 0x02;
    pub(super) const SRGB: u32 = 0x10;
    pub(super) const NO_TRILINEAR_OPTIMIZATION: u32 = 0x20;
    pub(super) const SEAMLESS: u32 = 0x40;
}

impl RuntimeTexture {
    fn for_driver(&self) -> DriverTexture {
        let flags = [
            (self.read_mode == 0, texture::AS_INTEGER),
            (self.normalized != 0, texture::NORMALIZED),
            (self.srgb != 0, texture::SRGB),
            (self.no_trilinear_optimization != 0, texture::NO_TRILINEAR_OPTIMIZATION),
            (self.seamless_cubemap != 0, texture::SEAMLESS),
        ];
        DriverTexture {
            address_modes: self.address_modes,
            filter: self.filter,
            flags: flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum(),
            max_anisotropy: self.max_anisotropy,
            mipmap_filter: self.mipmap_filter,
            mipmap_bias: self.mipmap_bias,
            min_level: self.min_level,
            max_level: self.max_level,
            border: self.border,
            reserved: [0; 12],
        }
    }
}

impl DriverTexture {
    fn for_runtime(&self) -> RuntimeTexture {
        let has = |flag| c_int::from(self.flags & flag != 0);
        RuntimeTexture {
            address_modes: self.address_modes,
            filter: self.filter,
            read_mode: 1 - has(texture::AS_INTEGER),
            srgb: has(texture::SRGB),
            border: self.border,
            normalized: has(texture::NORMALIZED),
            max_anisotropy: self.max_anisotropy,
            mipmap_filter: self.mipmap_filter,
            mipmap_bias: self.mipmap_bias,
            min_level: self.min_level,
            max_level: self.max_level,
            no_trilinear_optimization: has(texture::NO_TRILINEAR_OPTIMIZATION),
            seamless_cubemap: has(texture::SEAMLESS),
        }
    }
}

runtime! {
    fn cudaMallocArray(array: *mut Array, channels: *const ChannelDesc, width: usize, height: usize, flags: u32) {
        let desc = array_desc(channels, Extent { width, height, depth: 0 }, flags)?;
        context::ensure()?;
        driver::cuArray3DCreate_v2(array, &desc)
    }

    fn cudaMalloc3DArray(array: *mut Array, channels: *const ChannelDesc, extent: Extent, flags: u32) {
        let desc = array_desc(channels, extent, flags)?;
        context::ensure()?;
        driver::cuArray3DCreate_v2(array, &desc)
    }

    fn cudaMallocMipmappedArray(array: *mut Array, channels: *const ChannelDesc, extent: Extent, levels: u32, flags: u32) {
        let desc = array_desc(channels, extent, flags)?;
        context::ensure()?;
        driver::cuMipmappedArrayCreate(array, &desc, levels)
    }

    fn cudaFreeArray(array: Array) {
        context::ensure()?;
        if array.is_null() { Ok(()) } else { driver::cuArrayDestroy(array) }
    }

    fn cudaFreeMipmappedArray(array: Array) {
        context::ensure()?;
        if array.is_null() { Ok(()) } else { driver::cuMipmappedArrayDestroy(array) }
    }

    fn cudaArrayGetInfo(channels: *mut ChannelDesc, extent: *mut Extent, flags: *mut u32, array: Array) {
        let desc = described(array)?;
        if let Some(channels) = channels.as_mut() {
            *channels = channels_of(desc.format, desc.channels)?;
        }
        if let Some(extent) = extent.as_mut() {
            *extent = Extent { width: desc.width, height: desc.height, depth: desc.depth };
        }
        if let Some(flags) = flags.as_mut() {
            *flags = desc.flags;
        }
        Ok(())
    }

    fn cudaGetChannelDesc(channels: *mut ChannelDesc, array: Array) {
        let channels = channels.as_mut().ok_or(Status::INVALID_VALUE)?;
        let desc = described(array)?;
        *channels = channels_of(desc.format, desc.channels)?;
        Ok(())
    }

    fn cudaDeviceGetTexture1DLinearMaxWidth(width: *mut usize, channels: *const ChannelDesc, device: c_int) {
        let (format, count) = format_of(channels.as_ref().ok_or(Status::INVALID_VALUE)?)?;
        context::check(device)?;
        driver::cuDeviceGetTexture1DLinearMaxWidth(width, format, count, device)
    }

    fn cudaCreateTextureObject(object: *mut u64, resource: *const RuntimeResource, texture: *const RuntimeTexture, view: *const c_void) {
        let resource = resource.as_ref().ok_or(Status::INVALID_VALUE)?.for_driver()?;
        let texture = texture.as_ref().ok_or(Status::INVALID_VALUE)?.for_driver();
        context::ensure()?;
        driver::cuTexObjectCreate(object, (&raw const resource).cast(), (&raw const texture).cast(), view)
    }

    fn cudaGetTextureObjectResourceDesc(to: *mut RuntimeResource, object: u64) {
        let to = to.as_mut().ok_or(Status::INVALID_VALUE)?;
        context::ensure()?;
        let mut resource = DriverResource::NONE;
        driver::cuTexObjectGetResourceDesc((&raw mut resource).cast(), object)?;
        *to = resource.for_runtime()?;
        Ok(())
    }

    fn cudaGetTextureObjectTextureDesc(to: *mut RuntimeTexture, object: u64) {
        let to = to.as_mut().ok_or(Status::INVALID_VALUE)?;
        context::ensure()?;
        let mut texture = DriverTexture::default();
        driver::cuTexObjectGetTextureDesc((&raw mut texture).cast(), object)?;
        *to = texture.for_runtime();
        Ok(())
    }

    fn cudaCreateSurfaceObject(object: *mut u64, resource: *const RuntimeResource) {
        let resource = resource.as_ref().ok_or(Status::INVALID_VALUE)?.for_driver()?;
        context::ensure()?;
        driver::cuSurfObjectCreate(object, (&raw const resource).cast())
    }

    fn cudaGetSurfaceObjectResourceDesc(to: *mut RuntimeResource, object: u64) {
        let to = to.as_mut().ok_or(Status::INVALID_VALUE)?;
        context::ensure()?;
        let mut resource = DriverResource::NONE;
        driver::cuSurfObjectGetResourceDesc((&raw mut resource).cast(), object)?;
        *to = resource.for_runtime()?;
        Ok(())
    }
}

forward! {
    fn cudaArrayGetPlane(plane: *mut Array, array: Array, nth: u32) = cuArrayGetPlane;
    fn cudaGetMipmappedArrayLevel(level: *mut Array, array: Array, nth: u32) = cuMipmappedArrayGetLevel;
    fn cudaDestroyTextureObject(object: u64) = cuTexObjectDestroy;
    fn cudaGetTextureObjectResourceViewDesc(view: *mut c_void, object: u64) = cuTexObjectGetResourceViewDesc;
    fn cudaDestroySurfaceObject(object: u64) = cuSurfObjectDestroy;
}

/// The function that returns no status.
pub(crate) const OTHERS: &[Row] = &[Row {
    name: "cudaCreateChannelDesc",
    address: cudaCreateChannelDesc as *const (),
    works: true,
}];

#[unsafe(no_mangle)]
extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
) -> ChannelDesc {
    ChannelDesc { bits: [x, y, z, w], kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_both_ways() {
        for (format, kind, bits) in FORMATS {
            for channels in [1, 2, 4] {
                let desc = channels_of(format, channels).expect("it is a format");
                assert_eq!(desc.kind, kind);
                assert_eq!(desc.bits.iter().sum::<i32>(), bits * channels as i32);
                assert_eq!(format_of(&desc), Ok((format, channels)));
            }
        }
        for bits in [[0, 0, 0, 0], [8, 0, 8, 0], [8, 16, 0, 0], [7, 0, 0, 0]] {
            let desc = ChannelDesc { bits, kind: format::UNSIGNED };
            assert_eq!(format_of(&desc), Err(INVALID_CHANNEL), "{bits:?}");
        }
    }
}
