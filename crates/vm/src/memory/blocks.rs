//! What kernels allocate with `malloc`.
//!
//! The blocks have a part of the address range of their own, so that what kernels do never moves what the host allocates.

use super::heap::{Heap, Quarantine};
use super::regions::Region;
use super::reserve::Range;
use foldhash::HashMap;

/// Alignment of blocks (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations").
pub(super) const ALIGN: u64 = 16;
/// Bytes between blocks, at least.
pub(super) const GAP: u64 = 64;

/// What a block counts against the limit; one of no bytes takes room, too.
fn charge(bytes: u64) -> Option<u64> {
    bytes.max(1).checked_next_multiple_of(ALIGN)
}

/// The thread that allocates: its CTA's number in the grid, and its own in the CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Owner {
    pub(crate) cta: u64,
    pub(crate) thread: u32,
}

/// Why a kernel cannot free an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BadFree {
    /// The block was freed before.
    Twice,
    /// It lies inside a block, which begins elsewhere.
    Inside {
        /// Where the block begins.
        start: u64,
    },
    /// No `malloc` of a kernel returned it.
    NoBlock,
}

/// The blocks of kernels.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    heap: Heap,
    live: HashMap<u64, u64>,
    /// Bytes of live blocks.
    in_use: u64,
    /// How often each thread has called `malloc` since the quarantine is for ever.
    calls: HashMap<Owner, u64>,
}

/// The addresses that calls got while the quarantine is for ever: by thread, number of the call and bytes. A run that is repeated
/// under another schedule gets the same, so that pointers do not differ where nothing else does.
pub(super) type Known = HashMap<(Owner, u64, u64), u64>;

impl Blocks {
    pub(super) fn new(range: Region) -> Blocks {
        Blocks {
            heap: Heap::new(range, ALIGN, GAP),
            live: HashMap::default(),
            in_use: 0,
            calls: HashMap::default(),
        }
    }

    /// Whether no kernel has allocated anything yet.
    pub(super) fn is_untouched(&self) -> bool {
        self.live.is_empty() && self.calls.is_empty() && self.in_use == 0
    }

    /// Whether a live block begins at an address.
    pub(super) fn holds(&self, start: u64) -> bool {
        self.live.contains_key(&start)
    }

    /// The live blocks, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Region> {
        self.live.iter().map(|(start, bytes)| Region { start: *start, end: start + bytes })
    }

    /// A block; `None` if more than `limit` bytes would be in use. `known` is there when the quarantine is for ever.
    pub(super) fn allocate(
        &mut self,
        (owner, bytes): (Owner, u64),
        limit: u64,
        range: &Range,
        known: Option<&mut Known>,
    ) -> Option<Region> {
        let room = limit.saturating_sub(self.in_use);
        let fits = charge(bytes).filter(|charge| *charge <= room);
        let start = match known {
            None => fits.and_then(|_| self.heap.allocate(bytes, range))?,
            Some(known) => {
                let calls = self.calls.entry(owner).or_default();
                *calls += 1;
                let key = (owner, *calls, bytes);
                match (fits?, known.get(&key)) {
                    (_, Some(start)) => *start,
                    (_, None) => {
                        let start = self.heap.allocate_fresh(bytes)?;
                        known.insert(key, start);
                        start
                    }
                }
            }
        };
        self.in_use += fits.unwrap_or(0);
        self.live.insert(start, bytes);
        Some(Region { start, end: start + bytes })
    }

    /// Frees the block that begins at an address; `around` is the accessible region that holds the address.
    pub(super) fn free(
        &mut self,
        address: u64,
        around: Option<Region>,
        quarantine: Quarantine,
        range: &Range,
    ) -> Result<Region, BadFree> {
        let Some(bytes) = self.live.remove(&address) else {
            let around = around.filter(|around| self.live.contains_key(&around.start));
            return Err(match around {
                Some(Region { start, .. }) => BadFree::Inside { start },
                None if self.heap.was_freed(address) => BadFree::Twice,
                None => BadFree::NoBlock,
            });
        };
        self.in_use -= charge(bytes).unwrap_or(0);
        let block = Region { start: address, end: address + bytes };
        self.heap.free(block, quarantine, range);
        Ok(block)
    }

    /// The freed block that held an address.
    pub(super) fn freed(&self, address: u64) -> Option<Region> {
        self.heap.freed(address)
    }

    /// Goes back to an earlier state.
    pub(super) fn restore(&mut self, earlier: &Blocks, range: &Range) {
        self.heap.restore(&earlier.heap, range);
        self.live.clone_from(&earlier.live);
        self.calls.clone_from(&earlier.calls);
        self.in_use = earlier.in_use;
    }
}
