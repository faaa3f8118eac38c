//! `cuMemcpy2D`, `cuMemcpy3D`, and copies of arrays.

use super::array::array;
use super::rows::{Rows, Side};
use crate::abi::constants::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_UNIFIED,
};
use crate::abi::{
    Address, Answer, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUarray, CUdeviceptr,
    CUresult, CUstream, In, Side3D,
};
use crate::operation::Operation;
use crate::stream;

/// One side of a copy, whose rows have so many bytes, of so many rows.
fn side(of: &Side3D, [width, height, depth]: [u64; 3]) -> Answer<Side> {
    let (base, mut pitch, mut rows, is_foreign) = match of.kind {
        CU_MEMORYTYPE_HOST => (of.host.0, of.pitch, of.height, true),
        CU_MEMORYTYPE_DEVICE => (of.device, of.pitch, of.height, false),
        CU_MEMORYTYPE_UNIFIED => (of.device, of.pitch, of.height, true),
        CU_MEMORYTYPE_ARRAY => {
            let array = array(of.array)?;
            let texels = &array.texels;
            let rows = u64::from(texels.extents[1].max(1));
            let planes = u64::from(texels.extents[2].max(texels.layers).max(1));
            let inside = of.x_bytes.checked_add(width).is_some_and(|end| end <= texels.row_bytes())
                && of.y.checked_add(height).is_some_and(|end| end <= rows)
                && of.z.checked_add(depth).is_some_and(|end| end <= planes);
            if !inside {
                return Err(CUresult::INVALID_VALUE);
            }
            (texels.address, texels.pitch, rows, false)
        }
        _ => return Err(CUresult::INVALID_VALUE),
    };
    // What is not said of one row or one plane follows from it.
    if pitch == 0 {
        pitch = of.x_bytes.saturating_add(width);
    }
    if rows == 0 {
        rows = of.y.saturating_add(height);
    }
    if pitch < of.x_bytes.saturating_add(width) && height.max(depth) > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    let slice = pitch.checked_mul(rows).ok_or(CUresult::INVALID_VALUE)?;
    let into = of.z.checked_mul(slice).and_then(|z| {
        of.y.checked_mul(pitch)?.checked_add(z)?.checked_add(of.x_bytes)?.checked_add(base)
    });
    let address = into.ok_or(CUresult::INVALID_VALUE)?;
    Ok(Side { address, pitch, slice, is_foreign })
}

/// The rows of a copy.
pub(crate) fn rows_of(copy: &CUDA_MEMCPY3D) -> Answer<Rows> {
    let extent = [copy.width_bytes, copy.height, copy.depth];
    Ok(Rows { to: side(&copy.dst, extent)?, from: side(&copy.src, extent)?, extent })
}

/// The same of two dimensions.
fn flat(copy: &CUDA_MEMCPY2D) -> CUDA_MEMCPY3D {
    let src = Side3D {
        x_bytes: copy.src_x_bytes,
        y: copy.src_y,
        z: 0,
        level: 0,
        kind: copy.src_type,
        host: copy.src_host,
        device: copy.src_device,
        array: copy.src_array,
        other: 0,
        pitch: copy.src_pitch,
        height: 0,
    };
    let dst = Side3D {
        x_bytes: copy.dst_x_bytes,
        y: copy.dst_y,
        kind: copy.dst_type,
        host: copy.dst_host,
        device: copy.dst_device,
        array: copy.dst_array,
        pitch: copy.dst_pitch,
        ..src
    };
    let (width_bytes, height) = (copy.width_bytes, copy.height);
    CUDA_MEMCPY3D { src, dst, width_bytes, height, depth: 1 }
}

/// Copies in the order of a stream, and waits if wanted.
pub(super) fn copy(default: CUstream, stream: CUstream, rows: Rows, waits: bool) -> Answer {
    let stream = stream::resolve(default, stream)?;
    if rows.bytes() == 0 {
        return Ok(());
    }
    rows.check()?;
    // Memory of the program that is not pinned may be gone when the call has returned.
    let loose = [rows.to, rows.from]
        .iter()
        .any(|side| side.is_foreign && super::space::find(side.address).is_none());
    match waits || (loose && stream.capture().is_none()) {
        true => stream.issue_and_wait(Operation::Copy(rows)),
        false => stream.issue(Operation::Copy(rows)),
    }
}

/// `cuMemcpy2D_v2`, `cuMemcpy2DUnaligned_v2`.
pub(crate) fn copy_2d(default: CUstream, given: In<CUDA_MEMCPY2D>) -> Answer {
    copy(default, CUstream::NULL, rows_of(&flat(&given.get()?))?, true)
}

/// `cuMemcpy2DAsync_v2`.
pub(crate) fn copy_2d_async(
    default: CUstream,
    given: In<CUDA_MEMCPY2D>,
    stream: CUstream,
) -> Answer {
    copy(default, stream, rows_of(&flat(&given.get()?))?, false)
}

/// `cuMemcpy3D_v2`.
pub(crate) fn copy_3d(default: CUstream, given: In<CUDA_MEMCPY3D>) -> Answer {
    copy(default, CUstream::NULL, rows_of(&given.get()?)?, true)
}

/// `cuMemcpy3DAsync_v2`.
pub(crate) fn copy_3d_async(
    default: CUstream,
    given: In<CUDA_MEMCPY3D>,
    stream: CUstream,
) -> Answer {
    copy(default, stream, rows_of(&given.get()?)?, false)
}

/// A copy between contexts: their memory is all reachable.
fn peer(given: &CUDA_MEMCPY3D_PEER) -> Answer<Rows> {
    let CUDA_MEMCPY3D_PEER { src, dst, width_bytes, height, depth } = *given;
    rows_of(&CUDA_MEMCPY3D { src, dst, width_bytes, height, depth })
}

/// `cuMemcpy3DPeer`.
pub(crate) fn copy_3d_peer(default: CUstream, given: In<CUDA_MEMCPY3D_PEER>) -> Answer {
    copy(default, CUstream::NULL, peer(&given.get()?)?, true)
}

/// `cuMemcpy3DPeerAsync`.
pub(crate) fn copy_3d_peer_async(
    default: CUstream,
    given: In<CUDA_MEMCPY3D_PEER>,
    stream: CUstream,
) -> Answer {
    copy(default, stream, peer(&given.get()?)?, false)
}

/// Bytes of an array of one dimension, or of the first row of another one, from an offset on.
fn within(handle: CUarray, offset: u64, bytes: u64) -> Answer<Side> {
    let array = array(handle)?;
    let row = array.texels.row_bytes();
    match offset.checked_add(bytes).is_some_and(|end| end <= row) {
        true => Ok(line(array.texels.address + offset, false)),
        false => Err(CUresult::INVALID_VALUE),
    }
}

fn line(address: u64, is_foreign: bool) -> Side {
    Side { address, pitch: 0, slice: 0, is_foreign }
}

fn row(to: Side, from: Side, bytes: u64) -> Rows {
    Rows { to, from, extent: [bytes, 1, 1] }
}

/// `cuMemcpyHtoA_v2`.
pub(crate) fn host_to_array(
    default: CUstream,
    to: CUarray,
    offset: u64,
    from: Address,
    bytes: u64,
) -> Answer {
    let rows = row(within(to, offset, bytes)?, line(from.0, true), bytes);
    copy(default, CUstream::NULL, rows, true)
}

/// `cuMemcpyHtoAAsync_v2`.
pub(crate) fn host_to_array_async(
    default: CUstream,
    to: CUarray,
    offset: u64,
    from: Address,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    copy(default, stream, row(within(to, offset, bytes)?, line(from.0, true), bytes), false)
}

/// `cuMemcpyAtoH_v2`.
pub(crate) fn array_to_host(
    default: CUstream,
    to: Address,
    from: CUarray,
    offset: u64,
    bytes: u64,
) -> Answer {
    let rows = row(line(to.0, true), within(from, offset, bytes)?, bytes);
    copy(default, CUstream::NULL, rows, true)
}

/// `cuMemcpyAtoHAsync_v2`.
pub(crate) fn array_to_host_async(
    default: CUstream,
    to: Address,
    from: CUarray,
    offset: u64,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    copy(default, stream, row(line(to.0, true), within(from, offset, bytes)?, bytes), false)
}

/// `cuMemcpyDtoA_v2`.
pub(crate) fn device_to_array(
    default: CUstream,
    to: CUarray,
    offset: u64,
    from: CUdeviceptr,
    bytes: u64,
) -> Answer {
    let rows = row(within(to, offset, bytes)?, line(from, false), bytes);
    copy(default, CUstream::NULL, rows, false)
}

/// `cuMemcpyAtoD_v2`.
pub(crate) fn array_to_device(
    default: CUstream,
    to: CUdeviceptr,
    from: CUarray,
    offset: u64,
    bytes: u64,
) -> Answer {
    let rows = row(line(to, false), within(from, offset, bytes)?, bytes);
    copy(default, CUstream::NULL, rows, false)
}

/// `cuMemcpyAtoA_v2`.
pub(crate) fn array_to_array(
    default: CUstream,
    to: CUarray,
    to_offset: u64,
    from: CUarray,
    from_offset: u64,
    bytes: u64,
) -> Answer {
    let rows = row(within(to, to_offset, bytes)?, within(from, from_offset, bytes)?, bytes);
    copy(default, CUstream::NULL, rows, false)
}
