//! Warp collectives: operations whose result in one lane depends on other lanes.

use crate::{MatrixForm, Mma, Pred, Reg, Src};
use lanes::{ReduxF32, ReduxOp, ShflMode, VoteMode};

/// Which lanes take part in a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Members {
    /// The lanes of a 32-bit membermask, which wait for each other (`.sync` forms).
    Mask(Src),
    /// The active lanes of the split whose guard is true; nobody waits.
    Active,
}

/// A warp collective with its operands. The meaning of each is a function of crate `lanes`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Collective {
    /// Exchange of 32-bit values.
    Shfl {
        /// How the source lane is computed.
        mode: ShflMode,
        /// Receives the source lane's value.
        d: Reg,
        /// Receives whether the source lane is in range.
        p: Option<Reg>,
        /// The value offered.
        a: Src,
        /// Source lane or lane offset.
        b: Src,
        /// Clamp value and segment mask.
        c: Src,
    },
    /// A vote with a predicate result.
    Vote {
        /// How predicates combine.
        mode: VoteMode,
        /// Receives the result.
        d: Reg,
        /// The lane's vote.
        a: Pred,
    },
    /// The mask of lanes whose predicate is true.
    Ballot {
        /// Receives the mask.
        d: Reg,
        /// The lane's vote.
        a: Pred,
    },
    /// The mask of lanes that hold the same value as this one.
    MatchAny {
        /// Receives the mask.
        d: Reg,
        /// The value compared; its width is the operand's.
        a: Src,
        /// Whether `a` has 64 bits.
        wide: bool,
    },
    /// The participants' mask if all hold the same value, else 0.
    MatchAll {
        /// Receives the mask.
        d: Option<Reg>,
        /// Receives whether all are equal.
        p: Option<Reg>,
        /// The value compared.
        a: Src,
        /// Whether `a` has 64 bits.
        wide: bool,
    },
    /// One value from all.
    Redux {
        /// How values combine.
        op: ReduxOp,
        /// Receives the result.
        d: Reg,
        /// The lane's value.
        a: Src,
    },
    /// One float from all.
    ReduxF32 {
        /// How values combine.
        mode: ReduxF32,
        /// Receives the result.
        d: Reg,
        /// The lane's value.
        a: Src,
    },
    /// Chooses one lane.
    Elect {
        /// Receives the chosen lane's number.
        d: Option<Reg>,
        /// True in the chosen lane.
        p: Reg,
    },
    /// Transposes an 8×8 matrix of b16 spread over the warp.
    MovMatrix {
        /// Receives two elements of the transpose.
        d: Reg,
        /// Two elements of the matrix.
        a: Src,
    },
    /// Waits, nothing else (`bar.warp.sync`).
    WarpSync,
    /// Waits for the whole warp to begin an instruction on matrices (`ldmatrix`, …). What that does with values and
    /// memory follows as operations of its own.
    Matrix(MatrixForm),
    /// Multiplies matrices.
    Mma(Box<Mma>),
}

/// What a collective is apart from its operands: lanes that arrive at collectives of the same kind,
/// qualifiers included, may wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants mirror `Collective`")]
pub enum CollectiveKind {
    Shfl(ShflMode),
    Vote(VoteMode),
    Ballot,
    MatchAny { wide: bool },
    MatchAll { wide: bool },
    Redux(ReduxOp),
    ReduxF32(ReduxF32),
    Elect,
    MovMatrix,
    WarpSync,
    Matrix(MatrixForm),
}

impl Collective {
    /// The value that other lanes read from this lane's register, even when this lane does not take part.
    pub fn offered(&self) -> Option<Src> {
        match *self {
            Collective::Shfl { a, .. } | Collective::MovMatrix { a, .. } => Some(a),
            Collective::Vote { .. }
            | Collective::Ballot { .. }
            | Collective::MatchAny { .. }
            | Collective::MatchAll { .. }
            | Collective::Redux { .. }
            | Collective::ReduxF32 { .. }
            | Collective::Elect { .. }
            | Collective::WarpSync
            | Collective::Matrix(_)
            | Collective::Mma(_) => None,
        }
    }

    /// Whether what its lanes did in memory before comes before what they do after (PTX ISA 9.1, `bar.warp.sync`).
    pub fn orders_memory(&self) -> bool {
        matches!(self, Collective::WarpSync)
    }

    /// Whether all lanes that take part together get the same; `is_uniform` says so of operands.
    pub fn gives_all_the_same(&self, mut is_uniform: impl FnMut(Src) -> bool) -> bool {
        match self {
            // All read one lane of the whole warp.
            Collective::Shfl { mode: ShflMode::Idx, b, c: Src::Imm(c), .. } => {
                *c & 0x1f1f == 0x1f && is_uniform(*b)
            }
            Collective::Vote { .. }
            | Collective::Ballot { .. }
            | Collective::MatchAll { .. }
            | Collective::Redux { .. }
            | Collective::ReduxF32 { .. } => true,
            Collective::Shfl { .. }
            | Collective::MatchAny { .. }
            | Collective::Elect { .. }
            | Collective::MovMatrix { .. }
            | Collective::WarpSync
            | Collective::Matrix(_)
            | Collective::Mma(_) => false,
        }
    }

    /// Whether lanes wait for each other there and exchange nothing.
    pub fn only_waits(&self) -> bool {
        matches!(self, Collective::WarpSync | Collective::Matrix(_))
    }

    /// Its kind.
    pub fn kind(&self) -> CollectiveKind {
        match *self {
            Collective::Shfl { mode, .. } => CollectiveKind::Shfl(mode),
            Collective::Vote { mode, .. } => CollectiveKind::Vote(mode),
            Collective::Ballot { .. } => CollectiveKind::Ballot,
            Collective::MatchAny { wide, .. } => CollectiveKind::MatchAny { wide },
            Collective::MatchAll { wide, .. } => CollectiveKind::MatchAll { wide },
            Collective::Redux { op, .. } => CollectiveKind::Redux(op),
            Collective::ReduxF32 { mode, .. } => CollectiveKind::ReduxF32(mode),
            Collective::Elect { .. } => CollectiveKind::Elect,
            Collective::MovMatrix { .. } => CollectiveKind::MovMatrix,
            Collective::WarpSync => CollectiveKind::WarpSync,
            Collective::Matrix(form) => CollectiveKind::Matrix(form),
            Collective::Mma(ref mma) => CollectiveKind::Matrix(mma.form()),
        }
    }
}
