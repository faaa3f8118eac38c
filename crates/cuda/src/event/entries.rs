//! `cuEvent*`, and streams that wait for events.

use super::object::{Captured, EventObject, events, forget, get};
use crate::abi::constants::{
    CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING, CU_EVENT_INTERPROCESS,
    CU_EVENT_RECORD_EXTERNAL, CU_EVENT_WAIT_EXTERNAL,
};
use crate::abi::{Answer, CUevent, CUresult, CUstream, Out};
use crate::capturing;
use crate::context::{Context, current};
use crate::operation::Operation;
use crate::say;
use crate::stream;
use std::sync::Arc;

/// `cuEventCreate`.
pub(crate) fn create(to: Out<CUevent>, flags: u32) -> Answer {
    let context = current()?;
    to.check()?;
    let known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    let is_interprocess = flags & CU_EVENT_INTERPROCESS != 0;
    let is_timed = flags & CU_EVENT_DISABLE_TIMING == 0;
    if flags & !known != 0 || (is_interprocess && is_timed) {
        return Err(CUresult::INVALID_VALUE);
    }
    if is_interprocess {
        say::once("events between processes are not there");
        return Err(CUresult::NOT_SUPPORTED);
    }
    let handle = events().insert(Arc::new(EventObject::new(Arc::clone(&context), flags)));
    context.owns(handle, forget);
    to.set(CUevent(handle))
}

/// `cuEventDestroy_v2`. What has been recorded happens all the same.
pub(crate) fn destroy(event: CUevent) -> Answer {
    crate::driver::driver()?;
    let known = events().remove(event.0)?;
    known.context.disowns(event.0);
    known.context.check()
}

/// `cuEventRecord`.
pub(crate) fn record(default: CUstream, event: CUevent, stream: CUstream) -> Answer {
    record_with(default, event, stream, 0)
}

/// `cuEventRecordWithFlags`.
pub(crate) fn record_with(
    default: CUstream,
    event: CUevent,
    stream: CUstream,
    flags: u32,
) -> Answer {
    let stream = stream::resolve(default, stream)?;
    let event = get(event)?;
    if flags & !CU_EVENT_RECORD_EXTERNAL != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if event.context.id != stream.context.id {
        return Err(CUresult::INVALID_HANDLE);
    }
    if let Some(capture) = &*stream.capture() {
        if flags & CU_EVENT_RECORD_EXTERNAL != 0 {
            return capture.add(stream.lane.id, Operation::Record(event.event.clone()));
        }
        capture.check()?;
        let nodes = capture.end(stream.lane.id);
        *event.captured() = Some(Captured { capture: Arc::downgrade(capture), nodes });
        return Ok(());
    }
    *event.captured() = None;
    stream.put(Operation::Record(event.event.clone())).map(drop)
}

/// An event for all work of a context.
pub(crate) fn record_context(context: &Arc<Context>, event: CUevent) -> Answer {
    let event = get(event)?;
    *event.captured() = None;
    let points: Vec<_> = context.lanes().iter().map(|lane| lane.queue.point()).collect();
    context.legacy().queue.record_after(&points, &event.event);
    Ok(())
}

/// `cuStreamWaitEvent`.
pub(crate) fn wait(default: CUstream, stream: CUstream, event: CUevent, flags: u32) -> Answer {
    let stream = stream::resolve(default, stream)?;
    let event = get(event)?;
    if flags & !CU_EVENT_WAIT_EXTERNAL != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let captured = event.captured().clone();
    let mut own = stream.capture();
    own.as_ref().map_or(Ok(()), |capture| capture.check())?;
    let is_external = flags & CU_EVENT_WAIT_EXTERNAL != 0;
    if is_external && let Some(capture) = &*own {
        return capture.add(stream.lane.id, Operation::Wait(event.event.clone()));
    }
    match (captured, &*own) {
        (Some(captured), own_capture) => {
            let Some(capture) = captured.capture.upgrade() else {
                own_capture.iter().for_each(|capture| capture.invalidate());
                return Err(CUresult::INVALID_VALUE);
            };
            match own_capture {
                None if is_external => return Err(CUresult::ILLEGAL_STATE),
                Some(known) if !Arc::ptr_eq(known, &capture) => {
                    known.invalidate();
                    capture.invalidate();
                    return Err(CUresult::STREAM_CAPTURE_MERGE);
                }
                None if stream.is_legacy() => {
                    capture.invalidate();
                    return Err(CUresult::STREAM_CAPTURE_IMPLICIT);
                }
                _ => {}
            }
            capture.takes_part(&stream.lane, &captured.nodes);
            // The stream takes part from now on.
            *own = Some(capture);
            Ok(())
        }
        (None, Some(capture)) if event.point().is_some() => {
            capture.invalidate();
            Err(CUresult::STREAM_CAPTURE_ISOLATION)
        }
        (None, Some(_)) => Ok(()),
        (None, None) => {
            drop(own);
            stream.put(Operation::Wait(event.event.clone())).map(drop)
        }
    }
}

/// The event, unless a stream captured when it was recorded. Of a capture that is over nothing can be known.
fn happening(event: CUevent) -> Answer<Arc<EventObject>> {
    let event = get(event)?;
    let is_captured = event.captured().is_some();
    match is_captured {
        false => Ok(event),
        true if event.capture().is_some() => Err(CUresult::CAPTURED_EVENT),
        true => Err(CUresult::INVALID_VALUE),
    }
}

/// The same for who waits for the event, or asks whether it has happened: that makes captures worthless.
fn awaited(event: CUevent) -> Answer<Arc<EventObject>> {
    if let Some(capture) = get(event)?.capture() {
        capture.invalidate();
    }
    let event = happening(event)?;
    capturing::unsafe_call()?;
    Ok(event)
}

/// `cuEventQuery`.
pub(crate) fn query(event: CUevent) -> Answer {
    let event = awaited(event)?;
    if !event.event.has_happened() {
        return Err(CUresult::NOT_READY);
    }
    event.context.flush();
    event.context.check()
}

/// `cuEventSynchronize`.
pub(crate) fn synchronize(event: CUevent) -> Answer {
    let event = awaited(event)?;
    event.event.synchronize();
    event.context.flush();
    event.context.check()
}

/// `cuEventElapsedTime`, in milliseconds.
pub(crate) fn elapsed(to: Out<f32>, start: CUevent, end: CUevent) -> Answer {
    let (start, end) = (happening(start)?, happening(end)?);
    to.check()?;
    let timed = |event: &EventObject| event.flags & CU_EVENT_DISABLE_TIMING == 0;
    let recorded = |event: &EventObject| event.point().is_some();
    if !(timed(&start) && timed(&end) && recorded(&start) && recorded(&end)) {
        return Err(CUresult::INVALID_HANDLE);
    }
    if !(start.event.has_happened() && end.event.has_happened()) {
        return Err(CUresult::NOT_READY);
    }
    let milliseconds = match start.event.elapsed_until(&end.event) {
        Some(time) => time.as_secs_f64() * 1e3,
        // The other way round.
        None => -end.event.elapsed_until(&start.event).map_or(0.0, |time| time.as_secs_f64() * 1e3),
    };
    to.set(milliseconds as f32)
}
