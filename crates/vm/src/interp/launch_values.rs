//! What special registers and parameters hold in a launch.

use super::threads::MAX_WARPS;
use crate::memory::Window;
use ir::{Dim, Special};
use lanes::{LANE_IDS, Lanes, WARP};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What the special registers of a CTA hold.
#[derive(Clone, Debug)]
pub(crate) struct SpecialValues<'l> {
    pub(crate) launch: LaunchValues<'l>,
    pub(crate) tid: &'l ThreadIndices,
    pub(crate) cta: [u32; 3],
    pub(crate) cta_number: u64,
    pub(crate) time: &'l Time,
    /// Instructions of the CTA that the time has counted.
    pub(crate) counted: u64,
    /// How often a clock was read.
    pub(crate) clock_reads: u64,
}

/// The clock of a launch, in nanoseconds.
#[derive(Debug)]
pub(crate) enum Time {
    /// Since then on the host's clock.
    Host(Instant),
    /// A count of warp instructions, and of the times that it was read: who waits for a time gets there.
    Counted(AtomicU64),
}

/// By how much a counted time goes on when it is read. Real clocks, too, tell the next microsecond at once.
const TICK: u64 = 1000;

impl Time {
    /// The time in a CTA that has issued so many instructions, of which `counted` were known.
    pub(super) fn read(&self, instructions: u64, counted: &mut u64) -> u64 {
        match self {
            Time::Host(started) => started.elapsed().as_nanos() as u64,
            Time::Counted(time) => {
                let more = instructions.saturating_sub(*counted) + TICK;
                *counted = instructions;
                time.fetch_add(more, Ordering::Relaxed) + more
            }
        }
    }
}

/// `%tid` of every lane of every warp of a CTA.
#[derive(Clone, Debug)]
pub(crate) struct ThreadIndices {
    pub(super) rows: Vec<[Lanes<u32>; 3]>,
}

impl ThreadIndices {
    /// The indices of a CTA of this shape; threads are numbered with x fastest.
    pub(crate) fn new(block: [u32; 3]) -> Self {
        let index = |thread: u32| {
            let [x, y, _] = block.map(|extent| extent.max(1));
            [thread % x, thread / x % y, thread / x / y]
        };
        let row = |warp: usize| {
            [0, 1, 2].map(|dim| LANE_IDS.map(|lane| index((warp * WARP) as u32 + lane)[dim]))
        };
        ThreadIndices { rows: (0..MAX_WARPS).map(row).collect() }
    }

    /// The index of one thread.
    pub(crate) fn of(&self, warp: usize, lane: usize) -> [u32; 3] {
        [0, 1, 2].map(|dim| self.rows[warp][dim][lane])
    }
}

/// What is the same in all CTAs of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchValues<'l> {
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) dynamic_shared: u32,
    pub(crate) total_shared: u32,
    /// Bytes of shared memory that variables need, without the gaps between them.
    pub(crate) shared_of_variables: u64,
    pub(crate) memory_base: u64,
    pub(crate) image_base: u64,
    /// Bytes of local memory of a thread, its stack included.
    pub(crate) local_bytes: u64,
    pub(crate) params: &'l [u8],
}

/// Multiprocessors that `%nsmid` tells of.
pub(super) const MULTIPROCESSORS: u32 = 1;

impl LaunchValues<'_> {
    /// The value of a special register that is the same in all CTAs.
    pub(crate) fn special(&self, what: Special) -> Option<u64> {
        let threads: u32 = self.block.iter().product();
        Some(match what {
            Special::Ntid(of) => u64::from(self.block[dim(of)]),
            Special::Nctaid(of) => u64::from(self.grid[dim(of)]),
            Special::Nwarpid => u64::from(threads.div_ceil(WARP as u32)),
            Special::Nsmid => u64::from(MULTIPROCESSORS),
            Special::Gridid => 1,
            Special::DynamicSmemSize => u64::from(self.dynamic_shared),
            Special::TotalSmemSize => self.shared_of_variables,
            Special::DynamicSharedBase => u64::from(self.total_shared - self.dynamic_shared),
            Special::SharedWindow => Window::Shared.start(self.memory_base),
            Special::LocalWindow => Window::Local.start(self.memory_base),
            Special::ParamWindow => Window::Param.start(self.memory_base),
            Special::ImageBase => self.image_base,
            Special::StackEnd => self.local_bytes,
            Special::Constant(value) => u64::from(value),
            Special::Tid(_)
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

    /// The element of the parameter space at an offset; `None` where it does not lie inside.
    pub(crate) fn param(&self, offset: u64, bytes: usize) -> Option<u64> {
        let start = usize::try_from(offset).ok()?;
        let found = self.params.get(start..start.checked_add(bytes)?)?;
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(found);
        Some(u64::from_le_bytes(value))
    }
}

/// The index of a dimension.
pub(super) fn dim(dim: Dim) -> usize {
    match dim {
        Dim::X => 0,
        Dim::Y => 1,
        Dim::Z => 2,
    }
}
