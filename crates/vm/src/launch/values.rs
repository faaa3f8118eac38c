//! What special registers hold in a launch.

use crate::memory::Window;
use crate::plan::Plan;
use ir::Special;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What the special registers of a CTA hold.
#[derive(Clone, Debug)]
pub(crate) struct SpecialValues<'l> {
    pub(crate) launch: LaunchValues<'l>,
    pub(crate) cta: [u32; 3],
    pub(crate) cta_number: u64,
    pub(crate) time: &'l Time,
    /// Instructions of the CTA that the time has counted.
    pub(crate) counted: u64,
    /// How often a clock was read.
    pub(crate) clock_reads: u64,
}

impl SpecialValues<'_> {
    /// The extents of the CTA's cluster; none of them is 0.
    pub(crate) fn cluster(&self) -> [u32; 3] {
        self.launch.plan.shape.cluster.map(|extent| extent.max(1))
    }

    /// The CTA's number in its cluster: CTAs are numbered cluster after cluster.
    pub(crate) fn cluster_rank(&self) -> u32 {
        (self.cta_number % u64::from(self.launch.plan.shape.ctas().max(1))) as u32
    }
}

/// The clocks of a launch.
#[derive(Debug)]
pub(crate) enum Time {
    /// Those of the host.
    Host {
        /// Kilohertz of `%clock`.
        clock_khz: u32,
    },
    /// A count of warp instructions, and of the times that it was read: who waits for a time gets there.
    Counted(AtomicU64),
}

/// By how much a counted time goes on when it is read. Real clocks, too, tell the next microsecond at once.
const TICK: u64 = 1000;

impl Time {
    /// Nanoseconds, in a CTA that has issued so many instructions, of which `counted` were known.
    pub(crate) fn read(&self, instructions: u64, counted: &mut u64) -> u64 {
        match self {
            Time::Host { .. } => up() as u64,
            Time::Counted(time) => {
                let more = instructions.saturating_sub(*counted) + TICK;
                *counted = instructions;
                time.fetch_add(more, Ordering::Relaxed) + more
            }
        }
    }

    /// Ticks of the multiprocessor's clock, in a CTA that has issued so many instructions; `reads` counts how often it was read.
    pub(crate) fn clock(&self, instructions: u64, reads: &mut u64) -> u64 {
        match self {
            Time::Host { clock_khz } => (up() * u128::from(*clock_khz) / 1_000_000) as u64,
            Time::Counted(_) => {
                *reads += 1;
                instructions + *reads
            }
        }
    }
}

/// Nanoseconds since a clock was first read: one clock for all launches, as a device has it.
fn up() -> u128 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos()
}

/// What is the same in all CTAs of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchValues<'l> {
    pub(crate) plan: &'l Plan,
    pub(crate) grid: [u32; 3],
    pub(crate) image_base: u64,
}

impl LaunchValues<'_> {
    /// The value of a special register that is the same in all CTAs.
    pub(crate) fn special(&self, what: Special) -> Option<u64> {
        Some(match what {
            Special::Nctaid(of) => u64::from(self.grid[of.index()]),
            Special::Nclusterid(of) => {
                u64::from(self.grid[of.index()] / self.plan.shape.cluster[of.index()].max(1))
            }
            Special::SharedWindow => Window::Shared.start(),
            Special::LocalWindow => Window::Local.start(),
            Special::ParamWindow => Window::Param.start(),
            Special::ImageBase => self.image_base,
            Special::Ntid(_)
            | Special::ClusterNctaid(_)
            | Special::ClusterNctarank
            | Special::IsExplicitCluster
            | Special::ClusterWindow
            | Special::ClusterCtaid(_)
            | Special::ClusterCtarank
            | Special::Nwarpid
            | Special::Nsmid
            | Special::Gridid
            | Special::DynamicSmemSize
            | Special::TotalSmemSize
            | Special::DynamicSharedBase
            | Special::StackEnd
            | Special::Constant(_) => return self.plan.special(what),
            Special::Tid(_)
            | Special::Ctaid(_)
            | Special::Clusterid(_)
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
