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
    /// CTAs of a cluster.
    pub(crate) cluster: u64,
}

/// The index in its grid of the CTA of a number. CTAs are numbered cluster after cluster, and in a cluster by their rank; in
/// each, x varies fastest. So it is the linear index where each CTA is a cluster of its own.
pub fn cta_index(number: u64, grid: [u32; 3], cluster: [u32; 3]) -> [u32; 3] {
    let cluster = cluster.map(|extent| u64::from(extent.max(1)));
    let split = |number: u64, [x, y, _]: [u64; 3]| [number % x, number / x % y, number / x / y];
    let size: u64 = cluster.iter().product();
    let clusters = std::array::from_fn(|dim| (u64::from(grid[dim]) / cluster[dim]).max(1));
    let (of_cluster, rank) = (split(number / size, clusters), split(number % size, cluster));
    std::array::from_fn(|dim| (of_cluster[dim] * cluster[dim] + rank[dim]) as u32)
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
        let (threads, cluster) = (plan.shape.threads(), u64::from(plan.shape.ctas()));
        Common { launch, made, memory, values, time, threads, ctas, cluster }
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

    /// Clusters of the grid.
    pub(crate) fn clusters(&self) -> u64 {
        self.ctas / self.cluster
    }

    /// The index of a CTA by its number.
    pub(super) fn cta(&self, number: u64) -> [u32; 3] {
        cta_index(number, self.launch.grid, self.made.plan.shape.cluster)
    }
}
