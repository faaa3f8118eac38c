//! What changes a tensor map where it lies (PTX ISA 9.1, 9.7.9.28 tensormap.replace). A map that begins as zeros becomes one by the first
//! change.

use super::matrix::{WARP, lane};
use super::memory::space;
use crate::lower::{Inst, Lowering, Result};
use ir::tensor_map::{
    ADDRESS, ELEMENT, Element, MARK, MARKED, RANK, SWIZZLE, SWIZZLES, extent, step, stride, tile,
};
use ir::{Access, Address, BinaryOp, Class, Collective, Op, Ordering, Space, Src, UnaryOp};

/// Where the map is.
fn map(lo: &mut Lowering, inst: &Inst<'_>) -> Result<(Space, Address)> {
    let (address, named) = lo.address(inst, "a")?;
    Ok((space(lo, inst.word("ss"), named), address))
}

/// Writes a field of a map, and the mark of one.
fn put(lo: &mut Lowering, (space, at): (Space, Address), offset: i64, value: Src, access: Access) {
    let mark = (MARKED, Src::Imm(MARK.into()), Access::B32);
    for (offset, value, access) in [(offset, value, access), mark] {
        let address = Address { offset: at.offset + offset, ..at };
        let (values, ordering) = (vec![value], Ordering::Weak);
        lo.b.push(Op::Store { values, space, access, address, ordering });
    }
}

/// A number that stands in the instruction.
fn number(lo: &mut Lowering, inst: &Inst<'_>, name: &str) -> Result<usize> {
    match lo.value(inst, name)? {
        Src::Imm(number) => Ok(number as usize),
        Src::Reg(_) => {
            let operand = lo.operand(inst, name)?;
            lo.reject(operand, "a constant must stand here")
        }
    }
}

/// `.global_address`.
pub(super) fn address(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (map, value) = (map(lo, inst)?, lo.value(inst, "value")?);
    put(lo, map, ADDRESS, value, Access::B64);
    Ok(())
}

/// `.rank`: one less than there are dimensions.
pub(super) fn rank(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (map, value) = (map(lo, inst)?, lo.value(inst, "value")?);
    put(lo, map, RANK, value, Access::B32);
    Ok(())
}

/// `.box_dim`, `.global_dim` and `.element_stride`.
pub(super) fn of_dimension(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (map, dimension) = (map(lo, inst)?, number(lo, inst, "ord")?);
    let value = lo.value(inst, "value")?;
    match inst.word("field") {
        Some("box_dim") => put(lo, map, tile(dimension), value, Access::B32),
        Some("global_dim") => {
            let value = lo.b.unary(UnaryOp::ZeroExtend32, value);
            put(lo, map, extent(dimension), value.into(), Access::B64);
        }
        // That of the first dimension means nothing.
        _ if dimension > 0 => {
            // A step that there is none of is a large number, which a copy refuses.
            let less = lo.b.binary(BinaryOp::SubI32, value, Src::Imm(1));
            let less = lo.b.binary(BinaryOp::MinU32, less, Src::Imm(u8::MAX.into()));
            put(lo, map, step(dimension), less.into(), Access::U8);
        }
        _ => {}
    }
    Ok(())
}

/// `.global_stride`: the first is that of the second dimension.
pub(super) fn stride_of(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (map, nth) = (map(lo, inst)?, number(lo, inst, "ord")?);
    let value = lo.value(inst, "value")?;
    if nth < ir::tensor_map::DIMENSIONS - 1 {
        put(lo, map, stride(nth + 1), value, Access::B64);
    }
    Ok(())
}

/// `.elemtype`.
pub(super) fn element(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (map, code) = (map(lo, inst)?, number(lo, inst, "value")?);
    match Element::ALL.iter().find(|element| **element as usize == code) {
        Some(element) => put(lo, map, ELEMENT, Src::Imm(*element as u64), Access::B32),
        // Values that change on their way, or are spread out in shared memory.
        None => return lo.unsupported(inst, "a tensor of such elements"),
    }
    Ok(())
}

/// `.swizzle_mode`.
pub(super) fn swizzle(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (map, code) = (map(lo, inst)?, number(lo, inst, "value")?);
    match SWIZZLES.get(code) {
        Some(bits) => put(lo, map, SWIZZLE, Src::Imm((*bits).into()), Access::B32),
        None => return lo.unsupported(inst, "this swizzle"),
    }
    Ok(())
}

/// `.interleave_layout`, `.fill_mode` and `.swizzle_atomicity`, of which there is the first alone.
pub(super) fn only_first(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    match number(lo, inst, "value")? {
        0 => Ok(()),
        _ => lo.unsupported(inst, "a tensor map with anything but 0 here"),
    }
}

/// `tensormap.cp_fenceproxy`: each lane of the warp copies four bytes, and nobody goes on before all have.
pub(super) fn copy(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let [to, from] = ["d", "a"].map(|name| lo.address(inst, name));
    let ((to, _), (from, _)) = (to?, from?);
    let meet = || Op::Collective { what: Collective::WarpSync, members: WARP, aligned: true };
    lo.b.push(meet());
    let lane = lane(lo);
    let offset = lo.b.binary(BinaryOp::MulLo32, lane, Src::Imm(4));
    let to = at(lo, to, offset.into(), Class::W64);
    let from = at(lo, from, offset.into(), Class::W32);
    let (d, access, ordering) = (lo.b.reg(Class::W32), Access::B32, Ordering::Weak);
    let loaded = vec![Some(d)];
    lo.b.push(Op::Load { d: loaded, space: Space::Shared, access, address: from, ordering });
    let values = vec![d.into()];
    lo.b.push(Op::Store { values, space: Space::Global, access, address: to, ordering });
    lo.b.push(meet());
    Ok(())
}

/// The address so many bytes on, a number of 32 bits. A constant address has a class of its space.
fn at(lo: &mut Lowering, address: Address, offset: Src, constant: Class) -> Address {
    let class = match address.base {
        Src::Reg(base) => lo.b.class(base),
        Src::Imm(_) => constant,
    };
    let base = match class {
        Class::W64 => {
            let offset = lo.b.unary(UnaryOp::ZeroExtend32, offset);
            lo.b.binary(BinaryOp::AddI64, address.base, offset)
        }
        _ => lo.b.binary(BinaryOp::AddI32, address.base, offset),
    };
    Address { base: base.into(), ..address }
}
