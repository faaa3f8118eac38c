//! Events: points in the work of streams, with the time at which they were reached.

use super::queue::Point;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A point in the work of a stream, which others can wait for.
#[derive(Clone, Debug, Default)]
pub struct Event(Arc<Mutex<Recorded>>);

/// The last time that an event was recorded.
#[derive(Debug, Default)]
struct Recorded {
    point: Option<Point>,
    at: Arc<OnceLock<Instant>>,
}

/// When a recorded event happens.
pub(super) struct Stamp(Arc<OnceLock<Instant>>);

impl Stamp {
    /// It happens now.
    pub(super) fn set(&self) {
        let _ = self.0.set(Instant::now());
    }
}

impl Event {
    /// An event that was never recorded.
    pub fn new() -> Event {
        Event::default()
    }

    /// Whether both are one event.
    pub fn is(&self, other: &Event) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is being recorded anew.
    pub(super) fn announce(&self) -> Stamp {
        let at = Arc::<OnceLock<Instant>>::default();
        self.lock().at = Arc::clone(&at);
        Stamp(at)
    }

    /// Where it has been recorded.
    pub(super) fn is_at(&self, point: Point) {
        self.lock().point = Some(point);
    }

    /// Where it was recorded last, if it ever was.
    pub fn point(&self) -> Option<Point> {
        self.lock().point.clone()
    }

    /// Whether it has happened as it was recorded last, or was never recorded.
    pub fn has_happened(&self) -> bool {
        self.point().is_none_or(|point| point.is_reached())
    }

    /// Waits until it has happened as it was recorded last.
    pub fn synchronize(&self) {
        if let Some(point) = self.point() {
            point.wait();
        }
    }

    /// The time from this event to another one; `None` if one of them has not happened, or this one is the later.
    pub fn elapsed_until(&self, later: &Event) -> Option<Duration> {
        let at = |event: &Event| event.lock().at.get().copied();
        at(later)?.checked_duration_since(at(self)?)
    }
}
