//! The table of kernels: what their launches took. It is written when the process ends by itself; until then a copy is kept beside
//! it, for those who read the table of a process that is stopped.

use crate::say;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// How often the copy is written.
const PACE: Duration = Duration::from_millis(500);

/// What the launches of a kernel took.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    calls: u64,
    instructions: u64,
    total: Duration,
    longest: Duration,
    shortest: Duration,
}

#[derive(Debug)]
struct Table {
    /// By the name of the kernel.
    kernels: BTreeMap<String, Times>,
    /// Launches that are not done: the kernel of each, and when it began.
    running: BTreeMap<u64, (String, Instant)>,
    /// The number of the next launch.
    next: u64,
}

static TABLE: Mutex<Table> =
    Mutex::new(Table { kernels: BTreeMap::new(), running: BTreeMap::new(), next: 0 });

fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A launch that is under way, until this is dropped.
#[derive(Debug)]
pub(crate) struct Running(u64);

impl Drop for Running {
    fn drop(&mut self) {
        table().running.remove(&self.0);
    }
}

/// A launch begins. `file` is where the table will be.
pub(crate) fn began(kernel: String, file: &Path) -> Running {
    static KEEPING: Once = Once::new();
    KEEPING.call_once(|| keep(file));
    let mut table = table();
    let number = table.next;
    table.next += 1;
    table.running.insert(number, (kernel, Instant::now()));
    Running(number)
}

/// A launch has ended well.
pub(crate) fn ended(kernel: String, took: Duration, instructions: u64) {
    let mut table = table();
    let of = table.kernels.entry(kernel).or_default();
    of.shortest = if of.calls == 0 { took } else { of.shortest.min(took) };
    of.longest = of.longest.max(took);
    of.calls += 1;
    of.total += took;
    of.instructions += instructions;
}

/// Whether copies are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeper {
    Writes,
    Stopped,
}

static KEEPER: Mutex<Keeper> = Mutex::new(Keeper::Stopped);

/// Where the copy of a process is, or what becomes it.
fn beside(file: &Path, end: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(format!(".{}{end}", process::id()));
    path.into()
}

/// Keeps a copy from now on.
fn keep(file: &Path) {
    let (copy, new) = (beside(file, ""), beside(file, ".new"));
    *KEEPER.lock().unwrap_or_else(PoisonError::into_inner) = Keeper::Writes;
    let keeping = move || {
        loop {
            std::thread::sleep(PACE);
            let text = text();
            let keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
            // Who cannot write it will not be able to write the table either, and says so then.
            if *keeper == Keeper::Stopped
                || fs::write(&new, text).and_then(|()| fs::rename(&new, &copy)).is_err()
            {
                return;
            }
        }
    };
    // Without a thread there is no copy, and all else is as it was.
    let _ = std::thread::Builder::new().name("warpwise-table".to_owned()).spawn(keeping);
}

/// Writes the table behind what the file holds: the process ends.
pub(crate) fn finish(file: &Path) {
    say::append(&text(), file);
    // What a fork has made has no such thread, and may have the lock as it was in the middle of a copy.
    let mine = beside(file, "");
    if mine.exists() {
        *KEEPER.lock().unwrap_or_else(PoisonError::into_inner) = Keeper::Stopped;
        let _ = fs::remove_file(mine);
    }
}

/// The kernels, those that took longest first, and what is under way.
fn text() -> String {
    let table = table();
    let mut rows: Vec<(&String, &Times)> = table.kernels.iter().collect();
    rows.sort_by_key(|(_, times)| std::cmp::Reverse(times.total));
    let all: Duration = rows.iter().map(|(_, times)| times.total).sum();
    let micro = |time: Duration| time.as_secs_f64() * 1e6;
    let mut out = String::from(
        "Time %   Total us    Calls     Mean us      Min us      Max us  Thread instructions  Kernel\n",
    );
    // Writing to a string does not fail.
    for (name, times) in rows {
        let share = 100.0 * times.total.as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE);
        let _ = writeln!(
            out,
            "{share:6.1} {:10.1} {:8} {:11.2} {:11.2} {:11.2} {:20}  {name}",
            micro(times.total),
            times.calls,
            micro(times.total) / times.calls.max(1) as f64,
            micro(times.shortest),
            micro(times.longest),
            times.instructions,
        );
    }
    for (name, began) in table.running.values() {
        let _ = writeln!(out, "not done after {:.1} s: {name}", began.elapsed().as_secs_f64());
    }
    out
}
