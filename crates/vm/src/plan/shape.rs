//! What a plan is made for: everything that the launches have in common that use it.

use ir::{CLUSTER_STRIDE, Kernel, Special};
use lanes::WARP;

/// The shape of a launch: launches of one kernel that have it share a plan and its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The CTA's extents in threads.
    pub(crate) block: [u32; 3],
    /// The extents of the CTA's cluster in CTAs.
    pub(crate) cluster: [u32; 3],
    /// Whether the launch or the kernel says how large clusters are.
    pub(crate) explicit_cluster: bool,
    /// Bytes of dynamic shared memory.
    pub(crate) dynamic_shared: u32,
    /// Bytes of the stack of each thread; 0 if the kernel needs none.
    pub(crate) stack: u32,
    /// Whether somebody watches: every instruction and register then stays as the kernel has it.
    pub(crate) observed: bool,
    /// Whether every step is chosen: then lanes of a warp may come apart anywhere.
    pub(crate) stepwise: bool,
}

/// Multiprocessors that `%nsmid` tells of.
pub(crate) const MULTIPROCESSORS: u32 = 1;

impl Shape {
    /// Threads of a CTA.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// CTAs of a cluster.
    pub(crate) fn ctas(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Warps of a CTA.
    pub(crate) fn warps(&self) -> u32 {
        self.threads().div_ceil(WARP as u32)
    }

    /// Whether all lanes of every warp are there and together in the entry block, to which no lane comes back.
    pub(crate) fn begins_together(&self) -> bool {
        self.threads().is_multiple_of(WARP as u32) && !self.stepwise
    }

    /// The value of a special register that is the same in every launch of the shape.
    pub(crate) fn special(&self, kernel: &Kernel, what: Special) -> Option<u64> {
        Some(match what {
            Special::Ntid(of) => u64::from(self.block[of.index()]),
            Special::ClusterNctaid(of) => u64::from(self.cluster[of.index()]),
            Special::ClusterNctarank => u64::from(self.ctas()),
            Special::IsExplicitCluster => u64::from(self.explicit_cluster),
            Special::ClusterWindow => {
                if self.ctas() == 1 {
                    0
                } else {
                    CLUSTER_STRIDE
                }
            }
            Special::ClusterCtaid(_) | Special::ClusterCtarank => {
                return (self.ctas() == 1).then_some(0);
            }
            Special::Nwarpid => u64::from(self.warps()),
            Special::Nsmid => u64::from(MULTIPROCESSORS),
            Special::Gridid => 1,
            Special::DynamicSmemSize => u64::from(self.dynamic_shared),
            Special::TotalSmemSize => kernel.shared_bytes_of_variables(self.dynamic_shared),
            Special::DynamicSharedBase => u64::from(kernel.shared_bytes),
            Special::StackEnd => kernel.local_bytes_with(self.stack),
            Special::Constant(value) => u64::from(value),
            Special::Nctaid(_)
            | Special::Clusterid(_)
            | Special::Nclusterid(_)
            | Special::ImageBase
            | Special::SharedWindow
            | Special::LocalWindow
            | Special::ParamWindow
            | Special::Tid(_)
            | Special::Ctaid(_)
            | Special::Laneid
            | Special::Warpid
            | Special::LanemaskEq
            | Special::LanemaskLe
            | Special::LanemaskLt
            | Special::LanemaskGe
            | Special::LanemaskGt
            | Special::Smid
            | Special::Clock
            | Special::ClockHi
            | Special::Clock64
            | Special::Globaltimer
            | Special::GlobaltimerLo
            | Special::GlobaltimerHi => return None,
        })
    }
}
