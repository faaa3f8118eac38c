//! The work of a stream in order: who does it, and how far it is.

use super::order::{self, Clock, History, Moment};
use crate::device::Device;
use crate::error::Error;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A piece of work. What it gives back is the stream's failure if it is the first one.
pub(super) type Work = Box<dyn FnOnce(&Device) -> Result<(), Error> + Send>;

/// Work, and what it must come behind.
struct Task {
    after: Vec<Point>,
    /// Whether it is done although something before it has failed.
    always: bool,
    /// Its place in the order of all work, if that is wanted.
    moment: Option<Moment>,
    work: Work,
}

/// What a stream has to do. A thread of the host does it, which begins with the first work that is left to it.
pub(super) struct Queue {
    device: Arc<Device>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    /// How many pieces of work there were so far, and how many of them are done: always the first ones.
    given: u64,
    done: u64,
    /// Somebody is at work.
    is_busy: bool,
    has_thread: bool,
    is_closed: bool,
    failed: Option<Error>,
    history: History,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        write!(f, "Queue({} of {} done)", state.done, state.given)
    }
}

/// Threads of the host that wait for points.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// A point in the work of a stream: the end of what it had been given at some time.
#[derive(Clone, Debug)]
pub struct Point {
    queue: Arc<Queue>,
    number: u64,
}

impl Point {
    /// Whether everything before it is done.
    pub fn is_reached(&self) -> bool {
        let reached = self.is_done();
        if reached && order::is_tracked() {
            order::host_has(&self.clock());
        }
        reached
    }

    /// Waits until everything before it is done.
    pub fn wait(&self) {
        WAITING.fetch_add(1, Ordering::SeqCst);
        self.until();
        WAITING.fetch_sub(1, Ordering::SeqCst);
        if order::is_tracked() {
            order::host_has(&self.clock());
        }
    }

    /// How many threads of the host are waiting for points now.
    pub fn threads_that_wait() -> usize {
        WAITING.load(Ordering::SeqCst)
    }

    /// The same for streams: the host does not learn of it.
    pub(super) fn is_done(&self) -> bool {
        self.queue.lock().done >= self.number
    }

    fn until(&self) {
        let mut state = self.queue.lock();
        while state.done < self.number {
            state = self.queue.wait(state);
        }
    }

    fn clock(&self) -> Arc<Clock> {
        self.queue.lock().history.before(self.number)
    }
}

/// Takes note that a piece of work is done, also if it panics.
struct Turn<'q>(&'q Queue);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.done += 1;
        state.is_busy = false;
        drop(state);
        self.0.changed.notify_all();
    }
}

impl Queue {
    pub(super) fn new(device: Arc<Device>) -> Queue {
        Queue { device, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'q>(&self, state: MutexGuard<'q, State>) -> MutexGuard<'q, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a piece of work on the calling thread.
    fn work(
        &self,
        always: bool,
        moment: Option<Moment>,
        work: impl FnOnce(&Device) -> Result<(), Error>,
    ) {
        let _turn = Turn(self);
        if (always || self.lock().failed.is_none())
            && let Err(error) = order::during(moment, || work(&self.device))
        {
            self.lock().failed.get_or_insert(error);
        }
    }

    /// The end of what it has been given so far.
    pub(super) fn point(self: &Arc<Self>) -> Point {
        Point { queue: Arc::clone(self), number: self.lock().given }
    }

    /// The first failure.
    pub(super) fn failure(&self) -> Option<Error> {
        self.lock().failed.clone()
    }

    /// Does a piece of work on the calling thread if nothing is before it; leaves it to the stream's thread otherwise.
    pub(super) fn run(
        self: &Arc<Self>,
        always: bool,
        after: &[Point],
        work: impl FnOnce(&Device) -> Result<(), Error> + Send + 'static,
    ) -> Point {
        if after.iter().all(Point::is_done) {
            let behind = order::issued(after.iter().map(Point::clock));
            let mut state = self.lock();
            if state.tasks.is_empty() && !state.is_busy {
                state.is_busy = true;
                state.given += 1;
                let number = state.given;
                let moment = behind.map(|behind| state.history.give(number, behind));
                drop(state);
                self.work(always, moment, work);
                return Point { queue: Arc::clone(self), number };
            }
        }
        self.give(always, after.to_vec(), Box::new(work))
    }

    /// Leaves a piece of work to the stream's thread.
    pub(super) fn give(self: &Arc<Self>, always: bool, after: Vec<Point>, work: Work) -> Point {
        let behind = order::issued(after.iter().map(Point::clock));
        let mut state = self.lock();
        state.given += 1;
        let number = state.given;
        let moment = behind.map(|behind| state.history.give(number, behind));
        state.tasks.push_back(Task { after, always, moment, work });
        let needs_thread = !state.has_thread;
        state.has_thread = true;
        drop(state);
        if needs_thread {
            let queue = Arc::clone(self);
            let builder = thread::Builder::new().name("warpwise-stream".to_owned());
            if builder.spawn(move || queue.serve()).is_err() {
                // The host gives no thread: the caller does it.
                self.lock().has_thread = false;
                self.drain();
            }
        } else {
            self.changed.notify_all();
        }
        Point { queue: Arc::clone(self), number }
    }

    /// What the stream's thread does.
    fn serve(&self) {
        while self.next(true) {}
    }

    /// Does all work that there is.
    fn drain(&self) {
        while self.next(false) {}
    }

    /// Does the next piece of work; false if there is none, and, if `waits`, none will come.
    fn next(&self, waits: bool) -> bool {
        let mut state = self.lock();
        let task = loop {
            let next = if state.is_busy { None } else { state.tasks.pop_front() };
            match next {
                Some(task) => break task,
                None if state.tasks.is_empty() && (state.is_closed || !waits) => return false,
                None => state = self.wait(state),
            }
        };
        state.is_busy = true;
        drop(state);
        task.after.iter().for_each(Point::until);
        self.work(task.always, task.moment, task.work);
        true
    }

    /// No more work will come: the thread ends when all is done.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }
}
