//! `cuStream*`, but capturing, and calls of the program's functions.

use super::object::{Stream, resolve, resolve_idle, streams};
use crate::abi::constants::{
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING,
};
use crate::abi::{
    Address, Answer, CUcontext, CUdevice, CUhostFn, CUresult, CUstream, CUstreamAttrValue,
    CUstreamCallback, In, Out,
};
use crate::capturing;
use crate::context::current;
use crate::driver::driver;
use crate::operation::{Call, Operation};
use std::sync::PoisonError;

/// `cuStreamCreate`.
pub(crate) fn create(to: Out<CUstream>, flags: u32) -> Answer {
    create_with_priority(to, flags, 0)
}

/// `cuStreamCreateWithPriority`.
pub(crate) fn create_with_priority(to: Out<CUstream>, flags: u32, priority: i32) -> Answer {
    let context = current()?;
    to.check()?;
    if flags & !(CU_STREAM_DEFAULT | CU_STREAM_NON_BLOCKING) != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let is_blocking = flags & CU_STREAM_NON_BLOCKING == 0;
    to.set(Stream::register(&context, is_blocking, priority)?)
}

/// `cuStreamDestroy_v2`. Its work is done all the same.
pub(crate) fn destroy(stream: CUstream) -> Answer {
    driver()?;
    let known = streams().remove(stream.0)?;
    // A stream that only took part may go: what it was given is in the graph. Nobody could end the capture of another one.
    if let Some(capture) = known.capture().as_ref().filter(|it| it.origin == known.lane.id) {
        capture.invalidate();
    }
    known.context.disowns(stream.0);
    known.context.check()
}

/// `cuStreamSynchronize`.
pub(crate) fn synchronize(default: CUstream, stream: CUstream) -> Answer {
    let stream = resolve(default, stream)?;
    stream.refuse_capture()?;
    capturing::unsafe_call()?;
    for point in stream.context.before(&stream.lane) {
        point.wait();
    }
    stream.lane.queue.point().wait();
    stream.context.flush();
    stream.context.check()
}

/// `cuStreamQuery`.
pub(crate) fn query(default: CUstream, stream: CUstream) -> Answer {
    let stream = resolve(default, stream)?;
    stream.refuse_capture()?;
    capturing::unsafe_call()?;
    let before = if stream.is_legacy() { stream.context.before(&stream.lane) } else { Vec::new() };
    if before.iter().any(|point| !point.is_reached()) || !stream.lane.queue.point().is_reached() {
        return Err(CUresult::NOT_READY);
    }
    stream.context.check()
}

/// `cuStreamGetPriority`.
pub(crate) fn priority(default: CUstream, stream: CUstream, to: Out<i32>) -> Answer {
    to.set(resolve(default, stream)?.lane.priority)
}

/// `cuStreamGetFlags`. This question, and the two that follow, spoil a capture of the stream; its priority and its context may be asked
/// for (H100, driver 580.159).
pub(crate) fn flags(default: CUstream, stream: CUstream, to: Out<u32>) -> Answer {
    let is_blocking = resolve_idle(default, stream)?.lane.is_blocking;
    to.set(if is_blocking { CU_STREAM_DEFAULT } else { CU_STREAM_NON_BLOCKING })
}

/// `cuStreamGetId`.
pub(crate) fn id(default: CUstream, stream: CUstream, to: Out<u64>) -> Answer {
    to.set(resolve_idle(default, stream)?.lane.id)
}

/// `cuStreamGetCtx`.
pub(crate) fn context(default: CUstream, stream: CUstream, to: Out<CUcontext>) -> Answer {
    to.set(resolve(default, stream)?.context.handle)
}

/// `cuStreamGetDevice`.
pub(crate) fn device(default: CUstream, stream: CUstream, to: Out<CUdevice>) -> Answer {
    to.set(resolve_idle(default, stream)?.context.gpu.ordinal)
}

/// `cuStreamAttachMemAsync`: managed memory is everywhere at any time.
pub(crate) fn attach(
    default: CUstream,
    stream: CUstream,
    address: u64,
    _bytes: u64,
    flags: u32,
) -> Answer {
    let stream = resolve_idle(default, stream)?;
    stream.refuse_beside_capture()?;
    if crate::memory::find(address).is_none() || !matches!(flags, 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE);
    }
    stream.issue(Operation::Nothing)
}

/// `cuStreamAddCallback`.
pub(crate) fn add_callback(
    default: CUstream,
    stream: CUstream,
    callback: CUstreamCallback,
    data: Address,
    flags: u32,
) -> Answer {
    let handle = stream;
    let stream = resolve(default, stream)?;
    let callback = callback.ok_or(CUresult::INVALID_VALUE)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    stream.refuse_capture()?;
    stream.issue(Operation::Call(Call::Stream(callback, handle, data)))
}

/// `cuLaunchHostFunc`.
pub(crate) fn call(
    default: CUstream,
    stream: CUstream,
    function: CUhostFn,
    data: Address,
) -> Answer {
    let stream = resolve(default, stream)?;
    let function = function.ok_or(CUresult::INVALID_VALUE)?;
    stream.issue(Operation::Call(Call::Host(function, data)))
}

/// `cuLaunchHostFunc_v2`. How the host waits is its own affair.
pub(crate) fn call_with(
    default: CUstream,
    stream: CUstream,
    function: CUhostFn,
    data: Address,
    mode: u32,
) -> Answer {
    match mode {
        0 | 1 => call(default, stream, function, data),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Whether an attribute is one of streams, and whether it can be set.
fn is_attribute(attribute: u32) -> Answer {
    match attribute {
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
        | CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
        | CU_LAUNCH_ATTRIBUTE_PRIORITY
        | CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP
        | CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => Ok(()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuStreamSetAttribute`: hints about caches, waiting and urgency.
pub(crate) fn set_attribute(
    default: CUstream,
    stream: CUstream,
    attribute: u32,
    value: In<CUstreamAttrValue>,
) -> Answer {
    let stream = resolve(default, stream)?;
    is_attribute(attribute)?;
    let mut known = stream.lane.attributes.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(attribute, value.get()?);
    Ok(())
}

/// `cuStreamGetAttribute`.
pub(crate) fn attribute(
    default: CUstream,
    stream: CUstream,
    attribute: u32,
    to: Out<CUstreamAttrValue>,
) -> Answer {
    let stream = resolve(default, stream)?;
    is_attribute(attribute)?;
    let known = stream.lane.attributes.lock().unwrap_or_else(PoisonError::into_inner);
    let unset = || {
        let mut words = [0; 8];
        if attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY {
            words[0] = u64::from(stream.lane.priority as u32);
        }
        CUstreamAttrValue { words }
    };
    to.set(known.get(&attribute).copied().unwrap_or_else(unset))
}

/// `cuStreamCopyAttributes`.
pub(crate) fn copy_attributes(default: CUstream, to: CUstream, from: CUstream) -> Answer {
    let (to, from) = (resolve(default, to)?, resolve(default, from)?);
    let all = from.lane.attributes.lock().unwrap_or_else(PoisonError::into_inner).clone();
    *to.lane.attributes.lock().unwrap_or_else(PoisonError::into_inner) = all;
    Ok(())
}
