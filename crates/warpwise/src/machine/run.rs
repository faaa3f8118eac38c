//! Running a program of a described machine as one warp.

use crate::device::{Buffer, Device};
use crate::error::{Error, Failure, Stage};
use crate::launch::refusal;
use ::machine::{Program, State};
use diag::{Class, Sources};
use lanes::WARP;
use std::sync::Arc;
use vm::{Launch, LaunchError, Level, Memory, Outcome, Schedule, Stats};

/// Bytes of the largest memory of a state.
pub const MAX_MEMORY: usize = 1 << 28;

/// A program of a described machine, ready to run.
#[derive(Clone, Debug)]
pub struct MachineProgram {
    pub(crate) program: Program,
    pub(crate) sources: Arc<Sources>,
}

/// What a launch of a program did.
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    /// The state's memory on the device, which is gone.
    pub(super) memory: Buffer,
}

/// How to run a program.
#[derive(Clone)]
pub struct RunConfig<'a> {
    /// What decides which lanes go first where they have parted.
    pub schedule: Schedule,
    /// Operations of the warp IR after which the program is stopped.
    pub max_steps: Option<u64>,
    /// Asked now and then whether to stop.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

impl Default for RunConfig<'_> {
    fn default() -> Self {
        RunConfig { schedule: Schedule::default(), max_steps: None, interrupted: &|| false }
    }
}

impl MachineProgram {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The text that diagnostics point into.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// Runs the program as one warp to its end. Registers that the program uses and the state does not set
    /// begin as 0, and are in the state after.
    ///
    /// # Errors
    /// The program was stopped ([`Failure::fault`]): an access outside memory, a deadlock, the step
    /// limit. The state is as before then.
    pub fn run(&self, state: &mut State, config: &RunConfig<'_>) -> Result<Stats, Error> {
        let run = |launch: &Launch<'_>, memory: &mut Memory| {
            vm::launch(&self.program.kernel, launch, memory)
        };
        let Ran { outcome, memory } = self.launch(state, config, run)?;
        match outcome.fault {
            None => Ok(outcome.stats),
            Some(fault) => Err(Error::of(Failure {
                stage: Stage::Run,
                diagnostics: vec![self.explain(&fault, memory)],
                sources: Arc::clone(&self.sources),
                fault: Some(fault),
                stats: Some(outcome.stats),
                printed: outcome.printed,
            })),
        }
    }

    /// Launches a kernel of the program as one warp. The state is as before when the program was stopped.
    pub(super) fn launch(
        &self,
        state: &mut State,
        config: &RunConfig<'_>,
        run: impl FnOnce(&Launch<'_>, &mut Memory) -> Result<Outcome, LaunchError>,
    ) -> Result<Ran, Error> {
        if state.memory.len() > MAX_MEMORY {
            let message = format!("a memory has at most {MAX_MEMORY} bytes");
            return Err(Error::message(Stage::Launch, Class::Limit, message));
        }
        let layout = &self.program.layout;
        let mut device = Device::new()?;
        let registers = device.upload(&layout.pack(state))?;
        // The last allocation, so that no address of 32 bits reaches another one.
        let memory = device.upload(&state.memory)?;
        let params: Vec<u8> =
            [registers.address, memory.address].iter().flat_map(|a| a.to_le_bytes()).collect();
        let launch = Launch {
            grid: [1; 3],
            block: [WARP as u32, 1, 1],
            dynamic_shared: 0,
            params: &params,
            image_base: 0,
            stack: 0,
            threads: 1,
            schedule: config.schedule.clone(),
            max_steps: config.max_steps,
            level: Level::detect(),
            deterministic: true,
            interrupted: config.interrupted,
            progress: &|_| (),
        };
        let outcome = run(&launch, &mut device.memory).map_err(|error| {
            Error::new(Stage::Launch, self.sources.clone(), vec![refusal(&error)])
        })?;
        if outcome.fault.is_some() {
            return Ok(Ran { outcome, memory });
        }
        let words: Vec<u32> = device.download(registers)?;
        layout.unpack(&words, state);
        state.memory = device.bytes(memory)?.to_vec();
        Ok(Ran { outcome, memory })
    }

    /// The memory of a device as the program addresses it: an address from the start of `memory`.
    pub(super) fn offset(address: u64, memory: Buffer) -> u64 {
        address.wrapping_sub(memory.address)
    }
}
