//! `createpolicy`: what to do with lines of the second-level cache, as 64 bits. They change how fast accesses are and not what they do.
//!
//! The ISA leaves the bits open. Here they are those of NVIDIA's assembler, which are also those that libcu++ documents for the host
//! (`access_property_encoding.h`): a fraction of 16 in bits 52 to 55, or blocks of a range of addresses in bits 37 to 55; above them
//! what becomes of the other lines (bit 56) and of the lines meant (57, 58), and the kind of the policy (59, 60).

use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{Address, BinaryOp, Round, Src, UnaryOp};

/// Where the fields are.
const COUNT: u64 = 37;
const START: u64 = 44;
const SCALE: u64 = 52;
const SECONDARY: u64 = 56;
const PRIMARY: u64 = 57;
const KIND: u64 = 59;
/// The kinds of policies.
const FRACTION: u64 = 2;
const RANGE: u64 = 3;
/// How many blocks there are at most, and the logarithm of the smallest one's bytes.
const BLOCKS: u64 = 127;
const LEAST: u64 = 12;
/// What a fraction is multiplied with, 15.99 in binary32, and the mask of what comes of it.
const SIXTEENTHS: u64 = 0x417f_d70a;
const FOUR_BITS: u64 = 15;
/// 1 in binary32.
const ALL: u64 = 0x3f80_0000;

/// The fields that the instruction's words say.
fn words(inst: &Inst<'_>, kind: u64) -> u64 {
    let number = |word| match word {
        Some("L2::evict_first") => 1,
        Some("L2::evict_last") => 2,
        Some("L2::evict_normal") => 3,
        _ => 0,
    };
    let (primary, secondary) = (number(inst.word("primary")), number(inst.word("secondary")));
    kind << KIND | primary << PRIMARY | secondary << SECONDARY
}

/// `createpolicy.fractional`.
pub(super) fn fractional(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let fraction = match inst.operand("fraction") {
        Some(_) => lo.value(inst, "fraction")?,
        None => Src::Imm(ALL),
    };
    let nearest = BinaryOp::MulF32(Round::NearestEven);
    let sixteenths = lo.b.binary(nearest, fraction, Src::Imm(SIXTEENTHS));
    let sixteenths = lo.b.unary(UnaryOp::F32ToU32(Round::TowardZero), sixteenths);
    let sixteenths = lo.b.binary(BinaryOp::And32, sixteenths, Src::Imm(FOUR_BITS));
    let field = placed(lo, sixteenths.into(), SCALE);
    let policy = lo.b.binary(BinaryOp::Or64, field, Src::Imm(words(inst, FRACTION)));
    lo.write(inst, "d", policy.into(), ScalarType::B64)
}

/// `createpolicy.range`: the range is counted in blocks, of which 128 are as large as all that the policy is about.
pub(super) fn range(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (Address { base, offset }, _) = lo.address(inst, "a")?;
    let (primary, total) = (lo.value(inst, "primary_size")?, lo.value(inst, "total_size")?);
    let address = lo.b.binary(BinaryOp::AddI64, base, Src::Imm(offset.cast_unsigned()));
    // The logarithm of the whole, rounded up, less that of 128.
    let last = lo.b.binary(BinaryOp::SubI32, total, Src::Imm(1));
    let zeros = lo.b.unary(UnaryOp::Clz32, last);
    let scale = lo.b.binary(BinaryOp::SubI32, Src::Imm(32 - 7), zeros);
    let scale = lo.b.binary(BinaryOp::MaxS32, scale, Src::Imm(LEAST));
    let block = lo.b.binary(BinaryOp::Shl64, Src::Imm(1), scale);
    let start = lo.b.binary(BinaryOp::ShrU64, address, scale);
    let bytes = lo.b.unary(UnaryOp::ZeroExtend32, primary);
    let end = lo.b.binary(BinaryOp::AddI64, address, bytes);
    let end = lo.b.binary(BinaryOp::AddI64, end, block);
    let end = lo.b.binary(BinaryOp::SubI64, end, Src::Imm(1));
    let end = lo.b.binary(BinaryOp::ShrU64, end, scale);
    let count = lo.b.binary(BinaryOp::SubI64, end, start);
    let count = lo.b.binary(BinaryOp::MinU64, count, Src::Imm(BLOCKS));
    let count = lo.b.unary(UnaryOp::Low32, count);
    let start = lo.b.unary(UnaryOp::Low32, start);
    let start = lo.b.binary(BinaryOp::And32, start, Src::Imm(BLOCKS));
    let scale = lo.b.binary(BinaryOp::SubI32, scale, Src::Imm(LEAST));
    let mut policy = Src::Imm(words(inst, RANGE));
    for (field, at) in [(count, COUNT), (start, START), (scale, SCALE)] {
        let field = placed(lo, field.into(), at);
        policy = lo.b.binary(BinaryOp::Or64, policy, field).into();
    }
    lo.write(inst, "d", policy, ScalarType::B64)
}

/// `createpolicy.cvt`: a property of accesses has the bits of a policy.
pub(super) fn convert(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let property = lo.value(inst, "a")?;
    lo.write(inst, "d", property, ScalarType::B64)
}

/// A field of 32 bits at its place.
fn placed(lo: &mut Lowering, field: Src, at: u64) -> Src {
    let wide = lo.b.unary(UnaryOp::ZeroExtend32, field);
    lo.b.binary(BinaryOp::Shl64, wide, Src::Imm(at)).into()
}
