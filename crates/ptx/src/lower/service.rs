//! Functions that the host provides: device code declares them and calls them by name.

use ir::Service;

/// The service behind a function that a module declares and does not define (CUDA C++ Programming Guide, "Formatted
/// Output" and "Assertion").
pub(super) fn find(function: &str) -> Option<Service> {
    match function {
        "vprintf" => Some(Service::Print),
        "__assertfail" => Some(Service::AssertFail),
        _ => None,
    }
}
