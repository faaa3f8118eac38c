//! A reference for the VM: every thread has its own program counter and runs by itself, up to the next instruction at which it
//! waits for others. It shares the evaluators of the tables and the functions of crate [`lanes`] with the VM, and nothing else.

mod cluster;
mod cluster_barrier;
mod meeting;
mod memory;
mod step;
mod thread;

use crate::case::{Buffers, Case};
use cluster::{Cluster, indices};
use memory::Global;

/// Steps of all threads after which a kernel is said not to end.
const MAX_STEPS: u64 = 50_000_000;

/// What a launch leaves in memory.
///
/// # Errors
/// The kernel does something that has no defined result, does not end, or has operations that the reference does not know.
pub fn run(case: &Case) -> Result<Buffers, String> {
    let mut global = Global::new(case);
    let params = case.params(memory::INPUT, memory::OUTPUT, memory::COUNTERS);
    let mut steps = MAX_STEPS;
    let clusters = case.clusters();
    if (0..3).any(|dim| !case.grid[dim].is_multiple_of(clusters[dim])) {
        return Err(format!("the grid {:?} is no multiple of the cluster {clusters:?}", case.grid));
    }
    for index in indices(std::array::from_fn(|dim| case.grid[dim] / clusters[dim])) {
        Cluster::new(case, &params, index, &mut global, &mut steps).run()?;
    }
    Ok(global.into_buffers())
}
