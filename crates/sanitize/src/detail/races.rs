//! R001, R002.

use super::facts::Facts;
use super::parts::At;
use crate::code::Code;
use ir::{Place, Space};
use schemars::JsonSchema;
use serde::Serialize;
use vm::ThreadId;

/// How strong an access is (PTX ISA, memory consistency model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Strength {
    /// Weak: it must be ordered against all others.
    Weak,
    /// Weak, and lasts until its thread has waited for it: an asynchronous copy.
    Asynchronous,
    /// Volatile.
    Volatile,
    /// Strong, for the threads of its own CTA.
    Cta,
    /// Strong, for threads of other CTAs too.
    Gpu,
}

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Access {
    /// The instruction.
    pub place: Place,
    /// A thread that executes it.
    pub thread: ThreadId,
    /// Whether it writes. Atomics do.
    pub writes: bool,
    /// How strong it is.
    pub strength: Strength,
}

/// A thread that read something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reader {
    /// The instruction.
    pub place: Place,
    /// The thread.
    pub thread: ThreadId,
}

/// Two accesses to the same bytes, at least one a write, that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Race {
    /// The bytes.
    pub at: At,
    /// The access that came first in this run.
    pub earlier: Access,
    /// The other one.
    pub later: Access,
    /// For two writes to shared memory: the thread that read the result.
    pub read: Option<Reader>,
    /// Whether all accesses find and leave the same value with these inputs, whatever their order.
    pub same_value: bool,
}

/// What an asynchronous copy does with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UnderWay {
    /// It writes them.
    Writing,
    /// It reads them.
    Reading,
}

/// By what it is told that an asynchronous copy is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Awaited {
    /// A group of `cp.async`.
    Group,
    /// A group of `cp.async.bulk`.
    BulkGroup,
    /// A barrier object.
    BarrierObject,
}

/// An access to memory that an asynchronous copy may be writing or reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CopyUnderWay {
    /// The bytes of the access.
    pub at: At,
    /// Whether it writes.
    pub writes: bool,
    /// What the copy does with them.
    pub copy_is: UnderWay,
    /// The copy.
    pub copy: Place,
    /// Who began it.
    pub copied_by: ThreadId,
    /// Where it writes.
    pub copied_to: At,
    /// How many bytes.
    pub copied_bytes: u64,
    /// How it is waited for.
    pub awaited: Awaited,
}

/// What accesses memory through the asynchronous proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProxyUser {
    /// A bulk copy.
    Copy,
    /// A product of matrices by a warpgroup.
    Product,
}

/// An access through the asynchronous proxy and a store to what it accesses, without a proxy fence in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoProxyFence {
    /// The first unit that was stored to.
    pub at: At,
    /// What accesses it.
    pub by: ProxyUser,
    /// Whether it writes.
    pub writes: bool,
    /// Bytes that it accesses.
    pub bytes: u64,
    /// The store.
    pub store: Place,
    /// Who stored.
    pub stored_by: ThreadId,
}

/// Memory that is read as constant (`.nc`) and written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConstantRace {
    /// The byte.
    pub at: At,
    /// Whether this access is the write.
    pub writes: bool,
    /// The other access.
    pub other: Place,
}

/// The code of a race in a space.
pub(crate) fn race(space: Space) -> Code {
    match space {
        Space::Shared => Code::R001,
        Space::Global | Space::Generic | Space::Local | Space::Param => Code::R002,
    }
}

impl Facts for Race {
    fn code(&self) -> Code {
        race(self.at.space)
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }

    fn related(&self) -> Vec<Place> {
        let earlier = Some(self.earlier.place).filter(|earlier| *earlier != self.later.place);
        earlier.into_iter().chain(self.read.map(|read| read.place)).collect()
    }

    fn is_harmless(&self) -> bool {
        self.same_value
    }
}

impl Facts for CopyUnderWay {
    fn code(&self) -> Code {
        race(self.at.space)
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address, &mut self.copied_to.address]
    }

    fn related(&self) -> Vec<Place> {
        vec![self.copy]
    }
}

impl Facts for NoProxyFence {
    fn code(&self) -> Code {
        Code::R001
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }

    fn related(&self) -> Vec<Place> {
        vec![self.store]
    }
}

impl Facts for ConstantRace {
    fn code(&self) -> Code {
        Code::R002
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }

    fn related(&self) -> Vec<Place> {
        vec![self.other]
    }
}
