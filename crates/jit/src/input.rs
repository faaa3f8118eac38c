//! What machine code is made of.

use crate::Level;
use ir::{Inst, Kernel, Reg};
use lanes::WARP;
use std::ops::Range;

/// Where a register lives in the register file: words from its start, and from one warp's to the next's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Home {
    /// Words of 32 bits from the start of the register file.
    pub offset: u32,
    /// Words from a warp's to the next's: 0 where all warps share a row; else 32, 64, or 1 for predicates.
    pub stride: u32,
}

/// Local memory, which is cut into pieces: those that the threads of a warp have at one address lie one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// Bytes of a thread that it may access.
    pub bytes: u64,
    /// Bytes of the pieces that a thread has.
    pub stride: u32,
    /// Bytes of a piece, a power of two: an element is in one.
    pub piece: u32,
}

impl Local {
    /// How far a byte is on the host from the one that is so many bytes before it, where a piece begins, or an access of a thread.
    #[inline(always)]
    pub fn further(self, bytes: i64) -> i64 {
        let byte = bytes & (i64::from(self.piece) - 1);
        (bytes - byte) * WARP as i64 + byte
    }
}

/// A kernel for one launch shape, and where its values live.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Input<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// What runs once, before the first CTA; its results are in home rows.
    pub prologue: &'a [Inst],
    /// Per register, where it lives; `None` if nothing uses it.
    pub homes: &'a [Option<Home>],
    /// Per block, the number of its first place: its instructions, and its terminator, are counted on from there.
    pub starts: &'a [u32],
    /// Per block, how many instructions of the front end it has.
    pub instructions: &'a [u32],
    /// The CTA's extents in threads.
    pub block: [u32; 3],
    /// Accessible bytes of the CTA's shared memory.
    pub shared_bytes: u64,
    /// Registers that are zero when a CTA begins, as is its shared memory, and their words of the register file.
    pub zeros: &'a [(Reg, Range<usize>)],
    /// The threads' local memory.
    pub local: Local,
    /// The number of the first access that remembers a region.
    pub first_site: u32,
    /// The vector instructions to use.
    pub level: Level,
}
