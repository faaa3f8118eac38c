//! An order of blocks.

use super::Func;
use regalloc2::{Block, Function};

/// The blocks, each behind all that lead to it, but for ways back.
pub(crate) fn reverse_postorder(func: &Func) -> Vec<usize> {
    let count = func.num_blocks();
    let mut seen = vec![false; count];
    let mut blocks = Vec::with_capacity(count);
    let mut open: Vec<(usize, usize)> = Vec::new();
    // What nothing leads to comes last here, and first in the end.
    for start in 0..count {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        open.push((start, 0));
        while let Some((block, nth)) = open.last_mut() {
            let succs = func.block_succs(Block::new(*block));
            match succs.get(*nth).map(|to| to.index()) {
                Some(to) => {
                    *nth += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        open.push((to, 0));
                    }
                }
                None => {
                    blocks.push(*block);
                    open.pop();
                }
            }
        }
    }
    blocks.reverse();
    blocks
}
