//! Every schedule that matters: dynamic partial-order reduction with source sets and sleep sets ("Source Sets: A Foundation for
//! Optimal Dynamic Partial Order Reduction", Abdulla and others, 2017).
//!
//! A run is a path in a tree of choices. After each run, for every two steps of other lanes that depend on each other with
//! nothing in between, a branch is added where the earlier one stands that begins with what leads to the later one. A
//! split that was tried at a choice sleeps in the branches beside it, until a step is taken that depends on its own: what
//! it begins was covered. A run in which all splits sleep is given up. Lanes play the part of processes.
//!
//! Splits that meet go on together, which no order of steps expresses. Where it can be noticed, the splits of a warp
//! take turns in every order.
//!
//! Lanes that do something together could do it one after another. Where it can be noticed, parts of a split go ahead of
//! the rest: at `activemask`, and at an atomic that two of the lanes, or another's step, can be swapped with.

use super::footprint::{STEPS, Step, Steps};
use super::order::{HappensBefore, Race};
use super::spin::Spins;
use lanes::LaneMask;
use std::cell::RefCell;
use std::rc::Rc;
use vm::{ALL_DIVISIONS, Candidate, Choice, Chooser};

/// The tree, as the path that was run last.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Whether the kernel can tell which lanes run together, or in which order they do what they do together. Then splits
    /// of one warp take turns in every order: whether they meet is part of the result.
    counts_lanes: bool,
    path: Vec<Node>,
    /// How much of the path the run must follow.
    follow: usize,
    /// What the run has done so far.
    steps: Rc<RefCell<Steps>>,
    given_up: bool,
    /// Who waits in vain.
    spins: Spins,
    /// Everybody who is left waits in vain: the run never ends.
    hangs: bool,
    /// Such a run is known, so that others need not be run on.
    known: bool,
    /// CTAs of the grid.
    ctas: u64,
    /// A branch was called for that begins with a CTA which begins only later: there is room for so many at a time.
    out_of_reach: bool,
    /// Parts of a split were called for that can be divided in more ways than are tried.
    divisible: bool,
}

/// A choice on the path.
#[derive(Debug)]
struct Node {
    candidates: Vec<Candidate>,
    /// How many CTAs have begun. They begin in the order of their numbers.
    begun: u64,
    chosen: usize,
    /// Candidates that were tried here, with what they did, and those that must be.
    tried: Vec<(usize, Option<Step>)>,
    wanted: Vec<usize>,
    /// Candidates that need not be tried, with what they would do.
    asleep: Vec<(usize, Step)>,
}

impl Chooser for Tree {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<usize> {
        let number = choice.number as usize;
        if !self.hangs && number <= self.path.len() {
            let steps = self.steps.borrow();
            self.spins.take(&steps[..number.min(steps.len())]);
        }
        if !self.counts_lanes && self.spins.redundant() && number >= self.follow {
            self.given_up = true;
            return None;
        }
        if let Some(node) = self.path.get(number).filter(|_| number < self.follow) {
            return Some(node.chosen);
        }
        if number >= STEPS || number != self.path.len() || self.hangs {
            return Some(choice.usual);
        }
        let in_vain = |split: &Candidate| !self.counts_lanes && self.spins.in_vain(split);
        if choice.candidates.iter().all(in_vain) {
            self.hangs = true;
            return (!self.known).then_some(choice.usual);
        }
        let asleep = self.asleep(choice.candidates);
        let awake = |nth: &usize| {
            asleep.iter().all(|(other, _)| other != nth) && !in_vain(&choice.candidates[*nth])
        };
        let chosen = match awake(&choice.usual) {
            true => Some(choice.usual),
            false => wholes(choice.candidates).find(awake),
        };
        let Some(chosen) = chosen else {
            self.given_up = true;
            return None;
        };
        let before = self.path.last().map_or(0, |node| node.begun);
        let begun = choice.candidates.iter().map(|candidate| candidate.cta + 1);
        self.path.push(Node {
            candidates: choice.candidates.to_vec(),
            begun: begun.fold(before, u64::max),
            chosen,
            tried: vec![(chosen, None)],
            wanted: Vec::new(),
            asleep,
        });
        Some(chosen)
    }
}

impl Tree {
    /// The tree of a kernel that can or cannot tell which lanes run together, and has so many CTAs.
    pub(super) fn new(counts_lanes: bool, ctas: u64) -> Tree {
        Tree { counts_lanes, ctas, ..Tree::default() }
    }

    /// Whether some order of steps cannot be had, and might do something else.
    pub(super) fn out_of_reach(&self) -> bool {
        self.out_of_reach
    }

    /// Whether lanes could take turns in more ways, and might do something else.
    pub(super) fn divisible(&self) -> bool {
        self.divisible
    }

    /// Begins a run, whose steps will be in `steps`. It is ended where it hangs if such a run is `known`.
    pub(super) fn begin(&mut self, steps: Rc<RefCell<Steps>>, known: bool) {
        self.path.truncate(self.follow);
        self.steps = steps;
        self.given_up = false;
        self.hangs = false;
        self.known = known;
        self.spins.begin();
    }

    /// Whether the run was given up, because other runs have covered it.
    pub(super) fn given_up(&self) -> bool {
        self.given_up
    }

    /// Whether all that were left waited in vain.
    pub(super) fn hangs(&self) -> bool {
        self.hangs
    }

    /// Those of the candidates of a new choice that sleep: they slept or were tried at the choice before, and the step
    /// that was taken there does not depend on theirs.
    fn asleep(&self, candidates: &[Candidate]) -> Vec<(usize, Step)> {
        let steps = self.steps.borrow();
        let Some((last, before)) = self.path.iter().enumerate().next_back() else {
            return Vec::new();
        };
        let Some(taken) = steps.get(last) else { return Vec::new() };
        let tried = before.tried.iter().filter(|(nth, _)| *nth != before.chosen);
        let tried = tried.filter_map(|(nth, step)| Some((*nth, step.as_ref()?)));
        let slept = before.asleep.iter().map(|(nth, step)| (*nth, step));
        let sleeps = |(nth, step): (usize, &Step)| {
            let same = |candidate: &Candidate| candidate.is_still(&before.candidates[nth]);
            let here = candidates.iter().position(same)?;
            let apart = match self.counts_lanes {
                true => !step.same_warp(taken),
                false => !step.shares_lanes(taken),
            };
            (apart && !step.depends_on(taken)).then(|| (here, step.clone()))
        };
        tried.chain(slept).filter_map(sleeps).collect()
    }

    /// Takes in the run, and says whether it was too long to be looked at whole. `stopped` tells that its last step
    /// stopped the kernel, `count` how many steps it had.
    pub(super) fn learn(&mut self, stopped: bool, count: usize) -> bool {
        let shared = Rc::clone(&self.steps);
        let all = shared.borrow();
        let steps = &all[..all.len().min(self.path.len())];
        for (node, step) in self.path.iter_mut().zip(steps).skip(self.follow.saturating_sub(1)) {
            if let Some((_, did)) = node.tried.iter_mut().find(|(nth, _)| *nth == node.chosen) {
                *did = Some(step.clone());
            }
        }
        let mut before = HappensBefore::default();
        for (at, step) in steps.iter().enumerate() {
            for Race { earlier, part } in before.take(at, steps) {
                self.want_parts(earlier);
                let node = &mut self.path[earlier];
                self.out_of_reach |= step.cta >= node.begun;
                let may_meet = self.counts_lanes && step.same_warp(&steps[earlier]);
                match before.first_after(earlier, at).filter(|_| !may_meet) {
                    Some(first) => node.want(first.into_iter().map(|nth| &steps[nth])),
                    None => node.want_all_of(step, part),
                }
            }
            self.counts_lanes |= before.parts_clash(step);
            if step.tells_lanes_apart() {
                self.want_parts(at);
            }
        }
        if self.counts_lanes {
            for (node, step) in self.path.iter_mut().zip(steps) {
                node.want_all_of(step, LaneMask::FULL);
            }
        }
        if let (true, Some(last)) = (stopped && !self.hangs, self.path.last_mut()) {
            // Everything else could have been done first.
            last.wanted.extend(wholes(&last.candidates));
            self.out_of_reach |= last.begun < self.ctas;
        }
        count > STEPS && !self.hangs
    }

    /// Asks for branches in which parts of the split that was chosen at a node go first. The rest of a large split is not
    /// divided again.
    fn want_parts(&mut self, at: usize) {
        let (before, node) = self.path.split_at_mut(at);
        let Some(node) = node.first_mut() else { return };
        let chosen = node.candidates[node.chosen];
        let part = |split: &Candidate| split.is_part() && split.is_of(&chosen);
        let numbered = node.candidates.iter().enumerate();
        let parts: Vec<usize> =
            numbered.filter(|(_, split)| part(split)).map(|(nth, _)| nth).collect();
        let large = chosen.split.count() > ALL_DIVISIONS;
        let left_behind = |node: &Node| node.candidates[node.chosen].leaves(&chosen);
        self.divisible |= large && !parts.is_empty();
        if !(large && before.iter().any(left_behind)) {
            node.wanted.extend(parts);
        }
    }

    /// Prepares the next run; `false` when there is none.
    pub(super) fn next(&mut self) -> bool {
        while let Some(node) = self.path.last_mut() {
            let known = |nth: usize| {
                node.tried.iter().any(|(tried, _)| *tried == nth)
                    || node.asleep.iter().any(|(asleep, _)| *asleep == nth)
            };
            let untried = node.wanted.iter().copied().find(|nth| !known(*nth));
            if let Some(nth) = untried {
                node.tried.push((nth, None));
                node.chosen = nth;
                self.follow = self.path.len();
                return true;
            }
            self.path.pop();
        }
        false
    }
}

impl Node {
    /// Asks for a branch that begins with one of these steps, any of them.
    fn want<'s>(&mut self, steps: impl Iterator<Item = &'s Step>) {
        let mut first = Vec::new();
        for step in steps {
            let same = |candidate: &Candidate| step.is_by(candidate);
            match self.candidates.iter().position(same) {
                Some(nth) => first.push(nth),
                // Its lanes stand otherwise here.
                None => return self.want_all_of(step, step.lanes),
            }
        }
        let begun = |nth: &usize| {
            self.wanted.contains(nth)
                || self.tried.iter().any(|(tried, _)| tried == nth)
                || self.asleep.iter().any(|(asleep, _)| asleep == nth)
        };
        if !first.iter().any(begun) {
            self.wanted.extend(first.first());
        }
    }

    /// Asks for branches in which lanes of a later step go first here; if they cannot, for all branches.
    fn want_all_of(&mut self, step: &Step, part: LaneMask) {
        let before = self.wanted.len();
        let near = |nth: &usize| step.is_near(&self.candidates[*nth], part);
        self.wanted.extend(wholes(&self.candidates).filter(near));
        if self.wanted.len() == before {
            self.wanted.extend(wholes(&self.candidates));
        }
        self.wanted.sort_unstable();
        self.wanted.dedup();
    }
}

/// The candidates that are whole splits.
fn wholes(candidates: &[Candidate]) -> impl Iterator<Item = usize> + '_ {
    (0..candidates.len()).filter(|nth| !candidates[*nth].is_part())
}
