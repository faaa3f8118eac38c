//! How a command ended.

use crate::interrupt;
use schemars::JsonSchema;
use serde::Serialize;
use std::process::ExitCode;
use warpwise::diag::junit::Verdict;

/// How a command ended; scripts rely on the numbers of the exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
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
    /// Whether the command did what it was asked for, whatever it found.
    pub(crate) fn is_answer(self) -> bool {
        matches!(self, Status::Fine | Status::Findings)
    }

    /// What a test is called that ended so: one that could not be run is broken.
    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Status::Fine => Verdict::Passed,
            Status::Findings | Status::Faulted => Verdict::Failed,
            Status::Usage | Status::Rejected | Status::Interrupted => Verdict::Broken,
        }
    }

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
