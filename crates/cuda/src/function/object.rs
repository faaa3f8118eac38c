//! A function, and what is known of its launches.

use super::steps::Steps;
use crate::abi::{CUfunction, CUmodule};
use crate::context::Context;
use crate::registry::Registry;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use warpwise::{Attributes, Kernel};

/// Launches that took less last time may run on the caller's thread.
const BRIEF: Duration = Duration::from_micros(40);

/// What programs may set of a function or a kernel.
#[derive(Debug)]
pub(crate) struct Settable {
    /// Bytes of dynamic shared memory, at most.
    pub(crate) dynamic_shared: AtomicI32,
    /// How much of the L1 cache it wants as shared memory: a hint.
    pub(crate) carveout: AtomicI32,
    /// Hints about clusters.
    pub(crate) clusters: [AtomicI32; 6],
}

/// Bytes of shared memory that a CTA can have without asking for more.
pub(crate) const SHARED_BY_DEFAULT: i32 = 48 << 10;

impl Default for Settable {
    fn default() -> Settable {
        Settable {
            dynamic_shared: AtomicI32::new(-1),
            carveout: AtomicI32::new(-1),
            clusters: Default::default(),
        }
    }
}

/// A kernel in a context.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) kernel: Kernel,
    pub(crate) context: Arc<Context>,
    pub(crate) module: CUmodule,
    pub(crate) settable: Arc<Settable>,
    pub(crate) steps: Steps,
    /// The most registers that a thread may have, by the program's will.
    pub(crate) max_registers: Option<u32>,
    attributes: OnceLock<Attributes>,
    /// Whether it may wait for others in memory.
    pub(crate) waits: bool,
    /// What a thread of it took in its last launch, in picoseconds.
    pace: AtomicU64,
    /// How often it has been launched.
    launches: AtomicU64,
}

impl Function {
    pub(crate) fn new(
        kernel: Kernel,
        context: Arc<Context>,
        module: CUmodule,
        (settable, max_registers): (Arc<Settable>, Option<u32>),
    ) -> Function {
        let waits = kernel.passes_messages();
        let (attributes, pace) = (OnceLock::new(), AtomicU64::new(0));
        let launches = AtomicU64::new(0);
        Function {
            kernel,
            context,
            module,
            settable,
            steps: Steps::default(),
            max_registers,
            attributes,
            waits,
            pace,
            launches,
        }
    }

    /// What it takes of a device.
    pub(crate) fn attributes(&self) -> &Attributes {
        self.attributes.get_or_init(|| self.kernel.attributes())
    }

    /// Bytes of dynamic shared memory that a launch may ask for.
    pub(crate) fn dynamic_shared(&self) -> u64 {
        match self.settable.dynamic_shared.load(Ordering::Relaxed) {
            -1 => {
                let fixed = self.attributes().static_shared_bytes;
                (SHARED_BY_DEFAULT as u64).saturating_sub(fixed)
            }
            set => set as u64,
        }
    }

    /// Whether a launch of so many threads is over so soon that its caller does not notice that it runs there.
    pub(crate) fn is_brief(&self, threads: u64) -> bool {
        let pace = self.pace.load(Ordering::Relaxed);
        let time = Duration::from_nanos(pace.saturating_mul(threads) / 1000);
        pace > 0 && !self.waits && !self.kernel.launches() && time < BRIEF
    }

    /// Takes note of a launch: how many threads, and how long; how many there were before.
    pub(crate) fn took(&self, threads: u64, time: Duration) -> u64 {
        let each = (time.as_nanos() as u64).saturating_mul(1000) / threads.max(1);
        self.pace.store(each.max(1), Ordering::Relaxed);
        self.launches.fetch_add(1, Ordering::Relaxed)
    }

    /// How often it has been launched.
    pub(crate) fn launches(&self) -> u64 {
        self.launches.load(Ordering::Relaxed)
    }
}

/// Handles of functions.
pub(crate) fn functions() -> &'static Registry<Function> {
    static ALL: Registry<Function> = Registry::new(2);
    &ALL
}

/// Takes a function in.
pub(crate) fn insert(function: Function) -> CUfunction {
    CUfunction(functions().insert(Arc::new(function)))
}
