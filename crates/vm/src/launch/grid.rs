//! The clusters of a launch, and those who run them. In most launches each CTA is a cluster of its own.

use super::common::Common;
use super::outcome::Outcome;
use super::resident::Resident;
use crate::cta::{Limits, Turn};
use crate::fault::{Fault, FaultKind};
use crate::observer::Observer;
use crate::plan::Pc;
use crate::pool::Others;
use crate::stats::Stats;
use std::cell::Cell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Turns that every cluster that has begun takes in vain before as many more begin. So a barrier of the whole grid costs turns in
/// proportion to its clusters, and a lock that is held for a while does not fill the host's memory with clusters.
const ROUNDS: usize = 8;

/// Once a cluster has failed beside others: turns that those before it may take in vain, and how long they may go on.
const VAIN: u32 = 64;
const LONG_AGO: Duration = Duration::from_secs(5);
/// CTAs of a grid from which on not every one that is done is told.
const MANY_CTAS: u64 = 4096;
/// So many are told at once there.
const TOLD_CTAS: u64 = 64;

/// Clusters that a worker takes at once, at most: workers do not ask for each what the others have written to, and code may go on
/// from one to the next.
const BATCH: u64 = 64;
/// The clusters of a grid are taken this many times, at least, so that workers are done at about the same time.
const BATCHES: u64 = 256;

/// What the workers of a launch share.
pub(crate) struct Grid<'l> {
    pub(crate) common: &'l Common<'l>,
    /// The next cluster that nobody has taken.
    next: AtomicU64,
    /// How many a worker takes at once: one, when any has waited for another.
    batch: AtomicU64,
    /// CTAs that are done.
    done: AtomicU64,
    pub(crate) steps: AtomicU64,
    /// Whether one worker runs all clusters.
    is_alone: bool,
    /// Every CTA is to stop at once.
    stopped: AtomicBool,
    /// The lowest cluster that has failed beside others: those behind it stop, and those before it may fail, too.
    failed: AtomicU64,
    /// When the first one failed.
    failed_at: OnceLock<Instant>,
    outcome: Mutex<Outcome>,
}

impl<'l> Grid<'l> {
    /// A grid of which no cluster has begun. One worker runs all if it is alone.
    pub(super) fn new(common: &'l Common<'l>, is_alone: bool) -> Grid<'l> {
        Grid {
            common,
            next: AtomicU64::new(0),
            batch: AtomicU64::new(if is_alone {
                BATCH
            } else {
                (common.ctas / BATCHES).clamp(1, BATCH)
            }),
            done: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            is_alone,
            stopped: AtomicBool::new(false),
            failed: AtomicU64::new(u64::MAX),
            failed_at: OnceLock::new(),
            outcome: Mutex::new(Outcome::default()),
        }
    }

    /// How the launch ended, after all workers have.
    pub(super) fn finish(self) -> Outcome {
        let failed = self.failed.into_inner();
        let outcome = self.outcome.into_inner();
        let mut outcome = outcome.unwrap_or_else(std::sync::PoisonError::into_inner);
        if !self.is_alone {
            outcome.forget_chance(failed, self.common.cluster);
        }
        outcome
    }
}

impl Grid<'_> {
    /// What ends turns of its CTAs, and the launch.
    pub(crate) fn limits<'l>(&'l self, stop: &'l dyn Fn() -> bool) -> Limits<'l> {
        let launch = self.common.launch;
        let (turn, max_steps) = (launch.turn.into(), launch.max_steps);
        Limits { turn, max_steps, steps: &self.steps, stop }
    }

    /// Runs clusters until none is left. A cluster that yields waits in a queue while later ones run. From a time on, others are
    /// called to help.
    pub(super) fn work<O: Observer>(
        &self,
        observer: &mut O,
        others: Option<(&Others<'_>, Instant)>,
    ) {
        let current = Cell::new(0);
        let call = || {
            if let Some((others, from)) = others
                && !others.are_called()
                && Instant::now() >= from
            {
                others.call();
            }
        };
        let stop = || {
            call();
            self.stopped.load(Ordering::Relaxed)
                || self.gives_up(current.get())
                || (self.common.launch.interrupted)()
        };
        let limits = self.limits(&stop);
        let mut stats = Stats::default();
        let mut spare: Vec<Resident<'_>> = Vec::new();
        let mut waiting: VecDeque<Resident<'_>> = VecDeque::new();
        // Clusters that were taken and not begun, and CTAs that are done and not counted.
        let (mut taken, mut uncounted) = (0..0, 0);
        // Turns that ended without finishing a cluster since the last one that was begun or finished.
        let mut stuck = 0;
        // Clusters that are to begin, because nobody gets done without more of them.
        let mut wanted = 0;
        // Those that ended so after another one had failed.
        let mut in_vain = 0;
        while !self.stopped.load(Ordering::Relaxed) {
            if stuck >= ROUNDS * waiting.len() {
                wanted = waiting.len();
            }
            let begin = waiting.is_empty() || wanted > 0 || self.common.launch.cooperative;
            let new = begin.then(|| self.take(&mut taken));
            let last = self.common.clusters().min(self.failed.load(Ordering::Relaxed));
            let mut resident = match new.filter(|number| *number < last) {
                Some(number) => {
                    call();
                    if (self.common.launch.interrupted)() {
                        self.fault_outside(number);
                        break;
                    }
                    stuck = 0;
                    wanted = wanted.saturating_sub(1);
                    let mut resident = spare.pop().unwrap_or_else(|| Resident::new(self.common));
                    resident.start(self.common, number, observer);
                    resident
                }
                None => match waiting.pop_front() {
                    Some(resident) => resident,
                    None => break,
                },
            };
            let number = resident.number();
            current.set(number);
            if in_vain > VAIN || self.gives_up(number) {
                self.take_printed(&mut resident);
                continue;
            }
            let next = taken.start;
            if !O::OBSERVES && self.common.launch.max_steps.is_none() {
                resident.may_go_on(next..taken.end.min(last));
            }
            let turn = resident.run(&limits, observer);
            let more = resident.went_on();
            taken.start = (next + more).min(taken.end);
            let number = resident.number();
            stuck = match turn {
                Turn::Yielded | Turn::AtCluster => stuck.saturating_add(1),
                Turn::Stuck => usize::MAX,
                Turn::Done | Turn::Fault(_) => 0,
            };
            match turn {
                Turn::Yielded | Turn::AtCluster | Turn::Stuck => {
                    self.batch.store(1, Ordering::Relaxed);
                    // Perhaps it waits for the one that has failed.
                    in_vain += u32::from(self.failed.load(Ordering::Relaxed) != u64::MAX);
                    waiting.push_back(resident);
                }
                Turn::Done => {
                    wanted = 0;
                    self.take_printed(&mut resident);
                    resident.add_stats(&mut stats);
                    let ctas = more + self.common.cluster;
                    stats.ctas += ctas;
                    stats.threads += ctas * u64::from(self.common.threads);
                    spare.push(resident);
                    uncounted += ctas;
                    // Of few CTAs each may take long.
                    if uncounted >= TOLD_CTAS || self.common.ctas < MANY_CTAS {
                        let done = self.done.fetch_add(uncounted, Ordering::Relaxed) + uncounted;
                        uncounted = 0;
                        (self.common.launch.progress)(done);
                    }
                }
                Turn::Fault(fault) => {
                    self.take_printed(&mut resident);
                    if self.is_alone {
                        resident.add_stats(&mut stats);
                        self.report(*fault);
                    } else {
                        let mut of_cluster = Stats::default();
                        resident.add_stats(&mut of_cluster);
                        self.fail(number, *fault, &of_cluster);
                    }
                }
            }
        }
        waiting.iter_mut().for_each(|resident| self.take_printed(resident));
        self.add_stats(&stats);
        let storage = spare.into_iter().flat_map(|resident| resident.into_storage());
        storage.for_each(|storage| self.common.made.keep(storage));
    }

    /// The next cluster to begin.
    fn take(&self, taken: &mut Range<u64>) -> u64 {
        if taken.is_empty() {
            let batch = self.batch.load(Ordering::Relaxed);
            let first = self.next.fetch_add(batch, Ordering::Relaxed);
            *taken = first..first + batch;
        }
        taken.start += 1;
        taken.start - 1
    }

    /// Whether a cluster need not go on, because one before it has failed, or because one has failed long ago.
    fn gives_up(&self, number: u64) -> bool {
        let failed = self.failed.load(Ordering::Relaxed);
        failed != u64::MAX
            && (number > failed || self.failed_at.get().is_some_and(|at| at.elapsed() > LONG_AGO))
    }

    /// A cluster has failed beside others. Those before it go on for a while: which fault is told must not depend on the pace of the
    /// host's threads.
    fn fail(&self, number: u64, fault: Fault, stats: &Stats) {
        if fault.kind == FaultKind::Interrupted && self.gives_up(number) {
            return;
        }
        if fault.is_limit() {
            return self.report(fault);
        }
        let _ = self.failed_at.set(Instant::now());
        self.failed.fetch_min(number, Ordering::Relaxed);
        let Ok(mut outcome) = self.outcome.lock() else { return };
        if outcome.fault.as_ref().is_none_or(|known| self.rank(&fault) < self.rank(known)) {
            outcome.fault = Some(fault);
            outcome.stats = *stats;
        }
    }

    /// Takes what the CTAs of a cluster have printed and launched.
    pub(crate) fn take_printed(&self, resident: &mut Resident<'_>) {
        for cta in resident.ctas_mut() {
            let frame = &mut cta.frame;
            if !frame.printed.is_empty()
                && let Ok(mut outcome) = self.outcome.lock()
            {
                outcome.printed.take(frame.specials.cta_number, &mut frame.printed);
            }
            if !frame.launches.is_empty()
                && let Ok(mut outcome) = self.outcome.lock()
            {
                outcome.launched.take(frame.specials.cta_number, &mut frame.launches);
            }
        }
    }

    pub(crate) fn add_stats(&self, stats: &Stats) {
        let beside_others = self.failed.load(Ordering::Relaxed) != u64::MAX;
        if let Ok(mut outcome) = self.outcome.lock()
            && !beside_others
        {
            outcome.stats.add(stats);
        }
    }

    pub(crate) fn report(&self, fault: Fault) {
        self.stopped.store(true, Ordering::Relaxed);
        let Ok(mut outcome) = self.outcome.lock() else { return };
        if outcome.fault.as_ref().is_none_or(|known| self.rank(&fault) < self.rank(known)) {
            outcome.fault = Some(fault);
        }
    }

    fn rank(&self, fault: &Fault) -> Rank {
        let number = self.common.number(fault.thread.cta);
        (fault.kind == FaultKind::Interrupted, fault.is_limit(), number)
    }

    fn fault_outside(&self, number: u64) {
        let cta = self.common.cta(number * self.common.cluster);
        let thread = crate::ThreadId { cta, thread: [0; 3], warp: 0, lane: 0 };
        let place = self.common.made.plan.place(Pc::START);
        self.report(Fault { kind: FaultKind::Interrupted, place, thread });
    }
}

/// Which of several faults is told: one of the kernel's own, and of those that of the lowest CTA.
type Rank = (bool, bool, u64);
