//! Vote: a reduction of one predicate over the participants.
//!
//! Source: PTX ISA 9.1, `vote` and `vote.sync`. Predicates are a [`LaneMask`] with one bit per lane;
//! bits of lanes that do not take part are ignored. For a negated operand pass `!predicates`.
//! The machine instruction `VOTE.EQ` is [`uni`], and its register result is [`ballot`].

use crate::LaneMask;

/// The votes with a predicate as result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VoteMode {
    /// True for all participants (`.all`).
    All,
    /// True for some participant (`.any`).
    Any,
    /// The same for all participants (`.uni`).
    Uni,
}

impl VoteMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::All, Self::Any, Self::Uni];
}

/// The vote of the given mode; every participant receives the result.
#[inline]
pub const fn vote(mode: VoteMode, predicates: LaneMask, participants: LaneMask) -> bool {
    match mode {
        VoteMode::All => all(predicates, participants),
        VoteMode::Any => any(predicates, participants),
        VoteMode::Uni => uni(predicates, participants),
    }
}

/// Whether the predicate of every participant is true; true if nobody takes part.
#[inline]
pub const fn all(predicates: LaneMask, participants: LaneMask) -> bool {
    participants.is_subset(predicates)
}

/// Whether the predicate of some participant is true; false if nobody takes part.
#[inline]
pub const fn any(predicates: LaneMask, participants: LaneMask) -> bool {
    predicates.intersects(participants)
}

/// Whether the predicates of all participants are equal; true if nobody takes part.
#[inline]
pub const fn uni(predicates: LaneMask, participants: LaneMask) -> bool {
    all(predicates, participants) || !any(predicates, participants)
}

/// The participants whose predicate is true (`vote.ballot`); bits of all other lanes are 0.
#[inline]
pub const fn ballot(predicates: LaneMask, participants: LaneMask) -> LaneMask {
    LaneMask(predicates.0 & participants.0)
}
