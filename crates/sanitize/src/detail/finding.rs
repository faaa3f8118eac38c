//! A finding, and the kinds that rest on findings of other runs.

use super::barriers::{BarrierCount, BarrierMissed, BarrierReused, NoSuchBarrier, TooManyArrivals};
use super::clusters::{ArrivedTwice, NotThere};
use super::collectives::{
    MembermasksDiffer, NotAligned, NotConverged, NotNamed, SourceAbsent, WithoutMask,
};
use super::deadlock::Deadlock;
use super::facts::Facts;
use super::memory::{
    BadCall, BadFree, BetweenVariables, BulkSize, ConstantWritten, Freed, Leak, Misaligned,
    OutOfBounds,
};
use super::parts::WarpLanes;
use super::races::{ConstantRace, CopyUnderWay, NoProxyFence, Race};
use super::schedules::{EndsDiffer, ResultsDiffer};
use super::undefined::Undefined;
use crate::code::Code;
use ir::Place;
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::Serialize;
use vm::{Schedule, ThreadId, Waiting};

/// Something wrong with a kernel that a run has shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(into = "Written")]
pub struct Finding {
    /// The instruction.
    pub place: Place,
    /// The first thread that it happened to.
    pub thread: ThreadId,
    /// What it is about, with the facts of the first time.
    pub detail: Detail,
    /// The lanes of the warp, the first time.
    pub lanes: Option<WarpLanes>,
    /// How many warp instructions it happened in.
    pub count: u64,
}

impl Finding {
    /// A finding that happened once.
    pub fn new(place: Place, thread: ThreadId, detail: impl Into<Detail>) -> Finding {
        Finding { place, thread, detail: detail.into(), lanes: None, count: 1 }
    }

    /// Adds the lanes of the warp.
    pub(crate) fn lanes(self, lanes: WarpLanes) -> Finding {
        Finding { lanes: Some(lanes), ..self }
    }

    /// The code that reports print.
    pub fn code(&self) -> Code {
        self.detail.code()
    }

    /// Whether nothing can come of it with these inputs: then it is a warning.
    pub fn is_harmless(&self) -> bool {
        self.detail.is_harmless()
    }

    /// Whether another finding is of the same code at the same place.
    pub fn is_like(&self, other: &Finding) -> bool {
        (self.code(), self.place) == (other.code(), other.place)
    }

    /// The instruction, and the others that belong to it.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        std::iter::once(self.place).chain(self.detail.related())
    }

    /// All instructions that its facts name.
    pub fn all_places(&self) -> Vec<Place> {
        let waiting = self.detail.waiting().iter().map(|group: &Waiting| group.place);
        let mut all: Vec<Place> = self.places().chain(waiting).collect();
        all.extend(self.detail.shown().into_iter().flat_map(Finding::all_places));
        all
    }
}

/// A finding as it is written: its fields, and the code.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunFinding")]
struct Written {
    /// What it is about, as reports print it.
    code: Code,
    /// The instruction.
    place: Place,
    /// The first thread that it happened to.
    thread: ThreadId,
    /// How many warp instructions it happened in.
    count: u64,
    /// The lanes of the warp, the first time.
    lanes: Option<WarpLanes>,
    /// All facts of the first time.
    detail: Detail,
}

impl From<Finding> for Written {
    fn from(finding: Finding) -> Written {
        let code = finding.code();
        let Finding { place, thread, detail, lanes, count } = finding;
        Written { code, place, thread, count, lanes, detail }
    }
}

/// Defines [`Detail`] with a variant for each kind. `$d` is a dollar sign.
macro_rules! details {
    ($d:tt $($(#[doc = $title:literal])+ $kind:ident,)+) => {
        /// What a finding is about, by its kind, with all facts.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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

        /// An expression with the facts of any kind.
        macro_rules! with_facts {
            ($d detail:expr, $d facts:ident => $d result:expr) => {
                match $d detail {
                    $($crate::detail::Detail::$kind($d facts) => $d result,)+
                }
            };
        }

        pub(crate) use with_facts;
    };
}

details! {
    $
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
    /// W003, W004, W007, B001: no lane can make progress.
    Deadlock,
    /// W008: what the kernel leaves depends on the schedule.
    ResultsDiffer,
    /// W008: whether the kernel runs to its end depends on the schedule.
    EndsDiffer,
    /// W008: whether something is found depends on the schedule.
    PresenceDiffers,
    /// M004, M005, W010: a use that requires a defined value has an undefined one.
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
    /// M006: memory that a kernel allocates and does not free.
    Leak,
    /// M007: a `free` of what is no allocated memory.
    BadFree,
    /// M008: an access to the shared memory of another CTA of the cluster, which may not be there.
    NotThere,
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
    /// B001: threads arrive at the barrier of their cluster again before they have waited there.
    ArrivedTwice,
}

impl Detail {
    /// The code that reports print.
    pub fn code(&self) -> Code {
        with_facts!(self, facts => facts.code())
    }

    /// Whether nothing can come of it with these inputs: then it is a warning.
    pub fn is_harmless(&self) -> bool {
        with_facts!(self, facts => facts.is_harmless())
    }

    /// The other instructions that belong to it.
    pub fn related(&self) -> Vec<Place> {
        with_facts!(self, facts => facts.related())
    }

    /// The addresses of memory among its facts, those of findings that it rests on too.
    pub fn addresses(&mut self) -> Vec<&mut u64> {
        with_facts!(self, facts => facts.addresses())
    }

    /// For deadlocks: every waiting group of lanes, where it waits, and for which lanes.
    pub fn waiting(&self) -> &[Waiting] {
        with_facts!(self, facts => facts.waiting())
    }

    /// The finding of another run that this one rests on.
    pub fn shown(&self) -> Option<&Finding> {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "of all kinds, these two rest on another run"
        )]
        match self {
            Detail::FromActiveMask(mask) => mask.shown.as_ref().map(|shown| &*shown.finding),
            Detail::PresenceDiffers(presence) => Some(&presence.finding),
            _ => None,
        }
    }
}

/// A membermask that comes from `activemask`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FromActiveMask {
    /// The membermask.
    pub membermask: LaneMask,
    /// The lanes that pass it.
    pub lanes: LaneMask,
    /// Whether they shuffle by a pattern that does not depend on the mask.
    pub fixed_pattern: bool,
    /// The `activemask`.
    pub source: Place,
    /// What another run showed, where the mask alone is no mistake.
    pub shown: Option<Shown>,
}

/// What a run under another schedule showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shown {
    /// The schedule.
    pub schedule: Schedule,
    /// What was found there.
    pub finding: Box<Finding>,
}

/// Whether something is found depends on the schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PresenceDiffers {
    /// What is found under one of them.
    pub finding: Box<Finding>,
    /// The schedule that shows it.
    pub with: Schedule,
    /// A schedule that does not.
    pub without: Schedule,
}

impl Facts for FromActiveMask {
    fn code(&self) -> Code {
        Code::W009
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        self.shown.iter_mut().flat_map(|shown| shown.finding.detail.addresses()).collect()
    }

    fn related(&self) -> Vec<Place> {
        let shown = self.shown.iter().map(|shown| shown.finding.place);
        std::iter::once(self.source).chain(shown).collect()
    }
}

impl Facts for PresenceDiffers {
    fn code(&self) -> Code {
        Code::W008
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        self.finding.detail.addresses()
    }

    fn related(&self) -> Vec<Place> {
        self.finding.detail.related()
    }
}
