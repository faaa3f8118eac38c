//! M001, M002, M003, M006, M007.

use super::facts::Facts;
use super::parts::At;
use crate::code::Code;
use ir::Place;
use schemars::JsonSchema;
use serde::Serialize;
use vm::memory::BadFree as Why;
use vm::{AccessKind, Extent, ThreadId};

/// Memory that a kernel has allocated with `malloc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Block {
    /// Its first address.
    pub start: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Where it was allocated.
    pub place: Place,
    /// For whom.
    pub thread: ThreadId,
    /// Where it was freed, and by whom, if it was.
    pub freed: Option<(Place, ThreadId)>,
}

impl Block {
    /// Where it was allocated, and where it was freed.
    fn places(block: Option<&Block>) -> Vec<Place> {
        let freed = block.and_then(|block| block.freed);
        block.map(|block| block.place).into_iter().chain(freed.map(|(place, _)| place)).collect()
    }

    fn addresses(block: &mut Option<Block>) -> impl Iterator<Item = &mut u64> {
        block.iter_mut().map(|block| &mut block.start)
    }
}

/// An access outside of all memory of its space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutOfBounds {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
    /// The rank of the CTA of the cluster to whose shared memory the address leads, if it names one.
    pub peer: Option<u32>,
    /// The nearest memory of the space; `None` where the cluster has no such CTA.
    pub nearest: Option<Extent>,
    /// If that is memory that the launch has allocated.
    pub block: Option<Block>,
}

/// An access to memory that was freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Freed {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it wants to touch.
    pub at: At,
    /// If it is memory that the launch has allocated.
    pub block: Option<Block>,
}

/// Memory that a kernel has allocated, and that it leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Leak {
    /// The first thread for which some was allocated.
    pub thread: ThreadId,
    /// Blocks that the instruction has allocated and that are left.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether memory holds pointers to them, so that a later kernel may free them.
    pub reached: bool,
}

/// A `free` of what is no allocated memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BadFree {
    /// The address.
    pub address: u64,
    /// What is wrong with it.
    pub why: Why,
    /// The block that holds the address, or held it, if the launch has allocated it.
    pub block: Option<Block>,
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
        let block = Block::addresses(&mut self.block);
        std::iter::once(&mut self.at.address).chain(ends).chain(block).collect()
    }

    fn related(&self) -> Vec<Place> {
        Block::places(self.block.as_ref())
    }
}

impl Facts for Leak {
    fn code(&self) -> Code {
        Code::M006
    }

    fn is_harmless(&self) -> bool {
        true
    }
}

impl Facts for BadFree {
    fn code(&self) -> Code {
        Code::M007
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        let inside = match &mut self.why {
            Why::Inside { start } => Some(start),
            Why::Twice | Why::NoBlock => None,
        };
        let block = Block::addresses(&mut self.block);
        std::iter::once(&mut self.address).chain(inside).chain(block).collect()
    }

    fn related(&self) -> Vec<Place> {
        Block::places(self.block.as_ref())
    }
}

impl Facts for Freed {
    fn code(&self) -> Code {
        Code::M003
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        let block = Block::addresses(&mut self.block);
        std::iter::once(&mut self.at.address).chain(block).collect()
    }

    fn related(&self) -> Vec<Place> {
        Block::places(self.block.as_ref())
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
