//! A decision tree over the fixed bits of opcodes.

use crate::bits::Bits;
use std::collections::HashMap;

/// Chooses opcodes by bits that are fixed in all that are still possible.
#[derive(Clone, Debug)]
pub(crate) enum DecodeTree {
    /// Look at these bits and go on with the branch for their value.
    Branch { mask: u128, branches: HashMap<u128, DecodeTree> },
    /// Opcodes that no further common bit tells apart.
    Leaf(Vec<usize>),
}

impl DecodeTree {
    /// The tree for opcodes with these fixed bits; `None` for one that has a number left open, which no word
    /// is. Every opcode stands in one leaf, so the tree is never larger than the list of opcodes.
    pub(crate) fn build(fixed: impl IntoIterator<Item = Option<Bits>>) -> Self {
        let numbered = fixed.into_iter().enumerate();
        let known = numbered.filter_map(|(index, bits)| bits.map(|bits| (index, bits)));
        Self::split(known.collect(), 0)
    }

    fn split(candidates: Vec<(usize, Bits)>, used: u128) -> Self {
        let common = candidates.iter().fold(u128::MAX, |mask, (_, bits)| mask & bits.mask) & !used;
        if candidates.is_empty() || common == 0 {
            return DecodeTree::Leaf(candidates.into_iter().map(|(index, _)| index).collect());
        }
        let mut groups: HashMap<u128, Vec<(usize, Bits)>> = HashMap::new();
        for (index, bits) in candidates {
            groups.entry(bits.value & common).or_default().push((index, bits));
        }
        let branches = groups
            .into_iter()
            .map(|(value, group)| (value, Self::split(group, used | common)))
            .collect();
        DecodeTree::Branch { mask: common, branches }
    }

    /// The opcodes that a word may be, as indices.
    pub(crate) fn candidates(&self, word: u128) -> &[usize] {
        let mut tree = self;
        loop {
            match tree {
                DecodeTree::Leaf(candidates) => return candidates,
                DecodeTree::Branch { mask, branches } => match branches.get(&(word & mask)) {
                    Some(next) => tree = next,
                    None => return &[],
                },
            }
        }
    }
}
