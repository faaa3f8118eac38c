//! What findings say, as data: a type for each kind of finding, whose fields are the facts.
//!
//! Detectors fill these in; module `words` makes sentences of them. A new kind is a type here, its row in `details!`, its
//! sentences, its detector, and its lines in `docs/findings.md`.

mod barriers;
mod collectives;
mod deadlock;
mod memory;
mod parts;
mod races;
mod schedules;
mod undefined;

pub use barriers::{
    BarrierCount, BarrierMissed, BarrierReused, BarrierUse, Missed, NoSuchBarrier, TooManyArrivals,
};
pub use collectives::{
    Absence, FromActiveMask, MembermasksDiffer, NotAligned, NotConverged, NotNamed, Shown,
    SourceAbsent, SourcesLost, WithoutMask,
};
pub use deadlock::{Blocked, Deadlock, Meeting, Why};
pub use memory::{
    BadCall, BetweenVariables, BulkSize, ConstantWritten, Freed, Misaligned, OutOfBounds,
};
pub use parts::{At, WarpLanes};
pub(crate) use races::race;
pub use races::{
    Access, Awaited, ConstantRace, CopyUnderWay, NoProxyFence, Race, Reader, Strength, UnderWay,
};
pub use schedules::{Ending, EndsDiffer, PresenceDiffers, ResultsDiffer, ValueSeen};
pub use undefined::{Born, Undefined, Use};

use crate::code::Code;
use crate::words::{Say, Words};
use ir::Place;
use serde::Serialize;
use vm::Waiting;

/// What every kind of finding answers.
pub(crate) trait Facts: Say {
    /// The code that reports print.
    fn code(&self) -> Code;

    /// The other instructions that belong to the finding, in the order of [`Words::related`].
    fn related(&self) -> Vec<Place> {
        Vec::new()
    }

    /// Whether nothing can come of it with these inputs: then it is a warning.
    fn is_harmless(&self) -> bool {
        false
    }

    /// Who waits where for whom.
    fn waiting(&self) -> &[Waiting] {
        &[]
    }

    /// The findings of other runs that this one rests on.
    fn shown(&self) -> Option<&crate::Finding> {
        None
    }
}

/// Defines [`Detail`] with a variant for each kind.
macro_rules! details {
    ($($(#[doc = $title:literal])+ $kind:ident,)+) => {
        /// What a finding is about, by its kind, with all facts.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Detail {
            $($(#[doc = $title])+ $kind($kind),)+
        }

        $(impl From<$kind> for Detail {
            fn from(facts: $kind) -> Detail {
                Detail::$kind(facts)
            }
        })+

        impl Detail {
            fn facts(&self) -> &dyn Facts {
                match self {
                    $(Detail::$kind(facts) => facts,)+
                }
            }
        }
    };
}

details! {
    /// W001: lanes execute a collective whose membermask does not name them.
    NotNamed,
    /// W002: a shuffle reads a lane that does not take part.
    SourceAbsent,
    /// W003: lanes executed one collective with different membermasks.
    MembermasksDiffer,
    /// W005: a shuffle or vote without `.sync` in divergent code.
    WithoutMask,
    /// W006: an `.aligned` instruction that not all lanes execute.
    NotAligned,
    /// W006: a collective below `sm_70` that not all of its membermask execute together.
    NotConverged,
    /// W009: a membermask that comes from `activemask`.
    FromActiveMask,
    /// W003, W004, W007, B001: nobody can go on.
    Deadlock,
    /// W008: what the kernel leaves depends on the schedule.
    ResultsDiffer,
    /// W008: whether the kernel runs to its end depends on the schedule.
    EndsDiffer,
    /// W008: whether something is found depends on the schedule.
    PresenceDiffers,
    /// M004, M005, W010: an undefined value decides something.
    Undefined,
    /// M001: an access outside of all memory.
    OutOfBounds,
    /// M001: an access between two variables.
    BetweenVariables,
    /// M001: constant memory, or a parameter, is written.
    ConstantWritten,
    /// M001: a call of what is no function.
    BadCall,
    /// M002: an access whose address is not aligned.
    Misaligned,
    /// M002: a bulk copy of a part of a unit.
    BulkSize,
    /// M003: an access to memory that was freed.
    Freed,
    /// R001, R002: two accesses that nothing orders.
    Race,
    /// R001, R002: an access to memory that an asynchronous copy may be writing or reading.
    CopyUnderWay,
    /// R001: a bulk copy and a store without a proxy fence in between.
    NoProxyFence,
    /// R002: memory that is read as constant and written.
    ConstantRace,
    /// B001: threads that exited or went around miss a barrier of all threads.
    BarrierMissed,
    /// B001: a thread count that is no number of warps.
    BarrierCount,
    /// B001: one barrier used in two ways at a time.
    BarrierReused,
    /// B001: more arrivals at a barrier object than its phase expects.
    TooManyArrivals,
    /// B001: a barrier that the CTA does not have, or cannot complete.
    NoSuchBarrier,
}

impl Detail {
    /// The code that reports print.
    pub fn code(&self) -> Code {
        self.facts().code()
    }

    /// Whether nothing can come of it with these inputs: then it is a warning.
    pub fn is_harmless(&self) -> bool {
        self.facts().is_harmless()
    }

    /// The other instructions that belong to it.
    pub fn related(&self) -> Vec<Place> {
        self.facts().related()
    }

    /// For deadlocks: who waits where for whom.
    pub fn waiting(&self) -> &[Waiting] {
        self.facts().waiting()
    }

    /// The finding of another run that this one rests on.
    pub fn shown(&self) -> Option<&crate::Finding> {
        self.facts().shown()
    }

    pub(crate) fn say(&self, about: &crate::words::About<'_>) -> Words {
        self.facts().say(about)
    }
}
