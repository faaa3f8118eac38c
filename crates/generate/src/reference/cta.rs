//! One CTA: its threads, its shared memory and its barriers.

use super::memory::Global;
use super::thread::{State, Thread};
use crate::case::Case;
use ir::{Class, Reg};
use lanes::{LaneMask, WARP};

pub(super) const BARRIERS: usize = 16;

/// What has happened at a barrier since it was complete.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    pub(super) arrived: usize,
    /// How many must; `None` is all that have not exited.
    pub(super) expected: Option<usize>,
    pub(super) trues: usize,
}

pub(super) struct Cta<'c> {
    pub(super) case: &'c Case,
    pub(super) params: &'c [u8],
    pub(super) index: [u32; 3],
    pub(super) global: &'c mut Global,
    pub(super) shared: Vec<u8>,
    pub(super) threads: Vec<Thread>,
    pub(super) barriers: [Barrier; BARRIERS],
    /// Steps that are left.
    steps: &'c mut u64,
}

impl<'c> Cta<'c> {
    pub(super) fn new(
        case: &'c Case,
        params: &'c [u8],
        index: [u32; 3],
        global: &'c mut Global,
        steps: &'c mut u64,
    ) -> Self {
        let kernel = &case.kernel;
        let shared = vec![0; (kernel.shared_bytes + case.dynamic_shared) as usize];
        let thread = Thread {
            regs: vec![0; kernel.registers.len()],
            local: vec![0; kernel.local_bytes as usize],
            block: 0,
            at: 0,
            state: State::Runs,
        };
        let threads = vec![thread; case.block.iter().product::<u32>() as usize];
        let barriers = std::array::from_fn(|_| Barrier::default());
        Cta { case, params, index, global, shared, threads, barriers, steps }
    }

    pub(super) fn run(mut self) -> Result<(), String> {
        loop {
            for number in 0..self.threads.len() {
                self.run_thread(number)?;
            }
            let mut goes_on = false;
            for warp in 0..self.threads.len().div_ceil(WARP) {
                goes_on |= self.meet(warp)?;
            }
            for id in 0..BARRIERS {
                goes_on |= self.complete(id);
            }
            if !goes_on {
                let waits = |thread: &&Thread| thread.state != State::Exited;
                return match self.threads.iter().find(waits) {
                    Some(thread) => Err(format!("deadlock: {:?}", thread.state)),
                    None => Ok(()),
                };
            }
        }
    }

    fn run_thread(&mut self, number: usize) -> Result<(), String> {
        while self.threads.get(number).is_some_and(|thread| thread.state == State::Runs) {
            *self.steps = self.steps.checked_sub(1).ok_or("the kernel does not end")?;
            self.step(number)?;
        }
        Ok(())
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
