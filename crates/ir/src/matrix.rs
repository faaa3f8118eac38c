//! Instructions on matrices: what they are, and products as one operation.

use crate::{Class, Reg, Src};
use lanes::Product;

/// Which instruction on matrices the lanes of a warp begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixForm {
    /// What it does.
    pub work: MatrixWork,
    /// A number that instructions of a kernel have in common if their qualifiers are the same.
    pub qualifiers: u32,
}

/// What an instruction on matrices does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixWork {
    /// Loads fragments.
    Load,
    /// Stores fragments.
    Store,
    /// Multiplies and adds.
    Multiply,
}

/// A product of matrices, `d = a b + c`, and the registers that hold their fragments (`mma`, `wmma.mma`). Lanes that do not take
/// part bring zeros.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mma {
    /// Shape, types and layout.
    pub product: Product,
    /// A number that instructions of a kernel have in common if their qualifiers are the same.
    pub qualifiers: u32,
    /// The registers of `a`.
    pub a: Box<[Src]>,
    /// The registers of `b`.
    pub b: Box<[Src]>,
    /// The registers of `c`.
    pub c: Box<[Src]>,
    /// Receive `d`; `None` drops a register.
    pub d: Box<[Option<Reg>]>,
}

impl Mma {
    /// Which instruction on matrices it is, for those who wait for each other there.
    pub fn form(&self) -> MatrixForm {
        MatrixForm { work: MatrixWork::Multiply, qualifiers: self.qualifiers }
    }

    /// The class of all its registers.
    pub fn class(&self) -> Class {
        if self.product.is_wide() { Class::W64 } else { Class::W32 }
    }

    /// The registers of `a`, `b` and `c`.
    pub fn sources(&self) -> impl Iterator<Item = Src> {
        self.a.iter().chain(&self.b).chain(&self.c).copied()
    }

    /// The registers of `a`, `b` and `c`, to be changed.
    pub fn sources_mut(&mut self) -> impl Iterator<Item = &mut Src> {
        self.a.iter_mut().chain(&mut self.b).chain(&mut self.c)
    }

    /// The registers of `d` that are kept.
    pub fn results(&self) -> impl Iterator<Item = Reg> {
        self.d.iter().flatten().copied()
    }
}
