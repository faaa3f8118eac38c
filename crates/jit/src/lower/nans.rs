//! NaNs whose bits are open for a while.

use ir::{BinaryOp, Op, Round, TernaryOp, UnaryOp};

const NEAREST: Round = Round::NearestEven;

/// Whether the bits of a NaN that an operation gives are left open here, until somebody looks at them: then it is the canonical one.
pub(super) fn leaves_nan_bits_open(op: &Op) -> bool {
    use BinaryOp as B;
    use UnaryOp as N;
    match op {
        Op::Unary { op, .. } => matches!(
            op,
            N::NegF32
                | N::AbsF32
                | N::SqrtF32(_)
                | N::S32ToF32(_)
                | N::U32ToF32(NEAREST)
                | N::RcpF32(_)
                | N::RoundF32(_)
                | N::ReluF32
                | N::F16ToF32
        ),
        Op::Binary { op, .. } => matches!(
            op,
            B::AddF32(_)
                | B::SubF32(_)
                | B::MulF32(_)
                | B::DivF32(_)
                | B::AddFtzF32
                | B::SubFtzF32
                | B::MulFtzF32
                | B::MinF32
                | B::MaxF32
                | B::MinNanF32
                | B::MaxNanF32
        ),
        Op::Ternary { op, .. } => {
            matches!(op, TernaryOp::FmaF32(_) | TernaryOp::FmaFtzF32)
        }
        _ => false,
    }
}
