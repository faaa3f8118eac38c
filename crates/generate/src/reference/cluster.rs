//! One cluster: the threads of its CTAs, their shared memory and their barriers.

use super::memory::Global;
use super::thread::{AtCluster, State, Thread};
use crate::case::Case;
use ir::{Class, Reg};
use lanes::{LaneMask, WARP};

pub(super) const BARRIERS: usize = 16;
/// Steps that a thread makes before others have a turn.
const TURN: u32 = 400;

/// What has happened at a barrier since it was complete.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    pub(super) arrived: usize,
    /// How many must; `None` is all that have not exited.
    pub(super) expected: Option<usize>,
    pub(super) trues: usize,
}

/// One CTA.
pub(super) struct Cta {
    /// Its index in the grid, and in its cluster.
    pub(super) index: [u32; 3],
    pub(super) inside: [u32; 3],
    pub(super) shared: Vec<u8>,
    pub(super) barriers: [Barrier; BARRIERS],
}

pub(super) struct Cluster<'c> {
    pub(super) case: &'c Case,
    pub(super) params: &'c [u8],
    /// Its index in the grid, counted in clusters.
    pub(super) index: [u32; 3],
    pub(super) global: &'c mut Global,
    /// By rank.
    pub(super) ctas: Vec<Cta>,
    /// The threads of one CTA after the other, each with whole warps: lanes that are none have exited.
    pub(super) threads: Vec<Thread>,
    /// Steps that are left.
    steps: &'c mut u64,
}

impl<'c> Cluster<'c> {
    pub(super) fn new(
        case: &'c Case,
        params: &'c [u8],
        index: [u32; 3],
        global: &'c mut Global,
        steps: &'c mut u64,
    ) -> Self {
        let kernel = &case.kernel;
        let cta = |inside: [u32; 3]| Cta {
            index: std::array::from_fn(|dim| index[dim] * case.clusters()[dim] + inside[dim]),
            inside,
            shared: vec![0; (kernel.shared_bytes + case.dynamic_shared) as usize],
            barriers: std::array::from_fn(|_| Barrier::default()),
        };
        let ctas: Vec<Cta> = indices(case.clusters()).map(cta).collect();
        let thread = |nth: usize| Thread {
            regs: vec![0; kernel.registers.len()],
            local: vec![0; kernel.local_bytes as usize],
            block: 0,
            at: 0,
            state: if nth < threads_of(case) { State::Runs } else { State::Exited },
            at_cluster: AtCluster::Away,
        };
        let each = threads_of(case).next_multiple_of(WARP);
        let threads = ctas.iter().flat_map(|_| (0..each).map(thread)).collect();
        Cluster { case, params, index, global, ctas, threads, steps }
    }

    pub(super) fn run(mut self) -> Result<(), String> {
        loop {
            let mut goes_on = false;
            for number in 0..self.threads.len() {
                goes_on |= self.run_thread(number)?;
            }
            for warp in 0..self.threads.len() / WARP {
                goes_on |= self.meet(warp)?;
            }
            for rank in 0..self.ctas.len() {
                for id in 0..BARRIERS {
                    goes_on |= self.complete(rank, id);
                }
            }
            goes_on |= self.complete_cluster();
            if !goes_on {
                let waits = |thread: &&Thread| thread.state != State::Exited;
                return match self.threads.iter().find(waits) {
                    Some(thread) => Err(format!("deadlock: {:?}", thread.state)),
                    None => Ok(()),
                };
            }
        }
    }

    /// Runs a thread until it waits, but not for ever, since what it looks at in a loop may be for others to do; whether it would go on.
    fn run_thread(&mut self, number: usize) -> Result<bool, String> {
        for _ in 0..TURN {
            if self.threads.get(number).is_none_or(|thread| thread.state != State::Runs) {
                return Ok(false);
            }
            *self.steps = self.steps.checked_sub(1).ok_or("the kernel does not end")?;
            self.step(number)?;
        }
        Ok(true)
    }

    /// The rank of the CTA of a thread, and the thread's number there.
    pub(super) fn of_cta(&self, number: usize) -> (usize, usize) {
        let each = threads_of(self.case).next_multiple_of(WARP);
        (number / each, number % each)
    }

    /// The threads of the CTA of a rank.
    pub(super) fn threads_of(&self, rank: usize) -> std::ops::Range<usize> {
        let each = self.threads.len() / self.ctas.len();
        rank * each..(rank + 1) * each
    }

    /// Whether a thread has not exited.
    pub(super) fn lives(&self, number: usize) -> bool {
        self.threads.get(number).is_some_and(|thread| thread.state != State::Exited)
    }

    /// The threads of a warp with their lanes.
    pub(super) fn warp(&self, warp: usize) -> impl Iterator<Item = (usize, &Thread)> {
        self.threads.iter().skip(warp * WARP).take(WARP).enumerate()
    }

    pub(super) fn live(&self, warp: usize) -> LaneMask {
        let lives = |(lane, thread): (usize, &Thread)| {
            if thread.state == State::Exited { 0 } else { 1 << lane }
        };
        LaneMask(self.warp(warp).map(lives).sum())
    }

    pub(super) fn write(&mut self, number: usize, reg: Reg, value: u64) {
        let registers: &[Class] = &self.case.kernel.registers;
        if let Some(thread) = self.threads.get_mut(number) {
            thread.write(registers, reg, value);
        }
    }
}

/// Threads of a CTA.
fn threads_of(case: &Case) -> usize {
    case.block.iter().product::<u32>() as usize
}

/// All indices below extents, x fastest.
pub(super) fn indices([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let rows = (0..nz).flat_map(move |z| (0..ny).map(move |y| (y, z)));
    rows.flat_map(move |(y, z)| (0..nx).map(move |x| [x, y, z]))
}
