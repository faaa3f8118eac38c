//! How undefined bits of operands reach the result of each scalar operation: one rule per operation.
//!
//! The rules are conservative: a bit that they call defined is defined.

use ir::{BinaryOp, CompareOp, TernaryOp, UnaryOp};

/// How undefined bits travel through a scalar operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The operation moves bits: done to the undefined bits of the data operand, it says where they go. What
    /// controls the movement must be defined.
    Apply,
    /// Bit by bit: undefined where any operand is.
    Union,
    /// Undefined from the lowest undefined bit of any operand upwards: carries go left.
    Upward,
    /// A product of the first two operands, to which a third may be added: undefined from the lowest bit that an undefined one
    /// can change. `sign` is the bit of the operands that is extended.
    Product { sign: u64 },
    /// The high half of a product: all of it, but nothing times zero is zero.
    High,
    /// The sum of the products of fields (their masks in the two operands), to which a third operand is added.
    Dot(&'static [(u64, u64)]),
    /// Bitwise and: a defined 0 decides.
    And,
    /// Bitwise or: a defined 1 decides.
    Or,
    /// `c` where `a` is set, else `b`.
    BitSelect,
    /// Magnitude and sign (the mask) come from different operands.
    Copysign(u64),
    /// Both halves of 16 bits, each on its own; all of a half or nothing.
    Halves,
    /// These bits of the result if any bit of an operand is undefined.
    Count(u64),
    /// Every bit of the result if any bit of an operand is undefined.
    All,
}

/// How undefined bits travel into a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Defined bits that differ decide.
    Equal,
    /// Decided when the ranges of possible values do not overlap.
    Order {
        /// Whether the topmost bit is a sign.
        signed: bool,
        /// Whether equal values fulfil it.
        equal: bool,
    },
    /// Undefined if any operand bit is.
    Any,
}

pub(super) fn unary(op: UnaryOp) -> Rule {
    match op {
        UnaryOp::Mov32
        | UnaryOp::Mov64
        | UnaryOp::Low32
        | UnaryOp::High32
        | UnaryOp::ZeroExtend8
        | UnaryOp::ZeroExtend16
        | UnaryOp::SignExtend8
        | UnaryOp::SignExtend16
        | UnaryOp::ZeroExtend32
        | UnaryOp::SignExtend32
        | UnaryOp::Brev32
        | UnaryOp::Brev64 => Rule::Apply,
        UnaryOp::Not32
        | UnaryOp::Not64
        | UnaryOp::NegF32
        | UnaryOp::AbsF32
        | UnaryOp::NegF64
        | UnaryOp::AbsF64
        | UnaryOp::NegF16
        | UnaryOp::NegF16x2
        | UnaryOp::AbsF16
        | UnaryOp::AbsF16x2
        | UnaryOp::NegBf16
        | UnaryOp::NegBf16x2
        | UnaryOp::AbsBf16
        | UnaryOp::AbsBf16x2 => Rule::Union,
        UnaryOp::NegI32 | UnaryOp::NegI64 => Rule::Upward,
        UnaryOp::AbsS32
        | UnaryOp::BfindU32
        | UnaryOp::BfindS32
        | UnaryOp::AbsS64
        | UnaryOp::BfindU64
        | UnaryOp::BfindS64
        | UnaryOp::FlushF32
        | UnaryOp::SaturateF32
        | UnaryOp::ReluF32
        | UnaryOp::Ex2F32
        | UnaryOp::Lg2F32
        | UnaryOp::SinF32
        | UnaryOp::CosF32
        | UnaryOp::TanhF32
        | UnaryOp::RsqrtF32
        | UnaryOp::RsqrtF64
        | UnaryOp::RcpApproxFtzF64
        | UnaryOp::RsqrtApproxFtzF64
        | UnaryOp::F32ToF64
        | UnaryOp::F16ToF32
        | UnaryOp::Bf16ToF32
        | UnaryOp::F32ToTf32Rna
        | UnaryOp::RcpF32(_)
        | UnaryOp::RcpF64(_)
        | UnaryOp::SqrtF32(_)
        | UnaryOp::SqrtF64(_)
        | UnaryOp::F64ToF32(_)
        | UnaryOp::F32ToTf32(_)
        | UnaryOp::U32ToF32(_)
        | UnaryOp::U32ToF64(_)
        | UnaryOp::S32ToF32(_)
        | UnaryOp::S32ToF64(_)
        | UnaryOp::U64ToF32(_)
        | UnaryOp::U64ToF64(_)
        | UnaryOp::S64ToF32(_)
        | UnaryOp::S64ToF64(_)
        | UnaryOp::F32ToU32(_)
        | UnaryOp::F32ToS32(_)
        | UnaryOp::F32ToU64(_)
        | UnaryOp::F32ToS64(_)
        | UnaryOp::RoundF32(_)
        | UnaryOp::F64ToU32(_)
        | UnaryOp::F64ToS32(_)
        | UnaryOp::F64ToU64(_)
        | UnaryOp::F64ToS64(_)
        | UnaryOp::RoundF64(_) => Rule::All,
        UnaryOp::Popc32 | UnaryOp::Clz32 => Rule::Count(0x3f),
        UnaryOp::Popc64 | UnaryOp::Clz64 => Rule::Count(0x7f),
        UnaryOp::FlushF16
        | UnaryOp::SaturateF16
        | UnaryOp::ReluF16
        | UnaryOp::FlushBf16
        | UnaryOp::SaturateBf16
        | UnaryOp::ReluBf16
        | UnaryOp::Ex2F16
        | UnaryOp::TanhF16
        | UnaryOp::Ex2Bf16
        | UnaryOp::TanhBf16
        | UnaryOp::E4m3ToF16
        | UnaryOp::E5m2ToF16
        | UnaryOp::E2m3ToF16
        | UnaryOp::E3m2ToF16
        | UnaryOp::E2m1ToF16
        | UnaryOp::F32ToF16(_)
        | UnaryOp::F32ToBf16(_)
        | UnaryOp::F64ToF16(_)
        | UnaryOp::F64ToBf16(_)
        | UnaryOp::U64ToF16(_)
        | UnaryOp::U64ToBf16(_)
        | UnaryOp::S64ToF16(_)
        | UnaryOp::S64ToBf16(_)
        | UnaryOp::F64ToU16(_) => Rule::Count(0xffff),
        UnaryOp::FlushF16x2
        | UnaryOp::SaturateF16x2
        | UnaryOp::ReluF16x2
        | UnaryOp::FlushBf16x2
        | UnaryOp::SaturateBf16x2
        | UnaryOp::ReluBf16x2
        | UnaryOp::Ex2F16x2
        | UnaryOp::TanhF16x2
        | UnaryOp::Ex2Bf16x2
        | UnaryOp::TanhBf16x2 => Rule::Halves,
        UnaryOp::F32ToE4m3
        | UnaryOp::F32ToE5m2
        | UnaryOp::F32ToE2m3
        | UnaryOp::F32ToE3m2
        | UnaryOp::F32ToE2m1
        | UnaryOp::F64ToU8(_) => Rule::Count(0xff),
    }
}

pub(super) fn binary(op: BinaryOp) -> Rule {
    match op {
        BinaryOp::AddFtzF32
        | BinaryOp::DivU32
        | BinaryOp::RemU32
        | BinaryOp::MinU32
        | BinaryOp::MaxU32
        | BinaryOp::DivS32
        | BinaryOp::RemS32
        | BinaryOp::MinS32
        | BinaryOp::MaxS32
        | BinaryOp::IncWrap32
        | BinaryOp::DecWrap32
        | BinaryOp::DivU64
        | BinaryOp::RemU64
        | BinaryOp::MinU64
        | BinaryOp::MaxU64
        | BinaryOp::DivS64
        | BinaryOp::RemS64
        | BinaryOp::MinS64
        | BinaryOp::MaxS64
        | BinaryOp::IncWrap64
        | BinaryOp::DecWrap64
        | BinaryOp::MbarrierStep
        | BinaryOp::AddSatS32
        | BinaryOp::SubSatS32
        | BinaryOp::BmskClamp
        | BinaryOp::BmskWrap
        | BinaryOp::BfiMask32
        | BinaryOp::BfiMask64
        | BinaryOp::MinF32
        | BinaryOp::MaxF32
        | BinaryOp::MinF64
        | BinaryOp::MaxF64
        | BinaryOp::MinNanF32
        | BinaryOp::MaxNanF32
        | BinaryOp::MinXorsignAbsF32
        | BinaryOp::MaxXorsignAbsF32
        | BinaryOp::MinNanXorsignAbsF32
        | BinaryOp::MaxNanXorsignAbsF32
        | BinaryOp::DivApproxF32
        | BinaryOp::SubFtzF32
        | BinaryOp::MulFtzF32
        | BinaryOp::AddF32(_)
        | BinaryOp::SubF32(_)
        | BinaryOp::MulF32(_)
        | BinaryOp::DivF32(_)
        | BinaryOp::AddF64(_)
        | BinaryOp::SubF64(_)
        | BinaryOp::MulF64(_)
        | BinaryOp::DivF64(_) => Rule::All,
        BinaryOp::AddI32 | BinaryOp::SubI32 | BinaryOp::AddI64 | BinaryOp::SubI64 => Rule::Upward,
        BinaryOp::MulLo32 | BinaryOp::MulLo64 | BinaryOp::MulWideU32 => Rule::Product { sign: 0 },
        BinaryOp::MulHiU32 | BinaryOp::MulHiS32 | BinaryOp::MulHiU64 | BinaryOp::MulHiS64 => {
            Rule::High
        }
        BinaryOp::MulWideS32 => Rule::Product { sign: 1 << 31 },
        BinaryOp::ShrU32
        | BinaryOp::ShrS32
        | BinaryOp::Shl32
        | BinaryOp::ShrU64
        | BinaryOp::ShrS64
        | BinaryOp::Shl64
        | BinaryOp::Pack64
        | BinaryOp::Pack32 => Rule::Apply,
        BinaryOp::And32 | BinaryOp::And64 => Rule::And,
        BinaryOp::Or32 | BinaryOp::Or64 => Rule::Or,
        BinaryOp::Xor32 | BinaryOp::Xor64 => Rule::Union,
        BinaryOp::CopysignF32 => Rule::Copysign(0x8000_0000),
        BinaryOp::CopysignF64 => Rule::Copysign(1 << 63),
        BinaryOp::AddF16
        | BinaryOp::SubF16
        | BinaryOp::MulF16
        | BinaryOp::MinF16
        | BinaryOp::MaxF16
        | BinaryOp::MinNanF16
        | BinaryOp::MaxNanF16
        | BinaryOp::MinXorsignAbsF16
        | BinaryOp::MaxXorsignAbsF16
        | BinaryOp::MinNanXorsignAbsF16
        | BinaryOp::MaxNanXorsignAbsF16
        | BinaryOp::AddBf16
        | BinaryOp::SubBf16
        | BinaryOp::MulBf16
        | BinaryOp::MinBf16
        | BinaryOp::MaxBf16
        | BinaryOp::MinNanBf16
        | BinaryOp::MaxNanBf16
        | BinaryOp::MinXorsignAbsBf16
        | BinaryOp::MaxXorsignAbsBf16
        | BinaryOp::MinNanXorsignAbsBf16
        | BinaryOp::MaxNanXorsignAbsBf16 => Rule::Count(0xffff),
        BinaryOp::AddF16x2
        | BinaryOp::SubF16x2
        | BinaryOp::MulF16x2
        | BinaryOp::MinF16x2
        | BinaryOp::MaxF16x2
        | BinaryOp::MinNanF16x2
        | BinaryOp::MaxNanF16x2
        | BinaryOp::MinXorsignAbsF16x2
        | BinaryOp::MaxXorsignAbsF16x2
        | BinaryOp::MinNanXorsignAbsF16x2
        | BinaryOp::MaxNanXorsignAbsF16x2
        | BinaryOp::AddBf16x2
        | BinaryOp::SubBf16x2
        | BinaryOp::MulBf16x2
        | BinaryOp::MinBf16x2
        | BinaryOp::MaxBf16x2
        | BinaryOp::MinNanBf16x2
        | BinaryOp::MaxNanBf16x2
        | BinaryOp::MinXorsignAbsBf16x2
        | BinaryOp::MaxXorsignAbsBf16x2
        | BinaryOp::MinNanXorsignAbsBf16x2
        | BinaryOp::MaxNanXorsignAbsBf16x2 => Rule::Halves,
    }
}

pub(super) fn ternary(op: TernaryOp) -> Rule {
    match op {
        TernaryOp::MadLo32 | TernaryOp::MadLo64 | TernaryOp::MadWideU32 => {
            Rule::Product { sign: 0 }
        }
        TernaryOp::MadWideS32 => Rule::Product { sign: 1 << 31 },
        TernaryOp::BitSelect32 | TernaryOp::BitSelect64 => Rule::BitSelect,
        TernaryOp::BfeU32
        | TernaryOp::BfeU64
        | TernaryOp::BfeS32
        | TernaryOp::BfeS64
        | TernaryOp::ShfLClamp
        | TernaryOp::ShfLWrap
        | TernaryOp::ShfRClamp
        | TernaryOp::ShfRWrap
        | TernaryOp::Prmt
        | TernaryOp::PrmtF4e
        | TernaryOp::PrmtB4e
        | TernaryOp::PrmtRc8
        | TernaryOp::PrmtEcl
        | TernaryOp::PrmtEcr
        | TernaryOp::PrmtRc16 => Rule::Apply,
        TernaryOp::Dp4aUU | TernaryOp::Dp4aUS | TernaryOp::Dp4aSU | TernaryOp::Dp4aSS => {
            Rule::Dot(&[
                (0xff, 0xff),
                (0xff00, 0xff00),
                (0xff_0000, 0xff_0000),
                (0xff00_0000, 0xff00_0000),
            ])
        }
        TernaryOp::Dp2aLoUU | TernaryOp::Dp2aLoUS | TernaryOp::Dp2aLoSU | TernaryOp::Dp2aLoSS => {
            Rule::Dot(&[(0xffff, 0xff), (0xffff_0000, 0xff00)])
        }
        TernaryOp::Dp2aHiUU | TernaryOp::Dp2aHiUS | TernaryOp::Dp2aHiSU | TernaryOp::Dp2aHiSS => {
            Rule::Dot(&[(0xffff, 0xff_0000), (0xffff_0000, 0xff00_0000)])
        }
        TernaryOp::FmaFtzF32 | TernaryOp::FmaF32(_) | TernaryOp::FmaF64(_) => Rule::All,
        TernaryOp::FmaF16 | TernaryOp::FmaBf16 => Rule::Count(0xffff),
        TernaryOp::FmaF16x2 | TernaryOp::FmaBf16x2 => Rule::Halves,
    }
}

pub(super) fn compare(op: CompareOp) -> Relation {
    match op {
        CompareOp::EqI32 | CompareOp::NeI32 | CompareOp::EqI64 | CompareOp::NeI64 => {
            Relation::Equal
        }
        CompareOp::LtU32 | CompareOp::LtU64 => Relation::Order { signed: false, equal: false },
        CompareOp::LeU32 | CompareOp::LeU64 => Relation::Order { signed: false, equal: true },
        CompareOp::LtS32 | CompareOp::LtS64 => Relation::Order { signed: true, equal: false },
        CompareOp::LeS32 | CompareOp::LeS64 => Relation::Order { signed: true, equal: true },
        CompareOp::EqF32
        | CompareOp::EquF32
        | CompareOp::NeF32
        | CompareOp::NeuF32
        | CompareOp::LtF32
        | CompareOp::LtuF32
        | CompareOp::LeF32
        | CompareOp::LeuF32
        | CompareOp::NumF32
        | CompareOp::NanF32
        | CompareOp::EqF64
        | CompareOp::EquF64
        | CompareOp::NeF64
        | CompareOp::NeuF64
        | CompareOp::LtF64
        | CompareOp::LtuF64
        | CompareOp::LeF64
        | CompareOp::LeuF64
        | CompareOp::NumF64
        | CompareOp::NanF64 => Relation::Any,
    }
}
