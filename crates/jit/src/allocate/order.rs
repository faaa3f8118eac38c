//! In which order blocks are done, and which of them are loops.

use crate::mir::{Func, reverse_postorder};
use regalloc2::{Block, Function};

/// Blocks in an order in which each comes behind all that lead to it, but for ways back.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) blocks: Vec<usize>,
    /// Per block, its place in that order.
    pub(super) at: Vec<usize>,
    /// Per block, in how many loops it lies.
    depth: Vec<u8>,
    /// Per block that ways back lead to, the blocks of the loop that it begins; of the others none.
    pub(super) loops: Vec<Vec<usize>>,
}

impl Order {
    pub(super) fn of(func: &Func) -> Order {
        let count = func.num_blocks();
        let blocks = reverse_postorder(func);
        let mut at = vec![0; count];
        for (place, block) in blocks.iter().enumerate() {
            at[*block] = place;
        }
        let mut order = Order { blocks, at, depth: vec![0; count], loops: vec![Vec::new(); count] };
        let mut found_for = vec![usize::MAX; count];
        for head in order.blocks.clone() {
            let back = func.block_preds(Block::new(head)).iter().map(|from| from.index());
            let mut found: Vec<usize> = Vec::new();
            let mut open: Vec<usize> = back.filter(|from| order.is_back(*from, head)).collect();
            if open.is_empty() {
                continue;
            }
            found_for[head] = head;
            found.push(head);
            while let Some(block) = open.pop() {
                // Code is entered at several places: what comes before the head is not of the loop.
                if order.at[block] < order.at[head] || found_for[block] == head {
                    continue;
                }
                found_for[block] = head;
                found.push(block);
                open.extend(func.block_preds(Block::new(block)).iter().map(|from| from.index()));
            }
            for block in &found {
                order.depth[*block] = order.depth[*block].saturating_add(1);
            }
            order.loops[head] = found;
        }
        order
    }

    /// Whether a way leads back, so that what it begins at is done before it.
    pub(super) fn is_back(&self, from: usize, to: usize) -> bool {
        self.at[to] <= self.at[from]
    }

    /// Whether a way leaves a loop.
    pub(super) fn leaves(&self, from: usize, to: usize) -> bool {
        self.depth[to] < self.depth[from]
    }

    /// The binary logarithm of how often a block is reached, as far as that shows: eight times as often as what is around its loop.
    pub(super) fn often(&self, func: &Func, block: usize) -> i32 {
        let seldom = if func.blocks[block].is_cold { 10 } else { 0 };
        3 * i32::from(self.depth[block].min(8)) - seldom
    }
}
