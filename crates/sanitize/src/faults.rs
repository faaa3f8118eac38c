//! M001, M002, M003, bad barriers and deadlocks: findings that stop the kernel.

use crate::at::At;
use crate::code::Code;
use crate::deadlock;
use crate::finding::Finding;
use ir::{Kernel, Space};
use vm::{Fault, FaultKind, NUMBERED_BARRIERS};

/// The finding that a fault is; `None` for faults that show nothing undefined: a trap, a limit, an interruption.
/// `freed` tells addresses of memory that was freed.
pub(crate) fn explain(
    kernel: &Kernel,
    fault: &Fault,
    freed: impl Fn(u64) -> bool,
) -> Option<Finding> {
    let access = |code, what: &str, kind: vm::AccessKind, space, (address, bytes): (u64, u32)| {
        let at = At { space, address, bytes: bytes.into() };
        let message = format!("{what} {} of {bytes} bytes at {at}", kind.word());
        Some(Finding::new(code, fault.place, fault.thread, message).label(fault.thread.to_string()))
    };
    match &fault.kind {
        FaultKind::OutOfBounds { access: kind, address, bytes, space, .. } => {
            let global = matches!(space, Space::Global | Space::Generic);
            match global && freed(*address) {
                true => access(Code::M003, "use after free:", *kind, *space, (*address, *bytes)),
                false => access(Code::M001, "out-of-bounds", *kind, *space, (*address, *bytes)),
            }
        }
        FaultKind::Misaligned { access: kind, space, address, bytes } => {
            access(Code::M002, "misaligned", *kind, *space, (*address, *bytes))
        }
        FaultKind::Constant { access: kind, space, address, bytes, .. } => {
            let help =
                "let the kernel write memory that is no constant: `.global`, or a copy of its own";
            let what = "constant memory cannot be written:";
            access(Code::M001, what, *kind, *space, (*address, *bytes))
                .map(|finding| Finding { help, ..finding })
        }
        FaultKind::NoFunction { address } => {
            let message = format!("call of {address:#x}, which is no function's address");
            let help = "give the register the address of a function of the module before the call";
            let finding = Finding::new(Code::M001, fault.place, fault.thread, message);
            Some(Finding { help, ..finding.label(fault.thread.to_string()) })
        }
        FaultKind::Deadlock { waiting } => Some(deadlock::explain(kernel, fault, waiting)),
        FaultKind::BadBarrier { id, threads } => {
            let message = match threads {
                Some(threads) if (*id as usize) < NUMBERED_BARRIERS => {
                    format!("barrier {id} cannot be completed by {threads} threads")
                }
                _ => format!("there is no barrier {id}: a CTA has the barriers 0 to 15"),
            };
            Some(Finding::new(Code::B001, fault.place, fault.thread, message))
        }
        FaultKind::Trap
        | FaultKind::Assertion { .. }
        | FaultKind::StepLimit { .. }
        | FaultKind::Interrupted
        | FaultKind::GivenUp => None,
    }
}
