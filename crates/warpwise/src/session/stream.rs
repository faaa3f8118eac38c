//! Streams and events: in which order the work of a device is done.

use crate::device::Device;
use crate::error::{Error, Stage};
use diag::Class;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

type Work = Box<dyn FnOnce(&Device) -> Result<(), Error> + Send>;

/// What a stream has to do.
enum Task {
    Work(Work),
    Record(Event, u64),
    Wait(Event, u64),
    /// Somebody wants to know when all before it is done.
    Arrive(Sender<()>),
}

/// Work that is done in order, beside that of other streams (CUDA C++ Programming Guide, "Streams"). A thread of the host
/// takes one piece after another; a launch has the pool's threads as well.
///
/// Once a piece has failed, those behind it are left out, and [`Stream::synchronize`] tells the failure. A stream that is
/// dropped does what it has been given first.
#[derive(Debug)]
pub struct Stream {
    tasks: Option<Sender<Task>>,
    failed: Arc<Mutex<Option<Error>>>,
    thread: Option<JoinHandle<()>>,
}

impl Stream {
    pub(super) fn new(device: Arc<Device>) -> Result<Stream, Error> {
        let (tasks, given) = mpsc::channel();
        let failed = Arc::new(Mutex::new(None));
        let shared = Arc::clone(&failed);
        let run = move || {
            for task in given {
                match task {
                    Task::Work(_) if lock(&shared).is_some() => {}
                    Task::Work(work) => {
                        if let Err(error) = work(&device) {
                            *lock(&shared) = Some(error);
                        }
                    }
                    // Others wait for these, whatever has failed here.
                    Task::Record(event, number) => event.reach(number),
                    Task::Wait(event, number) => event.wait_for(number),
                    Task::Arrive(done) => drop(done.send(())),
                }
            }
        };
        let thread = thread::Builder::new().name("warpwise-stream".to_owned()).spawn(run);
        let thread = thread.map_err(|why| {
            let message = format!("the host gives no thread for a stream: {why}");
            Error::message(Stage::Launch, Class::Limit, message)
        })?;
        Ok(Stream { tasks: Some(tasks), failed, thread: Some(thread) })
    }

    fn give(&self, task: Task) {
        // The thread ends when the stream is dropped, not before.
        let _ = self.tasks.as_ref().map(|tasks| tasks.send(task));
    }

    /// Does some work behind what the stream has been given so far: a launch, a copy, a call of the host.
    pub fn enqueue(&self, work: impl FnOnce(&Device) -> Result<(), Error> + Send + 'static) {
        self.give(Task::Work(Box::new(work)));
    }

    /// An event happens when everything is done that the stream has been given so far.
    pub fn record(&self, event: &Event) {
        let number = event.announce();
        self.give(Task::Record(event.clone(), number));
    }

    /// What the stream is given from now on waits for an event, as it was recorded last, if it ever was.
    pub fn wait(&self, event: &Event) {
        let number = lock(&event.0.state).announced;
        if number > 0 {
            self.give(Task::Wait(event.clone(), number));
        }
    }

    /// Waits until everything is done that the stream has been given so far.
    ///
    /// # Errors
    /// The first piece of work that failed, each time.
    pub fn synchronize(&self) -> Result<(), Error> {
        let (send, receive) = mpsc::channel();
        self.give(Task::Arrive(send));
        let _ = receive.recv();
        lock(&self.failed).clone().map_or(Ok(()), Err)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A point in the work of a stream, which others can wait for.
#[derive(Clone, Debug, Default)]
pub struct Event(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    reached: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How often it was recorded, and how many of these have happened.
    announced: u64,
    reached: u64,
    at: Option<Instant>,
}

impl Event {
    /// An event that was never recorded.
    pub fn new() -> Event {
        Event::default()
    }

    fn announce(&self) -> u64 {
        let mut state = lock(&self.0.state);
        state.announced += 1;
        state.announced
    }

    fn reach(&self, number: u64) {
        let mut state = lock(&self.0.state);
        if number > state.reached {
            (state.reached, state.at) = (number, Some(Instant::now()));
        }
        self.0.reached.notify_all();
    }

    fn wait_for(&self, number: u64) {
        let mut state = lock(&self.0.state);
        while state.reached < number {
            state = self.0.reached.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether it has happened as often as it was recorded.
    pub fn has_happened(&self) -> bool {
        let state = lock(&self.0.state);
        state.reached == state.announced
    }

    /// Waits until it has happened as often as it was recorded so far.
    pub fn synchronize(&self) {
        let number = lock(&self.0.state).announced;
        self.wait_for(number);
    }

    /// The time from this event to another one; `None` if one of them has not happened, or this one is the later.
    pub fn elapsed_until(&self, later: &Event) -> Option<Duration> {
        let at = |event: &Event| lock(&event.0.state).at;
        at(later)?.checked_duration_since(at(self)?)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
