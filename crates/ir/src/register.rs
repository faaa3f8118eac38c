//! Registers, and the operands that name them.

use serde::{Deserialize, Serialize};

/// What a virtual register holds in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// 32 bits. Values of 8 and 16 bits are kept zero-extended.
    W32,
    /// 64 bits.
    W64,
    /// One bit: a predicate.
    Pred,
}

/// A virtual register: an index into [`Kernel::registers`](crate::Kernel::registers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reg(pub u32);

/// A data operand: a register of class `W32` or `W64`, or the same bits in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// A register.
    Reg(Reg),
    /// A constant; the operation takes as many low bits as it reads.
    Imm(u64),
}

impl From<Reg> for Src {
    fn from(reg: Reg) -> Self {
        Src::Reg(reg)
    }
}

/// A predicate operand: a predicate register, perhaps negated per lane, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pred {
    /// The value of the register.
    Is(Reg),
    /// The opposite of the value of the register.
    Not(Reg),
    /// The same in every lane.
    Const(bool),
}

impl Pred {
    /// The opposite predicate.
    pub fn negated(self) -> Pred {
        match self {
            Pred::Is(reg) => Pred::Not(reg),
            Pred::Not(reg) => Pred::Is(reg),
            Pred::Const(value) => Pred::Const(!value),
        }
    }

    /// The register it reads.
    pub fn reg(self) -> Option<Reg> {
        match self {
            Pred::Is(reg) | Pred::Not(reg) => Some(reg),
            Pred::Const(_) => None,
        }
    }
}

impl From<Reg> for Pred {
    fn from(reg: Reg) -> Self {
        Pred::Is(reg)
    }
}
