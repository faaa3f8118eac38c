//! What findings say, as data: a type for each kind of finding, whose fields are the facts.
//!
//! Detectors fill these in; module `words` makes sentences of them. A new kind is a type here, its row in `finding.rs`, its
//! sentences, its detector, and its lines in `docs/findings.md`.

mod barriers;
mod clusters;
mod collectives;
mod deadlock;
mod facts;
mod finding;
mod memory;
mod parts;
mod races;
mod schedules;
mod undefined;

pub use barriers::{
    BarrierCount, BarrierMissed, BarrierReused, BarrierUse, Missed, NoSuchBarrier, TooManyArrivals,
};
pub use clusters::{Absent, ArrivedTwice, NotThere};
pub use collectives::{
    Absence, MembermasksDiffer, NotAligned, NotConverged, NotNamed, SourceAbsent, SourcesLost,
    WithoutMask,
};
pub use deadlock::{Blocked, Deadlock, Meeting, Why};
pub use memory::{
    BadCall, BadFree, BetweenVariables, Block, BulkSize, ConstantWritten, Freed, Leak, Misaligned,
    OutOfBounds,
};
pub use parts::{At, WarpLanes};
pub(crate) use races::race;
pub use races::{
    Access, Awaited, ConstantRace, CopyUnderWay, NoProxyFence, ProxyUser, Race, Reader, Strength,
    UnderWay,
};
pub use schedules::{EndSeen, Ending, EndsDiffer, ResultsDiffer, ValueSeen};
pub use undefined::{Born, Undefined, Use};

pub use finding::{Detail, Finding, FromActiveMask, PresenceDiffers, Shown};

pub(crate) use facts::Facts;
pub(crate) use finding::with_facts;
