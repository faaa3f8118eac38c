//! What faults of kernels are in CUDA's terms.

use crate::abi::CUresult;
use warpwise::ir::Space;
use warpwise::{Error, FaultKind, Stage};

/// The result that a context has from now on when a kernel has been stopped so.
pub(crate) fn of_fault(kind: &FaultKind) -> CUresult {
    match kind {
        FaultKind::OutOfBounds { of: Space::Param, .. } => CUresult::LAUNCH_FAILED,
        // On an H100 (driver 580.159) also shared memory beyond the CTA's, a stack that has grown too large, and a jump to what is no
        // code.
        FaultKind::OutOfBounds { .. }
        | FaultKind::Constant { .. }
        | FaultKind::BadFree { .. }
        | FaultKind::NoFunction { .. }
        | FaultKind::StackOverflow { .. } => CUresult::ILLEGAL_ADDRESS,
        FaultKind::Misaligned { .. } => CUresult::MISALIGNED_ADDRESS,
        FaultKind::Assertion { .. } => CUresult::ASSERT,
        FaultKind::Trap => CUresult::LAUNCH_FAILED,
        FaultKind::BadBarrier { .. }
        | FaultKind::ArrivedTwice { .. }
        | FaultKind::BadSurface { .. }
        | FaultKind::BadTensor { .. } => CUresult::ILLEGAL_INSTRUCTION,
        FaultKind::Deadlock { .. }
        | FaultKind::StepLimit { .. }
        | FaultKind::Interrupted
        | FaultKind::GivenUp => CUresult::LAUNCH_TIMEOUT,
    }
}

/// The result for a launch that did not begin or did not end.
pub(crate) fn of_launch(error: &Error) -> CUresult {
    match (&error.failure().fault, error) {
        (Some(fault), _) => of_fault(&fault.kind),
        (None, Error::Unsupported(_)) => CUresult::NOT_SUPPORTED,
        (None, Error::BadInput(_)) => CUresult::INVALID_VALUE,
        (None, Error::Limit(_)) => CUresult::LAUNCH_OUT_OF_RESOURCES,
        (None, _) => CUresult::UNKNOWN,
    }
}

/// The rule that there is such a version of PTX.
const NO_VERSION: &str = "P003";

/// The result for a module that cannot be loaded, or a kernel that cannot be made of it.
pub(crate) fn of_module(error: &Error) -> CUresult {
    let failure = error.failure();
    if failure.diagnostics.iter().any(|told| told.code == NO_VERSION) {
        return CUresult::UNSUPPORTED_PTX_VERSION;
    }
    match (error, failure.stage) {
        (Error::Unsupported(_), _) => CUresult::NOT_SUPPORTED,
        (Error::BadInput(_), _) => CUresult::INVALID_PTX,
        (Error::Limit(_), Stage::Launch) => CUresult::OUT_OF_MEMORY,
        (Error::Limit(_), _) => CUresult::INVALID_PTX,
        (_, _) => CUresult::UNKNOWN,
    }
}
