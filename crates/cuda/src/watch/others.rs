//! Who may write the memory of a kernel while it is checked: other work of the devices, and the program.
//!
//! Kernels are checked one after another. One that waits for somebody else's write lets others begin meanwhile.

use super::known::is_on;
use crate::memory::find;
use std::fs;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use warpwise::{Others, Point, Traffic};

/// How long a kernel that waits for others rests before it looks again.
const PAUSE: Duration = Duration::from_micros(200);
/// How long nobody must be able to write until nobody will: work that has been issued has begun by then.
const REST: Duration = Duration::from_millis(300);
/// A kernel that has not asked for so long does not wait any more.
const FRESH: Duration = Duration::from_millis(100);
/// How the names of the driver's own threads begin.
const OURS: &str = "warpwise";

/// Work that may write memory.
#[derive(Debug, Default)]
struct State {
    /// How much has begun so far, and how much of it has not ended.
    begun: u64,
    at_work: usize,
    /// A kernel is checked that has not waited for others.
    is_checking: bool,
    /// Kernels that wait for others: when they asked last, and whether a thread of the program runs them.
    waiting: Vec<(u64, Instant, bool)>,
}

static STATE: Mutex<State> =
    Mutex::new(State { begun: 0, at_work: 0, is_checking: false, waiting: Vec::new() });
static CHANGED: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Work that may write memory is being done, as long as this lives.
#[derive(Debug)]
pub(crate) struct Working(());

/// Such work begins. Nobody asks unless launches are checked.
pub(crate) fn working() -> Option<Working> {
    is_on().then(|| {
        state().begin();
        Working(())
    })
}

impl Drop for Working {
    fn drop(&mut self) {
        state().at_work -= 1;
    }
}

/// A kernel that is checked.
#[derive(Debug)]
pub(crate) struct Check {
    number: u64,
    /// Others were at work when it began.
    had_company: bool,
    own: Mutex<Own>,
    _working: Working,
}

#[derive(Debug, Default)]
struct Own {
    waits: bool,
    /// Since when nobody can write what it waits for.
    alone: Option<Instant>,
}

impl Check {
    /// Waits until no other kernel is checked, but those that wait for others.
    pub(crate) fn begin() -> Arc<Check> {
        let mut state = state();
        while state.is_checking {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_checking = true;
        let had_company = state.at_work > 0;
        let number = state.begin();
        let _working = Working(());
        Arc::new(Check { number, had_company, own: Mutex::default(), _working })
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Check {
    fn drop(&mut self) {
        let mut state = state();
        state.waiting.retain(|(number, ..)| *number != self.number);
        if !self.own().waits {
            state.is_checking = false;
            CHANGED.notify_all();
        }
    }
}

impl Others for Check {
    fn may_write(&self) -> bool {
        let mut own = self.own();
        let mut state = state();
        if !std::mem::replace(&mut own.waits, true) {
            state.is_checking = false;
            CHANGED.notify_all();
        }
        state.waiting.retain(|(number, ..)| *number != self.number);
        state.waiting.push((self.number, Instant::now(), !is_ours(thread::current().name())));
        let can_write = state.others_work() || state.program_runs();
        drop(state);
        if can_write {
            own.alone = None;
        }
        let rests = own.alone.get_or_insert_with(Instant::now).elapsed();
        thread::sleep(PAUSE);
        rests < REST
    }

    fn have_rested(&self) -> bool {
        !self.had_company && !self.own().waits && state().begun == self.number
    }

    fn may_have_told(&self, traffic: &Traffic) -> bool {
        let exchanged = traffic.strong_reads.iter().chain(&traffic.strong_writes);
        exchanged.into_iter().any(|range| find(range.start).is_some_and(|block| block.is_shared()))
    }
}

impl State {
    /// Work begins, of this number.
    fn begin(&mut self) -> u64 {
        self.begun += 1;
        self.at_work += 1;
        self.begun
    }

    fn still_waiting(&self) -> impl Iterator<Item = bool> {
        let fresh = self.waiting.iter().filter(|(_, asked, _)| asked.elapsed() < FRESH);
        fresh.map(|(.., by_program)| *by_program)
    }

    /// Whether work is being done that does not wait for others.
    fn others_work(&self) -> bool {
        self.at_work > self.still_waiting().count()
    }

    /// Whether a thread of the program does something else than wait for work, as far as is known.
    fn program_runs(&self) -> bool {
        let by_program = self.still_waiting().filter(|by_program| *by_program).count();
        program_threads().is_none_or(|threads| threads > Point::threads_that_wait() + by_program)
    }
}

/// How many threads there are that are not the driver's, if the host tells.
fn program_threads() -> Option<usize> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
    Some(tasks.flatten().filter_map(name).filter(|name| !is_ours(Some(name))).count())
}

fn is_ours(name: Option<&str>) -> bool {
    name.is_some_and(|name| name.starts_with(OURS))
}
