//! The host threads that run CTAs. They live as long as the process, so that a launch asks nothing of the operating system.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The host's cores that this process may use.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The threads beside the caller's for so many workers. `None` if the host gives none.
fn threads(workers: usize) -> Option<Arc<ThreadPool>> {
    static POOLS: Mutex<Option<HashMap<usize, Arc<ThreadPool>>>> = Mutex::new(None);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    if let Some(pool) = pools.get(&workers) {
        return Some(Arc::clone(pool));
    }
    let named = |nth| format!("warpwise-{nth}");
    let pool = ThreadPoolBuilder::new().num_threads(workers - 1).thread_name(named).build();
    let pool = Arc::new(pool.ok()?);
    pools.insert(workers, Arc::clone(&pool));
    Some(pool)
}

/// Those who can be called to help.
pub struct Others<'c> {
    call: &'c dyn Fn(),
    called: Cell<bool>,
}

impl Others<'_> {
    /// Whether they have been called, or there are none.
    pub fn are_called(&self) -> bool {
        self.called.get()
    }

    /// Lets them begin, unless they have been called already. That takes longer than a small launch, so whoever may be done
    /// soon waits with it.
    pub fn call(&self) {
        if !self.called.replace(true) {
            (self.call)();
        }
    }
}

/// Does the caller's part of some work on this thread, and `part` on as many others as make `workers` once they are called.
/// Returns when all are done. Launches that run at the same time share the threads: each goes on with those that are free,
/// and at least with its caller's.
pub fn run(workers: usize, part: impl Fn() + Sync, first: impl FnOnce(&Others<'_>)) {
    let pool = if workers > 1 { threads(workers) } else { None };
    let Some(pool) = pool else {
        return first(&Others { call: &|| (), called: Cell::new(true) });
    };
    let part = &part;
    pool.in_place_scope(|scope| {
        let call = || (1..workers).for_each(|_| scope.spawn(|_| part()));
        first(&Others { call: &call, called: Cell::new(false) });
    });
}
