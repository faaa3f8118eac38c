//! `st.bulk`: a thread sets many bytes of shared memory to zero, 8 at a time.

use super::loops::{counter, each};
use crate::catalogue::cluster::in_shared;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{Access, Address, BinaryOp, CompareOp, Op, Ordering, Space, Src, Terminator, UnaryOp};

pub(super) fn fill(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let to = lo.address(inst, "a")?.0;
    let operand = lo.operand(inst, "size")?;
    let size = match lo.declared_bits(operand) {
        Some(64) => {
            // What is too much for 32 bits is too much for shared memory.
            let wide = lo.value_of(operand, ScalarType::U64)?;
            let most = lo.b.binary(BinaryOp::MinU64, wide, Src::Imm(u32::MAX.into()));
            lo.b.unary(UnaryOp::Low32, most).into()
        }
        Some(_) | None => lo.value_of(operand, ScalarType::U32)?,
    };
    each(lo, |lo| {
        let (to, done) = (in_shared(lo, to), counter(lo));
        let (head, body, end) = (lo.b.block(), lo.b.block(), lo.b.block());
        lo.b.terminate(Terminator::Jump(head));
        lo.b.switch_to(head);
        let more = lo.b.compare(CompareOp::LtU32, done, size);
        lo.b.terminate(Terminator::Branch { p: more.into(), then: body, otherwise: end });
        lo.b.switch_to(body);
        let base = lo.b.binary(BinaryOp::AddI32, to, done).into();
        let (space, access, ordering) = (Space::Shared, Access::B64, Ordering::Weak);
        let (values, address) = (vec![Src::Imm(0)], Address { base, offset: 0 });
        lo.b.push(Op::Store { values, space, access, address, ordering });
        lo.b.binary_to(done, BinaryOp::AddI32, done, Src::Imm(access.bytes().into()));
        lo.b.terminate(Terminator::Jump(head));
        lo.b.switch_to(end);
    });
    Ok(())
}
