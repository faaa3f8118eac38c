//! M001, M002, M003 in words.

use super::{About, Say, Words};
use crate::detail::{
    At, BadCall, BetweenVariables, BulkSize, ConstantWritten, Freed, Misaligned, OutOfBounds,
};
use ir::{BULK_UNIT, Space};
use vm::AccessKind;

/// `what` happened to an access of the finding's thread.
fn access(about: &About<'_>, what: &str, kind: AccessKind, at: At) -> Words {
    let (word, bytes) = (kind.word(), at.bytes);
    about
        .say(format!("{what} {word} of {bytes} bytes at {}", about.at(at)))
        .label(about.thread().to_string())
}

impl Say for OutOfBounds {
    fn say(&self, about: &About<'_>) -> Words {
        access(about, "out-of-bounds", self.access, self.at)
    }
}

impl Say for Freed {
    fn say(&self, about: &About<'_>) -> Words {
        access(about, "use after free:", self.access, self.at)
    }
}

impl Say for BetweenVariables {
    fn say(&self, about: &About<'_>) -> Words {
        let before = match self.at.space {
            Space::Shared => "the variable in shared memory before it",
            Space::Local => "the variable in local memory before it",
            Space::Param => "the parameter before it",
            Space::Global | Space::Generic => "the memory before it",
        };
        access(about, "out-of-bounds", self.access, self.at)
            .fact(format!("{before} ends at {:#x}", self.end))
    }
}

impl Say for ConstantWritten {
    fn say(&self, about: &About<'_>) -> Words {
        access(about, "constant memory cannot be written:", self.access, self.at).help(
            "let the kernel write memory that is no constant: `.global`, or a copy of its own",
        )
    }
}

impl Say for BadCall {
    fn say(&self, about: &About<'_>) -> Words {
        about
            .say(format!("call of {:#x}, which is no function's address", self.address))
            .label(about.thread().to_string())
            .help("give the register the address of a function of the module before the call")
    }
}

impl Say for Misaligned {
    fn say(&self, about: &About<'_>) -> Words {
        access(about, "misaligned", self.access, self.at)
    }
}

impl Say for BulkSize {
    fn say(&self, about: &About<'_>) -> Words {
        let bytes = self.bytes;
        about
            .say(format!(
                "a bulk copy of {bytes} bytes: its size must be a multiple of {BULK_UNIT}"
            ))
            .label(about.thread().to_string())
            .help("copy whole units of 16 bytes, and the rest with loads and stores")
    }
}
