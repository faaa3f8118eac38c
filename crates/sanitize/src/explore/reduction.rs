//! All schedules that can differ in effect: dynamic partial-order reduction with source sets and sleep sets ("Source Sets: A Foundation for
//! Optimal Dynamic Partial Order Reduction", Abdulla and others, 2017).
//!
//! A run is a path in a tree of choices. After each run, for every two steps of other lanes that depend on each other with
//! nothing in between, a branch is added where the earlier one stands that begins with what leads to the later one. A
//! split that was tried at a choice sleeps in the branches beside it, until a step is taken that depends on its own: what
//! it begins was covered. A run in which all splits sleep is given up.
//!
//! The processes are lanes, or warps in lockstep. From `sm_70` on, lanes that execute an instruction together may as well do so one
//! after another, with anything of others in between. That they take a step together only leaves out orders that differ
//! in nothing, as long as no order is possible that would *tear* the step: one event of it before, another after
//! something that depends on both, or on what depends on them ([`HappensBefore`]). The first run that could be reordered so
//! makes the instruction *divided*, and all begins anew: lanes take its steps alone from then on. So the last pass has no
//! such run, or only one of weak accesses, which are a data race then; that is said ([`Tree::races`]).
//!
//! Where a kernel asks which lanes are there, every set of the lanes that stand there may execute the instruction, and the
//! splits of a warp take turns in every order: which of them meet is part of the result.

use super::footprint::{STEPS, Step, Steps};
use super::order::{HappensBefore, Taken};
use super::spin::Spins;
use ir::Tells;
use lanes::LaneMask;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use vm::{ALL_DIVISIONS, Candidate, Choice, Chooser, Chosen, parts};

/// Splits of so many lanes are divided into single lanes at divided instructions; larger ones have more orders than can be
/// run.
const MOST_APART: u32 = 6;

/// The tree, as the path that was run last.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Whether the kernel can tell which lanes run together. Then splits of one warp take turns in every order: whether they meet
    /// is part of the result.
    counts_lanes: bool,
    /// Whether lanes of a warp are in lockstep.
    lockstep: bool,
    path: Vec<Node>,
    /// How much of the path the run must follow.
    follow: usize,
    /// What the run has done so far.
    steps: Rc<RefCell<Steps>>,
    given_up: bool,
    /// Who waits in vain.
    spins: Spins,
    /// All remaining lanes wait in vain: the run never ends.
    hangs: bool,
    /// Such a run is known, so that others need not be run on.
    known: bool,
    /// CTAs of the grid.
    ctas: u64,
    /// The instructions whose steps are torn.
    divided: HashSet<usize>,
    /// There is one more, and the exploration must begin anew.
    stale: bool,
    /// A branch was called for that begins with a CTA which begins only later: there is room for so many at a time.
    out_of_reach: bool,
    /// Parts of a split were called for that can be divided in more ways than are tried.
    divisible: bool,
    /// Steps of weak accesses were torn.
    races: bool,
    /// Threads came to a barrier in ways that depend on the order, and that are not all tried.
    unordered_barrier: bool,
}

/// A choice on the path.
#[derive(Debug)]
struct Node {
    options: Vec<Opt>,
    /// How many CTAs have begun. They begin in the order of their numbers.
    begun: u64,
    chosen: usize,
    /// Options that were tried here, with what they did, and those that must be.
    tried: Vec<(usize, Option<Step>)>,
    wanted: Vec<usize>,
    /// Options that need not be tried, with what they would do.
    asleep: Vec<(usize, Step)>,
}

/// What can be chosen.
#[derive(Clone, Copy, Debug)]
struct Opt {
    /// The index of the split among the candidates.
    candidate: usize,
    /// The split, or lanes of it.
    split: Candidate,
    /// Whether it can be chosen for no reason: parts that leave others behind only when they must be.
    plain: bool,
}

impl Opt {
    fn chosen(&self) -> Chosen {
        Chosen { candidate: self.candidate, lanes: self.split.lanes }
    }
}

impl Chooser for Tree {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
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
            return Some(node.options[node.chosen].chosen());
        }
        if number >= STEPS || number != self.path.len() || self.hangs {
            return Some(choice.by_default());
        }
        let options = self.options(choice.candidates);
        let in_vain = |opt: &Opt| !self.counts_lanes && self.spins.in_vain(&opt.split);
        if options.iter().all(in_vain) {
            self.hangs = true;
            return (!self.known).then_some(choice.by_default());
        }
        let asleep = self.asleep(&options);
        let awake =
            |nth: &usize| asleep.iter().all(|(other, _)| other != nth) && !in_vain(&options[*nth]);
        let steps = self.steps.borrow();
        // Of lanes that step alone, the one that has waited longest: others may wait for it.
        let waited = |nth: &usize| {
            let split = &options[*nth].split;
            let ran = |step: &Step| {
                (step.cta, step.warp) == (split.cta, split.warp)
                    && step.lanes.intersects(split.lanes)
            };
            let since = if split.is_part() { steps.iter().rposition(ran) } else { None };
            (options[*nth].candidate != choice.usual, !options[*nth].plain, since)
        };
        let Some(chosen) = (0..options.len()).filter(awake).min_by_key(waited) else {
            drop(steps);
            self.given_up = true;
            return None;
        };
        drop(steps);
        let before = self.path.last().map_or(0, |node| node.begun);
        let begun = choice.candidates.iter().map(|candidate| candidate.cta + 1);
        let taken = options[chosen].chosen();
        self.path.push(Node {
            options,
            begun: begun.fold(before, u64::max),
            chosen,
            tried: vec![(chosen, None)],
            wanted: Vec::new(),
            asleep,
        });
        Some(taken)
    }
}

impl Tree {
    /// The tree of a kernel that can or cannot tell which lanes run together, whose warps may be in lockstep, and that has
    /// so many CTAs.
    pub(super) fn new(counts_lanes: bool, lockstep: bool, ctas: u64) -> Tree {
        Tree { counts_lanes, lockstep, ctas, ..Tree::default() }
    }

    /// Whether some order of steps cannot be had, and might do something else.
    pub(super) fn out_of_reach(&self) -> bool {
        self.out_of_reach
    }

    /// Whether lanes could take turns in more ways, and might do something else.
    pub(super) fn divisible(&self) -> bool {
        self.divisible
    }

    /// Whether lanes that execute weak accesses together race with others, which could come in between.
    pub(super) fn races(&self) -> bool {
        self.races
    }

    /// Whether threads could come to a barrier in other orders, and it might let others go.
    pub(super) fn unordered_barrier(&self) -> bool {
        self.unordered_barrier
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

    /// What can be chosen at a choice.
    fn options(&mut self, candidates: &[Candidate]) -> Vec<Opt> {
        let mut options = Vec::with_capacity(candidates.len());
        for (candidate, whole) in candidates.iter().enumerate() {
            let opt = |lanes, plain| Opt { candidate, split: whole.with(lanes), plain };
            let count = whole.split.count();
            let divided = match whole.tells {
                Tells::Nothing => false,
                Tells::Access | Tells::Order => self.divided.contains(&whole.instruction()),
                Tells::Presence | Tells::Participants => true,
            };
            let by_lanes = matches!(whole.tells, Tells::Access | Tells::Order);
            if !divided || count == 1 {
                options.push(opt(whole.split, true));
                continue;
            }
            if by_lanes && count <= MOST_APART {
                options.extend(whole.split.iter().map(|lane| opt(LaneMask::single(lane), true)));
                continue;
            }
            options.push(opt(whole.split, true));
            let large = count > ALL_DIVISIONS;
            self.divisible |= large;
            // The rest of a large split is not divided again.
            let left_behind = |node: &Node| node.options[node.chosen].split.leaves(whole);
            if !(large && self.path.iter().any(left_behind)) {
                options.extend(parts(whole.split).into_iter().map(|lanes| opt(lanes, false)));
            }
        }
        options
    }

    /// Those of the options of a new choice that sleep: they slept or were tried at the choice before, and the step
    /// that was taken there does not depend on theirs.
    fn asleep(&self, options: &[Opt]) -> Vec<(usize, Step)> {
        let steps = self.steps.borrow();
        let Some((last, before)) = self.path.iter().enumerate().next_back() else {
            return Vec::new();
        };
        let Some(taken) = steps.get(last) else { return Vec::new() };
        let tried = before.tried.iter().filter(|(nth, _)| *nth != before.chosen);
        let tried = tried.filter_map(|(nth, step)| Some((*nth, step.as_ref()?)));
        let slept = before.asleep.iter().map(|(nth, step)| (*nth, step));
        let sleeps = |(nth, step): (usize, &Step)| {
            let same = |opt: &Opt| opt.split.is_still(&before.options[nth].split);
            let here = options.iter().position(same)?;
            let apart = match self.counts_lanes {
                true => !step.same_warp(taken),
                false => !step.shares_lanes(taken),
            };
            (apart && !step.depends_on(taken)).then(|| (here, step.clone()))
        };
        tried.chain(slept).filter_map(sleeps).collect()
    }

    /// Takes in the run, and says whether it was too long to be looked at whole. `stopped` tells that its last step
    /// stopped the kernel, `count` how many steps it had; `interrupted` that the exploration was cancelled.
    pub(super) fn learn(
        &mut self,
        stopped: bool,
        count: usize,
        interrupted: impl Fn() -> bool,
    ) -> bool {
        let shared = Rc::clone(&self.steps);
        let all = shared.borrow();
        let steps = &all[..all.len().min(self.path.len())];
        for (node, step) in self.path.iter_mut().zip(steps).skip(self.follow.saturating_sub(1)) {
            if let Some((_, did)) = node.tried.iter_mut().find(|(nth, _)| *nth == node.chosen) {
                *did = Some(step.clone());
            }
        }
        let mut before = HappensBefore::new(self.lockstep);
        for (at, step) in steps.iter().enumerate() {
            if interrupted() {
                return false;
            }
            let Taken { races, torn } = before.take(step);
            for earlier in torn {
                self.tear(&before, (earlier, at), steps);
            }
            if self.stale {
                return false;
            }
            self.unordered_barrier |= step.arrives_oddly;
            for earlier in races {
                let node = &mut self.path[earlier];
                self.out_of_reach |= step.cta >= node.begun;
                // All orders of the steps of the warp are tried.
                if !(self.counts_lanes && step.same_warp(&steps[earlier])) {
                    let first = before.first_after(earlier, at);
                    node.want(first.into_iter().map(|nth| &steps[nth]));
                }
            }
        }
        if self.counts_lanes {
            for (node, step) in self.path.iter_mut().zip(steps) {
                node.want_all_of(step);
            }
        }
        if let (true, Some(last)) = (stopped && !self.hangs, self.path.last_mut()) {
            // Everything else could have been done first.
            last.wanted.extend(0..last.options.len());
            self.out_of_reach |= last.begun < self.ctas;
        }
        count > STEPS && !self.hangs
    }

    /// Divides an instruction of one of the steps that must be torn for two of them, or events of one, to be swapped.
    fn tear(&mut self, order: &HappensBefore, (earlier, at): (usize, usize), steps: &[Step]) {
        let ends = [earlier, at].into_iter().chain(order.between(earlier, at));
        let several: Vec<usize> = ends.filter(|nth| steps[*nth].lanes.count() > 1).collect();
        let told = |nth: &&usize| matches!(steps[**nth].split.tells, Tells::Access | Tells::Order);
        let is_new = |nth: &&usize| !self.divided.contains(&steps[**nth].split.instruction());
        if let Some(nth) = several.iter().filter(told).find(is_new) {
            self.divided.insert(steps[*nth].split.instruction());
            self.stale = true;
            return;
        }
        // What is divided and still has several lanes has too many.
        for nth in several.iter().filter(told) {
            self.divisible = true;
            self.path[*nth].want_parts();
        }
        let arrives = |nth: &usize| steps[*nth].arrives();
        match several.iter().any(arrives) {
            true => self.unordered_barrier = true,
            false => self.races |= !several.iter().any(|nth| told(&nth)),
        }
    }

    /// Prepares the next run; `false` when there is none. If an instruction is divided that was not, everything begins
    /// anew.
    pub(super) fn next(&mut self) -> bool {
        if self.is_stale() {
            let Tree { counts_lanes, lockstep, ctas, .. } = *self;
            let divided = std::mem::take(&mut self.divided);
            *self = Tree { divided, ..Tree::new(counts_lanes, lockstep, ctas) };
            return true;
        }
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

    /// Whether the next run begins anew.
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }
}

impl Node {
    /// Asks for a branch that begins with one of these steps, any of them; if none can be taken here, for all branches.
    fn want<'s>(&mut self, steps: impl Iterator<Item = &'s Step>) {
        let same =
            |step: &Step| self.options.iter().position(|opt| opt.split.is_still(&step.split));
        let first: Vec<usize> = steps.filter_map(same).collect();
        let begun = |nth: &usize| {
            self.wanted.contains(nth)
                || self.tried.iter().any(|(tried, _)| tried == nth)
                || self.asleep.iter().any(|(asleep, _)| asleep == nth)
        };
        match first.first() {
            Some(_) if first.iter().any(begun) => {}
            Some(nth) => self.wanted.push(*nth),
            None => self.wanted.extend(self.plain()),
        }
    }

    /// Asks for branches that begin with any lanes of a step's warp.
    fn want_all_of(&mut self, step: &Step) {
        let near = |opt: &Opt| (opt.split.cta, opt.split.warp) == (step.cta, step.warp);
        let numbered = self.options.iter().enumerate();
        self.wanted.extend(numbered.filter(|(_, opt)| near(opt)).map(|(nth, _)| nth));
        self.wanted.sort_unstable();
        self.wanted.dedup();
    }

    /// Asks for branches in which parts of the split that was chosen go first.
    fn want_parts(&mut self) {
        let chosen = self.options[self.chosen].split;
        let is_part = |opt: &Opt| {
            let split = &opt.split;
            split.is_part()
                && split.split == chosen.split
                && split.at_same_place(&chosen)
                && (split.cta, split.warp) == (chosen.cta, chosen.warp)
        };
        let numbered = self.options.iter().enumerate();
        self.wanted.extend(numbered.filter(|(_, opt)| is_part(opt)).map(|(nth, _)| nth));
    }

    /// The options that can be chosen for no reason.
    fn plain(&self) -> Vec<usize> {
        (0..self.options.len()).filter(|nth| self.options[*nth].plain).collect()
    }
}
