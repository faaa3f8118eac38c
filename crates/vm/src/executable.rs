//! A kernel with what has been made of it: compiled once, launched many times.

use crate::code_cache::CodeCache;
use crate::engine::{Code, Engine, EngineChoice};
use crate::interp::Interpreter;
use crate::launch::Storage;
use crate::native::Native;
use crate::plan::{Plan, Shape};
use ir::{Interrupt, Kernel};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Shapes for which what was made is kept.
const MAX_SHAPES: usize = 16;
/// Blocks of memory that are kept for later launches of a shape, and bytes of the largest.
const MAX_STORAGE: usize = 64;
const MAX_STORAGE_BYTES: usize = 4 << 20;

/// A kernel that can be launched, with the plans and the code that its launches have made so far: one for each launch shape
/// (extents of the CTA, bytes of dynamic shared memory and of stacks, observed or not) and engine. The values of a launch (its
/// arguments, the extents of the grid) are no part of them. It can be launched from several host threads at once.
#[derive(Debug)]
pub struct Executable {
    kernel: Arc<Kernel>,
    /// Where machine code is kept for other processes.
    cache: Option<CodeCache>,
    /// What was used last is last.
    made: Mutex<Vec<Arc<Made>>>,
}

impl Executable {
    /// A kernel for which nothing has been made yet.
    pub fn new(kernel: impl Into<Arc<Kernel>>) -> Executable {
        Executable { kernel: kernel.into(), cache: None, made: Mutex::default() }
    }

    /// The same kernel, whose machine code is taken from a cache on disk if it is there, and kept there if it was made.
    #[must_use]
    pub fn with_cache(self, cache: Option<CodeCache>) -> Executable {
        Executable { cache, ..self }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Bytes of machine code that have been made of it so far.
    pub fn machine_code(&self) -> usize {
        lock(&self.made).iter().map(|made| made.code.machine_code()).sum()
    }

    /// What is made of the kernel for a shape, made now if it is not there. `None` if that was interrupted.
    pub(crate) fn made(
        &self,
        shape: Shape,
        engine: EngineChoice,
        interrupt: &Interrupt<'_>,
    ) -> Option<Arc<Made>> {
        let find = |all: &mut Vec<Arc<Made>>| {
            let fits = |made: &Arc<Made>| made.plan.shape == shape && made.engine == engine;
            let at = all.iter().rposition(fits)?;
            all[at..].rotate_left(1);
            all.last().cloned()
        };
        if let Some(made) = find(&mut lock(&self.made)) {
            return Some(made);
        }
        // Not locked meanwhile: others may launch what there is.
        let native = Native::of(engine, &self.kernel, &shape, self.cache.as_ref());
        let plan = Arc::new(Plan::new(&self.kernel, shape, native.is_some(), interrupt)?);
        let (plan, code) = ir::made_of((plan, None), |(plan, code)| {
            *code = Some(match &native {
                Some(native) => native.compile(plan, interrupt)?,
                None => Interpreter(engine.interpreter_level()).compile(plan, interrupt)?,
            });
            Some(())
        })?;
        let code = code?;
        let (spare, picoseconds) = (Mutex::default(), AtomicU64::new(0));
        let new = Arc::new(Made { plan, engine, code, spare, picoseconds });
        let mut all = lock(&self.made);
        if let Some(made) = find(&mut all) {
            return Some(made);
        }
        if all.len() == MAX_SHAPES {
            all.remove(0);
        }
        all.push(Arc::clone(&new));
        Some(new)
    }
}

/// What was made of a kernel for a shape and an engine.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) plan: Arc<Plan>,
    engine: EngineChoice,
    pub(crate) code: Box<dyn Code>,
    /// Memory of CTAs that nobody uses just now.
    spare: Mutex<Vec<Storage>>,
    /// What a CTA took in the last launch; 0 if there was none.
    picoseconds: AtomicU64,
}

impl Made {
    /// Memory for a CTA.
    pub(crate) fn storage(&self) -> Storage {
        let spare = lock(&self.spare).pop();
        spare.unwrap_or_else(|| Storage::new(&self.plan, &*self.code))
    }

    /// Keeps memory for a later launch, if it is not too much.
    pub(crate) fn keep(&self, storage: Storage) {
        let mut spare = lock(&self.spare);
        if spare.len() < MAX_STORAGE && storage.bytes() <= MAX_STORAGE_BYTES {
            spare.push(storage);
        }
    }

    /// How long so many CTAs take on one thread, going by the last launch.
    pub(crate) fn usual_time(&self, ctas: u64) -> Option<Duration> {
        match self.picoseconds.load(Ordering::Relaxed) {
            0 => None,
            each => Some(Duration::from_nanos(each.saturating_mul(ctas) / 1000)),
        }
    }

    /// Takes note that so many CTAs took so long in all.
    pub(crate) fn took(&self, ctas: u64, time: Duration) {
        let each = time.as_nanos().saturating_mul(1000) / u128::from(ctas.max(1));
        let each = u64::try_from(each).unwrap_or(u64::MAX).max(1);
        self.picoseconds.store(each, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_block_of_any_length_can_be_interrupted_wherever_it_is_made() {
        let count = 150_000u32;
        let mut b = ir::Builder::new("k", ir::WarpRules::Independent);
        let [x, y] = [0; 2].map(|_| b.reg(ir::Class::W32));
        for at in 0..count {
            let (to, from) = if at % 2 == 0 { (x, y) } else { (y, x) };
            b.binary_to(to, ir::BinaryOp::AddI32, from, ir::Src::Imm(u64::from(at)));
        }
        b.push(ir::Op::Nanosleep { nanoseconds: x.into() });
        let executable = Executable::new(b.finish());
        for observed in [false, true] {
            let shape = Shape {
                block: [32, 1, 1],
                cluster: [1; 3],
                explicit_cluster: false,
                dynamic_shared: 0,
                stack: 0,
                observed,
                stepwise: false,
            };
            // How often it is asked, and whether it ends at the question of this number.
            let make = |stop: u32| {
                let asked = Cell::new(0);
                let ask = || asked.replace(asked.get() + 1) == stop;
                let made =
                    executable.made(shape, EngineChoice::interpreter(), &Interrupt::new(&ask));
                (made.is_some(), asked.get())
            };
            // Before it is kept: each of these ends early.
            let ended = (0..).take_while(|stop| !make(*stop).0).count();
            // At least once in every pass over the instructions of its only block.
            let passes = if observed { 2 } else { 9 };
            assert!(ended as u32 >= passes * count / (1 << 14), "asked {ended} times");
        }
    }
}
