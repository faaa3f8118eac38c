//! A stream of a context, and how work gets into it.

use crate::abi::{Answer, CUgraph, CUresult, CUstream};
use crate::capturing;
use crate::context::{Context, current};
use crate::device_launches::perform;
use crate::driver::driver;
use crate::graph::Capture;
use crate::lane::Lane;
use crate::operation::Operation;
use crate::registry::Registry;
use crate::watch;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpwise::{Device, Point};

/// A stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) context: Arc<Context>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) handle: CUstream,
    /// What it captures, if it does.
    capture: Mutex<Option<Arc<Capture>>>,
}

/// Handles of streams.
pub(crate) fn streams() -> &'static Registry<Stream> {
    static ALL: Registry<Stream> = Registry::new(6);
    &ALL
}

/// Forgets a stream: its context is gone.
pub(crate) fn forget(handle: u64) {
    let _ = streams().remove(handle);
}

thread_local! {
    /// The default streams of the thread, by their contexts' numbers.
    static OF_THREAD: RefCell<Vec<(u64, Arc<Stream>)>> = const { RefCell::new(Vec::new()) };
}

impl Stream {
    /// A new stream of a context, or the default one of a thread.
    pub(crate) fn create(
        context: &Arc<Context>,
        is_blocking: bool,
        priority: i32,
        handle: CUstream,
    ) -> Answer<Arc<Stream>> {
        let queue = context.gpu.session()?.stream().detached();
        let lane = Arc::new(Lane::new(queue, is_blocking, priority));
        context.has_lane(&lane);
        let (context, capture) = (Arc::clone(context), Mutex::default());
        Ok(Arc::new(Stream { context, lane, handle, capture }))
    }

    /// A new stream with a handle.
    pub(crate) fn register(
        context: &Arc<Context>,
        is_blocking: bool,
        priority: i32,
    ) -> Answer<CUstream> {
        let unnamed = Stream::create(context, is_blocking, priority, CUstream::NULL)?;
        let (context, lane) = (Arc::clone(&unnamed.context), Arc::clone(&unnamed.lane));
        let handle = streams().insert_with(|handle| {
            let (handle, capture) = (CUstream(handle), Mutex::default());
            Arc::new(Stream { context: Arc::clone(&context), lane, handle, capture })
        });
        context.owns(handle, forget);
        Ok(CUstream(handle))
    }

    fn legacy(context: Arc<Context>) -> Arc<Stream> {
        let lane = Arc::clone(context.legacy());
        Arc::new(Stream { context, lane, handle: CUstream::LEGACY, capture: Mutex::default() })
    }

    fn of_thread(context: Arc<Context>) -> Answer<Arc<Stream>> {
        let work = |all: &RefCell<Vec<(u64, Arc<Stream>)>>| {
            let mut all = all.borrow_mut();
            if let Some((_, stream)) = all.iter().find(|(id, _)| *id == context.id) {
                return Ok(Arc::clone(stream));
            }
            all.retain(|(_, stream)| !stream.context.is_destroyed());
            let stream = Stream::create(&context, true, 0, CUstream::PER_THREAD)?;
            all.push((context.id, Arc::clone(&stream)));
            Ok(stream)
        };
        OF_THREAD.try_with(work).unwrap_or(Err(CUresult::DEINITIALIZED))
    }

    /// What it captures.
    pub(crate) fn capture(&self) -> MutexGuard<'_, Option<Arc<Capture>>> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is the default stream of its context.
    pub(crate) fn is_legacy(&self) -> bool {
        self.handle == CUstream::LEGACY
    }

    /// Does an operation in the order of the stream, or adds it to the graph that it captures.
    pub(crate) fn issue(&self, operation: Operation) -> Answer {
        if let Some(capture) = &*self.capture() {
            return capture.add(self.lane.id, operation);
        }
        self.put(operation).map(drop)
    }

    /// The same, and waits until it is done. A stream that captures cannot do that.
    pub(crate) fn issue_and_wait(&self, operation: Operation) -> Answer {
        self.refuse_capture()?;
        self.put(operation)?.wait();
        self.context.flush();
        self.context.check()
    }

    /// The default stream cannot be used while one captures that waits for it.
    pub(super) fn refuse_default(&self) -> Answer {
        if self.is_legacy() { capturing::default_stream(self.context.id) } else { Ok(()) }
    }

    /// Nor can be said whether it captures; to ask spoils nothing.
    pub(super) fn implied_default(&self) -> Answer {
        match self.is_legacy() && capturing::has_blocking(self.context.id) {
            true => Err(CUresult::STREAM_CAPTURE_IMPLICIT),
            false => Ok(()),
        }
    }

    /// What waits for the device while a graph is captured makes the capture worthless. The default stream has all those in it that
    /// wait for it.
    pub(crate) fn refuse_capture(&self) -> Answer {
        self.refuse_default()?;
        self.refuse_own_capture()
    }

    /// What no graph can hold makes the capture of the stream worthless.
    fn refuse_own_capture(&self) -> Answer {
        match &*self.capture() {
            Some(capture) => {
                capture.invalidate();
                Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
            }
            None => Ok(()),
        }
    }

    /// What a stream that captures adds to its graph, and others may not do while it captures.
    pub(crate) fn refuse_beside_capture(&self) -> Answer {
        if self.capture().is_some() {
            return Ok(());
        }
        self.refuse_default()?;
        capturing::unsafe_call()
    }

    /// Puts an operation into the order of the stream.
    pub(crate) fn put(&self, operation: Operation) -> Answer<Point> {
        let context = &self.context;
        context.check()?;
        self.refuse_default()?;
        let before = context.before(&self.lane);
        let queue = &self.lane.queue;
        match &operation {
            Operation::Record(event) => return Ok(queue.record_after(&before, event)),
            Operation::Wait(event) => {
                let points: Vec<Point> = event.point().into_iter().collect();
                queue.wait_for(&points);
                return Ok(queue.point());
            }
            Operation::Nothing
            | Operation::Launch(_)
            | Operation::Copy(_)
            | Operation::Fill { .. }
            | Operation::Call(_)
            | Operation::Write(_)
            | Operation::Await(..)
            | Operation::Free(_)
            | Operation::Choose(_)
            | Operation::Keep(_) => {}
        }
        let blocking = driver()?.settings.blocking;
        let soon = watch::wants_work_done() && operation.goes_on();
        let brief = blocking || soon || operation.is_brief();
        let (of, place) = (Arc::clone(context), watch::place());
        let work = move |device: &Device| {
            perform(&operation, &of, device, place.as_ref());
            Ok(())
        };
        let point = match brief {
            true => queue.run_after(&before, work),
            false => queue.enqueue_after(&before, work),
        };
        if blocking {
            point.wait();
        }
        Ok(point)
    }
}

/// Streams that took part in a capture are free again.
pub(crate) fn leave_capture(capture: &Arc<Capture>) {
    for stream in streams().all() {
        let mut own = stream.capture();
        if own.as_ref().is_some_and(|own| Arc::ptr_eq(own, capture)) {
            *own = None;
        }
    }
}

/// Whether a stream adds to a graph what it is given.
pub(crate) fn is_being_captured(graph: CUgraph) -> bool {
    let is_it = |capture: &Arc<Capture>| capture.handle == graph;
    streams().all().iter().any(|stream| stream.capture().as_ref().is_some_and(is_it))
}

/// The stream of a handle; of 0, the default one, which is the thread's for some callers.
pub(crate) fn resolve(default: CUstream, handle: CUstream) -> Answer<Arc<Stream>> {
    let handle = if handle == CUstream::NULL { default } else { handle };
    match handle {
        CUstream::LEGACY => Ok(Stream::legacy(current()?)),
        CUstream::PER_THREAD => Stream::of_thread(current()?),
        handle => {
            driver()?;
            let stream = streams().get(handle.0)?;
            stream.context.check()?;
            Ok(stream)
        }
    }
}

/// The same, unless it captures: what is wanted of it no graph can hold, and the capture is worthless.
pub(crate) fn resolve_idle(default: CUstream, handle: CUstream) -> Answer<Arc<Stream>> {
    let stream = resolve(default, handle)?;
    stream.refuse_own_capture().map(|()| stream)
}
