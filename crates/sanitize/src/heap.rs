//! What kernels allocate: M006, and the blocks that M001, M003 and M007 are about.

use crate::code::Code;
use crate::detail::{Block, Leak};
use crate::finding::{Finding, Findings};
use foldhash::HashSet;
use ir::{Inst, Op, Place, Service};
use std::collections::BTreeMap;
use vm::memory::{Memory, Region};
use vm::{HeapEvent, View};

/// Everything that a launch has allocated, by its first address. No address is given out twice in an observed run.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    blocks: BTreeMap<u64, Block>,
    /// Those with the arguments of launches: whoever does these frees them.
    handed_on: HashSet<u64>,
}

impl Heap {
    pub(crate) fn happened(&mut self, view: &View<'_>, event: &HeapEvent) {
        let HeapEvent { place, address, bytes, frees, .. } = *event;
        let thread = view.thread(event.warp, event.lane);
        if !frees {
            let block = Block { start: address, bytes, place, thread, freed: None };
            self.blocks.insert(address, block);
        } else if let Some(block) = self.blocks.get_mut(&address) {
            block.freed = Some((place, thread));
        }
    }

    /// What is launched takes its arguments along.
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        let Op::Host { service: Service::Launch, operands, .. } = &inst.op else { return };
        for (warp, lanes) in view.group() {
            let arguments = view.w64(operands[1], warp);
            let blocks = lanes.into_iter().filter_map(|lane| self.around(arguments[lane as usize]));
            let blocks: Vec<u64> = blocks.map(|block| block.start).collect();
            self.handed_on.extend(blocks);
        }
    }

    /// The block that begins at an address.
    pub(crate) fn at(&self, start: u64) -> Option<Block> {
        self.blocks.get(&start).copied()
    }

    /// The block that holds an address, or held it before it was freed.
    pub(crate) fn around(&self, address: u64) -> Option<Block> {
        let (_, block) = self.blocks.range(..=address).next_back()?;
        (address - block.start < block.bytes.max(1)).then_some(*block)
    }

    /// Reports the blocks that the launch leaves and nobody can free: no pointer to them is in memory. If `all`, those that are
    /// left and can still be freed, too.
    pub(crate) fn report_leaks(&self, memory: &Memory, all: bool, found: &mut Findings) {
        let is_left =
            |block: &&Block| block.freed.is_none() && !self.handed_on.contains(&block.start);
        let left = || self.blocks.values().filter(is_left);
        if left().next().is_none() {
            return;
        }
        let reached = reached(memory);
        let mut leaks: BTreeMap<(u32, bool), Leak> = BTreeMap::new();
        for block in left() {
            let is_reached = reached.contains(&block.start);
            if is_reached && !all {
                continue;
            }
            let first = Leak { thread: block.thread, blocks: 0, bytes: 0, reached: is_reached };
            let leak = leaks.entry((block.place.0, is_reached)).or_insert(first);
            (leak.blocks, leak.bytes) = (leak.blocks + 1, leak.bytes + block.bytes);
        }
        for ((place, _), leak) in leaks {
            let place = Place(place);
            found.report_worst(Code::M006, (place, leak.reached.then_some(place)), 0, || Finding {
                count: leak.blocks,
                ..Finding::new(place, leak.thread, leak)
            });
        }
    }
}

/// The first addresses of the blocks that a pointer leads to, from what the host allocated or from another such block.
fn reached(memory: &Memory) -> HashSet<u64> {
    let blocks = memory.blocks();
    let block_at = |address: u64| {
        let after = blocks.partition_point(|block| block.start <= address);
        let block = *blocks.get(after.checked_sub(1)?)?;
        (address <= block.end).then_some(block)
    };
    let is_block = |region: &Region| block_at(region.start).is_some_and(|it| it == *region);
    let mut left: Vec<Region> = memory.regions().iter().filter(|it| !is_block(it)).collect();
    let mut reached = HashSet::default();
    let mut piece = vec![0; 1 << 16];
    while let Some(region) = left.pop() {
        let mut at = region.start.next_multiple_of(8);
        while at + 8 <= region.end {
            let count = ((region.end - at) & !7).min(piece.len() as u64);
            let piece = &mut piece[..count as usize];
            if memory.read(at, piece).is_err() {
                break;
            }
            for word in piece.as_chunks::<8>().0 {
                let block = block_at(u64::from_le_bytes(*word));
                left.extend(block.filter(|block| reached.insert(block.start)));
            }
            at += count;
        }
    }
    reached
}
