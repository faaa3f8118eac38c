//! The processor's time, which other processes do not lengthen.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What this process has had of the processors.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// The shortest of several times, in seconds: what is longer had something else in it.
pub(crate) fn shortest(times: &[Duration]) -> f64 {
    times.iter().min().map_or(0.0, Duration::as_secs_f64)
}
