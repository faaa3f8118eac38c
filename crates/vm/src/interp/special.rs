//! Special registers.

use super::frame::{Body, Code, Frame, MAX_WARPS};
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
    fn read(&self, instructions: u64, counted: &mut u64) -> u64 {
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

/// Multiprocessors that `%nsmid` tells of.
const MULTIPROCESSORS: u32 = 1;

/// `%tid` of every lane of every warp of a CTA.
#[derive(Clone, Debug)]
pub(crate) struct ThreadIndices {
    rows: Vec<[Lanes<u32>; 3]>,
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

fn dim(dim: Dim) -> usize {
    match dim {
        Dim::X => 0,
        Dim::Y => 1,
        Dim::Z => 2,
    }
}

/// The value of a special register in the lanes of a warp.
enum Value<'v> {
    Row(&'v Lanes<u32>),
    Word(u32),
    Wide(u64),
}

/// Per lane, the lanes that a comparison with it holds for.
static LANEMASKS: [Lanes<u32>; 5] = {
    let mut masks = [[0; WARP]; 5];
    let mut lane = 0;
    while lane < WARP {
        let below = (1 << lane) - 1;
        masks[0][lane] = 1 << lane;
        masks[1][lane] = below;
        masks[2][lane] = below | 1 << lane;
        masks[3][lane] = !below;
        masks[4][lane] = !(below | 1 << lane);
        lane += 1;
    }
    masks
};

static LANEIDS: Lanes<u32> = LANE_IDS;

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
    pub(crate) params: &'l [u8],
}

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

impl SpecialValues<'_> {
    fn value(&mut self, what: Special, warp: usize, instructions: u64) -> Value<'_> {
        if let Some(value) = self.launch.special(what) {
            return if what.is_wide() { Value::Wide(value) } else { Value::Word(value as u32) };
        }
        let clock = match what {
            Special::Clock | Special::ClockHi | Special::Clock64 => {
                self.clock_reads += 1;
                instructions + self.clock_reads
            }
            Special::Globaltimer | Special::GlobaltimerLo | Special::GlobaltimerHi => {
                self.time.read(instructions, &mut self.counted)
            }
            _ => 0,
        };
        match what {
            Special::Tid(of) => Value::Row(&self.tid.rows[warp][dim(of)]),
            Special::Ctaid(of) => Value::Word(self.cta[dim(of)]),
            Special::Laneid => Value::Row(&LANEIDS),
            Special::Warpid => Value::Word(warp as u32),
            Special::LanemaskEq => Value::Row(&LANEMASKS[0]),
            Special::LanemaskLt => Value::Row(&LANEMASKS[1]),
            Special::LanemaskLe => Value::Row(&LANEMASKS[2]),
            Special::LanemaskGe => Value::Row(&LANEMASKS[3]),
            Special::LanemaskGt => Value::Row(&LANEMASKS[4]),
            Special::Smid => Value::Word((self.cta_number % u64::from(MULTIPROCESSORS)) as u32),
            Special::Clock | Special::GlobaltimerLo => Value::Word(clock as u32),
            Special::ClockHi | Special::GlobaltimerHi => Value::Word((clock >> 32) as u32),
            Special::Clock64 | Special::Globaltimer => Value::Wide(clock),
            // The launch has the values of the rest.
            Special::Ntid(_)
            | Special::Nctaid(_)
            | Special::Nwarpid
            | Special::Nsmid
            | Special::Gridid
            | Special::DynamicSmemSize
            | Special::TotalSmemSize
            | Special::DynamicSharedBase
            | Special::SharedWindow
            | Special::LocalWindow
            | Special::ParamWindow
            | Special::ImageBase
            | Special::Constant(_) => Value::Word(0),
        }
    }
}

/// `d` receives the special register at index `x` of the program's table.
pub(super) struct ReadSpecial;

impl Body for ReadSpecial {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
        let what = frame.program.specials[code.x as usize];
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            let instructions = frame.stats.warp_instructions;
            let regs = frame.cta.regs;
            let d = regs.wrapping_add(code.d.offset as usize + warp * code.d.stride as usize);
            let value = frame.specials.value(what, warp, instructions);
            // SAFETY: the result's row lies inside the registers and has the register's class.
            unsafe {
                match value {
                    Value::Row(row) => merge(&mut *d.cast(), keep, |lane| row[lane]),
                    Value::Word(word) => merge(&mut *d.cast(), keep, |_| word),
                    Value::Wide(wide) => merge(&mut *d.cast(), keep, |_| wide),
                }
            }
        }
        at + 1
    }
}

#[inline(always)]
fn merge<T: Copy>(d: &mut Lanes<T>, keep: u32, value: impl Fn(usize) -> T) {
    if keep == u32::MAX {
        *d = std::array::from_fn(value);
        return;
    }
    for (lane, slot) in d.iter_mut().enumerate() {
        *slot = if (keep >> lane) & 1 != 0 { value(lane) } else { *slot };
    }
}
