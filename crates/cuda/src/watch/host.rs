//! H005: the program touches memory that it shares with devices while work uses it whose end it has not waited for.
//!
//! Work whose end the host does not know of is *open*. Pages that open work has written from end to end are forbidden to the
//! program, and those that it has read from end to end are to be written no more, until the host knows, or may know. So what
//! touches such a page, the program or a library or the operating system on its behalf, races with that work, and a right program
//! never notices. While the device works, everything is permitted.

use super::known::{is_on, when_freed};
use super::order::Work;
use super::pages::{Forbidden, PAGE, Touched, forbid, permit, touched};
use super::told::{at, finding, note, tell};
use crate::memory::{Block, CallPlace, find, has_shared};
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use warpwise::diag::Severity;
use warpwise::order::Moment;
use warpwise::{Code, Traffic};

/// Open work that is remembered.
const KEPT: usize = 32;

/// Work whose end the host does not know of.
#[derive(Debug)]
struct Open {
    moment: Moment,
    name: String,
    place: Option<CallPlace>,
    /// Whole pages of shared memory, in ascending order.
    reads: Vec<Range<u64>>,
    writes: Vec<Range<u64>>,
}

#[derive(Debug, Default)]
struct State {
    open: VecDeque<Open>,
    /// Pieces of work that are being done.
    at_work: usize,
    told: Option<HashSet<(String, String)>>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// How much work is open, for those who only want to know whether there is any.
static OPEN: AtomicUsize = AtomicUsize::new(0);

fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    let mut state: MutexGuard<'_, Option<State>> =
        STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = state.get_or_insert_default();
    let done = work(state);
    OPEN.store(state.open.len(), Ordering::Relaxed);
    done
}

/// Whether work that is issued had better be done at once: what the program does until the work is done is not seen.
pub(crate) fn wants_work_done() -> bool {
    is_on() && has_shared()
}

/// A piece of work is being done, as long as this lives.
#[derive(Debug)]
pub(crate) struct AtWork(());

/// The device may touch everything from now on.
pub(crate) fn at_work() -> Option<AtWork> {
    is_on().then(|| {
        with(|state| {
            state.at_work += 1;
            if state.at_work == 1 {
                state.permit();
            }
        });
        AtWork(())
    })
}

impl Drop for AtWork {
    fn drop(&mut self) {
        with(|state| {
            state.at_work -= 1;
            state.close(Moment::is_known_to_host);
            state.forbid();
        });
    }
}

/// A call of the program returns, which may have waited for work.
pub(crate) fn settle() {
    if OPEN.load(Ordering::Relaxed) > 0 {
        with(|state| {
            state.permit();
            state.close(Moment::is_known_to_host);
            state.forbid();
        });
    }
}

/// Work is done, and others is known by it: of what comes before it the host may learn by looking at memory.
pub(super) fn may_be_known(moment: &Moment) {
    with(|state| state.close(|open| moment.is_behind(open)));
}

/// All that was done may be known to the host.
pub(super) fn may_know_all() {
    with(|state| state.close(|_| true));
}

/// Memory has been freed: it will be somebody else's.
fn freed(range: &Range<u64>) {
    if OPEN.load(Ordering::Relaxed) == 0 {
        return;
    }
    with(|state| {
        state.permit();
        state.close(Moment::is_known_to_host);
        let apart = |other: &Range<u64>| other.end <= range.start || range.end <= other.start;
        for open in &mut state.open {
            open.reads.retain(apart);
            open.writes.retain(apart);
        }
        state.forbid();
    });
}

/// Work has been done.
pub(super) fn done(work: &Work) {
    if !has_shared() {
        return;
    }
    let Traffic { reads, writes, strong_reads, strong_writes } = &work.traffic;
    // Who passes messages through shared memory orders what it does and what was done before it, in a way that nobody sees.
    if strong_reads.iter().chain(strong_writes).any(|range| shared(range.start).is_some()) {
        return may_be_known(&work.moment);
    }
    let (reads, writes) = (whole_pages(reads), whole_pages(writes));
    if reads.is_empty() && writes.is_empty() {
        return;
    }
    when_freed(freed);
    let (moment, name, place) = (work.moment.clone(), work.name.clone(), work.place.clone());
    with(|state| {
        if state.open.len() >= KEPT {
            state.open.pop_front();
        }
        state.open.push_back(Open { moment, name, place, reads, writes });
    });
}

/// The memory of both that holds an address, if the driver gave it out: then its pages are its own.
fn shared(address: u64) -> Option<Block> {
    find(address).filter(Block::is_shared)
}

/// The pages of shared memory that lie wholly in ranges. What lies behind an allocation in its last page is nobody's.
fn whole_pages(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let pages = |range: &Range<u64>| {
        let block = shared(range.start).filter(Block::has_own_pages)?;
        let end = if range.end == block.start + block.bytes {
            range.end.next_multiple_of(PAGE)
        } else {
            range.end - range.end % PAGE
        };
        let start = range.start.next_multiple_of(PAGE);
        (start < end).then_some(start..end)
    };
    ranges.iter().filter_map(pages).collect()
}

impl State {
    /// Nothing is forbidden any more, and what has been touched is told.
    fn permit(&mut self) {
        permit();
        for touch in touched() {
            self.tell(&touch);
        }
    }

    /// Forbids what open work is about, if nothing is being done.
    fn forbid(&mut self) {
        if self.at_work > 0 || self.open.is_empty() {
            return;
        }
        let all = |of: fn(&Open) -> &[Range<u64>]| joined(self.open.iter().flat_map(of).cloned());
        let (writes, reads) = (all(|open| &open.writes), all(|open| &open.reads));
        let written = writes.iter().map(|range| (range.clone(), Forbidden::All));
        let read = without(&reads, &writes).into_iter().map(|range| (range, Forbidden::Writes));
        let ranges: Vec<(Range<u64>, Forbidden)> = written.chain(read).collect();
        forbid(&ranges);
    }

    /// Forgets open work.
    fn close(&mut self, is_known: impl Fn(&Moment) -> bool) {
        self.open.retain(|open| !is_known(&open.moment));
    }

    fn tell(&mut self, touch: &Touched) {
        let holds = |ranges: &[Range<u64>]| ranges.iter().any(|it| it.contains(&touch.address));
        let Some(open) = self
            .open
            .iter()
            .rev()
            .find(|open| holds(&open.writes) || touch.writes && holds(&open.reads))
        else {
            return;
        };
        let place = CallPlace::of_instruction(&touch.trace, touch.code);
        let key = (open.name.clone(), place.clone().unwrap_or_default());
        if !self.told.get_or_insert_default().insert(key) {
            return;
        }
        let it_does = if touch.writes { "writes" } else { "reads" };
        let work_does = if holds(&open.writes) { "writes" } else { "reads" };
        let block = find(touch.address);
        let of = block.as_ref().map_or_else(|| "shared memory".to_owned(), Block::told);
        let inside = block.as_ref().map_or(0, |block| touch.address - block.start);
        let message = format!(
            "the program {it_does} byte {inside} of {of}, which {} {work_does}, and has not waited for that",
            open.name
        );
        let told = finding(Code::H005, Severity::Error, message);
        let told = note(told, place.map(|place| format!("the access is in {place}")));
        let told = note(told, at("the work was issued", open.place.as_ref()));
        tell("memory", note(told, at("allocated", block.as_ref().and_then(Block::place))));
    }
}

/// Ranges in any order as ascending ones that do not touch.
fn joined(ranges: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut set = super::ranges::Ranges::default();
    ranges.for_each(|range| set.insert(range));
    set.all()
}

/// What of some ranges is in none of others.
fn without(ranges: &[Range<u64>], others: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut set = super::ranges::Ranges::default();
    ranges.iter().for_each(|range| set.insert(range.clone()));
    others.iter().for_each(|range| set.remove(range.clone()));
    set.all()
}
