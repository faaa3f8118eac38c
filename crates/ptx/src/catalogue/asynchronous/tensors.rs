//! What `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` do with a box of a tensor, in tiles: a loop copies it row by row, 16 bytes at a time where the
//! tensor has them all, else element by element. Elements outside the tensor are read as zero, and are not written.

use super::bulk_copies::reports;
use super::loops::{counter, each, each_peer};
use crate::catalogue::atomics::function;
use crate::catalogue::cluster::in_shared;
use crate::catalogue::memory::{access, space};
use crate::catalogue::{barrier_objects, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::tensor_map::{
    ADDRESS, BadTensor, ELEMENT, Element, LOGARITHMS, MARK, MARKED, MOST_STEP, MOST_TILE, RANK,
    SWIZZLE, extent, step, stride, tile,
};
use ir::{
    Access, Address, AsyncCopy, BinaryOp, Class, CompareOp, Completion, ElementUpdate, Groups, Op,
    Ordering, Pred, Reg, Service, Space, Src, Terminator, UnaryOp,
};

/// The truth tables of the connectives.
const AND: u8 = 0b1000;
const AND_NOT: u8 = 0b0100;
const OR: u8 = 0b1110;
const OR_NOT: u8 = 0b1101;
/// Bytes that are copied at a time.
const STEP: u64 = 16;
/// Where the bits of a shared address begin that a swizzle changes, and those that it is changed by.
const CHANGED: u64 = 4;
const BY: u64 = 7;

/// A tensor map in registers, and the first element of the box.
struct Boxed {
    address: Reg,
    /// The number of the elements' type, and the logarithm of an element's bytes.
    kind: Reg,
    element: Reg,
    swizzle: Reg,
    /// In each dimension, elements of the box and of the tensor.
    tile: Vec<Reg>,
    extents: Vec<Reg>,
    /// In each dimension but the first, from an element of the box to the next one in elements of the tensor, and from one of those to
    /// the next one in bytes.
    steps: Vec<Reg>,
    strides: Vec<Reg>,
    corner: Corner,
}

/// The first element of a box in each dimension; the rows of one whose rows lie anywhere (`.tile::gather4`, `.tile::scatter4`).
struct Corner {
    first: Vec<Src>,
    rows: Option<[Src; 4]>,
}

/// Bytes of a row of the box.
struct Piece {
    /// Where they lie in shared memory, and in the tensor.
    shared: Address,
    global: Address,
    /// How many there are.
    bytes: Reg,
    /// Whether the tensor has them.
    is_inside: Pred,
    /// Whether they are [`STEP`] bytes that are aligned.
    is_whole: Pred,
}

/// Where an instruction finds the tensor map, and the box in the tensor.
struct Named {
    map: (Space, Address),
    corner: Corner,
}

fn named(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Named> {
    let (address, declared, rest) = lo.address_with(inst, "tensor")?;
    let map = (space(lo, None, declared), address);
    let [coordinates] = rest else {
        let operand = lo.operand(inst, "tensor")?;
        return lo.reject(operand, "coordinates must stand behind the tensor map");
    };
    let all = lo.elements(coordinates).iter();
    let first = all.map(|element| lo.value_of(element, ScalarType::S32));
    let first = first.collect::<Result<Vec<_>>>()?;
    let picks = ["tile::gather4", "tile::scatter4"].iter().any(|word| inst.word(word).is_some());
    let corner = match first.as_slice() {
        [column, rows @ ..] if picks => {
            let rows = <[Src; 4]>::try_from(rows).ok();
            Corner { first: vec![*column, Src::Imm(0)], rows }
        }
        _ => Corner { first, rows: None },
    };
    Ok(Named { map, corner })
}

/// A copy into shared memory.
pub(super) fn to_shared(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if !is_plain(inst) {
        return not_implemented(lo, inst);
    }
    let from = named(lo, inst)?;
    let (to, object) = (lo.address(inst, "d")?.0, lo.address(inst, "mbar")?.0);
    each(lo, |lo| {
        let from = boxed(lo, from);
        read(lo, &from, to, object);
    });
    Ok(())
}

/// A copy into the shared memory of several CTAs of the cluster, to the same place in each; so is the object that is told.
pub(super) fn to_many(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if !is_plain(inst) {
        return not_implemented(lo, inst);
    }
    let from = named(lo, inst)?;
    let (to, object) = (lo.address(inst, "d")?.0, lo.address(inst, "mbar")?.0);
    let ranks = lo.value(inst, "mask")?;
    each(lo, |lo| {
        let from = boxed(lo, from);
        each_peer(lo, ranks, [to, object], |lo, [to, object]| read(lo, &from, to, object));
    });
    Ok(())
}

/// A copy from shared memory to the tensor.
pub(super) fn to_global(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let to = named(lo, inst)?;
    let from = lo.address(inst, "a")?.0;
    each(lo, |lo| {
        let to = boxed(lo, to);
        let from = in_shared(lo, from);
        let until = Completion::Group(Groups::Bulk);
        pieces(lo, &to, from, |lo, piece| {
            let [to, from] = [(Space::Global, piece.global), (Space::Shared, piece.shared)];
            for (table, unit) in [(AND, STEP as u32), (AND_NOT, 1)] {
                let guard = lo.b.logic(table, piece.is_inside, piece.is_whole);
                let (bytes, read) = (piece.bytes.into(), piece.bytes.into());
                copy(
                    lo,
                    guard.into(),
                    AsyncCopy { to, from, bytes, read, unit, update: None, until },
                );
            }
        });
    });
    Ok(())
}

/// Elements of a tensor are updated by those of a box in shared memory.
pub(super) fn reduce(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let to = named(lo, inst)?;
    let from = lo.address(inst, "a")?.0;
    let op = inst.word("op").unwrap_or("");
    let updates = Element::ALL.iter().filter_map(|element| Some((*element, update(op, *element)?)));
    let updates: Vec<(Element, ElementUpdate)> = updates.collect();
    each(lo, |lo| {
        let to = boxed(lo, to);
        let mut is_there = Pred::Const(false);
        let kinds: Vec<Pred> = updates
            .iter()
            .map(|(element, _)| {
                let is_it = lo.b.compare(CompareOp::EqI32, to.kind, Src::Imm(*element as u64));
                is_there = lo.b.logic(OR, is_there, is_it).into();
                is_it.into()
            })
            .collect();
        stop_if(lo, is_there.negated(), BadTensor::OtherElements);
        let from = in_shared(lo, from);
        let until = Completion::Group(Groups::Bulk);
        pieces(lo, &to, from, |lo, piece| {
            let [to, from] = [(Space::Global, piece.global), (Space::Shared, piece.shared)];
            for ((_, update), is_it) in updates.iter().zip(&kinds) {
                let guard = lo.b.logic(AND, piece.is_inside, *is_it);
                let (bytes, read) = (piece.bytes.into(), piece.bytes.into());
                let (unit, update) = (update.access.bytes(), Some(*update));
                copy(lo, guard.into(), AsyncCopy { to, from, bytes, read, unit, update, until });
            }
        });
    });
    Ok(())
}

/// What a reduction does with an element, if it is for such elements: those of `cp.reduce.async.bulk`.
fn update(op: &str, element: Element) -> Option<ElementUpdate> {
    use Element as E;
    let ty = match (op, element) {
        ("and" | "or" | "xor", E::U32 | E::S32) => ScalarType::B32,
        ("and" | "or" | "xor", E::U64 | E::S64) => ScalarType::B64,
        ("add" | "min" | "max" | "inc" | "dec", E::U32) => ScalarType::U32,
        ("add" | "min" | "max", E::S32) => ScalarType::S32,
        ("add" | "min" | "max", E::U64) => ScalarType::U64,
        ("add" | "min" | "max", E::S64) => ScalarType::S64,
        ("add" | "min" | "max", E::F16) => ScalarType::F16,
        ("add" | "min" | "max", E::Bf16) => ScalarType::Bf16,
        ("add", E::F32) => ScalarType::F32,
        ("add", E::F64) => ScalarType::F64,
        (_, E::U8 | E::U16 | E::U32 | E::S32 | E::U64 | E::S64) => return None,
        (_, E::F16 | E::F32 | E::F64 | E::Bf16 | E::Tf32 | E::B4x16) => return None,
    };
    Some(ElementUpdate { op: function(op, ty, true)?, access: access(ty) })
}

/// Whether nothing is asked for that only some architectures of data centres do.
fn is_plain(inst: &Inst<'_>) -> bool {
    inst.word("group").is_none_or(|word| word != "cta_group::2") && !reports(inst)
}

/// One of several numbers.
fn picked(lo: &mut Lowering, all: &[Src; 4], nth: Reg) -> Src {
    let mut found = all[3];
    for (place, number) in (0..3).zip(all) {
        let is_it = lo.b.compare(CompareOp::EqI32, nth, Src::Imm(place));
        found = lo.b.select(Class::W32, is_it, *number, found).into();
    }
    found
}

/// Reads a tensor map. Other bytes stop the kernel, and so does a tensor of other dimensions.
fn boxed(lo: &mut Lowering, Named { map: (space, at), mut corner }: Named) -> Boxed {
    let field = |lo: &mut Lowering, offset: i64, access: Access| {
        let d = lo.b.reg(ir::Builder::class_of(access));
        let address = Address { offset: at.offset + offset, ..at };
        let ordering = Ordering::Weak;
        lo.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        d
    };
    let mark = field(lo, MARKED, Access::B32);
    let rank = corner.first.len();
    let last = field(lo, RANK, Access::B32);
    let is_other = lo.b.compare(CompareOp::NeI32, mark, Src::Imm(MARK.into()));
    stop_if(lo, is_other.into(), BadTensor::NoMap);
    let has_others = lo.b.compare(CompareOp::NeI32, last, Src::Imm(rank as u64 - 1));
    stop_if(lo, has_others.into(), BadTensor::OtherRank);
    let kind = field(lo, ELEMENT, Access::B32);
    let shift = lo.b.binary(BinaryOp::Shl32, kind, Src::Imm(1));
    let element = lo.b.binary(BinaryOp::ShrU32, Src::Imm(LOGARITHMS.into()), shift);
    let element = lo.b.binary(BinaryOp::And32, element, Src::Imm(3));
    let mut tile: Vec<Reg> = (0..rank).map(|nth| field(lo, tile(nth), Access::B32)).collect();
    let mut extents: Vec<Reg> = (0..rank).map(|nth| field(lo, extent(nth), Access::B64)).collect();
    // Of elements of 4 bits, those of a byte are copied as one.
    let are_pairs = lo.b.compare(CompareOp::EqI32, kind, Src::Imm(Element::B4x16 as u64));
    let pairs = lo.b.select(Class::W32, are_pairs, Src::Imm(1), Src::Imm(0));
    tile[0] = lo.b.binary(BinaryOp::ShrU32, tile[0], pairs);
    extents[0] = lo.b.binary(BinaryOp::ShrU64, extents[0], pairs);
    corner.first[0] = lo.b.binary(BinaryOp::ShrS32, corner.first[0], pairs).into();
    let row = lo.b.binary(BinaryOp::Shl32, tile[0], element);
    let rest = lo.b.binary(BinaryOp::And32, row, Src::Imm(STEP - 1));
    let mut is_none: Pred = lo.b.compare(CompareOp::NeI32, rest, Src::Imm(0)).into();
    for elements in &tile {
        let beyond = lo.b.compare(CompareOp::LtU32, Src::Imm(MOST_TILE.into()), *elements);
        is_none = lo.b.logic(OR, is_none, beyond).into();
    }
    let mut steps = Vec::with_capacity(rank);
    for (nth, elements) in tile.iter_mut().enumerate().skip(1) {
        let less = field(lo, step(nth), Access::U8);
        let beyond = lo.b.compare(CompareOp::LeU32, Src::Imm(MOST_STEP.into()), less);
        is_none = lo.b.logic(OR, is_none, beyond).into();
        let one_of = lo.b.binary(BinaryOp::AddI32, less, Src::Imm(1));
        let rounded = lo.b.binary(BinaryOp::AddI32, *elements, less);
        *elements = lo.b.binary(BinaryOp::DivU32, rounded, one_of);
        steps.push(one_of);
    }
    stop_if(lo, is_none, BadTensor::Box);
    if let (Some(rows), Some(count)) = (&corner.rows, tile.get_mut(1)) {
        *count = lo.b.unary(UnaryOp::Mov32, Src::Imm(rows.len() as u64));
    }
    Boxed {
        address: field(lo, ADDRESS, Access::B64),
        kind,
        element,
        swizzle: field(lo, SWIZZLE, Access::B32),
        tile,
        extents,
        steps,
        strides: (1..rank).map(|nth| field(lo, stride(nth), Access::B64)).collect(),
        corner,
    }
}

/// Stops the kernel under a condition.
fn stop_if(lo: &mut Lowering, p: Pred, why: BadTensor) {
    let (stop, go_on) = (lo.b.block(), lo.b.block());
    lo.b.terminate(Terminator::Branch { p, then: stop, otherwise: go_on });
    lo.b.switch_to(stop);
    let (service, operands) = (Service::BadTensor, vec![Src::Imm(why as u64)]);
    lo.b.push(Op::Host { service, d: None, operands });
    lo.b.terminate(Terminator::Trap);
    lo.b.switch_to(go_on);
}

/// Copies a box into shared memory, and tells an object of all its bytes.
fn read(lo: &mut Lowering, from: &Boxed, to: Address, object: Address) {
    let to = in_shared(lo, to);
    let until = Completion::Object(Space::Shared, object);
    let total = pieces(lo, from, to, |lo, piece| {
        let read = lo.b.select(Class::W32, piece.is_inside, piece.bytes, Src::Imm(0)).into();
        let [to, from] = [(Space::Shared, piece.shared), (Space::Global, piece.global)];
        let bytes = piece.bytes.into();
        let other = lo.b.logic(AND_NOT, Pred::Const(true), piece.is_whole);
        for (guard, unit) in [(piece.is_whole, STEP as u32), (other.into(), 1)] {
            copy(lo, guard, AsyncCopy { to, from, bytes, read, unit, update: None, until });
        }
    });
    barrier_objects::have_come(lo, (object, Space::Shared), total.into());
}

fn copy(lo: &mut Lowering, guard: Pred, copy: AsyncCopy) {
    lo.b.set_guard(Some(guard));
    lo.b.push(Op::Copy(Box::new(copy)));
    lo.b.set_guard(None);
}

/// Emits a loop over the pieces of a box that lies at `shared`. Returns the bytes of the box.
fn pieces(
    lo: &mut Lowering,
    of: &Boxed,
    shared: Reg,
    emit: impl FnOnce(&mut Lowering, &Piece),
) -> Reg {
    let done = counter(lo);
    let place: Vec<Reg> = of.corner.first.iter().map(|_| counter(lo)).collect();
    let mut total = lo.b.binary(BinaryOp::Shl32, of.tile[0], of.element);
    for elements in &of.tile[1..] {
        total = lo.b.binary(BinaryOp::MulLo32, total, *elements);
    }
    let in_step = lo.b.binary(BinaryOp::ShrU32, Src::Imm(STEP), of.element);
    let one = lo.b.binary(BinaryOp::Shl32, Src::Imm(1), of.element);
    let (head, body, end) = (lo.b.block(), lo.b.block(), lo.b.block());
    lo.b.terminate(Terminator::Jump(head));
    lo.b.switch_to(head);
    let more = lo.b.compare(CompareOp::LtU32, done, total);
    lo.b.terminate(Terminator::Branch { p: more.into(), then: body, otherwise: end });
    lo.b.switch_to(body);

    let mut at: Vec<Reg> = Vec::with_capacity(place.len());
    for (nth, (corner, place)) in of.corner.first.iter().zip(&place).enumerate() {
        let passed = match nth.checked_sub(1).and_then(|nth| of.steps.get(nth)) {
            Some(step) => lo.b.binary(BinaryOp::MulLo32, *place, *step),
            None => *place,
        };
        let here = lo.b.binary(BinaryOp::AddI32, *corner, passed);
        at.push(lo.b.unary(UnaryOp::SignExtend32, here));
    }
    if let (Some(rows), [_, nth]) = (&of.corner.rows, place.as_slice()) {
        let row = picked(lo, rows, *nth);
        at[1] = lo.b.unary(UnaryOp::SignExtend32, row);
    }
    // A coordinate below zero is a large number without a sign.
    let mut row_is_inside = Pred::Const(true);
    for (at, extent) in at.iter().zip(&of.extents).skip(1) {
        let inside = lo.b.compare(CompareOp::LtU64, *at, *extent);
        row_is_inside = lo.b.logic(AND, row_is_inside, inside).into();
    }
    let first = lo.b.compare(CompareOp::LtU64, at[0], of.extents[0]);
    let is_inside = lo.b.logic(AND, row_is_inside, first);
    let step = lo.b.unary(UnaryOp::ZeroExtend32, in_step);
    let behind = lo.b.binary(BinaryOp::AddI64, at[0], step);
    let ends = lo.b.compare(CompareOp::LeU64, behind, of.extents[0]);
    let has_all = lo.b.logic(AND, is_inside, ends);
    let begins_behind = lo.b.compare(CompareOp::LeS64, of.extents[0], at[0]);
    let ends_before = lo.b.compare(CompareOp::LeS64, behind, Src::Imm(0));
    let is_beside = lo.b.logic(OR, begins_behind, ends_before);
    let may_be_there = lo.b.logic(AND_NOT, row_is_inside, is_beside);
    // All of them are there, or none as the row is not or they lie beside it.
    let is_even = lo.b.logic(OR_NOT, has_all, may_be_there);
    let mut offset = of.address;
    let bytes = lo.b.binary(BinaryOp::Shl64, at[0], of.element);
    offset = lo.b.binary(BinaryOp::AddI64, offset, bytes);
    for (at, stride) in at[1..].iter().zip(&of.strides) {
        let bytes = lo.b.binary(BinaryOp::MulLo64, *at, *stride);
        offset = lo.b.binary(BinaryOp::AddI64, offset, bytes);
    }
    let low = lo.b.unary(UnaryOp::Low32, offset);
    let odd = lo.b.binary(BinaryOp::Or32, low, done);
    let odd = lo.b.binary(BinaryOp::And32, odd, Src::Imm(STEP - 1));
    let is_aligned = lo.b.compare(CompareOp::EqI32, odd, Src::Imm(0));
    let is_whole = lo.b.logic(AND, is_even, is_aligned);
    let bytes = lo.b.select(Class::W32, is_whole, Src::Imm(STEP), one);
    let plain = lo.b.binary(BinaryOp::AddI32, shared, done);
    let by = lo.b.binary(BinaryOp::ShrU32, plain, Src::Imm(BY));
    let by = lo.b.binary(BinaryOp::And32, by, of.swizzle);
    let by = lo.b.binary(BinaryOp::Shl32, by, Src::Imm(CHANGED));
    let swizzled = lo.b.binary(BinaryOp::Xor32, plain, by);
    let address = |base: Reg| Address { base: base.into(), offset: 0 };
    let piece = Piece {
        shared: address(swizzled),
        global: address(offset),
        bytes,
        is_inside: is_inside.into(),
        is_whole: is_whole.into(),
    };
    emit(lo, &piece);

    lo.b.binary_to(done, BinaryOp::AddI32, done, bytes);
    let elements = lo.b.binary(BinaryOp::ShrU32, bytes, of.element);
    lo.b.binary_to(place[0], BinaryOp::AddI32, place[0], elements);
    for (nth, pair) in place.windows(2).enumerate() {
        let is_full = lo.b.compare(CompareOp::EqI32, pair[0], of.tile[nth]);
        let carry = lo.b.select(Class::W32, is_full, Src::Imm(1), Src::Imm(0));
        let rest = lo.b.select(Class::W32, is_full, Src::Imm(0), pair[0]);
        lo.b.copy_to(pair[0], rest);
        lo.b.binary_to(pair[1], BinaryOp::AddI32, pair[1], carry);
    }
    lo.b.terminate(Terminator::Jump(head));
    lo.b.switch_to(end);
    total
}
