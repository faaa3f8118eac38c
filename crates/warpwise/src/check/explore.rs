//! Checking a kernel under many schedules.

use super::checked::{Checked, Coverage, interrupted};
use super::divergence::reads_active_mask;
use super::replay::{Replay, bounded};
use super::rewind::Rewind;
use crate::device::Device;
use crate::error::Error;
use crate::launch::Arg;
use crate::launch::{LaunchConfig, refusal};
use crate::module::Kernel;
use crate::owner::Owners;
use sanitize::detail::PresenceDiffers;
use sanitize::explore::{self, Elsewhere, End, Explored, Scouted, Scouts, Share};
use sanitize::{Code, Finding, Options};
use vm::{Fault, FaultKind, LaunchError, Schedule, WaitingFor};

/// Which other schedules a kernel is run under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exploration {
    /// So many, from a seed.
    Some {
        /// How many.
        count: u64,
        /// Where the random choices begin.
        seed: u64,
    },
    /// All that could do anything else, but at most so many.
    All {
        /// How many.
        limit: u64,
    },
}

impl Kernel {
    /// Runs the kernel as [`Kernel::check`] does, and then from the start again under other schedules. Findings that
    /// only those show are added, each with a schedule that replays it. What depends on the schedule, the result or
    /// whether something is found, is W008 and comes with two schedules.
    /// A kernel that reaches its limit of steps, is interrupted, or spins in an endless loop under its own schedule is not
    /// run replay.
    /// Device memory holds in the end what the first run left. As for [`Kernel::check`], nothing else may use the device meanwhile.
    ///
    /// # Errors
    /// The arguments do not fit the parameters, or the launch is not possible.
    pub fn explore(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        options: Options,
        exploration: Exploration,
        args: &[Arg],
    ) -> Result<Checked, Error> {
        self.explore_with_scouts(device, config, options, exploration, args, &mut ())
    }

    /// The same, while others run schedules of it, too, by [`Kernel::scout`]. What it finds is what [`Kernel::explore`] finds; only
    /// [`Exploration::Some`] has schedules for scouts.
    ///
    /// # Errors
    /// As for [`Kernel::explore`].
    pub fn explore_with_scouts(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        options: Options,
        exploration: Exploration,
        args: &[Arg],
        scouts: &mut dyn Scouts,
    ) -> Result<Checked, Error> {
        let params = self.pack(args)?;
        let image_base = self.placed_on(device, config)?;
        let launch = config.launch(&params, image_base);
        let refuse = |error: LaunchError| self.refuse(refusal(&error));
        let memory = &device.memory;
        let mut rewind = Rewind::to_now(memory, false);

        let watched = self.watched(device, &launch, options.into())?;
        if watched.fault.as_ref().is_some_and(|fault| fault.is_limit() || is_endless(fault)) {
            // Nothing to compare with; and under other schedules it may be endless, too, where nobody tells.
            let owners = Owners::new(self, args, image_base, memory.base());
            return Ok(self.checked(watched, Vec::new(), config, &owners));
        }
        let first = watched.run(rewind.left(None));
        let launch = bounded(&launch, &watched.report.stats);
        let mut replay = Replay::new(self, &launch, rewind, options.into(), config.repeated);
        let apart = match reads_active_mask(&self.lowered.kernel) {
            true => replay.with_divergence(&first, &watched, args).map_err(refuse)?,
            false => None,
        };
        let explored = match exploration {
            Exploration::Some { count, seed } => {
                explore::some(&mut replay, &first, (count, seed), scouts)
            }
            Exploration::All { limit } => explore::all(&mut replay, &first, limit),
        }
        .map_err(refuse)?;
        let Explored { schedules, end, different, more, fewer, .. } = explored;
        let usual = &config.schedule;
        let presence = |elsewhere: &Elsewhere, shows: bool| {
            let other = &elsewhere.schedule;
            let (with, without) = if shows { (other, usual) } else { (usual, other) };
            let finding = presence(&elsewhere.finding, with, without);
            Elsewhere { finding, schedule: other.clone(), fault: None }
        };
        let mut dependent = Vec::new();
        let known = apart.as_ref().is_some_and(|apart| apart.finding.code() == Code::W008);
        if let Some((schedule, other)) = different.filter(|_| !known) {
            let finding =
                replay.dependence(&first, &other, usual, &schedule, args).map_err(refuse)?;
            dependent.push(Elsewhere { schedule, finding, fault: None });
        }
        dependent.extend(more.iter().map(|elsewhere| presence(elsewhere, true)));
        dependent.extend(fewer.iter().map(|elsewhere| presence(elsewhere, false)));
        let runs = replay.runs;
        replay.rewind.back_to(&first.memory);
        let elsewhere = apart.into_iter().chain(more).chain(dependent).collect();
        let owners = Owners::new(self, args, image_base, device.memory.base());
        let mut checked = self.checked(watched, elsewhere, config, &owners);
        checked.runs += runs;
        checked.explored = Some(Coverage { schedules, end });
        if end == End::Interrupted {
            checked.diagnostics.push(interrupted());
        }
        Ok(checked)
    }

    /// Runs schedules of [`Exploration::Some`] for another process, which has begun the same exploration
    /// ([`Kernel::explore_with_scouts`]). `tell` hears of the first run, then of each schedule, and returns whether to go on.
    ///
    /// # Errors
    /// The arguments do not fit the parameters, or the launch is not possible.
    pub fn scout(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        options: Options,
        share: Share,
        args: &[Arg],
        tell: &mut dyn FnMut(Scouted) -> bool,
    ) -> Result<(), Error> {
        let params = self.pack(args)?;
        let image_base = self.placed_on(device, config)?;
        let launch = config.launch(&params, image_base);
        let memory = &device.memory;
        let mut rewind = Rewind::to_now(memory, false);
        let watched = self.watched(device, &launch, options.into())?;
        let first = watched.run(rewind.left(None));
        let launch = bounded(&launch, &watched.report.stats);
        let mut replay = Replay::new(self, &launch, rewind, options.into(), config.repeated);
        explore::scout(&mut replay, &first, share, tell)
            .map_err(|error: LaunchError| self.refuse(refusal(&error)))
    }
}

/// Whether a run was stopped in loops that never end.
fn is_endless(fault: &Fault) -> bool {
    matches!(&fault.kind, FaultKind::Deadlock { waiting }
        if waiting.iter().any(|group| group.waiting_for == WaitingFor::EndlessLoop))
}

/// A finding that one of two schedules shows and the other does not.
fn presence(finding: &Finding, with: &Schedule, without: &Schedule) -> Finding {
    let (place, thread) = (finding.place, finding.thread);
    let finding = Box::new(finding.clone());
    let (with, without) = (with.clone(), without.clone());
    Finding::new(place, thread, PresenceDiffers { finding, with, without })
}
