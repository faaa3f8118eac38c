//! Special registers.

use super::handler::Body;
use super::program::{Code, Program};
use crate::frame::Frame;
use crate::launch::SpecialValues;
use crate::plan::MULTIPROCESSORS;
use ir::Special;
use lanes::{LANE_IDS, Lanes, WARP};

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

impl SpecialValues<'_> {
    fn value(&mut self, what: Special, warp: usize, instructions: u64) -> Value<'_> {
        if let Some(value) = self.launch.special(what) {
            return if what.is_wide() { Value::Wide(value) } else { Value::Word(value as u32) };
        }
        let clock = if what.is_clock() {
            self.time.clock(instructions, &mut self.clock_reads)
        } else if what.is_global_timer() {
            self.time.read(instructions, &mut self.counted)
        } else {
            0
        };
        match what {
            Special::Tid(of) => Value::Row(&self.launch.plan.tid.rows[warp][of.index()]),
            Special::Ctaid(of) => Value::Word(self.cta[of.index()]),
            Special::Clusterid(of) => {
                Value::Word(self.cta[of.index()] / self.cluster()[of.index()])
            }
            Special::ClusterCtaid(of) => {
                Value::Word(self.cta[of.index()] % self.cluster()[of.index()])
            }
            Special::ClusterCtarank => Value::Word(self.cluster_rank()),
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
            | Special::Nclusterid(_)
            | Special::ClusterNctaid(_)
            | Special::ClusterNctarank
            | Special::IsExplicitCluster
            | Special::ClusterWindow
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
            | Special::StackEnd
            | Special::Constant(_) => Value::Word(0),
        }
    }
}

/// `d` receives the special register at index `x` of the program's table.
pub(super) struct ReadSpecial;

impl Body for ReadSpecial {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let what = program.specials[code.x as usize];
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
