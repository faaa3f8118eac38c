//! An event.

use crate::abi::{Answer, CUevent, CUgraphNode};
use crate::context::Context;
use crate::driver::driver;
use crate::graph::Capture;
use crate::registry::Registry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use warpwise::{Event, Point};

/// An event.
#[derive(Debug)]
pub(crate) struct EventObject {
    pub(crate) context: Arc<Context>,
    pub(crate) flags: u32,
    pub(crate) event: Event,
    captured: Mutex<Option<Captured>>,
}

/// Where it was recorded last, if a stream captured then.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    pub(crate) capture: Weak<Capture>,
    pub(crate) nodes: Vec<CUgraphNode>,
}

/// Handles of events.
pub(crate) fn events() -> &'static Registry<EventObject> {
    static ALL: Registry<EventObject> = Registry::new(7);
    &ALL
}

/// The event of a handle.
pub(crate) fn get(handle: CUevent) -> Answer<Arc<EventObject>> {
    driver()?;
    let event = events().get(handle.0)?;
    event.context.check().map(|()| event)
}

/// Forgets an event: its context is gone.
pub(crate) fn forget(handle: u64) {
    let _ = events().remove(handle);
}

impl EventObject {
    pub(crate) fn new(context: Arc<Context>, flags: u32) -> EventObject {
        EventObject { context, flags, event: Event::new(), captured: Mutex::default() }
    }

    /// Where a stream that captured recorded it.
    pub(crate) fn captured(&self) -> MutexGuard<'_, Option<Captured>> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The capture in which it was recorded, while that goes on.
    pub(crate) fn capture(&self) -> Option<Arc<Capture>> {
        self.captured().as_ref().and_then(|captured| captured.capture.upgrade())
    }

    /// Where it was recorded last.
    pub(crate) fn point(&self) -> Option<Point> {
        self.event.point()
    }
}
