//! Checking a kernel: a run that every detector watches, and others of kernels that may do something else under another schedule.

mod checked;
mod divergence;
mod explore;
mod message_passing;
mod replay;
mod rewind;
mod watched;

pub use checked::{Checked, Coverage};
pub(crate) use checked::{amend, incomplete, is_access, is_finding};
pub use explore::Exploration;

use crate::device::Device;
use crate::error::Error;
use crate::launch::Arg;
use crate::launch::{LaunchConfig, refusal};
use crate::module::Kernel;
use crate::owner::Owners;
use checked::interrupted;
use divergence::reads_active_mask;
use message_passing::passes_messages;
use replay::{Replay, bounded};
use rewind::Rewind;
use sanitize::Options;
use vm::LaunchError;
pub use watched::Among;
pub(crate) use watched::PATIENCE;
use watched::{Presence, Watching};

impl Kernel {
    /// Runs the kernel as [`Kernel::launch`] does, on one host thread, and looks for undefined code, races,
    /// deadlocks and bad accesses. A kernel that executes `activemask` runs again with lanes that diverge there: what it leaves may not
    /// depend on it. A small kernel whose threads pass messages through memory, in which nothing was found, runs
    /// again under a few random schedules; [`LaunchConfig::again`] says whether at all. Without a limit of steps, a kernel is stopped that goes on for some seconds after
    /// something was found, while no CTA ends and nothing new is found. Memory of the device counts as written, but for what kernels
    /// allocate. Nothing else may use the device meanwhile: what it writes would be undone before the kernel runs again. A kernel that is stopped is no error
    /// here: what stopped it is among the findings, or in [`Checked::fault`]. Kernels that it launches do not run: they are in
    /// [`Checked::report`].
    ///
    /// # Errors
    /// The arguments do not fit the parameters, or the launch is not possible.
    pub fn check(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        options: Options,
        args: &[Arg],
    ) -> Result<Checked, Error> {
        self.check_watching(device, config, options.into(), args)
    }

    /// The same for a launch among others, which may use the device meanwhile: what they write stays, and the kernel runs again only if
    /// no other work was done while it ran. What the launch accesses is told, too ([`Checked::traffic`]).
    ///
    /// # Errors
    /// As for [`Kernel::check`].
    pub fn check_among_others(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        options: Options,
        args: &[Arg],
        among: &Among<'_>,
    ) -> Result<Checked, Error> {
        let watching = Watching { among: Some(among), ..options.into() };
        self.check_watching(device, config, watching, args)
    }

    fn check_watching(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        watching: Watching<'_>,
        args: &[Arg],
    ) -> Result<Checked, Error> {
        let params = self.pack(args)?;
        let image_base = self.placed_on(device, config)?;
        let launch = config.launch(&params, image_base);
        let kernel = &self.lowered.kernel;
        let (masks, messages) =
            (config.again && reads_active_mask(kernel), config.again && passes_messages(kernel));
        let memory = &device.memory;
        let rewind = (masks || messages).then(|| Rewind::to_now(memory, watching.among.is_some()));
        let watched = self.watched(device, &launch, watching)?;
        let (mut elsewhere, mut runs) = (Vec::new(), 0);
        let traffic = watched.found.traffic.as_ref();
        let others = || watching.among.map(|among| among.others);
        let rewind = rewind.filter(|_| others().is_none_or(|others| others.have_rested()));
        if let Some(mut rewind) = rewind {
            let first = watched.run(rewind.left(traffic));
            let launch = bounded(&launch, &watched.report.stats);
            let told = others().zip(traffic);
            let presence = match told.is_some_and(|(others, read)| others.may_have_told(read)) {
                true => Presence::Gone,
                false => Presence::Rested,
            };
            let watching = Watching { presence, ..watching };
            let mut replay = Replay::new(self, &launch, rewind, watching, config.repeated);
            let refuse = |error: LaunchError| self.refuse(refusal(&error));
            if masks {
                elsewhere.extend(replay.with_divergence(&first, &watched, args).map_err(refuse)?);
            }
            if messages && elsewhere.is_empty() {
                elsewhere = replay.message_passing(&first, &watched).map_err(refuse)?;
            }
            runs = replay.runs;
            replay.rewind.back_to(&first.memory);
        }
        let owners = Owners::new(self, args, image_base, device.memory.base());
        let mut checked = self.checked(watched, elsewhere, config, &owners);
        checked.runs += runs;
        if checked.fault.is_none() && (config.interrupted)() {
            checked.diagnostics.push(interrupted());
        }
        Ok(checked)
    }
}
