//! `cuMemcpy*` of bytes.

use super::rows::{Rows, Side};
use crate::abi::{Address, Answer, CUcontext, CUdeviceptr, CUstream};
use crate::context;
use crate::operation::Operation;
use crate::stream;

/// Memory of a device, or that devices reach.
fn device(address: CUdeviceptr) -> Side {
    Side { address, pitch: 0, slice: 0, is_foreign: false }
}

/// Memory of the program.
fn host(address: Address) -> Side {
    Side { address: address.0, pitch: 0, slice: 0, is_foreign: true }
}

/// Copies in the order of a stream; `waits` until it is done.
fn copy(
    default: CUstream,
    stream: CUstream,
    to: Side,
    from: Side,
    bytes: u64,
    waits: bool,
) -> Answer {
    let stream = stream::resolve(default, stream)?;
    if bytes == 0 {
        return Ok(());
    }
    let rows = Rows { to, from, extent: [bytes, 1, 1] };
    rows.check()?;
    match waits {
        true => stream.issue_and_wait(Operation::Copy(rows)),
        false => stream.issue(Operation::Copy(rows)),
    }
}

/// The same where the call may return before it is done; but what the program has in memory that no device knows may be gone or
/// changed by then, so that is waited for. A capture only takes note.
fn copy_later(
    default: CUstream,
    stream: CUstream,
    to: Side,
    from: Side,
    bytes: u64,
    is_known: bool,
) -> Answer {
    let capturing = stream::resolve(default, stream)?.capture().is_some();
    copy(default, stream, to, from, bytes, !is_known && !capturing)
}

/// `cuMemcpy`.
pub(crate) fn copy_any(default: CUstream, to: u64, from: u64, bytes: u64) -> Answer {
    copy(default, CUstream::NULL, host(Address(to)), host(Address(from)), bytes, true)
}

/// `cuMemcpyAsync`. What no device knows is the program's.
pub(crate) fn copy_any_async(
    default: CUstream,
    to: u64,
    from: u64,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    let known = [to, from].iter().all(|side| super::space::reach(*side).is_some());
    copy_later(default, stream, host(Address(to)), host(Address(from)), bytes, known)
}

/// `cuMemcpyHtoD_v2`.
pub(crate) fn to_device(default: CUstream, to: CUdeviceptr, from: Address, bytes: u64) -> Answer {
    copy(default, CUstream::NULL, device(to), host(from), bytes, true)
}

/// `cuMemcpyHtoDAsync_v2`.
pub(crate) fn to_device_async(
    default: CUstream,
    to: CUdeviceptr,
    from: Address,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    let pinned = super::space::find(from.0).is_some();
    copy_later(default, stream, device(to), host(from), bytes, pinned)
}

/// `cuMemcpyDtoH_v2`.
pub(crate) fn to_host(default: CUstream, to: Address, from: CUdeviceptr, bytes: u64) -> Answer {
    copy(default, CUstream::NULL, host(to), device(from), bytes, true)
}

/// `cuMemcpyDtoHAsync_v2`.
pub(crate) fn to_host_async(
    default: CUstream,
    to: Address,
    from: CUdeviceptr,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    let pinned = super::space::find(to.0).is_some();
    copy_later(default, stream, host(to), device(from), bytes, pinned)
}

/// `cuMemcpyDtoD_v2`.
pub(crate) fn within_device(
    default: CUstream,
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: u64,
) -> Answer {
    copy(default, CUstream::NULL, device(to), device(from), bytes, false)
}

/// `cuMemcpyDtoDAsync_v2`.
pub(crate) fn within_device_async(
    default: CUstream,
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    copy(default, stream, device(to), device(from), bytes, false)
}

/// Both contexts of a copy between devices.
fn peers(to: CUcontext, from: CUcontext) -> Answer {
    for handle in [to, from] {
        context::find(handle)?.check()?;
    }
    Ok(())
}

/// `cuMemcpyPeer`.
pub(crate) fn between(
    default: CUstream,
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: u64,
) -> Answer {
    peers(to_context, from_context)?;
    wait_for(from_context)?;
    copy(default, CUstream::NULL, device(to), device(from), bytes, true)
}

/// What the other context has been given comes first.
fn wait_for(handle: CUcontext) -> Answer {
    let context = context::find(handle)?;
    context.wait();
    context.check()
}

/// `cuMemcpyPeerAsync`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn between_async(
    default: CUstream,
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    peers(to_context, from_context)?;
    stream::resolve_idle(default, stream)?;
    copy(default, stream, device(to), device(from), bytes, false)
}
