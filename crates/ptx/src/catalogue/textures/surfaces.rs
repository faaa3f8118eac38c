//! Accesses to surfaces by handle: the host says where they go, and the rest are loads, stores and atomics.

use super::lower::{ask, ask_what, place};
use crate::catalogue::{access, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::OperandKind;
use ir::{
    Access, Address, BinaryOp, Class, CompareOp, Op, Ordering, Outside, Pred, Reg, Round, Scope,
    Service, Space, Src, SurfaceAccess, SurfaceUnit, TextureQuery, UnaryOp, Update,
};

/// The truth table (`ir::Op::Logic`) that is true where both operands are.
const AND: u8 = 0b1000;
/// The one that is true where the first is and the second is not.
const AND_NOT: u8 = 0b0100;

/// What an access to a surface leads to.
struct Target {
    handle: Src,
    address: Address,
    /// Whether it leads anywhere.
    inside: Pred,
}

/// The address of an access to a surface, and a guard for it: it goes nowhere where the address is 0.
fn surface(lo: &mut Lowering, inst: &Inst<'_>, unit: SurfaceUnit) -> Result<Option<Target>> {
    let Some(place) = place(lo, inst, ScalarType::S32)? else { return Ok(None) };
    let outside = match inst.word("clamp") {
        Some("clamp") => Outside::Clamp,
        Some("zero") => Outside::Zero,
        _ => Outside::Trap,
    };
    let what = SurfaceAccess { geometry: place.geometry, outside, unit };
    let address = ask(lo, Service::SurfaceAddress, Class::W64, &place, what.bits());
    let inside = lo.b.compare(CompareOp::NeI64, address, Src::Imm(0));
    let guard = match lo.b.guard() {
        Some(guard) => lo.b.logic(AND, guard, inside).into(),
        None => inside.into(),
    };
    let address = Address { base: address.into(), offset: 0 };
    Ok(Some(Target { handle: place.handle, address, inside: guard }))
}

/// So many values of the instruction's type.
fn bytes(inst: &Inst<'_>, count: usize) -> SurfaceUnit {
    SurfaceUnit::Bytes(((inst.ty("type").bits() / 8) as usize * count) as u8)
}

/// Emits an access where it goes somewhere.
fn guarded(lo: &mut Lowering, guard: Pred, op: Op) {
    let outer = lo.b.guard();
    lo.b.set_guard(Some(guard));
    lo.b.push(op);
    lo.b.set_guard(outer);
}

/// `suld.b`: a load, of zeros where it goes nowhere.
pub(super) fn load(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.relaxed = true;
    let ty = inst.ty("type");
    let operand = lo.operand(inst, "d")?;
    let elements = lo.elements(operand);
    let Some(Target { address, inside: guard, .. }) =
        surface(lo, inst, bytes(inst, elements.len()))?
    else {
        return not_implemented(lo, inst);
    };
    let access = access(ty);
    let (class, zero) = match ir::Builder::class_of(access) {
        Class::W64 => (Class::W64, UnaryOp::Mov64),
        class => (class, UnaryOp::Mov32),
    };
    let mut values = Vec::with_capacity(elements.len());
    for _ in elements {
        let value = lo.b.reg(class);
        lo.b.unary_to(value, zero, Src::Imm(0));
        values.push(value);
    }
    let d = values.iter().copied().map(Some).collect();
    let (space, ordering) = (Space::Global, Ordering::Weak);
    guarded(lo, guard, Op::Load { d, space, access, address, ordering });
    for (element, value) in elements.iter().zip(values) {
        if !matches!(element.kind, OperandKind::Sink) {
            lo.write_to(element, value.into(), ty)?;
        }
    }
    Ok(())
}

/// The values of a store.
fn stored(lo: &mut Lowering, inst: &Inst<'_>, ty: ScalarType) -> Result<Vec<Src>> {
    let operand = lo.operand(inst, "b")?;
    lo.elements(operand).iter().map(|element| lo.value_of(element, ty)).collect()
}

/// `sust.b`: a store.
pub(super) fn store(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.relaxed = true;
    let ty = inst.ty("type");
    let values = stored(lo, inst, ty)?;
    let Some(Target { address, inside: guard, .. }) = surface(lo, inst, bytes(inst, values.len()))?
    else {
        return not_implemented(lo, inst);
    };
    let (space, access, ordering) = (Space::Global, access(ty), Ordering::Weak);
    guarded(lo, guard, Op::Store { values, space, access, address, ordering });
    Ok(())
}

/// `sured.b`: an atomic update.
pub(super) fn reduce(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    use BinaryOp as B;
    use ScalarType as T;
    let ty = inst.ty("type");
    let op = match (inst.word("op"), ty) {
        (Some("add"), T::U64) => B::AddI64,
        (Some("add"), _) => B::AddI32,
        (Some("min"), T::U32) => B::MinU32,
        (Some("min"), T::S32) => B::MinS32,
        (Some("min"), T::U64) => B::MinU64,
        (Some("min"), T::S64) => B::MinS64,
        (Some("max"), T::U32) => B::MaxU32,
        (Some("max"), T::S32) => B::MaxS32,
        (Some("max"), T::U64) => B::MaxU64,
        (Some("max"), T::S64) => B::MaxS64,
        (Some("and"), _) => B::And32,
        (Some("or"), _) => B::Or32,
        _ => return not_implemented(lo, inst),
    };
    let b = lo.value(inst, "b")?;
    let Some(Target { address, inside, .. }) = surface(lo, inst, bytes(inst, 1))? else {
        return not_implemented(lo, inst);
    };
    update(lo, (address, inside), op, access(ty), b);
    Ok(())
}

/// Emits an atomic update where it goes somewhere.
fn update(
    lo: &mut Lowering,
    (address, inside): (Address, Pred),
    op: BinaryOp,
    access: Access,
    b: Src,
) {
    let op = Op::Atomic {
        d: None,
        update: Update::Apply(op),
        space: Space::Global,
        access,
        address,
        b,
        c: Src::Imm(0),
        ordering: Ordering::Relaxed(Scope::Gpu),
    };
    guarded(lo, inside, op);
}

/// The format of a surface's texels, at run time.
struct Format {
    channels: Reg,
    bits: Reg,
    signed: Reg,
    float: Reg,
}

/// Asks for the format ([`TextureQuery::Format`]).
fn format(lo: &mut Lowering, handle: Src) -> Format {
    let all = ask_what(lo, handle, Src::Imm(0), TextureQuery::Format);
    let byte = |lo: &mut Lowering, from: u64| {
        let shifted = lo.b.binary(BinaryOp::ShrU32, all, Src::Imm(from));
        lo.b.binary(BinaryOp::And32, shifted, Src::Imm(255))
    };
    let [channels, bits, kind] = [0, 8, 16].map(|from| byte(lo, from));
    let [signed, float] =
        [1, 2].map(|wanted| lo.b.compare(CompareOp::EqI32, kind, Src::Imm(wanted)));
    Format { channels, bits, signed, float }
}

/// `sust.p`: a store of components, each converted to what the format has: integers to the nearest one that it holds, and numbers
/// to binary16 by rounding to nearest even (OpenCL C 3.0, 6.15.15 write_imagei and others; 8.3.1 and 8.3.2 of the OpenCL
/// specification, whose names of formats are those of PTX).
pub(super) fn store_texel(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.relaxed = true;
    let ty = inst.ty("type");
    let values = stored(lo, inst, ty)?;
    let Some(target) = surface(lo, inst, SurfaceUnit::Texel)? else {
        return not_implemented(lo, inst);
    };
    let format = format(lo, target.handle);
    let widths: [(u64, Access); 3] = [(8, Access::U8), (16, Access::U16), (32, Access::B32)];
    let of_width =
        widths.map(|(bits, _)| lo.b.compare(CompareOp::EqI32, format.bits, Src::Imm(bits)));
    let missing = lo.b.binary(BinaryOp::SubI32, Src::Imm(32), format.bits);
    let largest = lo.b.binary(BinaryOp::ShrU32, Src::Imm(u64::from(u32::MAX)), missing);
    let positive = lo.b.binary(BinaryOp::ShrU32, largest, Src::Imm(1));
    let negative = lo.b.unary(UnaryOp::Not32, positive);
    for (nth, value) in (0_u64..).zip(values) {
        let unsigned = lo.b.binary(BinaryOp::MinU32, value, largest);
        let above = lo.b.binary(BinaryOp::MaxS32, value, negative);
        let signed = lo.b.binary(BinaryOp::MinS32, above, positive);
        let half = lo.b.unary(UnaryOp::F32ToF16(Round::NearestEven), value);
        let number = lo.b.select(Class::W32, of_width[1], half, value);
        let integer = lo.b.select(Class::W32, format.signed, signed, unsigned);
        let value = lo.b.select(Class::W32, format.float, number, integer);
        // What the texel lacks is ignored.
        let is_there = lo.b.compare(CompareOp::LtU32, Src::Imm(nth), format.channels);
        let inside = lo.b.logic(AND, target.inside, is_there);
        for ((bits, access), fits) in widths.into_iter().zip(of_width) {
            let guard = lo.b.logic(AND, inside, fits);
            let address = Address { offset: (nth * bits / 8) as i64, ..target.address };
            let (space, ordering, values) = (Space::Global, Ordering::Weak, vec![value.into()]);
            guarded(lo, guard.into(), Op::Store { values, space, access, address, ordering });
        }
    }
    Ok(())
}

/// `sured.p`: an atomic update of a texel, whose format says whether its integer has a sign.
pub(super) fn reduce_texel(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    use BinaryOp as B;
    let ty = inst.ty("type");
    let is_wide = ty.bits() == 64;
    let [unsigned, signed] = match (inst.word("op"), is_wide) {
        (Some("add"), false) => [B::AddI32; 2],
        (Some("and"), false) => [B::And32; 2],
        (Some("or"), false) => [B::Or32; 2],
        (Some("min"), false) => [B::MinU32, B::MinS32],
        (Some("max"), false) => [B::MaxU32, B::MaxS32],
        (Some("min"), true) => [B::MinU64, B::MinS64],
        (Some("max"), true) => [B::MaxU64, B::MaxS64],
        _ => return not_implemented(lo, inst),
    };
    let b = lo.value(inst, "b")?;
    let unit = SurfaceUnit::Integer((ty.bits() / 8) as u8);
    let Some(target) = surface(lo, inst, unit)? else { return not_implemented(lo, inst) };
    if unsigned == signed {
        update(lo, (target.address, target.inside), unsigned, access(ty), b);
        return Ok(());
    }
    let format = format(lo, target.handle);
    for (table, op) in [(AND, signed), (AND_NOT, unsigned)] {
        let guard = lo.b.logic(table, target.inside, format.signed);
        update(lo, (target.address, guard.into()), op, access(ty), b);
    }
    Ok(())
}
