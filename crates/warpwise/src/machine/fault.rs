//! Faults of machine programs in words.

use super::run::MachineProgram;
use crate::device::Buffer;
use crate::launch::{count_bytes, headline};
use diag::{Diagnostic, Severity, Span};
use ir::Place;
use vm::{Fault, FaultKind, WaitingFor};

impl MachineProgram {
    /// What a fault was, where, for which lane, and what to do.
    pub(super) fn explain(&self, fault: &Fault, memory: Buffer) -> Diagnostic {
        let (class, general) = headline(&fault.kind, &|address| address);
        let lane = format!("lane {}", fault.thread.lane);
        let message = match &fault.kind {
            FaultKind::OutOfBounds { access, address, bytes, .. } => format!(
                "{} of {bytes} bytes out of bounds at address {:#x}",
                access.word(),
                Self::offset(*address, memory)
            ),
            FaultKind::Misaligned { access, address, bytes, .. } => format!(
                "misaligned {} of {bytes} bytes at address {:#x}",
                access.word(),
                Self::offset(*address, memory)
            ),
            FaultKind::Trap
            | FaultKind::Constant { .. }
            | FaultKind::Assertion { .. }
            | FaultKind::NoFunction { .. }
            | FaultKind::BadFree { .. }
            | FaultKind::BadSurface { .. }
            | FaultKind::BadTensor { .. }
            | FaultKind::StackOverflow { .. }
            | FaultKind::BadBarrier { .. }
            | FaultKind::ArrivedTwice { .. }
            | FaultKind::Deadlock { .. }
            | FaultKind::StepLimit { .. }
            | FaultKind::Interrupted
            | FaultKind::GivenUp => general,
        };
        let mut found = Diagnostic::new(Severity::Error, class, message);
        found = match self.span(fault.place) {
            Some(span) => found.label(span, lane),
            None => found.note(lane),
        };
        match &fault.kind {
            FaultKind::OutOfBounds { .. } => {
                let size = count_bytes(memory.bytes);
                found
                    .note(format!("memory has {size}, from address 0 on"))
                    .help("give the state more memory, or check the address")
            }
            FaultKind::Misaligned { bytes, .. } => found.note(format!(
                "an access of {bytes} bytes needs an address that is a multiple of {bytes}"
            )),
            FaultKind::Deadlock { waiting } => {
                for group in waiting {
                    let members = match group.waiting_for {
                        WaitingFor::Lanes(members) => members - group.lanes,
                        WaitingFor::Barrier { .. }
                        | WaitingFor::Cluster { .. }
                        | WaitingFor::EndlessLoop => lanes::LaneMask::EMPTY,
                    };
                    found = found.note(format!(
                        "lanes {} wait{} for lanes {}",
                        group.lanes.ranges(),
                        self.place(group.place),
                        members.ranges()
                    ));
                }
                found.help("let every lane of the mask come there, or name fewer")
            }
            FaultKind::StepLimit { .. } => {
                found.help("raise the limit if the program is not an endless loop")
            }
            FaultKind::Trap
            | FaultKind::Constant { .. }
            | FaultKind::Assertion { .. }
            | FaultKind::NoFunction { .. }
            | FaultKind::BadFree { .. }
            | FaultKind::BadSurface { .. }
            | FaultKind::BadTensor { .. }
            | FaultKind::StackOverflow { .. }
            | FaultKind::BadBarrier { .. }
            | FaultKind::ArrivedTwice { .. }
            | FaultKind::Interrupted
            | FaultKind::GivenUp => found,
        }
    }

    fn span(&self, place: Place) -> Option<Span> {
        self.program.places.get(place.0 as usize).copied()
    }

    fn place(&self, place: Place) -> String {
        let Some(span) = self.span(place) else { return String::new() };
        let line = self.sources.location(span).line;
        format!(" in line {line} (`{}`)", self.sources.slice(span))
    }
}
