//! `cuTensorMap*`: tensors of which kernels copy a box at a time.

use crate::abi::constants::*;
use crate::abi::{
    Address, Answer, CUresult, CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill,
    CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapSwizzle, In, Out,
};
use crate::driver::driver;
use crate::say;
use warpwise::tensor_map::{
    ADDRESS, DIMENSIONS, Element, MARK, MARKED, MOST_STEP, MOST_TILE, SWIZZLES, TensorMap,
};

/// What the address of a tensor map is a multiple of.
const ALIGNMENT: u64 = 64;
/// What addresses and strides of tensors, and rows of boxes are multiples of, in bytes.
const UNIT: u64 = 16;
/// The largest extent of a tensor, and what strides stay below.
const EXTENT: u64 = 1 << 31;
const STRIDE: u64 = 1 << 40;

fn element(kind: CUtensorMapDataType) -> Answer<Element> {
    match kind {
        CU_TENSOR_MAP_DATA_TYPE_UINT8 => Ok(Element::U8),
        CU_TENSOR_MAP_DATA_TYPE_UINT16 => Ok(Element::U16),
        CU_TENSOR_MAP_DATA_TYPE_UINT32 => Ok(Element::U32),
        CU_TENSOR_MAP_DATA_TYPE_INT32 => Ok(Element::S32),
        CU_TENSOR_MAP_DATA_TYPE_UINT64 => Ok(Element::U64),
        CU_TENSOR_MAP_DATA_TYPE_INT64 => Ok(Element::S64),
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16 => Ok(Element::F16),
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32 => Ok(Element::F32),
        CU_TENSOR_MAP_DATA_TYPE_FLOAT64 => Ok(Element::F64),
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 => Ok(Element::Bf16),
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 => Ok(Element::Tf32),
        CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B => Ok(Element::B4x16),
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ
        | CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ
        | CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B
        | CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B => {
            Err(not_there("elements that change on their way, or are spread out in shared memory"))
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The bits of a swizzle, as tensor maps have them.
fn swizzle_bits(swizzle: CUtensorMapSwizzle) -> Answer<u32> {
    match swizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE..=CU_TENSOR_MAP_SWIZZLE_128B => Ok(SWIZZLES[swizzle as usize]),
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B
        | CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B
        | CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B => {
            Err(not_there("swizzles of more than 16 bytes at a time"))
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn not_there(what: &str) -> CUresult {
    say::once(&format!("tensor maps with {what} are not there"));
    CUresult::NOT_SUPPORTED
}

/// The numbers of a tensor's dimensions, each within its bounds.
fn listed<T: crate::abi::Plain, const N: usize>(
    from: In<T>,
    count: usize,
    zero: T,
    is_right: impl Fn(T) -> bool,
) -> Answer<[T; N]> {
    let mut all = [zero; N];
    for (to, value) in all.iter_mut().zip(from.list(count)?) {
        if !is_right(value) {
            return Err(CUresult::INVALID_VALUE);
        }
        *to = value;
    }
    Ok(all)
}

/// `cuTensorMapEncodeTiled`.
#[expect(clippy::too_many_arguments, reason = "so it is in C")]
pub(crate) fn encode_tiled(
    to: Out<CUtensorMap>,
    kind: CUtensorMapDataType,
    rank: u32,
    address: Address,
    extents: In<u64>,
    strides: In<u64>,
    tile: In<u32>,
    steps: In<u32>,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> Answer {
    driver()?;
    to.check()?;
    let dimensions = rank as usize;
    let is_known = promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B
        && fill <= CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
        && interleave <= CU_TENSOR_MAP_INTERLEAVE_32B;
    if !(1..=DIMENSIONS).contains(&dimensions)
        || !to.address().0.is_multiple_of(ALIGNMENT)
        || address.is_null()
        || !address.0.is_multiple_of(UNIT)
        || !is_known
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let extents = listed(extents, dimensions, 0, |extent| (1..=EXTENT).contains(&extent))?;
    let strides = match dimensions {
        1 => [0; DIMENSIONS - 1],
        _ => listed(strides, dimensions - 1, 0, |stride: u64| {
            stride.is_multiple_of(UNIT) && stride < STRIDE
        })?,
    };
    let tile: [u32; DIMENSIONS] =
        listed(tile, dimensions, 0, |elements| (1..=MOST_TILE).contains(&elements))?;
    // That of the first dimension means nothing.
    let steps: [u32; DIMENSIONS] =
        listed(steps, dimensions, 1, |step| (1..=MOST_STEP).contains(&step))?;
    if interleave != CU_TENSOR_MAP_INTERLEAVE_NONE {
        return Err(not_there("an interleaved layout"));
    }
    if fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE {
        return Err(not_there("NaN outside of the tensor"));
    }
    let (element, swizzle) = (element(kind)?, swizzle_bits(swizzle)?);
    let pairs = u64::from(element == Element::B4x16);
    let row = (u64::from(tile[0]) >> pairs) << element.log_bytes();
    let most = if swizzle == 0 { u64::MAX } else { UNIT * u64::from(swizzle + 1) };
    let has_halves = pairs == 1 && (!extents[0].is_multiple_of(2) || !tile[0].is_multiple_of(2));
    if !row.is_multiple_of(UNIT) || row > most || has_halves {
        return Err(CUresult::INVALID_VALUE);
    }
    let (address, steps) = (address.0, steps.map(|step| step as u8));
    let map = TensorMap { address, element, rank, swizzle, tile, extents, strides, steps };
    to.set(CUtensorMap { bytes: map.to_bytes() })
}

/// `cuTensorMapReplaceAddress`.
pub(crate) fn replace_address(map: Out<CUtensorMap>, address: Address) -> Answer {
    driver()?;
    let mut new = map.get()?;
    let is_map = new.bytes[MARKED as usize..].starts_with(&MARK.to_le_bytes());
    if !is_map || address.is_null() || !address.0.is_multiple_of(UNIT) {
        return Err(CUresult::INVALID_VALUE);
    }
    new.bytes[ADDRESS as usize..][..8].copy_from_slice(&address.0.to_le_bytes());
    map.set(new)
}
