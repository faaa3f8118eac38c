//! The time that repetitions take.

use std::time::Duration;

/// The median in seconds.
pub(crate) fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}
