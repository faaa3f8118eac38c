//! Which collectives may complete together with others: lanes of a membermask may stand at different
//! instructions of one kind, in the arms of a branch.

use super::wanted;
use ir::analysis::{Dominators, Graph};
use ir::{CollectiveKind, Kernel, Op, Src};
use std::collections::{HashMap, HashSet};

/// Blocks with collectives of one kind that are looked at pair by pair. With more, all may meet.
const MOST_BLOCKS: usize = 512;

/// The blocks and positions of the collectives that lanes may complete from different instructions. `constant` is the
/// value of an operand that has one value throughout.
pub(super) fn elsewhere(
    kernel: &Kernel,
    constant: &dyn Fn(Src) -> Option<u32>,
) -> HashSet<(usize, usize)> {
    let mut kinds: HashMap<CollectiveKind, Vec<(usize, usize, Option<u32>)>> = HashMap::new();
    for (block, code) in kernel.blocks.iter().enumerate() {
        for (nth, inst) in code.insts.iter().enumerate() {
            if let Op::Collective { what, .. } = &inst.op
                && let Some(members) = wanted::members(&inst.op)
                && !what.only_waits()
            {
                let sites = kinds.entry(what.kind()).or_default();
                sites.push((block, nth, constant(members)));
            }
        }
    }
    kinds.retain(|_, sites| sites.iter().any(|site| site.0 != sites[0].0));
    if kinds.is_empty() {
        return HashSet::new();
    }
    let dominators = Dominators::new(&Graph::of_blocks(kernel), 0);
    let mut found = HashSet::new();
    for sites in kinds.values() {
        // Collectives of one block complete one after the other.
        let mut blocks: Vec<(usize, Option<u32>)> =
            sites.iter().map(|(block, _, mask)| (*block, *mask)).collect();
        blocks.dedup();
        let crowded = blocks.len() > MOST_BLOCKS;
        let meets = |(a, mask): (usize, Option<u32>)| {
            crowded
                || blocks.iter().any(|(b, other)| {
                    let same = mask.is_none() || other.is_none() || mask == *other;
                    same && !dominators.dominates(a, *b) && !dominators.dominates(*b, a)
                })
        };
        let together: HashSet<(usize, Option<u32>)> =
            blocks.iter().copied().filter(|site| meets(*site)).collect();
        let meeting = sites.iter().filter(|(block, _, mask)| together.contains(&(*block, *mask)));
        found.extend(meeting.map(|(block, nth, _)| (*block, *nth)));
    }
    found
}
