//! How a command ended.

use crate::interrupt;
use std::process::ExitCode;

/// The exit statuses; scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All went well.
    Fine,
    /// The kernel, or the module, is not as it should be.
    Findings,
    /// The command line asks for something that cannot be.
    Usage,
    /// An input file is unreadable, wrong or not supported.
    Rejected,
    /// The kernel was stopped.
    Faulted,
    /// The user, or a signal, has ended the command before it was done.
    Interrupted,
}

impl Status {
    /// The word that JSON reports carry.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Status::Fine => "fine",
            Status::Findings => "findings",
            Status::Usage => "usage",
            Status::Rejected => "rejected",
            Status::Faulted => "faulted",
            Status::Interrupted => "interrupted",
        }
    }
}

impl Status {
    /// What was stopped by the user is no fault of the kernel.
    pub(crate) fn unless_interrupted(self) -> Status {
        match self {
            Status::Faulted if interrupt::asked() => Status::Interrupted,
            status => status,
        }
    }

    /// The number that the command ends with.
    pub(crate) fn number(self) -> u8 {
        match self {
            Status::Fine => 0,
            Status::Findings => 1,
            Status::Usage => 2,
            Status::Rejected => 3,
            Status::Faulted => 4,
            // As shells have it: 128 and the number of SIGINT.
            Status::Interrupted => 130,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.number())
    }
}
