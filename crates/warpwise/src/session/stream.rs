//! Streams: in which order the work of a device is done.

use super::event::Event;
use super::order;
use super::queue::{Point, Queue};
use crate::device::Device;
use crate::error::Error;
use std::sync::Arc;

/// Work that is done in order, beside that of other streams (CUDA C++ Programming Guide, "Streams"). A thread of the host
/// takes one piece after another; a launch has the pool's threads as well.
///
/// Once a piece has failed, those behind it are left out, and [`Stream::synchronize`] tells the failure. A stream that is
/// dropped does what it has been given first.
#[derive(Debug)]
pub struct Stream {
    queue: Arc<Queue>,
    waits: bool,
}

impl Stream {
    pub(super) fn new(device: Arc<Device>) -> Stream {
        Stream { queue: Arc::new(Queue::new(device)), waits: true }
    }

    /// Does some work behind what the stream has been given so far: a launch, a copy, a call of the host.
    pub fn enqueue(
        &self,
        work: impl FnOnce(&Device) -> Result<(), Error> + Send + 'static,
    ) -> Point {
        self.queue.give(false, Vec::new(), Box::new(work))
    }

    /// The same, also behind some points of other streams.
    pub fn enqueue_after(
        &self,
        after: &[Point],
        work: impl FnOnce(&Device) -> Result<(), Error> + Send + 'static,
    ) -> Point {
        self.queue.give(false, after.to_vec(), Box::new(work))
    }

    /// Does some work as [`Stream::enqueue_after`] does it, but on the calling thread, before this returns, if nothing is before it.
    pub fn run_after(
        &self,
        after: &[Point],
        work: impl FnOnce(&Device) -> Result<(), Error> + Send + 'static,
    ) -> Point {
        self.queue.run(false, after, work)
    }

    /// An event happens when everything is done that the stream has been given so far.
    pub fn record(&self, event: &Event) {
        self.record_after(&[], event);
    }

    /// The same, also behind some points of other streams.
    pub fn record_after(&self, after: &[Point], event: &Event) -> Point {
        let event = event.clone();
        let stamp = event.announce();
        // Others wait for it, whatever has failed here.
        let point = self.queue.run(true, after, move |_| {
            stamp.set();
            Ok(())
        });
        event.is_at(point.clone());
        point
    }

    /// What the stream is given from now on waits for an event, as it was recorded last, if it ever was.
    pub fn wait(&self, event: &Event) {
        if let Some(point) = event.point() {
            self.wait_for(&[point]);
        }
    }

    /// What the stream is given from now on comes behind some points of other streams.
    pub fn wait_for(&self, points: &[Point]) {
        if order::is_tracked() || !points.iter().all(Point::is_done) {
            self.queue.give(true, points.to_vec(), Box::new(|_| Ok(())));
        }
    }

    /// The end of what it has been given so far.
    pub fn point(&self) -> Point {
        self.queue.point()
    }

    /// Waits until everything is done that the stream has been given so far.
    ///
    /// # Errors
    /// The first piece of work that failed, each time.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.point().wait();
        self.queue.failure().map_or(Ok(()), Err)
    }

    /// The same stream; who drops it does not wait for its work, which is done all the same.
    #[must_use]
    pub fn detached(mut self) -> Stream {
        self.waits = false;
        self
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.queue.close();
        if self.waits {
            self.point().wait();
        }
    }
}
