//! What is known of where a register's value is.

use crate::exit::Index;
use crate::isa::Family;
use ir::{Access, Class};
use regalloc2::{RegClass, VReg};
use std::rc::Rc;

/// Values in their order, which copies of what is known have in common.
pub(super) type Vectors = Rc<[VReg]>;

/// The value of a register. What is not there is made of what is.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// The first lane's, of which the others follow; of a predicate, a bit a lane.
    pub(super) scalar: Option<VReg>,
    /// The first lane's of each slice, of which those of the slice follow.
    pub(super) firsts: Option<Vectors>,
    /// The same for smaller slices, of so many lanes.
    pub(super) finer: Option<(usize, Vectors)>,
    /// What all lanes' follow from.
    pub(super) indexed: Option<Indexed>,
    /// All lanes', vector after vector.
    pub(super) vectors: Option<Vectors>,
    /// Of a predicate, a mask a vector.
    pub(super) masks: Option<Vectors>,
    /// NaNs may have any bits.
    pub(super) nan: bool,
    /// The home row holds it: of a value whose lanes follow from the first, or from that of their slice, at least those.
    pub(super) home: bool,
    /// All lanes are in the home row.
    pub(super) full: bool,
}

impl Value {
    pub(super) fn scalar(value: VReg) -> Value {
        Value { scalar: Some(value), ..Value::default() }
    }

    pub(super) fn firsts(values: Vec<VReg>) -> Value {
        Value { firsts: Some(values.into()), ..Value::default() }
    }

    pub(super) fn vectors(values: Vec<VReg>) -> Value {
        Value { vectors: Some(values.into()), ..Value::default() }
    }

    pub(super) fn masks(values: Vec<VReg>) -> Value {
        Value { masks: Some(values.into()), ..Value::default() }
    }

    pub(super) const HOME: Value = Value {
        scalar: None,
        firsts: None,
        finer: None,
        indexed: None,
        vectors: None,
        masks: None,
        nan: false,
        home: true,
        full: false,
    };
}

/// Values of 64 bits that are numbers of 32, shifted to the left and counted from an address: most addresses of elements.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    pub(super) base: Option<VReg>,
    pub(super) numbers: Vectors,
    pub(super) index: Index,
}

/// In which form a value is kept, and handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The first lane's, or the bits of a predicate.
    One,
    /// The first lane's of each slice.
    Firsts,
    /// Vectors.
    Vectors,
}

pub(super) const INT: RegClass = RegClass::Int;
pub(super) const FLOAT: RegClass = RegClass::Float;

/// The class of a register that an access loads to or stores from.
pub(super) fn access_class(access: Access) -> Class {
    if access == Access::B64 { Class::W64 } else { Class::W32 }
}

/// The class of masks of a family.
pub(super) fn mask_class(family: Family) -> RegClass {
    match family {
        Family::Avx2 => RegClass::Float,
        Family::Avx512 => RegClass::Vector,
    }
}

/// A vector of words, by the number of their lane.
pub(super) fn words_of_lanes(word: impl Fn(usize) -> u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    for (lane, chunk) in bytes.chunks_exact_mut(4).enumerate() {
        chunk.copy_from_slice(&word(lane).to_le_bytes());
    }
    bytes
}
