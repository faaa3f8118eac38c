//! What a stream is, without its context: work in order.

use std::sync::atomic::{AtomicU64, Ordering};
use warpwise::Stream;

/// The range of priorities; more urgent is less.
pub(crate) const LEAST_PRIORITY: i32 = 0;
pub(crate) const GREATEST_PRIORITY: i32 = -5;

/// Work in order.
#[derive(Debug)]
pub(crate) struct Lane {
    /// Whose work is done in order.
    pub(crate) queue: Stream,
    /// Whether it and the default stream wait for each other.
    pub(crate) is_blocking: bool,
    /// What its creator wants; all are as urgent here.
    pub(crate) priority: i32,
    /// Another one for each stream of the process.
    pub(crate) id: u64,
}

impl Lane {
    pub(crate) fn new(queue: Stream, is_blocking: bool, priority: i32) -> Lane {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
        Lane { queue, is_blocking, priority, id }
    }
}
