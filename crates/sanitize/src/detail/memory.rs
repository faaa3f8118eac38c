//! M001, M002, M003.

use super::{At, Facts};
use crate::code::Code;
use serde::Serialize;
use vm::{AccessKind, Extent};

/// An access outside of all memory of its space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutOfBounds {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
    /// The nearest memory of the space.
    pub nearest: Option<Extent>,
}

/// An access to memory that was freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Freed {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
}

/// An access between two variables of one space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BetweenVariables {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it touches.
    pub at: At,
    /// Where the variable before it ends.
    pub end: u64,
}

/// Constant memory, or a parameter, is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConstantWritten {
    /// Store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
}

/// A call of what is no function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadCall {
    /// What the register holds.
    pub address: u64,
}

/// An access whose address is no multiple of its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misaligned {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
}

/// A bulk copy of a part of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BulkSize {
    /// Its bytes.
    pub bytes: u64,
}

impl Facts for OutOfBounds {
    fn code(&self) -> Code {
        Code::M001
    }
}

impl Facts for Freed {
    fn code(&self) -> Code {
        Code::M003
    }
}

impl Facts for BetweenVariables {
    fn code(&self) -> Code {
        Code::M001
    }
}

impl Facts for ConstantWritten {
    fn code(&self) -> Code {
        Code::M001
    }
}

impl Facts for BadCall {
    fn code(&self) -> Code {
        Code::M001
    }
}

impl Facts for Misaligned {
    fn code(&self) -> Code {
        Code::M002
    }
}

impl Facts for BulkSize {
    fn code(&self) -> Code {
        Code::M002
    }
}
