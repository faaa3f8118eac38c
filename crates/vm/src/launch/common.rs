//! What the CTAs of a launch have in common.

use super::request::Launch;
use super::values::{LaunchValues, Time};
use crate::executable::Made;
use crate::memory::Memory;
use ir::WarpRules;

/// What the CTAs of a launch have in common, whoever runs them.
pub(crate) struct Common<'l> {
    pub(crate) launch: &'l Launch<'l>,
    pub(crate) made: &'l Made,
    pub(crate) memory: &'l Memory,
    pub(super) values: LaunchValues<'l>,
    pub(super) time: Time,
    /// Threads of a CTA.
    pub(crate) threads: u32,
    /// CTAs of the grid.
    pub(crate) ctas: u64,
}

impl<'l> Common<'l> {
    pub(super) fn new(
        made: &'l Made,
        launch: &'l Launch<'l>,
        memory: &'l Memory,
        time: Time,
    ) -> Common<'l> {
        let plan = &*made.plan;
        let values = LaunchValues {
            plan,
            grid: launch.grid,
            memory_base: memory.base(),
            image_base: launch.image_base,
        };
        let ctas = launch.grid.iter().map(|extent| u64::from(*extent)).product();
        Common { launch, made, memory, values, time, threads: plan.shape.threads(), ctas }
    }

    /// The lanes that `activemask` does not find together with the others: see [`Schedule::apart`].
    ///
    /// [`Schedule::apart`]: crate::Schedule::apart
    pub(super) fn apart(&self) -> u32 {
        match self.made.plan.kernel.rules {
            WarpRules::Independent => self.launch.schedule.apart(),
            WarpRules::Lockstep => 0,
        }
    }

    /// The index of a CTA by its number; x varies fastest.
    pub(super) fn cta(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.launch.grid.map(u64::from);
        [number % x, number / x % y, number / x / y].map(|index| index as u32)
    }
}
