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
    let split = |number: u64, [x, y, _]: [u64; 3]| {
        // Every CTA begins here, and divisions take long.
        if number < x {
            return [number, 0, 0];
        }
        let rest = number / x;
        [number % x, rest % y, rest / y]
    };
    if cluster == [1; 3] {
        return split(number, grid.map(|extent| u64::from(extent.max(1)))).map(|at| at as u32);
    }
    let cluster = cluster.map(|extent| u64::from(extent.max(1)));
    let size: u64 = cluster.iter().product();
    let clusters = std::array::from_fn(|dim| (u64::from(grid[dim]) / cluster[dim]).max(1));
    let (of_cluster, rank) = (split(number / size, clusters), split(number % size, cluster));
    std::array::from_fn(|dim| (of_cluster[dim] * cluster[dim] + rank[dim]) as u32)
}

/// The number of a CTA: what [`cta_index`] is the inverse of.
fn cta_number(index: [u32; 3], grid: [u32; 3], cluster: [u32; 3]) -> u64 {
    let cluster = cluster.map(|extent| u64::from(extent.max(1)));
    let join = |[x, y, z]: [u64; 3], of: [u64; 3]| x + of[0] * (y + of[1] * z);
    let clusters = std::array::from_fn(|dim| u64::from(grid[dim]) / cluster[dim]);
    let of_cluster = std::array::from_fn(|dim| u64::from(index[dim]) / cluster[dim]);
    let rank = std::array::from_fn(|dim| u64::from(index[dim]) % cluster[dim]);
    let size: u64 = cluster.iter().product();
    join(of_cluster, clusters) * size + join(rank, cluster)
}

impl<'l> Common<'l> {
    pub(super) fn new(
        made: &'l Made,
        launch: &'l Launch<'l>,
        memory: &'l Memory,
        time: Time,
    ) -> Common<'l> {
        let plan = &*made.plan;
        let values = LaunchValues { plan, grid: launch.grid, image_base: launch.image_base };
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

    /// The number of a CTA by its index.
    pub(super) fn number(&self, cta: [u32; 3]) -> u64 {
        cta_number(cta, self.launch.grid, self.made.plan.shape.cluster)
    }

    /// The index of a CTA by its number.
    pub(super) fn cta(&self, number: u64) -> [u32; 3] {
        cta_index(number, self.launch.grid, self.made.plan.shape.cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctas_are_numbered_cluster_after_cluster() {
        let number = |index| cta_number(index, [4, 6, 2], [2, 3, 1]);
        assert_eq!([[0, 0, 0], [1, 0, 0], [0, 1, 0]].map(number), [0, 1, 2]);
        assert_eq!([[2, 0, 0], [0, 3, 0], [3, 5, 1]].map(number), [6, 12, 47]);
        for (grid, cluster) in [([4, 6, 2], [2, 3, 1]), ([5, 1, 3], [1; 3]), ([2, 2, 4], [1, 2, 4])]
        {
            let ctas: u32 = grid.iter().product();
            for number in 0..u64::from(ctas) {
                let index = cta_index(number, grid, cluster);
                assert_eq!(cta_number(index, grid, cluster), number);
                let [x, y, z] = index.map(u64::from);
                let linear = x + u64::from(grid[0]) * (y + u64::from(grid[1]) * z);
                assert!(cluster != [1; 3] || linear == number);
            }
        }
    }
}
