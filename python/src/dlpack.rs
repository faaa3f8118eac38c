//! Tensors of the DLPack protocol (DLPack, "Python Specification for DLPack").

use crate::described::{Described, Where};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, c_void};
use warpwise::ElementType;

/// `DLTensor`.
#[repr(C)]
struct Tensor {
    data: *const c_void,
    device_type: i32,
    device_id: i32,
    dimensions: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

/// `DLManagedTensorVersioned` as far as it is looked at.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *const c_void,
    deleter: *const c_void,
    flags: u64,
    tensor: Tensor,
}

const PLAIN: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const READ_ONLY: u64 = 1;
/// `DLDeviceType`: memory of the host, pinned memory, memory of a CUDA device, managed memory.
const HOST: [i32; 2] = [1, 3];
const CUDA: [i32; 2] = [2, 13];
/// More dimensions than any library has.
const MOST: i32 = 64;

/// The tensor of an object. The capsule that is returned with it keeps the memory.
pub(crate) fn tensor<'py>(value: &Bound<'py, PyAny>) -> PyResult<Result<Described<'py>, String>> {
    let exported = value.call_method0("__dlpack__")?;
    let capsule = exported.cast::<PyCapsule>()?;
    let (tensor, readonly) = if let Ok(pointer) = capsule.pointer_checked(Some(VERSIONED)) {
        // SAFETY: a capsule of this name holds such a structure, and keeps it as long as nobody renames it.
        let versioned = unsafe { pointer.cast::<Versioned>().as_ref() };
        if versioned.major != 1 {
            return Ok(Err(format!("a DLPack tensor of version {}", versioned.major)));
        }
        (&versioned.tensor, versioned.flags & READ_ONLY != 0)
    } else {
        let pointer = capsule.pointer_checked(Some(PLAIN))?;
        // SAFETY: as above.
        (unsafe { pointer.cast::<Tensor>().as_ref() }, false)
    };
    Ok(describe(tensor, readonly, &exported))
}

/// What a tensor says of itself.
fn describe<'py>(
    tensor: &Tensor,
    readonly: bool,
    keep: &Bound<'py, PyAny>,
) -> Result<Described<'py>, String> {
    let place = match tensor.device_type {
        kind if HOST.contains(&kind) => Where::Host,
        kind if CUDA.contains(&kind) => Where::Device,
        kind => return Err(format!("a DLPack tensor in memory of another kind ({kind})")),
    };
    if !(0..=MOST).contains(&tensor.dimensions)
        || tensor.lanes != 1
        || !tensor.bits.is_multiple_of(8)
    {
        return Err("a DLPack tensor of elements that have no whole bytes".to_owned());
    }
    let count = tensor.dimensions as usize;
    let list = |from: *const i64| match from.is_null() || count == 0 {
        true => None,
        // SAFETY: both lists have as many numbers as there are dimensions.
        false => Some(unsafe { std::slice::from_raw_parts(from, count) }.to_vec()),
    };
    let item = u64::from(tensor.bits / 8);
    let shape: Vec<u64> = list(tensor.shape)
        .unwrap_or_default()
        .into_iter()
        .map(|extent| u64::try_from(extent).unwrap_or(0))
        .collect();
    let strides = list(tensor.strides)
        .map(|strides| strides.into_iter().map(|stride| stride * item as i64).collect());
    let element = element(tensor.code, tensor.bits);
    let address = tensor.data.expose_provenance() as u64 + tensor.byte_offset;
    let keep = keep.clone();
    let is_trusted = place == Where::Host;
    Ok(Described { address, item, shape, strides, element, readonly, place, is_trusted, keep })
}

/// The type of elements by `DLDataTypeCode` and bits.
fn element(code: u8, bits: u8) -> Option<ElementType> {
    match (code, bits) {
        (0, 8) => Some(ElementType::S8),
        (0, 16) => Some(ElementType::S16),
        (0, 32) => Some(ElementType::S32),
        (0, 64) => Some(ElementType::S64),
        (1 | 6, 8) => Some(ElementType::U8),
        (1, 16) => Some(ElementType::U16),
        (1, 32) => Some(ElementType::U32),
        (1, 64) => Some(ElementType::U64),
        (2, 16) => Some(ElementType::F16),
        (2, 32) => Some(ElementType::F32),
        (2, 64) => Some(ElementType::F64),
        (4, 16) => Some(ElementType::Bf16),
        _ => None,
    }
}
