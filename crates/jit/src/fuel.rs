//! What a turn loses by operations that may be part of a wait for another thread, in jumps backwards: going on there may be no progress,
//! and whoever is waited for is to run soon. Every engine counts by these.

/// A strong access, or an atomic.
pub const STRONG: i32 = 64;
/// The same, in addition, for exchanges of lanes of which none has changed memory: somebody else has to change it first, as where a
/// lock is taken. Whoever holds it may be another CTA, of which each of those that wait keeps the host.
pub const IN_VAIN: i32 = 1 << 10;
/// `nanosleep`: most of a turn.
pub const SLEEP: i32 = 1 << 12;
