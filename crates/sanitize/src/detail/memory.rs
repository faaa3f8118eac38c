//! M001, M002, M003.

use super::facts::Facts;
use super::parts::At;
use crate::code::Code;
use schemars::JsonSchema;
use serde::Serialize;
use vm::{AccessKind, Extent};

/// An access outside of all memory of its space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutOfBounds {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
    /// The nearest memory of the space.
    pub nearest: Option<Extent>,
}

/// An access to memory that was freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Freed {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
}

/// An access between two variables of one space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BetweenVariables {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it touches.
    pub at: At,
    /// Where the variable before it ends.
    pub end: u64,
}

/// Constant memory, or a parameter, is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConstantWritten {
    /// Store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
}

/// A call of what is no function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BadCall {
    /// What the register holds.
    pub address: u64,
}

/// An access whose address is no multiple of its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Misaligned {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
}

/// A bulk copy of a part of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BulkSize {
    /// Its bytes.
    pub bytes: u64,
}

impl Facts for OutOfBounds {
    fn code(&self) -> Code {
        Code::M001
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        let nearest = self.nearest.iter_mut();
        let ends = nearest.flat_map(|extent| [&mut extent.start, &mut extent.end]);
        std::iter::once(&mut self.at.address).chain(ends).collect()
    }
}

impl Facts for Freed {
    fn code(&self) -> Code {
        Code::M003
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }
}

impl Facts for BetweenVariables {
    fn code(&self) -> Code {
        Code::M001
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address, &mut self.end]
    }
}

impl Facts for ConstantWritten {
    fn code(&self) -> Code {
        Code::M001
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }
}

impl Facts for BadCall {
    fn code(&self) -> Code {
        Code::M001
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.address]
    }
}

impl Facts for Misaligned {
    fn code(&self) -> Code {
        Code::M002
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }
}

impl Facts for BulkSize {
    fn code(&self) -> Code {
        Code::M002
    }
}
