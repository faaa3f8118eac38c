//! Memory operations: address spaces, access widths, ordering, atomic updates.

use crate::{BinaryOp, Src};
use schemars::JsonSchema;
use serde::Serialize;

/// An address space (PTX ISA 9.1, 5.1 "State Spaces").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// Any of the others, found out from the address.
    Generic,
    /// Memory of the device, constant variables included; addresses are generic addresses.
    Global,
    /// Memory of the CTA; addresses are offsets from 0.
    Shared,
    /// Memory of the thread; addresses are offsets from 0.
    Local,
    /// The kernel's parameters; addresses are offsets from 0.
    Param,
}

/// Bytes of generic addresses that lead to shared memory; as many lead to local memory and to the parameter space. Each
/// memory begins in the middle of its window, so that a 32-bit index, counted in elements of up to 32 bytes, leads from
/// none of them to another.
pub const WINDOW: u64 = 1 << 38;

/// From the shared memory of a CTA to that of the CTA of the next rank of its cluster, in addresses of shared memory and
/// generic ones.
pub const CLUSTER_STRIDE: u64 = 1 << 24;

/// CTAs of the largest cluster that every device of its architecture can run (CUDA C++ Programming Guide, "Thread Block
/// Clusters").
pub const PORTABLE_CLUSTER: u32 = 8;

/// CTAs of the largest cluster.
pub const MAX_CLUSTER: u32 = 16;

/// The width of one element of an access and how it fills a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// One byte, zero-extended on load.
    U8,
    /// One byte, sign-extended to 32 bits on load.
    S8,
    /// Two bytes, zero-extended on load.
    U16,
    /// Two bytes, sign-extended to 32 bits on load.
    S16,
    /// Four bytes.
    B32,
    /// Eight bytes.
    B64,
}

impl Access {
    /// Bytes of one element.
    pub fn bytes(self) -> u32 {
        match self {
            Access::U8 | Access::S8 => 1,
            Access::U16 | Access::S16 => 2,
            Access::B32 => 4,
            Access::B64 => 8,
        }
    }
}

/// `base + offset`, where the base is a register of either width or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The base.
    pub base: Src,
    /// Bytes added to the base, modulo two to the power of the base's width.
    pub offset: i64,
}

/// How an access orders other accesses, and in which scope (PTX ISA 9.1, 8 "Memory Consistency Model").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordering {
    /// No ordering: concurrent access is a race.
    Weak,
    /// As weak, of memory that the kernel does not write (`.nc`).
    Constant,
    /// As weak, through the asynchronous proxy: of shared memory, what was written before a proxy fence (`wgmma`).
    AsyncProxy,
    /// May be concurrent with other strong accesses of the scope.
    Relaxed(Scope),
    /// Later accesses stay behind it.
    Acquire(Scope),
    /// Earlier accesses stay before it.
    Release(Scope),
    /// Both.
    AcqRel(Scope),
    /// As relaxed with system scope, never merged or dropped (`.volatile`, `.mmio`).
    Volatile,
}

impl Ordering {
    /// The threads that may access the same bytes at the same time; `None` for weak accesses.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Ordering::Weak | Ordering::Constant | Ordering::AsyncProxy => None,
            Ordering::Relaxed(scope)
            | Ordering::Acquire(scope)
            | Ordering::Release(scope)
            | Ordering::AcqRel(scope) => Some(scope),
            Ordering::Volatile => Some(Scope::Sys),
        }
    }

    /// Whether later accesses stay behind it.
    pub fn acquires(self) -> bool {
        matches!(self, Ordering::Acquire(_) | Ordering::AcqRel(_))
    }

    /// Whether earlier accesses stay before it.
    pub fn releases(self) -> bool {
        matches!(self, Ordering::Release(_) | Ordering::AcqRel(_))
    }
}

/// The set of threads that an ordering speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The threads of the CTA.
    Cta,
    /// The threads of the cluster.
    Cluster,
    /// The threads of the device.
    Gpu,
    /// All threads, host included.
    Sys,
}

/// A memory fence (`fence`, `membar`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// Whether it is sequentially consistent; else acquire-release.
    pub sequential: bool,
    /// Whom it speaks of.
    pub scope: Scope,
}

/// How an atomic access changes memory. `old` is the value found there, `b` and `c` are operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// Stores `op(old, b)`.
    Apply(BinaryOp),
    /// Stores `b`.
    Exchange,
    /// Stores `c` if `old` equals `b`.
    CompareExchange,
}

impl Update {
    /// What is stored. All values are in as many low bits as the element has, with zeros above them.
    pub fn stored(self, old: u64, b: u64, c: u64) -> u64 {
        match self {
            Update::Apply(op) => op.eval([old, b]),
            Update::Exchange => b,
            Update::CompareExchange if old == b => c,
            Update::CompareExchange => old,
        }
    }
}
