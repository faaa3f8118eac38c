//! Control dependence: the blocks between a branch and its immediate post-dominator.
//!
//! That is everything that depends on the branch directly, by the tree of post-dominators, or through other
//! branches that do (Podgurski and Clarke 1990). Blocks are marked once, whatever the number of branches that decide about them.

use super::flow::Flow;
use crate::Kernel;
use fixedbitset::FixedBitSet;

/// Control flow of a kernel, as to which branches decide about which blocks.
#[derive(Clone, Debug)]
pub struct Regions {
    flow: Flow,
}

/// Blocks that marked branches decide about.
#[derive(Clone, Debug)]
pub struct Marked {
    marked: FixedBitSet,
    /// Blocks whose branches have been followed.
    done: FixedBitSet,
    /// Per block, itself or a block above it in the tree below which all are marked.
    up: Vec<u32>,
}

impl Regions {
    /// That of a kernel.
    pub fn of(kernel: &Kernel) -> Regions {
        Regions { flow: Flow::of(kernel) }
    }

    fn end(&self) -> usize {
        self.flow.blocks()
    }

    /// Whether a branch decides whether it is executed again, if so many blocks are enough to tell: `None` if they are not. They
    /// are taken off.
    pub fn comes_back(&self, branch: usize, patience: &mut usize) -> Option<bool> {
        let join = self.flow.after().immediate(branch);
        if join.is_none() {
            return Some(self.flow.forward.successors(branch).any(|to| to == branch));
        }
        let mut seen = foldhash::HashSet::default();
        let mut left: Vec<usize> = self.flow.forward.successors(branch).collect();
        while let Some(at) = left.pop() {
            if at == branch {
                return Some(true);
            }
            if Some(at) != join && seen.insert(at) {
                *patience = patience.checked_sub(1)?;
                left.extend(self.flow.forward.successors(at));
            }
        }
        Some(false)
    }
}

impl Marked {
    /// None yet.
    pub fn new(regions: &Regions) -> Marked {
        let count = regions.end();
        Marked {
            marked: FixedBitSet::with_capacity(count),
            done: FixedBitSet::with_capacity(count),
            up: (0..=count as u32).collect(),
        }
    }

    /// Whether a marked branch decides about a block.
    pub fn contains(&self, block: usize) -> bool {
        self.marked.contains(block)
    }

    /// Marks the blocks that the branch at the end of a block decides about, and returns those that were not.
    pub fn mark(&mut self, regions: &Regions, branch: usize) -> Vec<usize> {
        let mut new = Vec::new();
        if !regions.flow.after().reaches(branch) {
            // Nothing follows all its ways: there is no end to them.
            if regions.flow.forward.successors(branch).any(|to| to == branch) {
                self.add(branch, &mut new);
            }
            return new;
        }
        let mut left = vec![branch];
        while let Some(at) = left.pop() {
            if !self.done.put(at) {
                self.expand(regions, at, &mut new, &mut left);
            }
        }
        new
    }

    fn add(&mut self, block: usize, new: &mut Vec<usize>) {
        if !self.marked.put(block) {
            new.push(block);
        }
    }

    /// Marks what depends on a branch directly, and what follows a block from which no way leads to the end.
    fn expand(
        &mut self,
        regions: &Regions,
        block: usize,
        new: &mut Vec<usize>,
        left: &mut Vec<usize>,
    ) {
        let join = regions.flow.after().immediate(block);
        for to in regions.flow.forward.successors(block) {
            if !regions.flow.after().reaches(to) {
                self.add(to, new);
                left.push(to);
                continue;
            }
            let Some(join) = join else { continue };
            let mut at = self.unmarked(to);
            while at != join && regions.flow.after().dominates(join, at) {
                self.add(at, new);
                left.push(at);
                let above = regions.flow.after().immediate(at).unwrap_or(regions.end());
                self.up[at] = above as u32;
                at = self.unmarked(above);
            }
        }
    }

    /// The first block from one upwards in the tree that is not marked through it.
    fn unmarked(&mut self, block: usize) -> usize {
        let mut top = block;
        while self.up[top] as usize != top {
            top = self.up[top] as usize;
        }
        let mut at = block;
        while self.up[at] as usize != at {
            at = std::mem::replace(&mut self.up[at], top as u32) as usize;
        }
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Class, Terminator, WarpRules};

    /// A kernel with these ways out of its blocks, of which none is dropped.
    fn kernel(ways: &[Vec<usize>]) -> Kernel {
        let mut b = Builder::new("k", WarpRules::Independent);
        let p = b.reg(Class::Pred);
        let mut kernel = b.finish();
        let block = kernel.blocks[0].clone();
        let to = |block: usize| crate::BlockId(block as u32);
        kernel.blocks = ways
            .iter()
            .map(|ways| {
                let terminator = match ways[..] {
                    [then, otherwise] => {
                        Terminator::Branch { p: p.into(), then: to(then), otherwise: to(otherwise) }
                    }
                    [next] => Terminator::Jump(to(next)),
                    _ => Terminator::Exit,
                };
                crate::Block { terminator, ..block.clone() }
            })
            .collect();
        kernel
    }

    /// By the definition: what the branch leads to without what all its ways to the end go through.
    fn decided(ways: &[Vec<usize>], branch: usize) -> Vec<bool> {
        let walk = |from: &[usize], without: &dyn Fn(usize) -> bool| {
            let mut seen = vec![false; ways.len()];
            let mut left = from.to_vec();
            while let Some(at) = left.pop() {
                if !without(at) && !std::mem::replace(&mut seen[at], true) {
                    left.extend(&ways[at]);
                }
            }
            seen
        };
        let ends = |seen: &[bool]| (0..ways.len()).any(|at| seen[at] && ways[at].is_empty());
        let follows = |at: usize| !ends(&walk(&[branch], &|other| other == at));
        walk(&ways[branch], &|at| at != branch && follows(at))
    }

    #[test]
    fn regions_are_those_of_the_definition() {
        let mut state = 3u64;
        let mut number = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for _ in 0..3000 {
            let count = 1 + number(9);
            let mut ways: Vec<Vec<usize>> = Vec::new();
            for _ in 0..count {
                ways.push((0..number(6).min(2)).map(|_| number(count)).collect());
            }
            let regions = Regions::of(&kernel(&ways));
            let mut all = Marked::new(&regions);
            let mut expected = vec![false; count];
            for branch in (0..count).filter(|branch| ways[*branch].len() == 2) {
                let theirs = decided(&ways, branch);
                let one: Vec<_> = {
                    let mut marked = Marked::new(&regions);
                    marked.mark(&regions, branch);
                    (0..count).map(|block| marked.contains(block)).collect()
                };
                assert_eq!(one, theirs, "{ways:?} {branch}");
                let comes_back = regions.comes_back(branch, &mut usize::MAX.clone());
                assert_eq!(comes_back, Some(theirs[branch]), "{ways:?} {branch}");
                all.mark(&regions, branch);
                expected.iter_mut().zip(theirs).for_each(|(all, theirs)| *all |= theirs);
                let all: Vec<_> = (0..count).map(|block| all.contains(block)).collect();
                assert_eq!(all, expected, "{ways:?} {branch}");
            }
        }
    }

    #[test]
    fn every_branch_of_a_long_ladder_is_marked_at_once() {
        // Each branch decides about all that follow: their regions together are quadratic.
        let count = 200_000;
        let ways: Vec<_> = (0..count)
            .map(|at| if at + 1 == count { Vec::new() } else { vec![at + 1, count - 1] })
            .collect();
        let regions = Regions::of(&kernel(&ways));
        let mut marked = Marked::new(&regions);
        let new: usize = (0..count - 1).map(|at| marked.mark(&regions, at).len()).sum();
        assert_eq!(new, count - 2);
    }
}
