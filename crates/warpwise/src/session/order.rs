//! Which work comes behind which: vector clocks of streams, and of the host.
//!
//! Who asks for it ([`track`]) learns of two pieces of work whether anything orders them, however they ran: the order of their stream,
//! points that streams wait for, and the host, which issues work behind what it has waited for. All threads of the host count as
//! one, because nobody sees how they order each other.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

static TRACKED: AtomicBool = AtomicBool::new(false);

/// What the host has waited for.
static HOST: Mutex<Clock> = Mutex::new(Clock(Vec::new()));

thread_local! {
    /// What the thread does now.
    static CURRENT: RefCell<Option<Moment>> = const { RefCell::new(None) };
}

/// From now on the order of all work is known. What has been issued before counts as ordered by nothing.
pub fn track() {
    TRACKED.store(true, Ordering::Relaxed);
}

/// Whether the order of work is known.
pub fn is_tracked() -> bool {
    TRACKED.load(Ordering::Relaxed)
}

/// The piece of work that this thread does now, if the order of work is known.
pub fn current() -> Option<Moment> {
    CURRENT.with_borrow(Clone::clone)
}

/// The host learns that the work is done which this thread does now: it may tell others.
pub fn host_learns() {
    if let Some(moment) = current() {
        host().join(&moment.clock);
    }
}

fn host() -> MutexGuard<'static, Clock> {
    HOST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Of each queue, the number of its last piece of work that came before: in the order of queues.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Vec<(u64, u64)>);

impl Clock {
    fn get(&self, queue: u64) -> u64 {
        let at = self.0.binary_search_by_key(&queue, |(queue, _)| *queue);
        at.ok().and_then(|at| self.0.get(at)).map_or(0, |(_, number)| *number)
    }

    fn raise(&mut self, queue: u64, number: u64) {
        match self.0.binary_search_by_key(&queue, |(queue, _)| *queue) {
            Ok(at) => {
                if let Some((_, known)) = self.0.get_mut(at) {
                    *known = number.max(*known);
                }
            }
            Err(at) => self.0.insert(at, (queue, number)),
        }
    }

    fn join(&mut self, other: &Clock) {
        other.0.iter().for_each(|(queue, number)| self.raise(*queue, *number));
    }
}

/// A piece of work of a queue, with what came before it.
#[derive(Clone, Debug)]
pub struct Moment {
    queue: u64,
    number: u64,
    clock: Arc<Clock>,
}

impl Moment {
    /// Whether it comes behind other work, whatever the pace of both.
    pub fn is_behind(&self, other: &Moment) -> bool {
        self.clock.get(other.queue) >= other.number
    }

    /// Whether the host has waited for it, or for what comes behind it.
    pub fn is_known_to_host(&self) -> bool {
        host().get(self.queue) >= self.number
    }
}

/// What is known of the order of a queue's work.
#[derive(Debug)]
pub(super) struct History {
    queue: u64,
    /// The last pieces of work: their numbers, and what came before them.
    last: Vec<(u64, Arc<Clock>)>,
}

impl Default for History {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        History { queue: NEXT.fetch_add(1, Ordering::Relaxed), last: Vec::new() }
    }
}

impl History {
    /// So many pieces of work are kept, and twice as many at most; a point before them counts as if it were the first of those.
    const KEPT: usize = 512;

    /// What comes before a point in the work.
    pub(super) fn before(&self, number: u64) -> Arc<Clock> {
        let at = self.last.partition_point(|(known, _)| *known < number);
        let found = if number == 0 { None } else { self.last.get(at).or(self.last.last()) };
        found.map(|(_, clock)| Arc::clone(clock)).unwrap_or_default()
    }

    /// The queue is given a piece of work, behind others.
    pub(super) fn give(&mut self, number: u64, mut behind: Clock) -> Moment {
        if let Some((_, last)) = self.last.last() {
            behind.join(last);
        }
        behind.raise(self.queue, number);
        let clock = Arc::new(behind);
        if self.last.len() >= 2 * Self::KEPT {
            self.last.drain(..Self::KEPT);
        }
        self.last.push((number, Arc::clone(&clock)));
        Moment { queue: self.queue, number, clock }
    }
}

/// What work comes behind that is issued now, and that must come behind some points; `None` if nobody wants to know.
pub(super) fn issued(points: impl Iterator<Item = Arc<Clock>>) -> Option<Clock> {
    is_tracked().then(|| {
        let mut clock = host().clone();
        points.for_each(|point| clock.join(&point));
        clock
    })
}

/// The host knows that everything before a point is done.
pub(super) fn host_has(clock: &Clock) {
    host().join(clock);
}

/// Does work as a moment of a queue.
pub(super) fn during<T>(moment: Option<Moment>, work: impl FnOnce() -> T) -> T {
    if moment.is_none() {
        return work();
    }
    let outer = CURRENT.replace(moment);
    let done = work();
    CURRENT.set(outer);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_comes_behind_that_of_its_queue_and_what_it_waits_for() {
        let (mut one, mut other) = (History::default(), History::default());
        let first = one.give(1, Clock::default());
        let second = one.give(2, Clock::default());
        let apart = other.give(1, Clock::default());
        assert!(second.is_behind(&first) && !first.is_behind(&second));
        assert!(!apart.is_behind(&first) && !first.is_behind(&apart));
        let behind = other.give(2, one.before(1).as_ref().clone());
        assert!(behind.is_behind(&first) && behind.is_behind(&apart) && !behind.is_behind(&second));
        assert_eq!(one.before(0).get(one.queue), 0);
        assert_eq!(one.before(9).get(one.queue), 2);
    }
}
