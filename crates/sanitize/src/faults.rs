//! M001, M002, M003, bad barriers and deadlocks: the findings that faults of the VM become.

use crate::deadlock;
use crate::detail::{
    Absent, ArrivedTwice, At, BadCall, BadFree, ConstantWritten, Detail, Freed, Misaligned,
    NoSuchBarrier, NotThere, OutOfBounds,
};
use crate::finding::Finding;
use crate::heap::Heap;
use ir::{Kernel, Space};
use vm::{Fault, FaultKind};

/// The finding that a fault is; `None` for faults that show nothing undefined: a trap, a limit, an interruption.
/// `heap` is what the launch has allocated; `silent` says whether others could have written what it waits for, and have not.
pub(crate) fn explain(
    kernel: &Kernel,
    fault: &Fault,
    heap: &Heap,
    silent: bool,
) -> Option<Finding> {
    let at = |space, address, bytes: u32| At { space, address, bytes: bytes.into() };
    let detail: Detail = match fault.kind {
        FaultKind::OutOfBounds { access, address, bytes, space, peer, nearest, freed, .. } => {
            let at = at(space, address, bytes);
            match (freed.is_some(), peer) {
                (true, Some(rank)) => NotThere { access, at, rank, why: Absent::HasExited }.into(),
                (true, None) => Freed { access, at, block: heap.around(address) }.into(),
                (false, _) => {
                    let global = nearest.filter(|nearest| nearest.space == Space::Global);
                    let block = global.and_then(|nearest| heap.at(nearest.start));
                    OutOfBounds { access, at, peer, nearest, block }.into()
                }
            }
        }
        FaultKind::Misaligned { access, space, address, bytes } => {
            Misaligned { access, at: at(space, address, bytes) }.into()
        }
        FaultKind::Constant { access, space, address, bytes, .. } => {
            ConstantWritten { access, at: at(space, address, bytes) }.into()
        }
        FaultKind::NoFunction { address } => BadCall { address }.into(),
        FaultKind::BadFree { address, why } => {
            BadFree { address, why, block: heap.around(address) }.into()
        }
        FaultKind::ArrivedTwice { lanes } => ArrivedTwice { lanes }.into(),
        FaultKind::BadBarrier { id, threads } => NoSuchBarrier { id, threads }.into(),
        FaultKind::Deadlock { ref waiting } => {
            return Some(deadlock::explain(kernel, fault, waiting, silent));
        }
        FaultKind::Trap
        | FaultKind::BadSurface { .. }
        | FaultKind::BadTensor { .. }
        | FaultKind::Assertion { .. }
        | FaultKind::StackOverflow { .. }
        | FaultKind::StepLimit { .. }
        | FaultKind::Interrupted
        | FaultKind::GivenUp => return None,
    };
    Some(Finding::new(fault.place, fault.thread, detail))
}
