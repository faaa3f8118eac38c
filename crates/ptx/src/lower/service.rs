//! Functions that the host provides: device code declares them and calls them by name.

use ir::Service;

/// The service behind a function that a module declares and does not define (CUDA C++ Programming Guide, "Formatted
/// Output", "Assertion" and "Dynamic Global Memory Allocation and Operations").
pub(super) fn find(function: &str) -> Option<Service> {
    match function {
        "vprintf" => Some(Service::Print),
        "__assertfail" => Some(Service::AssertFail),
        "malloc" => Some(Service::Malloc),
        "free" => Some(Service::Free),
        // What our part of the device runtime library calls.
        "warpwise_launch" => Some(Service::Launch),
        "warpwise_last_error" => Some(Service::LastError),
        _ => None,
    }
}

/// Whether a function is none of the program's: the host provides it, or it is one of the device's runtime system.
pub(crate) fn is_service(function: &str) -> bool {
    find(function).is_some() || unsupported(function).is_some()
}

/// What a function of the device's runtime system does that is not implemented (CUDA C++ Programming Guide, "Dynamic Global
/// Memory Allocation and Operations", "CUDA Dynamic Parallelism" and "Profiler Counter Function").
pub(super) fn unsupported(function: &str) -> Option<&'static str> {
    match function {
        "__nv_aligned_device_malloc" => {
            Some("`malloc` in kernels aligns to 16 bytes, and what aligns to more is not there yet")
        }
        "__nvvm_prof_trigger" => Some("there are no profiler counters"),
        _ if function.starts_with("cudaCG") => Some("groups of several grids are not there yet"),
        _ if function.starts_with("cuda") || function.starts_with("__cudaCDP") => {
            Some("this function of the device's runtime interface is not there yet")
        }
        _ => None,
    }
}
