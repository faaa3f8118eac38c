//! The layout of a tensor map (`CUtensorMap`): 128 bytes that CUDA leaves opaque (PTX ISA 9.1, 5.5.8 Tensor-map). Who makes one and who
//! reads one agree here.

/// Why an instruction cannot work on a tensor, as [`crate::Service::BadTensor`] numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BadTensor {
    /// What it should read as a tensor map is none.
    NoMap = 0,
    /// The tensor has another number of dimensions than the instruction.
    OtherRank = 1,
    /// The operation is not for elements of the tensor's type.
    OtherElements = 2,
    /// The box is none that an instruction copies.
    Box = 3,
}

impl BadTensor {
    /// What has a number.
    pub fn numbered(number: u32) -> BadTensor {
        match number {
            1 => BadTensor::OtherRank,
            2 => BadTensor::OtherElements,
            3 => BadTensor::Box,
            _ => BadTensor::NoMap,
        }
    }
}

/// The largest extent of a box (CUDA driver API, cuTensorMapEncodeTiled).
pub const MOST_TILE: u32 = 256;
/// The largest step of a box.
pub const MOST_STEP: u32 = 8;
/// Bytes of a tensor map.
pub const BYTES: usize = 128;
/// Dimensions of a tensor, at most.
pub const DIMENSIONS: usize = 5;
/// What tells a tensor map from other bytes.
pub const MARK: u32 = 0x314d_5457;

/// Where the address of the first element is: 64 bits.
pub const ADDRESS: i64 = 0;
/// Where [`MARK`] is: 32 bits.
pub const MARKED: i64 = 8;
/// Where the number of the elements' type is, [`Element`]: 32 bits.
pub const ELEMENT: i64 = 12;
/// Where the number of dimensions is, less one: 32 bits.
pub const RANK: i64 = 16;
/// Where the bits are that say how the box lies in shared memory: 32 bits.
pub const SWIZZLE: i64 = 20;

/// The bits of the swizzles of 16 (none), 32, 64 and 128 bytes.
pub const SWIZZLES: [u32; 4] = [0, 1, 3, 7];

/// The type of elements, numbered as PTX does (PTX ISA 9.1, 9.7.9.28 tensormap.replace, `.elemtype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are PTX's names")]
#[repr(u32)]
pub enum Element {
    U8 = 0,
    U16 = 1,
    U32 = 2,
    S32 = 3,
    U64 = 4,
    S64 = 5,
    F16 = 6,
    F32 = 7,
    F64 = 9,
    Bf16 = 10,
    /// Copied as they are: what counts of them is what a product takes of its factors.
    Tf32 = 11,
    /// Of 4 bits, packed: two in a byte, of which the first is the lower half.
    B4x16 = 13,
}

impl Element {
    /// All types.
    pub const ALL: [Element; 12] = {
        use Element as E;
        [
            E::U8,
            E::U16,
            E::U32,
            E::S32,
            E::U64,
            E::S64,
            E::F16,
            E::F32,
            E::F64,
            E::Bf16,
            E::Tf32,
            E::B4x16,
        ]
    };

    /// The logarithm of its bytes; of elements of 4 bits, of those of a pair.
    pub const fn log_bytes(self) -> u32 {
        match self {
            Element::U8 | Element::B4x16 => 0,
            Element::U16 | Element::F16 | Element::Bf16 => 1,
            Element::U32 | Element::S32 | Element::F32 | Element::Tf32 => 2,
            Element::U64 | Element::S64 | Element::F64 => 3,
        }
    }
}

/// The logarithms of the bytes of all elements: two bits each, by their numbers.
pub const LOGARITHMS: u32 = {
    let (mut all, mut nth) = (0, 0);
    while nth < Element::ALL.len() {
        let element = Element::ALL[nth];
        all |= element.log_bytes() << (2 * element as u32);
        nth += 1;
    }
    all
};

/// Where the extent of the box in a dimension is: 32 bits.
pub const fn tile(dimension: usize) -> i64 {
    24 + 4 * dimension as i64
}

/// Where the extent of the tensor in a dimension is: 64 bits.
pub const fn extent(dimension: usize) -> i64 {
    48 + 8 * dimension as i64
}

/// Where the bytes from an element to the next one in a dimension but the first are: 64 bits.
pub const fn stride(dimension: usize) -> i64 {
    80 + 8 * dimension as i64
}

/// Where the step of the box in a dimension is, less one: 8 bits.
pub const fn step(dimension: usize) -> i64 {
    120 + dimension as i64
}

/// A tensor in global memory, and the box of it that an instruction copies. What is said of dimensions that it does not have
/// means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The address of the first element.
    pub address: u64,
    /// Its elements.
    pub element: Element,
    /// Dimensions.
    pub rank: u32,
    /// How 16 bytes at a time of the box change places in shared memory: bits 4 and following of their address are exclusively or'ed
    /// with as many of bits 7 and following: one of [`SWIZZLES`].
    pub swizzle: u32,
    /// The extents of the box in the tensor, dimension by dimension.
    pub tile: [u32; DIMENSIONS],
    /// Elements of the tensor.
    pub extents: [u64; DIMENSIONS],
    /// Bytes from an element to the next one, in each dimension but the first.
    pub strides: [u64; DIMENSIONS - 1],
    /// In each dimension but the first, the box has one of so many elements.
    pub steps: [u8; DIMENSIONS],
}

impl TensorMap {
    /// The map as kernels read it.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        let mut put = |at: i64, value: &[u8]| {
            let at = at as usize;
            bytes[at..at + value.len()].copy_from_slice(value);
        };
        put(ADDRESS, &self.address.to_le_bytes());
        put(MARKED, &MARK.to_le_bytes());
        put(ELEMENT, &(self.element as u32).to_le_bytes());
        put(RANK, &self.rank.wrapping_sub(1).to_le_bytes());
        put(SWIZZLE, &self.swizzle.to_le_bytes());
        for (nth, (copied, all)) in self.tile.iter().zip(&self.extents).enumerate() {
            put(tile(nth), &copied.to_le_bytes());
            put(extent(nth), &all.to_le_bytes());
        }
        for (nth, bytes) in (1..).zip(&self.strides) {
            put(stride(nth), &bytes.to_le_bytes());
        }
        for (nth, one_of) in self.steps.iter().enumerate() {
            put(step(nth), &[one_of.wrapping_sub(1)]);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap() {
        let all = TensorMap {
            address: u64::MAX,
            element: Element::F32,
            rank: 0,
            swizzle: u32::MAX,
            tile: [u32::MAX; DIMENSIONS],
            extents: [u64::MAX; DIMENSIONS],
            strides: [u64::MAX; DIMENSIONS - 1],
            steps: [0; DIMENSIONS],
        };
        let bits: u32 = all.to_bytes().iter().map(|byte| byte.count_ones()).sum();
        let element = (Element::F32 as u32).count_ones();
        assert_eq!(bits, 64 + MARK.count_ones() + element + 2 * 32 + 5 * 32 + 9 * 64 + 5 * 8);
    }
}
