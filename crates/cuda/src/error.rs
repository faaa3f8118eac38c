//! Names and descriptions of results.

use crate::abi::constants::RESULTS;
use crate::abi::{Answer, CUresult, Out, Text};
use std::ffi::CStr;

/// What results mean, in a few words.
const MEANINGS: &[(CUresult, &CStr)] = &[
    (CUresult::SUCCESS, c"no error"),
    (CUresult::INVALID_VALUE, c"invalid argument"),
    (CUresult::OUT_OF_MEMORY, c"out of memory"),
    (CUresult::NOT_INITIALIZED, c"initialization error"),
    (CUresult::DEINITIALIZED, c"driver shutting down"),
    (CUresult::NO_DEVICE, c"no CUDA-capable device is detected"),
    (CUresult::INVALID_DEVICE, c"invalid device ordinal"),
    (CUresult::INVALID_IMAGE, c"device kernel image is invalid"),
    (CUresult::INVALID_CONTEXT, c"invalid device context"),
    (CUresult::NO_BINARY_FOR_GPU, c"no kernel image is available for execution on the device"),
    (CUresult::ALREADY_MAPPED, c"resource already mapped"),
    (CUresult::NOT_MAPPED, c"resource not mapped"),
    (CUresult::UNSUPPORTED_LIMIT, c"limit is not supported on this architecture"),
    (CUresult::PEER_ACCESS_UNSUPPORTED, c"peer access is not supported between these two devices"),
    (CUresult::INVALID_PTX, c"a PTX JIT compilation failed"),
    (CUresult::UNSUPPORTED_PTX_VERSION, c"the provided PTX was compiled with an unsupported toolchain."),
    (CUresult::INVALID_SOURCE, c"device kernel image is invalid"),
    (CUresult::FILE_NOT_FOUND, c"file not found"),
    (CUresult::INVALID_HANDLE, c"invalid resource handle"),
    (CUresult::ILLEGAL_STATE, c"the operation cannot be performed in the present state"),
    (CUresult::NOT_FOUND, c"named symbol not found"),
    (CUresult::NOT_READY, c"device not ready"),
    (CUresult::ILLEGAL_ADDRESS, c"an illegal memory access was encountered"),
    (CUresult::LAUNCH_OUT_OF_RESOURCES, c"too many resources requested for launch"),
    (CUresult::LAUNCH_TIMEOUT, c"the launch timed out and was terminated"),
    (CUresult::PEER_ACCESS_ALREADY_ENABLED, c"peer access is already enabled"),
    (CUresult::PEER_ACCESS_NOT_ENABLED, c"peer access has not been enabled"),
    (CUresult::PRIMARY_CONTEXT_ACTIVE, c"cannot set while device is active in this process"),
    (CUresult::CONTEXT_IS_DESTROYED, c"context is destroyed"),
    (CUresult::ASSERT, c"device-side assert triggered"),
    (CUresult::HOST_MEMORY_ALREADY_REGISTERED, c"part or all of the requested memory range is already mapped"),
    (CUresult::HOST_MEMORY_NOT_REGISTERED, c"pointer does not correspond to a registered memory region"),
    (CUresult::HARDWARE_STACK_ERROR, c"hardware stack error"),
    (CUresult::ILLEGAL_INSTRUCTION, c"an illegal instruction was encountered"),
    (CUresult::MISALIGNED_ADDRESS, c"misaligned address"),
    (CUresult::INVALID_ADDRESS_SPACE, c"operation not supported on global/shared address space"),
    (CUresult::INVALID_PC, c"invalid program counter"),
    (CUresult::LAUNCH_FAILED, c"unspecified launch failure"),
    (CUresult::COOPERATIVE_LAUNCH_TOO_LARGE, c"too many blocks in cooperative launch"),
    (CUresult::NOT_PERMITTED, c"operation not permitted"),
    (CUresult::NOT_SUPPORTED, c"operation not supported"),
    (CUresult::STREAM_CAPTURE_UNSUPPORTED, c"operation not permitted when stream is capturing"),
    (CUresult::STREAM_CAPTURE_INVALIDATED, c"operation failed due to a previous error during capture"),
    (CUresult::STREAM_CAPTURE_MERGE, c"operation would result in a merge of separate capture sequences"),
    (CUresult::STREAM_CAPTURE_UNMATCHED, c"capture was not ended in the same stream as it began"),
    (CUresult::STREAM_CAPTURE_UNJOINED, c"capturing stream has unjoined work"),
    (CUresult::STREAM_CAPTURE_ISOLATION, c"dependency created on uncaptured work in another stream"),
    (CUresult::STREAM_CAPTURE_IMPLICIT, c"operation would make the legacy stream depend on a capturing blocking stream"),
    (CUresult::CAPTURED_EVENT, c"operation not permitted on an event last recorded in a capturing stream"),
    (CUresult::STREAM_CAPTURE_WRONG_THREAD, c"attempt to terminate a thread-local capture sequence from another thread"),
    (CUresult::TIMEOUT, c"wait operation timed out"),
    (CUresult::GRAPH_EXEC_UPDATE_FAILURE, c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    (CUresult::UNKNOWN, c"unknown error"),
];

/// The text of a result.
fn text(
    of: CUresult,
    to: Out<Text>,
    table: &'static [(CUresult, &CStr)],
    other: Option<&'static CStr>,
) -> Answer {
    to.check()?;
    let known = RESULTS.iter().any(|(known, _)| *known == of);
    let found = table.iter().find(|(known, _)| *known == of).map(|(_, text)| *text);
    match found.or(other.filter(|_| known)) {
        Some(text) => to.set(Text::of(text)),
        None => {
            to.set(Text::null())?;
            Err(CUresult::INVALID_VALUE)
        }
    }
}

/// `cuGetErrorName`.
pub(crate) fn name(error: CUresult, to: Out<Text>) -> Answer {
    text(error, to, RESULTS, None)
}

/// `cuGetErrorString`.
pub(crate) fn description(error: CUresult, to: Out<Text>) -> Answer {
    text(error, to, MEANINGS, Some(c"an error that this driver does not return"))
}
