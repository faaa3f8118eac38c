//! Copies and sets of one, two and three dimensions.

use crate::api::runtime;
use crate::context;
use crate::driver;
use crate::generation::{Generation, generation};
use crate::registry;
use crate::status::{Result, Status};
use crate::types::{
    Address, Array, ArrayDesc, Copy2d, Copy3d, Extent, LEGACY, PitchedPtr, Pos, Side2d, Side3d,
    Stream, kind, place, stream_or,
};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// When the function returns that asks for a copy.
#[derive(Clone, Copy)]
pub(crate) enum When {
    /// When it is done; the default stream takes it.
    Done(Stream),
    /// When a stream has taken it.
    Taken(Stream),
}

use When::{Done, Taken};

impl When {
    /// Does something in one of the ways that the driver has for it: at once, or in a stream, which is waited for if need be.
    fn run(self, now: impl FnOnce() -> Result, in_stream: impl FnOnce(Stream) -> Result) -> Result {
        context::ensure()?;
        match self {
            Done(LEGACY) => now(),
            Done(stream) => {
                in_stream(stream)?;
                // SAFETY: the driver checks its handles.
                unsafe { driver::cuStreamSynchronize(stream) }
            }
            Taken(stream) => in_stream(stream),
        }
    }
}

/// Copies bytes.
///
/// # Safety
/// Those of the host are there.
pub(crate) unsafe fn copy(
    to: Address,
    from: *const c_void,
    bytes: usize,
    direction: c_int,
    when: When,
) -> Result {
    let from = from.cast_mut();
    if bytes == 0 {
        return match (kind::HOST_TO_HOST..=kind::DEFAULT).contains(&direction) {
            true => context::ensure(),
            false => Err(Status::INVALID_MEMCPY_DIRECTION),
        };
    }
    // SAFETY: the caller says so; the driver checks addresses of the device.
    unsafe {
        match direction {
            kind::HOST_TO_DEVICE => when.run(
                || driver::cuMemcpyHtoD_v2(to, from, bytes),
                |stream| driver::cuMemcpyHtoDAsync_v2(to, from, bytes, stream),
            ),
            kind::DEVICE_TO_HOST => when.run(
                || driver::cuMemcpyDtoH_v2(to, from, bytes),
                |stream| driver::cuMemcpyDtoHAsync_v2(to, from, bytes, stream),
            ),
            kind::DEVICE_TO_DEVICE => when.run(
                || driver::cuMemcpyDtoD_v2(to, from, bytes),
                |stream| driver::cuMemcpyDtoDAsync_v2(to, from, bytes, stream),
            ),
            kind::HOST_TO_HOST | kind::DEFAULT => when.run(
                || driver::cuMemcpy(to, from, bytes),
                |stream| driver::cuMemcpyAsync(to, from, bytes, stream),
            ),
            _ => Err(Status::INVALID_MEMCPY_DIRECTION),
        }
    }
}

/// Where both sides of a copy lie that are not arrays: source and target.
fn places(direction: c_int) -> Result<(u32, u32)> {
    match direction {
        kind::HOST_TO_HOST => Ok((place::HOST, place::HOST)),
        kind::HOST_TO_DEVICE => Ok((place::HOST, place::DEVICE)),
        kind::DEVICE_TO_HOST => Ok((place::DEVICE, place::HOST)),
        kind::DEVICE_TO_DEVICE => Ok((place::DEVICE, place::DEVICE)),
        kind::DEFAULT => Ok((place::UNIFIED, place::UNIFIED)),
        _ => Err(Status::INVALID_MEMCPY_DIRECTION),
    }
}

/// A side of a copy of two dimensions that is rows in memory.
fn rows(address: *const c_void, pitch: usize, place: u32) -> Side2d {
    let address = address.cast_mut();
    Side2d { x_bytes: 0, y: 0, place, host: address, device: address, array: null_mut(), pitch }
}

/// A side that is a part of an array.
fn part(array: Array, x_bytes: usize, y: usize) -> Side2d {
    Side2d {
        x_bytes,
        y,
        place: place::ARRAY,
        host: null_mut(),
        device: null_mut(),
        array,
        pitch: 0,
    }
}

/// Copies `[width_bytes, height]`.
///
/// # Safety
/// As for [`copy`].
unsafe fn copy_2d(
    target: Side2d,
    source: Side2d,
    [width_bytes, height]: [usize; 2],
    when: When,
) -> Result {
    if width_bytes == 0 || height == 0 {
        return context::ensure();
    }
    let copy = Copy2d { source, target, width_bytes, height };
    // SAFETY: the caller says so; the driver checks addresses and arrays.
    unsafe {
        when.run(
            || driver::cuMemcpy2DUnaligned_v2(&copy),
            |stream| driver::cuMemcpy2DAsync_v2(&copy, stream),
        )
    }
}

/// Copies bytes to or from an array, row by row, as the functions did that are deprecated.
///
/// # Safety
/// As for [`copy`].
unsafe fn copy_flat(
    array: Array,
    [mut x, mut y]: [usize; 2],
    mut bytes: usize,
    mut copy_row: impl FnMut(Side2d, usize, usize) -> Result,
) -> Result {
    let row = width_bytes(array)?;
    let mut done = 0;
    while bytes > 0 {
        let here =
            bytes.min(row.checked_sub(x).filter(|room| *room > 0).ok_or(Status::INVALID_VALUE)?);
        copy_row(part(array, x, y), done, here)?;
        (x, y) = (0, y + 1);
        done += here;
        bytes -= here;
    }
    Ok(())
}

/// The description of an array.
fn described(array: Array) -> Result<ArrayDesc> {
    context::ensure()?;
    let mut desc = ArrayDesc::default();
    // SAFETY: the driver checks its handles; the place of the result is ours.
    unsafe { driver::cuArray3DGetDescriptor_v2(&mut desc, array) }.map(|()| desc)
}

fn width_bytes(array: Array) -> Result<usize> {
    let desc = described(array)?;
    Ok(desc.width.saturating_mul(element_bytes(&desc)))
}

/// Bytes of an element of an array.
fn element_bytes(desc: &ArrayDesc) -> usize {
    let component = match desc.format {
        0x01 | 0x08 => 1,
        0x02 | 0x09 | 0x10 => 2,
        _ => 4,
    };
    component * desc.channels as usize
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Parms3d {
    source_array: Array,
    source_at: Pos,
    source: PitchedPtr,
    target_array: Array,
    target_at: Pos,
    target: PitchedPtr,
    extent: Extent,
    kind: c_int,
}

impl Parms3d {
    /// A copy of `bytes` bytes.
    pub(crate) fn of_bytes(to: Address, from: *const c_void, bytes: usize, kind: c_int) -> Parms3d {
        let memory = |ptr: Address| PitchedPtr { ptr, pitch: bytes, xsize: bytes, ysize: 1 };
        Parms3d {
            source_array: null_mut(),
            source_at: Pos::default(),
            source: memory(from.cast_mut()),
            target_array: null_mut(),
            target_at: Pos::default(),
            target: memory(to),
            extent: Extent { width: bytes, height: 1, depth: 1 },
            kind,
        }
    }
}

/// `cudaMemcpy3DPeerParms`.
#[repr(C)]
struct PeerParms3d {
    source_array: Array,
    source_at: Pos,
    source: PitchedPtr,
    source_device: c_int,
    target_array: Array,
    target_at: Pos,
    target: PitchedPtr,
    target_device: c_int,
    extent: Extent,
}

/// As the driver has it: bytes where the runtime counts the elements of an array.
pub(crate) fn copy_3d(parms: &Parms3d) -> Result<Copy3d> {
    let (source_place, target_place) = places(parms.kind)?;
    let arrays = [parms.source_array, parms.target_array];
    let array = arrays.into_iter().find(|array| !array.is_null());
    let element =
        array.map(|array| described(array).map(|desc| element_bytes(&desc))).transpose()?;
    let side = |array: Array, at: Pos, memory: PitchedPtr, place: u32| {
        let in_array = !array.is_null();
        Side3d {
            x_bytes: if in_array { at.x.saturating_mul(element.unwrap_or(1)) } else { at.x },
            y: at.y,
            z: at.z,
            level: 0,
            place: if in_array { place::ARRAY } else { place },
            host: memory.ptr,
            device: memory.ptr,
            array,
            context: null_mut(),
            pitch: memory.pitch,
            height: memory.ysize,
        }
    };
    Ok(Copy3d {
        source: side(parms.source_array, parms.source_at, parms.source, source_place),
        target: side(parms.target_array, parms.target_at, parms.target, target_place),
        width_bytes: parms.extent.width.saturating_mul(element.unwrap_or(1)),
        height: parms.extent.height,
        depth: parms.extent.depth,
    })
}

/// # Safety
/// `parms` can be read, or is null.
unsafe fn peer_3d(parms: *const PeerParms3d) -> Result<Copy3d> {
    // SAFETY: the caller says so.
    let parms = unsafe { parms.as_ref() }.ok_or(Status::INVALID_VALUE)?;
    let mut copy = copy_3d(&Parms3d {
        source_array: parms.source_array,
        source_at: parms.source_at,
        source: parms.source,
        target_array: parms.target_array,
        target_at: parms.target_at,
        target: parms.target,
        extent: parms.extent,
        kind: kind::DEVICE_TO_DEVICE,
    })?;
    copy.source.context = context::primary(parms.source_device)?;
    copy.target.context = context::primary(parms.target_device)?;
    Ok(copy)
}

/// # Safety
/// As for [`copy`]; `parms` can be read, or is null.
unsafe fn run_3d(parms: *const Parms3d, when: When) -> Result {
    // SAFETY: the caller says so.
    let parms = unsafe { parms.as_ref() }.ok_or(Status::INVALID_VALUE)?;
    if [parms.extent.width, parms.extent.height, parms.extent.depth].contains(&0) {
        return context::ensure();
    }
    let copy = copy_3d(parms)?;
    // SAFETY: the caller says so; the driver checks addresses and arrays.
    unsafe {
        when.run(
            || driver::cuMemcpy3D_v2(&copy),
            |stream| driver::cuMemcpy3DAsync_v2(&copy, stream),
        )
    }
}

/// The bytes that a copy to or from a variable means.
pub(crate) fn in_variable(symbol: *const c_void, bytes: usize, offset: usize) -> Result<Address> {
    let (address, size) = registry::variable(symbol)?;
    match offset.checked_add(bytes).is_some_and(|end| end <= size) {
        true => Ok(address.wrapping_byte_add(offset)),
        false => Err(Status::INVALID_VALUE),
    }
}

/// Whether rows of two sides hold so many bytes.
fn hold(width: usize, pitches: [usize; 2]) -> Result {
    match pitches.iter().all(|pitch| width <= *pitch) {
        true => Ok(()),
        false => Err(Status::INVALID_PITCH_VALUE),
    }
}

/// Sets `[width, height]` bytes of rows.
///
/// # Safety
/// None of the host: the driver checks addresses of the device.
unsafe fn set_2d(
    to: Address,
    pitch: usize,
    value: c_int,
    [width, height]: [usize; 2],
    when: When,
) -> Result {
    if width == 0 || height == 0 {
        return context::ensure();
    }
    let value = value as u8;
    // SAFETY: the driver checks the address.
    unsafe {
        when.run(
            || driver::cuMemsetD2D8_v2(to, pitch, value, width, height),
            |stream| driver::cuMemsetD2D8Async(to, pitch, value, width, height, stream),
        )
    }
}

/// # Safety
/// As for [`set_2d`].
unsafe fn set_3d(to: PitchedPtr, value: c_int, extent: Extent, when: When) -> Result {
    let slice = to.pitch.checked_mul(to.ysize).ok_or(Status::INVALID_VALUE)?;
    let set = |nth: usize| {
        let to_slice = to.ptr.wrapping_byte_add(nth.wrapping_mul(slice));
        // SAFETY: the driver checks the address.
        unsafe { set_2d(to_slice, to.pitch, value, [extent.width, extent.height], when) }
    };
    // Slices without rows between them are rows of one.
    match extent.height == to.ysize {
        // SAFETY: the driver checks the address.
        true => unsafe {
            let rows = extent.height.checked_mul(extent.depth).ok_or(Status::INVALID_VALUE)?;
            set_2d(to.ptr, to.pitch, value, [extent.width, rows], when)
        },
        false => (0..extent.depth).try_for_each(set),
    }
}

runtime! {
    fn cudaMemcpy(to: Address, from: *const c_void, bytes: usize, kind: c_int) [cudaMemcpy_ptds |default|] {
        copy(to, from, bytes, kind, Done(default))
    }

    fn cudaMemcpyAsync(to: Address, from: *const c_void, bytes: usize, kind: c_int, stream: Stream) [cudaMemcpyAsync_ptsz |default|] {
        copy(to, from, bytes, kind, Taken(stream_or(stream, default)))
    }

    // Before 13 a place for the number of the copy that failed came before the stream.
    fn cudaMemcpyBatchAsync(to: *mut Address, from: *mut Address, bytes: *mut usize, count: usize, attributes: *mut c_void, first: *mut usize, attribute_count: usize, failed_or_stream: Address, stream: Stream)
        [cudaMemcpyBatchAsync_ptsz |default|] {
        context::ensure()?;
        match generation() {
            Generation::V13 => driver::cuMemcpyBatchAsync_v2(
                to, from, bytes, count, attributes, first, attribute_count, stream_or(failed_or_stream.cast(), default),
            ),
            Generation::V11 | Generation::V12 => driver::cuMemcpyBatchAsync(
                to, from, bytes, count, attributes, first, attribute_count, failed_or_stream.cast(), stream_or(stream, default),
            ),
        }
    }

    fn cudaMemcpyWithAttributesAsync(to: Address, from: Address, bytes: usize, attributes: *mut c_void, stream: Stream)
        [cudaMemcpyWithAttributesAsync_ptsz |default|] {
        context::ensure()?;
        driver::cuMemcpyWithAttributesAsync(to, from, bytes, attributes, stream_or(stream, default))
    }

    // Before 13 a place for the number of the copy that failed came before the flags. The operations are laid out as the driver's.
    fn cudaMemcpy3DBatchAsync(count: usize, ops: *mut c_void, failed_or_flags: usize, flags_or_stream: usize, stream: Stream)
        [cudaMemcpy3DBatchAsync_ptsz |default|] {
        context::ensure()?;
        match generation() {
            Generation::V13 => driver::cuMemcpy3DBatchAsync_v2(
                count, ops, failed_or_flags as u64, stream_or(std::ptr::with_exposed_provenance_mut(flags_or_stream), default),
            ),
            Generation::V11 | Generation::V12 => driver::cuMemcpy3DBatchAsync(
                count, ops, std::ptr::with_exposed_provenance_mut(failed_or_flags), flags_or_stream as u64, stream_or(stream, default),
            ),
        }
    }

    fn cudaMemcpy3DWithAttributesAsync(op: *mut c_void, flags: u64, stream: Stream)
        [cudaMemcpy3DWithAttributesAsync_ptsz |default|] {
        context::ensure()?;
        driver::cuMemcpy3DWithAttributesAsync(op, flags, stream_or(stream, default))
    }

    fn cudaMemcpyPeer(to: Address, to_device: c_int, from: Address, from_device: c_int, bytes: usize) {
        context::ensure()?;
        driver::cuMemcpyPeer(to, context::primary(to_device)?, from, context::primary(from_device)?, bytes)
    }

    fn cudaMemcpyPeerAsync(to: Address, to_device: c_int, from: Address, from_device: c_int, bytes: usize, stream: Stream) {
        context::ensure()?;
        driver::cuMemcpyPeerAsync(to, context::primary(to_device)?, from, context::primary(from_device)?, bytes, stream)
    }

    fn cudaMemcpyToSymbol(symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int)
        [cudaMemcpyToSymbol_ptds |default|] {
        copy(in_variable(symbol, bytes, offset)?, from, bytes, kind, Done(default))
    }

    fn cudaMemcpyToSymbolAsync(symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int, stream: Stream)
        [cudaMemcpyToSymbolAsync_ptsz |default|] {
        copy(in_variable(symbol, bytes, offset)?, from, bytes, kind, Taken(stream_or(stream, default)))
    }

    fn cudaMemcpyFromSymbol(to: Address, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int)
        [cudaMemcpyFromSymbol_ptds |default|] {
        copy(to, in_variable(symbol, bytes, offset)?, bytes, kind, Done(default))
    }

    fn cudaMemcpyFromSymbolAsync(to: Address, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int, stream: Stream)
        [cudaMemcpyFromSymbolAsync_ptsz |default|] {
        copy(to, in_variable(symbol, bytes, offset)?, bytes, kind, Taken(stream_or(stream, default)))
    }

    fn cudaGetSymbolAddress(address: *mut Address, symbol: *const c_void) {
        let address = address.as_mut().ok_or(Status::INVALID_VALUE)?;
        *address = registry::variable(symbol)?.0;
        Ok(())
    }

    fn cudaGetSymbolSize(bytes: *mut usize, symbol: *const c_void) {
        let bytes = bytes.as_mut().ok_or(Status::INVALID_VALUE)?;
        *bytes = registry::variable(symbol)?.1;
        Ok(())
    }

    fn cudaMemcpy2D(to: Address, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: c_int)
        [cudaMemcpy2D_ptds |default|] {
        let (source, target) = places(kind)?;
        hold(width, [to_pitch, from_pitch])?;
        copy_2d(rows(to, to_pitch, target), rows(from, from_pitch, source), [width, height], Done(default))
    }

    fn cudaMemcpy2DAsync(to: Address, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: c_int, stream: Stream)
        [cudaMemcpy2DAsync_ptsz |default|] {
        let (source, target) = places(kind)?;
        hold(width, [to_pitch, from_pitch])?;
        let when = Taken(stream_or(stream, default));
        copy_2d(rows(to, to_pitch, target), rows(from, from_pitch, source), [width, height], when)
    }

    fn cudaMemcpy2DToArray(to: Array, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: c_int)
        [cudaMemcpy2DToArray_ptds |default|] {
        copy_2d(part(to, x, y), rows(from, pitch, places(kind)?.0), [width, height], Done(default))
    }

    fn cudaMemcpy2DToArrayAsync(to: Array, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: c_int, stream: Stream)
        [cudaMemcpy2DToArrayAsync_ptsz |default|] {
        let when = Taken(stream_or(stream, default));
        copy_2d(part(to, x, y), rows(from, pitch, places(kind)?.0), [width, height], when)
    }

    fn cudaMemcpy2DFromArray(to: Address, pitch: usize, from: Array, x: usize, y: usize, width: usize, height: usize, kind: c_int)
        [cudaMemcpy2DFromArray_ptds |default|] {
        copy_2d(rows(to, pitch, places(kind)?.1), part(from, x, y), [width, height], Done(default))
    }

    fn cudaMemcpy2DFromArrayAsync(to: Address, pitch: usize, from: Array, x: usize, y: usize, width: usize, height: usize, kind: c_int, stream: Stream)
        [cudaMemcpy2DFromArrayAsync_ptsz |default|] {
        let when = Taken(stream_or(stream, default));
        copy_2d(rows(to, pitch, places(kind)?.1), part(from, x, y), [width, height], when)
    }

    fn cudaMemcpy2DArrayToArray(to: Array, to_x: usize, to_y: usize, from: Array, from_x: usize, from_y: usize, width: usize, height: usize, _kind: c_int)
        [cudaMemcpy2DArrayToArray_ptds |default|] {
        copy_2d(part(to, to_x, to_y), part(from, from_x, from_y), [width, height], Done(default))
    }

    fn cudaMemcpyToArray(to: Array, x: usize, y: usize, from: *const c_void, bytes: usize, kind: c_int)
        [cudaMemcpyToArray_ptds |default|] {
        let place = places(kind)?.0;
        copy_flat(to, [x, y], bytes, |part, done, here| {
            copy_2d(part, rows(from.wrapping_byte_add(done), here, place), [here, 1], Done(default))
        })
    }

    fn cudaMemcpyToArrayAsync(to: Array, x: usize, y: usize, from: *const c_void, bytes: usize, kind: c_int, stream: Stream)
        [cudaMemcpyToArrayAsync_ptsz |default|] {
        let (place, when) = (places(kind)?.0, Taken(stream_or(stream, default)));
        copy_flat(to, [x, y], bytes, |part, done, here| {
            copy_2d(part, rows(from.wrapping_byte_add(done), here, place), [here, 1], when)
        })
    }

    fn cudaMemcpyFromArray(to: Address, from: Array, x: usize, y: usize, bytes: usize, kind: c_int)
        [cudaMemcpyFromArray_ptds |default|] {
        let place = places(kind)?.1;
        copy_flat(from, [x, y], bytes, |part, done, here| {
            copy_2d(rows(to.wrapping_byte_add(done), here, place), part, [here, 1], Done(default))
        })
    }

    fn cudaMemcpyFromArrayAsync(to: Address, from: Array, x: usize, y: usize, bytes: usize, kind: c_int, stream: Stream)
        [cudaMemcpyFromArrayAsync_ptsz |default|] {
        let (place, when) = (places(kind)?.1, Taken(stream_or(stream, default)));
        copy_flat(from, [x, y], bytes, |part, done, here| {
            copy_2d(rows(to.wrapping_byte_add(done), here, place), part, [here, 1], when)
        })
    }

    fn cudaMemcpy3D(parms: *const Parms3d) [cudaMemcpy3D_ptds |default|] {
        run_3d(parms, Done(default))
    }

    fn cudaMemcpy3DAsync(parms: *const Parms3d, stream: Stream) [cudaMemcpy3DAsync_ptsz |default|] {
        run_3d(parms, Taken(stream_or(stream, default)))
    }

    fn cudaMemcpy3DPeer(parms: *const PeerParms3d) [cudaMemcpy3DPeer_ptds |default|] {
        let copy = peer_3d(parms)?;
        Done(default).run(|| driver::cuMemcpy3DPeer(&copy), |stream| driver::cuMemcpy3DPeerAsync(&copy, stream))
    }

    fn cudaMemcpy3DPeerAsync(parms: *const PeerParms3d, stream: Stream) [cudaMemcpy3DPeerAsync_ptsz |default|] {
        let copy = peer_3d(parms)?;
        context::ensure()?;
        driver::cuMemcpy3DPeerAsync(&copy, stream_or(stream, default))
    }

    fn cudaMemset(to: Address, value: c_int, bytes: usize) [cudaMemset_ptds |default|] {
        let (value, when) = (value as u8, Done(default));
        if bytes == 0 {
            return context::ensure();
        }
        when.run(|| driver::cuMemsetD8_v2(to, value, bytes), |stream| driver::cuMemsetD8Async(to, value, bytes, stream))
    }

    fn cudaMemsetAsync(to: Address, value: c_int, bytes: usize, stream: Stream) [cudaMemsetAsync_ptsz |default|] {
        context::ensure()?;
        if bytes == 0 {
            return Ok(());
        }
        driver::cuMemsetD8Async(to, value as u8, bytes, stream_or(stream, default))
    }

    fn cudaMemset2D(to: Address, pitch: usize, value: c_int, width: usize, height: usize) [cudaMemset2D_ptds |default|] {
        set_2d(to, pitch, value, [width, height], Done(default))
    }

    fn cudaMemset2DAsync(to: Address, pitch: usize, value: c_int, width: usize, height: usize, stream: Stream) [cudaMemset2DAsync_ptsz |default|] {
        set_2d(to, pitch, value, [width, height], Taken(stream_or(stream, default)))
    }

    fn cudaMemset3D(to: PitchedPtr, value: c_int, extent: Extent) [cudaMemset3D_ptds |default|] {
        set_3d(to, value, extent, Done(default))
    }

    fn cudaMemset3DAsync(to: PitchedPtr, value: c_int, extent: Extent, stream: Stream) [cudaMemset3DAsync_ptsz |default|] {
        set_3d(to, value, extent, Taken(stream_or(stream, default)))
    }
}
