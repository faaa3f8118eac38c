//! Origins of undefined values.

use super::term::Term;
use crate::detail::{Born, WarpLanes};
use foldhash::{HashMap, HashMapExt};
use ir::{Place, Space};
use vm::ThreadId;

/// The birth of an undefined value, with what has happened to the value since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    birth: u32,
    term: Term,
}

impl Default for Origin {
    fn default() -> Self {
        Origin::NONE
    }
}

/// Set once an operation has computed with the value, rather than moved it.
const COMPUTED: u32 = 1 << 31;
/// Set if the load that read it read defined bytes too: it may be the padding of a structure.
const PADDING: u32 = 1 << 30;

impl Origin {
    /// The origin of defined values.
    pub(crate) const NONE: Origin = Origin { birth: !(COMPUTED | PADDING), term: Term::DEFINED };

    /// As a number, so that rows of origins can begin as untouched zero pages.
    pub(super) fn number(self) -> u64 {
        u64::from(self.birth) | u64::from(self.term.number()) << 32
    }

    /// The origin of a number that [`Origin::number`] gave.
    pub(super) fn from_number(number: u64) -> Origin {
        Origin { birth: number as u32, term: Term::from_number((number >> 32) as u32) }
    }

    /// The same birth, computed with: another value, of which nothing is known.
    pub(crate) fn computed(self) -> Origin {
        Origin { birth: self.birth | COMPUTED, term: Term::DEFINED }
    }

    /// The same birth, read together with defined bytes.
    pub(crate) fn padding(self) -> Origin {
        Origin { birth: self.birth | PADDING, ..self }
    }

    /// The same birth of a value with this undefined part.
    pub(crate) fn with_term(self, term: Term) -> Origin {
        Origin { term, ..self }
    }

    /// The undefined part of the value; `None` if nothing is known of it.
    pub(crate) fn term(self) -> Option<Term> {
        (self.term != Term::DEFINED).then_some(self.term)
    }

    /// Whether an operation has computed with the value.
    pub(crate) fn is_computed(self) -> bool {
        self.birth & COMPUTED != 0
    }

    /// Whether the value may be padding.
    pub(crate) fn may_be_padding(self) -> bool {
        self.birth & PADDING != 0
    }
}

/// Why a value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Nothing wrote the register.
    Register,
    /// Nothing wrote the memory.
    Memory(Space),
    /// A collective that the ISA leaves undefined for this lane.
    Collective,
}

/// Where and how an undefined value came to be, the first time at its place.
#[derive(Clone, Debug)]
pub(crate) struct Birth {
    pub(crate) kind: Kind,
    pub(crate) place: Place,
    pub(crate) thread: ThreadId,
    /// What happened there.
    pub(crate) born: Born,
    /// The lanes of the warp, for collectives.
    pub(crate) lanes: Option<WarpLanes>,
}

/// All births of a run; those of one kind at one place count as one.
#[derive(Debug)]
pub(crate) struct Births {
    all: Vec<Birth>,
    index: HashMap<(Kind, Place), u32>,
    /// Terms that have been handed out.
    terms: u64,
}

impl Births {
    pub(crate) fn new() -> Births {
        Births { all: Vec::new(), index: HashMap::new(), terms: 0 }
    }

    /// The undefined part of a value of which nothing else is known.
    pub(crate) fn term(&mut self) -> Term {
        self.terms += 1;
        Term::of(self.terms)
    }

    /// The origin of a value that is born at a place.
    pub(crate) fn at(
        &mut self,
        kind: Kind,
        place: Place,
        make: impl FnOnce() -> (ThreadId, Born, Option<WarpLanes>),
    ) -> Origin {
        let all = &mut self.all;
        let id = *self.index.entry((kind, place)).or_insert_with(|| {
            let (thread, born, lanes) = make();
            all.push(Birth { kind, place, thread, born, lanes });
            all.len() as u32 - 1
        });
        Origin { birth: id, term: self.term() }
    }

    /// The birth of a value.
    pub(crate) fn get(&self, origin: Origin) -> Option<&Birth> {
        self.all.get((origin.birth & !(COMPUTED | PADDING)) as usize)
    }
}
