//! When machine code of a kernel that is being interpreted is made: once it has run for about as long as that takes, at once if that is a
//! moment, else on a thread beside those that go on interpreting.

use super::made::Maker;
use crate::code_cache::CodeCache;
use crate::float_environment::FloatEnvironment;
use crate::interp::Program;
use crate::plan::Plan;
use ir::Interrupt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

/// Operations of a kernel beyond which its code is made beside the launch: of fewer it takes 20 ms, or three times as long
/// where branches are many. A process that ends soon leaves nothing on disk of what is made beside it.
const MOST_AT_ONCE: usize = 1 << 11;
/// Instructions of a warp that the interpreter executes while machine code of an operation is made: some 10 µs.
const WORTH: i64 = 1 << 11;
/// The same while it is looked whether another process has made the code, and some more.
const WORTH_LOOKING: i64 = 1 << 6;
/// If one in so many operations or more has to be performed by the interpreter, it does the rest better, too.
const MOST_PERFORMED: usize = 6;

/// Machine code of a kernel, once it was made, or found not to be possible or worth it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell(Arc<OnceLock<Option<jit::Code>>>);

impl Cell {
    /// What has been made, or found not to be possible.
    pub(super) fn made(code: Option<jit::Code>) -> Cell {
        Cell(Arc::new(OnceLock::from(code)))
    }

    pub(super) fn code(&self) -> Option<&jit::Code> {
        self.0.get().and_then(Option::as_ref)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.get().is_none()
    }
}

/// How long a kernel has to run before machine code of it is made, and of what that is made then.
#[derive(Debug)]
pub(super) struct Heat {
    plan: Arc<Plan>,
    level: jit::Level,
    cache: Option<CodeCache>,
    /// Instructions of warps.
    left: AtomicI64,
    /// With so many left it is worth to look whether there is code already.
    looks: i64,
}

/// What is due when a kernel has run for long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// To look for machine code on disk.
    Look,
    /// To make it.
    Make,
}

impl Heat {
    pub(super) fn new(plan: &Arc<Plan>, level: jit::Level, cache: Option<CodeCache>) -> Heat {
        let operations = operations(&plan.kernel) as i64;
        let (all, looking) = (WORTH * operations, WORTH_LOOKING * operations);
        let left = AtomicI64::new(all);
        Heat { plan: Arc::clone(plan), level, cache, left, looks: all - looking }
    }

    /// So many instructions of warps have been executed by the interpreter: sees to it that code is made if that is due.
    pub(super) fn rises(&self, by: u64, interp: &Program, cell: &Cell) {
        let Some(due) = self.due(by) else { return };
        let plan = Arc::clone(&self.plan);
        let maker = Maker::new(plan, interp, self.level, self.cache.clone());
        match (maker.find(), due) {
            (Some(code), _) => keep(&maker, cell, code),
            (None, Due::Look) => {}
            (None, Due::Make) if operations(&self.plan.kernel) > MOST_AT_ONCE => {
                make_beside(maker, cell);
            }
            (None, Due::Make) => keep(&maker, cell, maker.make(&Interrupt::never()).flatten()),
        }
    }

    /// What is due after so many more. Whoever is told does it, and nobody else.
    fn due(&self, by: u64) -> Option<Due> {
        let by = i64::try_from(by).unwrap_or(i64::MAX).min(1 << 40);
        let left = self.left.fetch_sub(by, Ordering::Relaxed);
        let passes = |mark: i64| left > mark && left - by <= mark;
        match (passes(0), passes(self.looks)) {
            (true, _) => Some(Due::Make),
            (false, true) => Some(Due::Look),
            (false, false) => None,
        }
    }
}

/// Keeps code if it pays.
fn keep(maker: &Maker, cell: &Cell, code: Option<jit::Code>) {
    let operations = operations(&maker.plan.kernel);
    let pays = |code: &jit::Code| code.performed() * MOST_PERFORMED < operations;
    // Whoever was first has set it.
    let _ = cell.0.set(code.filter(pays));
}

/// Makes code on a thread of its own, which ends early if nobody waits for it any more. Where there can be no thread the kernel
/// stays interpreted.
fn make_beside(maker: Maker, cell: &Cell) {
    let waiting = Arc::downgrade(&cell.0);
    let making = move || {
        let _environment = FloatEnvironment::enter();
        let is_alone = || waiting.strong_count() == 0;
        if let Some(code) = maker.make(&Interrupt::new(&is_alone))
            && let Some(cell) = waiting.upgrade()
        {
            keep(&maker, &Cell(cell), code);
        }
    };
    let _ = thread::Builder::new().name("warpwise-code".to_owned()).spawn(making);
}

/// Operations of a kernel, with its branches.
pub(super) fn operations(kernel: &ir::Kernel) -> usize {
    kernel.blocks.iter().map(|block| block.insts.len() + 1).sum()
}
