//! M001, M002, M003, M006, M007 in words.

use super::{About, Say, Words};
use crate::detail::{
    At, BadCall, BadFree, BetweenVariables, Block, BulkSize, ConstantWritten, Freed, Leak,
    Misaligned, OutOfBounds,
};
use ir::{BULK_UNIT, Space};
use vm::AccessKind;
use vm::memory::BadFree as Why;

/// `what` happened to an access of the finding's thread.
fn access(about: &About<'_>, what: &str, kind: AccessKind, at: At) -> Words {
    let (word, bytes) = (kind.word(), at.bytes);
    about
        .say(format!("{what} {word} of {bytes} bytes at {}", about.at(at)))
        .label(about.thread().to_string())
}

/// Says where a block was allocated and freed.
fn with_block(words: Words, block: Option<&Block>) -> Words {
    let Some(block) = block else { return words };
    let bytes = count(block.bytes, "byte");
    let words = words.related(format!("{bytes} allocated here, by {}", block.thread));
    match block.freed {
        Some((_, thread)) => words.related(format!("freed here, by {thread}")),
        None => words,
    }
}

/// So many of a thing.
fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

impl Say for OutOfBounds {
    fn say(&self, about: &About<'_>) -> Words {
        with_block(access(about, "out-of-bounds", self.access, self.at), self.block.as_ref())
    }
}

impl Say for Leak {
    fn say(&self, about: &About<'_>) -> Words {
        let (blocks, bytes) = (count(self.blocks, "block"), count(self.bytes, "byte"));
        let one = self.blocks == 1;
        let them = if one { "it" } else { "them" };
        let what = match self.reached {
            true => format!("memory holds pointers to {them}: a later kernel may free {them}"),
            false => format!("no pointer to {them} is left in memory"),
        };
        let are = if one { "is" } else { "are" };
        let words = about
            .say(format!("{blocks} of {bytes} in all {are} not freed, and {what}"))
            .label(format!("allocated here, the first by {}", self.thread));
        match self.reached {
            true => words.help("free the memory in the kernel, or in one that is launched later"),
            false => words,
        }
    }
}

impl Say for BadFree {
    fn say(&self, about: &About<'_>) -> Words {
        let address = At { space: Space::Global, address: self.address, bytes: 1 };
        let why = match self.why {
            Why::Twice => "which was freed before".to_owned(),
            Why::Inside { start } => {
                format!("which lies {} inside a block", count(self.address - start, "byte"))
            }
            Why::NoBlock => "which no `malloc` of a kernel returned".to_owned(),
        };
        let words = about.say(format!("free of {}, {why}", about.at(address)));
        with_block(words.label(about.thread().to_string()), self.block.as_ref())
    }
}

impl Say for Freed {
    fn say(&self, about: &About<'_>) -> Words {
        with_block(access(about, "use after free:", self.access, self.at), self.block.as_ref())
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
