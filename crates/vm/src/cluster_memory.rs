//! The shared memory of the CTAs of a cluster, as one of them reaches it.
//!
//! A CTA's own shared memory begins at address 0. In a cluster of several CTAs, that of each rank, its own included, appears a
//! second time, at an address that is the same for all of them: [`CLUSTER_STRIDE`] times its rank and one. So `mapa` is
//! arithmetic, an address means the same to every CTA that is given it, and what a CTA does in its own memory costs
//! nothing more than without a cluster.

use crate::block::Block;
use ir::{CLUSTER_STRIDE, MAX_CLUSTER};

/// The shared memory of the CTAs of a cluster, by rank. Empty where each CTA is a cluster of its own.
#[derive(Debug, Default)]
pub(crate) struct ClusterMemory {
    ranks: Vec<Rank>,
}

#[derive(Debug)]
struct Rank {
    shared: Block,
    /// Whether the CTA has exited: what it had is not there any more.
    has_exited: bool,
}

impl ClusterMemory {
    /// That of CTAs with such shared memory.
    pub(crate) fn new(all: &[Block]) -> ClusterMemory {
        let rank = |shared: &Block| Rank { shared: *shared, has_exited: false };
        ClusterMemory { ranks: all.iter().map(rank).collect() }
    }

    /// All CTAs begin.
    pub(crate) fn begin(&mut self) {
        self.ranks.iter_mut().for_each(|rank| rank.has_exited = false);
    }

    /// A CTA has exited.
    pub(crate) fn exit(&mut self, rank: usize) {
        self.ranks.iter_mut().skip(rank).take(1).for_each(|rank| rank.has_exited = true);
    }

    /// Whether a CTA has exited.
    pub(crate) fn has_exited(&self, rank: usize) -> bool {
        self.ranks.get(rank).is_some_and(|rank| rank.has_exited)
    }

    /// The rank that an address in shared memory leads to, and the offset there. `None` if it is the CTA's own to which it
    /// leads, or none.
    pub(crate) fn lead(&self, address: u64) -> Option<(usize, u64)> {
        let rank = usize::try_from(address / CLUSTER_STRIDE).ok()?.checked_sub(1)?;
        (rank < self.ranks.len()).then_some((rank, address % CLUSTER_STRIDE))
    }

    /// The rank that an address in shared memory names, and whether the cluster has it. `None` if it names none.
    pub(crate) fn named(&self, address: u64) -> Option<(usize, bool)> {
        let rank = usize::try_from(address / CLUSTER_STRIDE).ok()?.checked_sub(1)?;
        let names = !self.ranks.is_empty() && rank < MAX_CLUSTER as usize;
        names.then_some((rank, rank < self.ranks.len()))
    }

    /// Where the shared memory of a rank begins.
    pub(crate) fn start(rank: usize) -> u64 {
        (rank as u64 + 1) * CLUSTER_STRIDE
    }

    /// Where bytes of a rank's shared memory are on the host, if they are there.
    pub(crate) fn host(&self, rank: usize, offset: u64, bytes: u64) -> Option<*mut u8> {
        let rank = self.ranks.get(rank).filter(|rank| !rank.has_exited)?;
        let fits = rank.shared.bytes.checked_sub(bytes).is_some_and(|last| offset <= last);
        fits.then(|| rank.shared.start.wrapping_add(offset as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_a_window() {
        let mut memory = [[0u8; 64]; 3];
        let blocks = memory.each_mut().map(|bytes| Block { start: bytes.as_mut_ptr(), bytes: 64 });
        let mut cluster = ClusterMemory::new(&blocks);
        assert_eq!(cluster.lead(0), None);
        assert_eq!(cluster.lead(CLUSTER_STRIDE - 1), None);
        for (rank, block) in blocks.iter().enumerate() {
            let start = ClusterMemory::start(rank);
            assert_eq!(cluster.lead(start), Some((rank, 0)));
            assert_eq!(cluster.lead(start + 100), Some((rank, 100)));
            assert_eq!(cluster.host(rank, 0, 64), Some(block.start));
            assert_eq!(cluster.host(rank, 60, 4), Some(block.start.wrapping_add(60)));
            assert_eq!(cluster.host(rank, 60, 8), None);
        }
        assert_eq!(cluster.lead(ClusterMemory::start(3)), None);
        assert_eq!(cluster.lead(u64::MAX), None);
        cluster.exit(1);
        assert!(cluster.has_exited(1) && !cluster.has_exited(2));
        assert_eq!(cluster.host(1, 0, 4), None);
        cluster.begin();
        assert!(cluster.host(1, 0, 4).is_some());
        assert_eq!(ClusterMemory::default().lead(ClusterMemory::start(0)), None);
    }
}
