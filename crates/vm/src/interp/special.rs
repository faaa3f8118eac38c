//! Special registers.

use super::frame::{Body, Code, Frame, MAX_WARPS};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use ir::{Dim, Special};
use lanes::{LANE_IDS, Lanes, WARP};
use std::time::Instant;

/// What the special registers of a CTA hold.
#[derive(Clone, Debug)]
pub(crate) struct SpecialValues<'l> {
    pub(crate) tid: &'l ThreadIndices,
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) cta: [u32; 3],
    pub(crate) cta_number: u64,
    pub(crate) warps: u32,
    pub(crate) dynamic_shared: u32,
    pub(crate) total_shared: u32,
    pub(crate) memory_base: u64,
    pub(crate) image_base: u64,
    pub(crate) started: Instant,
    /// How often a clock was read.
    pub(crate) clock_reads: u64,
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

enum Value {
    Row(Lanes<u32>),
    Word(u32),
    Wide(u64),
}

impl SpecialValues<'_> {
    fn value(&mut self, what: Special, warp: usize, instructions: u64) -> Value {
        let mut clock = || {
            self.clock_reads += 1;
            instructions + self.clock_reads
        };
        let timer = || self.started.elapsed().as_nanos() as u64;
        match what {
            Special::Tid(of) => Value::Row(self.tid.rows[warp][dim(of)]),
            Special::Ntid(of) => Value::Word(self.block[dim(of)]),
            Special::Ctaid(of) => Value::Word(self.cta[dim(of)]),
            Special::Nctaid(of) => Value::Word(self.grid[dim(of)]),
            Special::Laneid => Value::Row(LANE_IDS),
            Special::Warpid => Value::Word(warp as u32),
            Special::Nwarpid => Value::Word(self.warps),
            Special::LanemaskEq => Value::Row(LANE_IDS.map(|lane| 1 << lane)),
            Special::LanemaskLt => Value::Row(LANE_IDS.map(|lane| (1 << lane) - 1)),
            Special::LanemaskLe => Value::Row(LANE_IDS.map(|lane| u32::MAX >> (31 - lane))),
            Special::LanemaskGe => Value::Row(LANE_IDS.map(|lane| u32::MAX << lane)),
            Special::LanemaskGt => Value::Row(LANE_IDS.map(|lane| (u32::MAX << lane) << 1)),
            Special::Smid => Value::Word((self.cta_number % u64::from(MULTIPROCESSORS)) as u32),
            Special::Nsmid => Value::Word(MULTIPROCESSORS),
            Special::Gridid => Value::Wide(1),
            Special::Clock => Value::Word(clock() as u32),
            Special::ClockHi => Value::Word((clock() >> 32) as u32),
            Special::Clock64 => Value::Wide(clock()),
            Special::Globaltimer => Value::Wide(timer()),
            Special::GlobaltimerLo => Value::Word(timer() as u32),
            Special::GlobaltimerHi => Value::Word((timer() >> 32) as u32),
            Special::DynamicSmemSize => Value::Word(self.dynamic_shared),
            Special::TotalSmemSize => Value::Word(self.total_shared),
            Special::DynamicSharedBase => Value::Word(self.total_shared - self.dynamic_shared),
            Special::SharedWindow => Value::Wide(self.memory_base + SHARED_WINDOW),
            Special::LocalWindow => Value::Wide(self.memory_base + LOCAL_WINDOW),
            Special::ParamWindow => Value::Wide(self.memory_base + PARAM_WINDOW),
            Special::ImageBase => Value::Wide(self.image_base),
            Special::Constant(value) => Value::Word(value),
        }
    }
}

/// `d` receives the special register at index `x` of the program's table.
pub(super) struct ReadSpecial;

impl Body for ReadSpecial {
    #[inline(always)]
    unsafe fn run(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
        let what = frame.program.specials[code.x as usize];
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            let instructions = frame.stats.warp_instructions;
            let value = frame.specials.value(what, warp, instructions);
            // SAFETY: the result's row lies inside the registers and has the register's class.
            unsafe {
                match value {
                    Value::Row(row) => merge(&mut *frame.row(code.d, warp), keep, |lane| row[lane]),
                    Value::Word(word) => merge(&mut *frame.row(code.d, warp), keep, |_| word),
                    Value::Wide(wide) => merge(&mut *frame.row(code.d, warp), keep, |_| wide),
                }
            }
        }
        at + 1
    }
}

#[inline(always)]
fn merge<T: Copy>(d: &mut Lanes<T>, keep: u32, value: impl Fn(usize) -> T) {
    for (lane, slot) in d.iter_mut().enumerate() {
        *slot = if (keep >> lane) & 1 != 0 { value(lane) } else { *slot };
    }
}
