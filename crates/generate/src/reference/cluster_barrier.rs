//! The barrier of a cluster (PTX ISA 9.1, `barrier.cluster`).

use super::cluster::Cluster;
use super::thread::{AtCluster, State};
use ir::ClusterHalf;

impl Cluster<'_> {
    /// A thread comes to a half of the barrier.
    pub(super) fn come_to_cluster(
        &mut self,
        number: usize,
        half: ClusterHalf,
    ) -> Result<(), String> {
        let thread = self.threads.get_mut(number).ok_or("there is no such thread")?;
        match (half, thread.at_cluster) {
            (ClusterHalf::Arrive { .. }, AtCluster::Away) => {
                thread.at_cluster = AtCluster::Arrived;
                thread.go_on();
            }
            (ClusterHalf::Wait, AtCluster::Passes) => {
                thread.at_cluster = AtCluster::Away;
                thread.go_on();
            }
            (ClusterHalf::Wait, AtCluster::Arrived) => thread.state = State::WaitsForCluster,
            (ClusterHalf::Arrive { .. }, AtCluster::Arrived | AtCluster::Passes)
            | (ClusterHalf::Wait, AtCluster::Away) => {
                return Err("a thread arrives at the barrier of the cluster, and then waits".into());
            }
        }
        Ok(())
    }

    /// Lets the threads go if all that have not exited have arrived; whether it was so.
    pub(super) fn complete_cluster(&mut self) -> bool {
        let live = |state: State| state != State::Exited;
        let mut here = self.threads.iter().filter(|thread| live(thread.state)).peekable();
        if here.peek().is_none() || here.any(|thread| thread.at_cluster != AtCluster::Arrived) {
            return false;
        }
        for thread in self.threads.iter_mut().filter(|thread| live(thread.state)) {
            thread.at_cluster = AtCluster::Passes;
            if thread.state == State::WaitsForCluster {
                thread.at_cluster = AtCluster::Away;
                thread.go_on();
            }
        }
        true
    }
}
