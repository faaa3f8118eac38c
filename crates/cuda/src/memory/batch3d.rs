//! Copies of rows and planes in batches. Each is done as if it were issued alone, in the order of the list.

use super::array::array;
use super::batch::{Refused, check_stream, count_of, told, whole};
use super::planes::{copy, rows_of};
use crate::abi::constants::{
    CU_MEMCPY_OPERAND_TYPE_ARRAY, CU_MEMCPY_OPERAND_TYPE_POINTER,
    CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL, CU_MEMORYTYPE_ARRAY,
};
use crate::abi::{
    Answer, CUDA_MEMCPY3D, CUDA_MEMCPY3D_BATCH_OP, CUarray, CUmemcpy3DOperand, CUresult, CUstream,
    Out, Side3D,
};
use crate::stream;

/// Bytes of an element of an array; a pointer does not say.
fn element(operand: &CUmemcpy3DOperand) -> Answer<Option<u64>> {
    match operand.kind {
        CU_MEMCPY_OPERAND_TYPE_POINTER => Ok(None),
        CU_MEMCPY_OPERAND_TYPE_ARRAY => {
            array(CUarray(operand.base)).map(|array| Some(array.texels.format.bytes()))
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// One side, with elements of so many bytes.
fn side(operand: &CUmemcpy3DOperand, bytes: u64) -> Answer<Side3D> {
    let [first, second, third] = operand.words;
    let scaled = |count: u64| count.checked_mul(bytes).ok_or(CUresult::INVALID_VALUE);
    Ok(match operand.kind {
        CU_MEMCPY_OPERAND_TYPE_ARRAY => Side3D {
            kind: CU_MEMORYTYPE_ARRAY,
            array: CUarray(operand.base),
            x_bytes: scaled(first)?,
            y: second,
            z: third,
            ..Side3D::UNIFIED
        },
        _ => Side3D {
            device: operand.base,
            pitch: scaled(first)?,
            height: second,
            ..Side3D::UNIFIED
        },
    })
}

/// Issues a copy.
fn issue(default: CUstream, stream: CUstream, op: &CUDA_MEMCPY3D_BATCH_OP) -> Answer {
    let [width, height, depth] = op.extent;
    if op.extent.contains(&0) {
        return Err(CUresult::INVALID_VALUE);
    }
    // Between pointers an element is a byte; arrays on both sides have elements of one size.
    let bytes = match [element(&op.src)?, element(&op.dst)?] {
        [Some(one), Some(other)] if one != other => return Err(CUresult::INVALID_VALUE),
        [one, other] => one.or(other).unwrap_or(1),
    };
    let width_bytes = width.checked_mul(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let (src, dst) = (side(&op.src, bytes)?, side(&op.dst, bytes)?);
    let rows = rows_of(&CUDA_MEMCPY3D { src, dst, width_bytes, height, depth })?;
    let captures = stream::resolve(default, stream)?.capture().is_some();
    let waits = op.order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL && !captures;
    copy(default, stream, rows, waits)
}

/// Issues the copies of a list. Which one fails, if one does.
fn batch(
    default: CUstream,
    count: u64,
    ops: Out<CUDA_MEMCPY3D_BATCH_OP>,
    flags: u64,
    stream: CUstream,
) -> Result<(), Refused> {
    let known = count_of(count).map_err(whole)?;
    if flags != 0 {
        return Err(whole(CUresult::INVALID_VALUE));
    }
    check_stream(default, stream).map_err(whole)?;
    let ops = ops.as_in().list(known).map_err(whole)?;
    ops.iter()
        .zip(0..)
        .try_for_each(|(op, nth)| issue(default, stream, op).map_err(|why| (Some(nth), why)))
}

/// `cuMemcpy3DBatchAsync_v2`.
pub(crate) fn copy_3d_batch(
    default: CUstream,
    count: u64,
    ops: Out<CUDA_MEMCPY3D_BATCH_OP>,
    flags: u64,
    stream: CUstream,
) -> Answer {
    batch(default, count, ops, flags, stream).map_err(|(_, why)| why)
}

/// `cuMemcpy3DBatchAsync` as it was before CUDA 13.
pub(crate) fn copy_3d_batch_v1(
    default: CUstream,
    count: u64,
    ops: Out<CUDA_MEMCPY3D_BATCH_OP>,
    failed: Out<u64>,
    flags: u64,
    stream: CUstream,
) -> Answer {
    batch(default, count, ops, flags, stream).map_err(|refused| told(failed, refused))
}

/// `cuMemcpy3DWithAttributesAsync`.
pub(crate) fn copy_3d_with(
    default: CUstream,
    op: Out<CUDA_MEMCPY3D_BATCH_OP>,
    flags: u64,
    stream: CUstream,
) -> Answer {
    match flags {
        0 => issue(default, stream, &op.get()?),
        _ => Err(CUresult::INVALID_VALUE),
    }
}
