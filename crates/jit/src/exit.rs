//! Where and how code is left.

use ir::Reg;
use ir::analysis::Affine;
use serde::{Deserialize, Serialize};

/// Why code is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Why {
    /// Somebody else has to go on at the place.
    Leaves,
    /// The warp has used up its turn, before the place.
    Yields,
    /// Its lanes exit.
    Exits,
    /// It has come to the barrier at the place.
    Barrier,
    /// It has come to where all warps are to be, before the place, though nobody has to wait there.
    Meets,
}

/// Where a part of a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// In the general register of this number.
    General(u8),
    /// In the vector register of this number.
    Vector(u8),
    /// In the mask register of this number.
    Mask(u8),
    /// In the words behind the context, from this one on.
    Spilled(u32),
}

/// What has to be made of a value so that its home row is what it should be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Kept {
    /// The first lane's value, wherever it is, of which the others follow.
    First(Affine, Option<Found>),
    /// That of the first lane of each slice, of so many lanes, of which those of the slice follow; none if home rows have them.
    Firsts(u32, Affine, Vec<Found>),
    /// Nothing but canonical NaNs: the row has the rest.
    Row,
    /// Numbers of 32 bits, shifted to the left, and the address from which they count, if there is one.
    Indexed(Index, Option<Found>, Vec<Found>),
    /// The bits of a predicate.
    Bits(Found),
    /// Vectors one after the other; whether NaNs have to be made canonical.
    Vectors(Vec<Found>, bool),
}

/// How numbers of 32 bits count elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Whether they have a sign.
    pub signed: bool,
    /// By how much they are shifted.
    pub shift: u8,
}

/// A way out of the code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exit {
    /// Why.
    pub why: Why,
    /// The place where the lanes stand, as the input counts them.
    pub place: u32,
    /// What home rows do not hold yet.
    pub kept: Vec<(Reg, Kept)>,
    /// If not all lanes stand there.
    pub apart: Option<Apart>,
}

/// Where lanes stand that are apart. Rows are shared by registers that different lanes need, so each is to be written for those
/// alone that need it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Apart {
    /// The lanes that stand at the exit's place.
    pub lanes: Found,
    /// The registers that they need.
    pub needed: Vec<Reg>,
    /// Registers that shuffles read, from whatever lane they name, wherever that is.
    pub offered: Vec<Reg>,
    /// Lanes elsewhere, with the number of their place among [`crate::Code::waiting`].
    pub waiting: Vec<(u32, Found)>,
}

/// The same while registers are not allocated: values are the operands of the instruction that leaves, from `first` on.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    pub(crate) why: Why,
    pub(crate) place: u32,
    pub(crate) first: usize,
    pub(crate) kept: Vec<(Reg, Keeps)>,
    pub(crate) apart: Option<Parted>,
}

/// See [`Apart`]. The lanes come first among the values, then those elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Parted {
    pub(crate) needed: Vec<Reg>,
    pub(crate) offered: Vec<Reg>,
    pub(crate) waiting: Vec<u32>,
}

impl Leaving {
    /// If everything that matters is in home rows, so that the code may go on with another warp: the place behind the barrier or where warps meet, or
    /// that there is none, because the lanes exit.
    pub(crate) fn quiet(&self) -> Option<Option<u32>> {
        match self.why {
            _ if self.apart.is_some() => None,
            Why::Exits => Some(None),
            Why::Barrier => Some(Some(self.place + 1)),
            Why::Meets => Some(Some(self.place)),
            Why::Leaves | Why::Yields => None,
        }
    }
}

/// See [`Kept`].
#[derive(Clone, Debug)]
pub(crate) enum Keeps {
    /// Whether there is a value, or the row has it.
    First(Affine, bool),
    /// Lanes of a slice, and how many values there are.
    Firsts(u32, Affine, usize),
    Row,
    /// Whether there is an address, and how many vectors there are.
    Indexed(Index, bool, usize),
    Bits,
    Vectors(usize, bool),
}
