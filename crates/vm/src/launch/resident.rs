//! A running cluster: its CTAs with their memory. It is what is resident, and mostly one CTA.

use super::common::Common;
use super::storage::Storage;
use super::values::SpecialValues;
use crate::cluster_memory::ClusterMemory;
use crate::cta::{Cta, Limits, Turn};
use crate::frame::Frame;
use crate::observer::Observer;
use crate::schedule::Candidate;
use crate::stats::Stats;
use crate::threads::Threads;

/// A cluster with its memory. Used again for later clusters of the launch.
pub(crate) struct Resident<'l> {
    /// By rank.
    ctas: Vec<Cta<'l>>,
    storage: Vec<Storage>,
    /// Steps that splits took one by one.
    steps: u64,
    /// With how many CTAs code may go on.
    granted: u64,
}

/// Steps after which the observer is shown who waits for others of the cluster.
const LOOK_UP: u64 = 1 << 12;

impl<'l> Resident<'l> {
    pub(crate) fn new(common: &'l Common<'_>) -> Self {
        let (plan, code) = (&*common.made.plan, &*common.made.code);
        let size = common.cluster as usize;
        let (mut ctas, mut storage) = (Vec::with_capacity(size), Vec::with_capacity(size));
        for _ in 0..size {
            let mut own = common.made.storage();
            let memory = own.lend(plan, common.launch.params);
            let specials = SpecialValues {
                launch: common.values,
                cta: [0; 3],
                cta_number: 0,
                time: &common.time,
                counted: 0,
                clock_reads: 0,
            };
            let threads = Threads::new(common.threads);
            let sites = code.sites();
            let mut frame = Frame::new(plan, sites, threads, memory, common.memory, specials);
            frame.apart = common.apart();
            frame.heap_limit = common.launch.heap_limit;
            frame.depth = common.launch.depth;
            let mut cta = Cta::new(frame, code);
            cta.run_prologue();
            ctas.push(cta);
            storage.push(own);
        }
        if size > 1 {
            let shared: Vec<_> = ctas.iter().map(|cta| cta.frame.cta.shared).collect();
            for cta in &mut ctas {
                cta.frame.cluster = ClusterMemory::new(&shared);
            }
        }
        Resident { ctas, storage, steps: 0, granted: 0 }
    }

    /// The number of the cluster that runs.
    pub(super) fn number(&self) -> u64 {
        self.ctas.first().map_or(0, Cta::number) / self.ctas.len().max(1) as u64
    }

    /// Its CTAs.
    pub(crate) fn ctas(&self) -> &[Cta<'l>] {
        &self.ctas
    }

    /// The same, to be changed.
    pub(super) fn ctas_mut(&mut self) -> &mut [Cta<'l>] {
        &mut self.ctas
    }

    /// Begins a cluster: the memory of its CTAs is zero, and so are the registers that may be read before they are written.
    pub(crate) fn start<O: Observer>(
        &mut self,
        common: &Common<'_>,
        number: u64,
        observer: &mut O,
    ) {
        let first = number * common.cluster;
        for (number, (cta, storage)) in (first..).zip(self.ctas.iter_mut().zip(&mut self.storage)) {
            let frame = &mut cta.frame;
            for (_, range) in &common.made.plan.rows.zeros {
                // SAFETY: the ranges lie inside the register file.
                unsafe { frame.cta.regs.add(range.start).write_bytes(0, range.len()) };
            }
            storage.clear(&common.made.plan);
            frame.specials.cta = common.cta(number);
            frame.specials.cta_number = number;
            frame.specials.clock_reads = 0;
            frame.cluster.begin();
            cta.start(observer);
        }
    }

    /// Runs until all CTAs have exited, or none gets anywhere, or one faults.
    pub(super) fn run<O: Observer>(&mut self, limits: &Limits<'_>, observer: &mut O) -> Turn {
        loop {
            let mut goes_on = None;
            for rank in 0..self.ctas.len() {
                if self.ctas[rank].has_exited() {
                    continue;
                }
                match self.ctas[rank].run(limits, observer) {
                    Turn::Done => self.exit(rank),
                    Turn::AtCluster => {}
                    turn @ (Turn::Yielded | Turn::Stuck) => goes_on = Some(turn),
                    turn @ Turn::Fault(_) => return turn,
                }
            }
            if let Some(turn) = self.settle(observer) {
                return turn;
            }
            if let Some(turn) = goes_on {
                return self.look_up(observer).unwrap_or(turn);
            }
        }
    }

    /// The CTAs of these numbers come next; code may go on with them by itself, if each is a cluster of its own and this one has the
    /// number before them.
    pub(super) fn may_go_on(&mut self, next: std::ops::Range<u64>) {
        let more = next.end.saturating_sub(next.start);
        self.granted = match &mut self.ctas[..] {
            [cta] if cta.number() + 1 == next.start => more,
            _ => 0,
        };
        self.ctas.iter_mut().for_each(|cta| cta.frame.more = self.granted);
    }

    /// With how many CTAs code has gone on since then.
    pub(super) fn went_on(&mut self) -> u64 {
        let left = self.ctas.first().map_or(0, |cta| cta.frame.more);
        std::mem::take(&mut self.granted) - left
    }

    /// Lets threads go on that have waited for the cluster, and says if it is done, or waits for ever.
    fn settle<O: Observer>(&mut self, observer: &mut O) -> Option<Turn> {
        if self.ctas.iter().all(Cta::has_exited) {
            return Some(Turn::Done);
        }
        Cta::complete_cluster(&mut self.ctas, observer);
        if self.ctas.iter().any(Cta::can_run) {
            return None;
        }
        let fault = Cta::cluster_deadlock(&self.ctas)?;
        Some(Turn::Fault(Box::new(fault)))
    }

    /// Shows the observer the CTAs that wait for others of the cluster, which run for long.
    fn look_up<O: Observer>(&self, observer: &mut O) -> Option<Turn> {
        if !O::OBSERVES {
            return None;
        }
        self.ctas.iter().filter(|cta| !cta.can_run()).find_map(|cta| cta.look_up_waiting(observer))
    }

    /// The threads of a CTA have exited.
    fn exit(&mut self, rank: usize) {
        self.ctas.iter_mut().for_each(|cta| cta.frame.cluster.exit(rank));
    }

    /// Adds the splits that can run next.
    pub(crate) fn candidates(&self, found: &mut Vec<Candidate>) {
        self.ctas.iter().for_each(|cta| cta.candidates(found));
    }

    /// Runs a candidate for one step. `None` if it belongs to another cluster.
    pub(crate) fn step<O: Observer>(
        &mut self,
        candidate: &Candidate,
        limits: &Limits<'_>,
        observer: &mut O,
    ) -> Option<Turn> {
        let rank = self.ctas.iter().position(|cta| cta.number() == candidate.cta)?;
        let turn = match self.ctas[rank].step(candidate, limits, observer) {
            Turn::Done => {
                self.exit(rank);
                Turn::Yielded
            }
            Turn::AtCluster => Turn::Yielded,
            turn @ (Turn::Yielded | Turn::Stuck | Turn::Fault(_)) => turn,
        };
        if let Turn::Fault(_) = turn {
            return Some(turn);
        }
        if let Some(turn) = self.settle(observer) {
            return Some(turn);
        }
        self.steps += 1;
        let looks = self.steps.is_multiple_of(LOOK_UP);
        let known = if looks { self.look_up(observer) } else { None };
        Some(known.unwrap_or(turn))
    }

    /// Adds what its CTAs did so far.
    pub(crate) fn add_stats(&self, stats: &mut Stats) {
        self.ctas.iter().for_each(|cta| stats.add(cta.stats()));
    }

    /// Gives the memory back.
    pub(super) fn into_storage(self) -> Vec<Storage> {
        self.storage
    }
}
