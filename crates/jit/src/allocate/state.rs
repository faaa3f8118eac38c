//! What is known while blocks are done one after the other.

use super::order::Order;
use super::per_block::PerBlock;
use super::sequence::{Readers, Spot};
use super::uses::Uses;
use crate::mir::{Func, register};
use crate::registers::Registers;
use regalloc2::{Allocation, ProgPoint, RegClass};

/// What is known of a value where code is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Value {
    pub(super) reg: Option<u8>,
    /// The register in which it was made.
    pub(super) made_in: Option<u8>,
    /// The register that it should have.
    pub(super) hint: Option<u8>,
    /// Whether registers of loops wait for it.
    pub(super) is_awaited: bool,
    /// Whether its slot has it here.
    pub(super) is_stored: bool,
    /// Whether its slot has it wherever it is.
    pub(super) is_always_stored: bool,
    pub(super) has_slot: bool,
    pub(super) next: u32,
}

impl Value {
    /// Whether its slot has it here.
    pub(super) fn is_in_slot(&self) -> bool {
        self.is_stored || self.is_always_stored
    }
}

/// Sets of registers of each class, a bit each.
pub(super) type Sets = [u32; 3];

/// The registers of a set.
pub(super) fn registers_of(set: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |reg| set & 1 << reg != 0)
}

/// A function while its registers are allocated.
pub(super) struct Allocator<'a> {
    pub(super) func: &'a Func,
    pub(super) registers: &'a Registers,
    pub(super) order: Order,
    pub(super) uses: Uses,
    pub(super) values: Vec<Value>,
    /// Per class and register, the value in it.
    pub(super) holds: [[u32; 32]; 3],
    pub(super) free: Sets,
    /// How many values that are not made yet should have a register.
    pub(super) awaited: [[u16; 32]; 3],
    /// Those for which that is any.
    pub(super) awaited_sets: Sets,
    pub(super) block: usize,
    /// Per block, where values are when it begins, and when it has ended.
    pub(super) entries: Vec<Vec<Entered>>,
    pub(super) exits: Vec<Vec<Held>>,
    pub(super) operands: Vec<Allocation>,
    pub(super) moves: Vec<Move>,
    /// Room for what is known of values where another block ends.
    pub(super) elsewhere: Vec<Option<Held>>,
    /// Room for putting moves into sequence.
    pub(super) readers: Readers,
    /// Room for what a loop reads.
    pub(super) read_in: PerBlock<()>,
}

/// Where a value is when a block begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entered {
    pub(super) value: u32,
    /// The parameter of the block that it is.
    pub(super) param: Option<u32>,
    /// In its slot if there is none.
    pub(super) reg: Option<u8>,
}

/// Where a value is when a block has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) value: u32,
    pub(super) reg: Option<u8>,
    /// Whether its slot has it there.
    pub(super) is_stored: bool,
}

/// What comes first of all that is moved at one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// On the way to a block, where that begins.
    WayIn,
    /// Parameters that are stored.
    Params,
    /// For an instruction.
    Inst,
    /// On the way to the next block, where this one ends.
    WayOut,
}

/// A move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) point: ProgPoint,
    rank: Rank,
    pub(super) class: RegClass,
    pub(super) from: Spot,
    pub(super) to: Spot,
}

impl Move {
    pub(super) fn new(point: ProgPoint, rank: Rank, class: RegClass, from: Spot, to: Spot) -> Move {
        Move { point, rank, class, from, to }
    }

    pub(super) fn key(&self) -> (ProgPoint, Rank) {
        (self.point, self.rank)
    }
}

/// A register as `regalloc2` names it.
pub(super) fn allocation(class: RegClass, reg: u8) -> Allocation {
    Allocation::reg(register(usize::from(reg), class))
}
