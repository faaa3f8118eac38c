//! Accesses to textures and surfaces by handle, as requests to the host and accesses to device memory.

use crate::catalogue::{access, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::{Operand, OperandKind};
use ir::{
    Address, BinaryOp, Class, CompareOp, Detail, Geometry, Op, Ordering, Outside, Pred, Reg, Round,
    Sampling, Scope, Service, Space, Src, SurfaceAccess, TextureQuery, UnaryOp, Update,
};

/// The truth table (`ir::Op::Logic`) that is true where both operands are.
const AND: u8 = 0b1000;

/// What makes a half of a result.
const TO_HALF: UnaryOp = UnaryOp::F32ToF16(Round::NearestEven);

/// What stands in the brackets: a handle and coordinates.
struct Place {
    handle: Src,
    /// As the services of the host take them.
    coordinates: [Src; 4],
    geometry: Geometry,
}

/// `tex`.
pub(super) fn sample(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if has_residence(lo, inst)? {
        return not_implemented(lo, inst);
    }
    let float = inst.ty("ctype") == ScalarType::F32;
    let Some(place) = place(lo, inst, inst.ty("ctype"))? else { return not_implemented(lo, inst) };
    let details = details(lo, inst)?;
    if place.geometry.layered && inst.operand("offset").is_some() {
        return not_implemented(lo, inst);
    }
    let what = |component, geometry| {
        let detail = details.detail;
        Sampling { geometry, float, component, gathered: None, detail }
    };
    components(lo, inst, &place, &details, what)
}

/// A level of detail, and offsets, as an instruction says them.
struct Details {
    detail: Detail,
    /// As [`Service::SampleDetail`] takes them.
    numbers: [Src; 6],
    offset: [Src; 3],
}

impl Details {
    const NONE: Details =
        Details { detail: Detail::Base, numbers: [Src::Imm(0); 6], offset: [Src::Imm(0); 3] };

    /// Whether all is as where nothing is said.
    fn are_none(&self) -> bool {
        self.detail == Detail::Base && self.offset.iter().all(|by| *by == Src::Imm(0))
    }
}

/// What stands behind the brackets.
fn details(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Details> {
    let mut details = Details::NONE;
    let mut read = |to: &mut [Src], name: &str, ty: ScalarType| -> Result {
        let operand = lo.operand(inst, name)?;
        for (to, from) in to.iter_mut().zip(lo.elements(operand)) {
            *to = lo.value_of(from, ty)?;
        }
        Ok(())
    };
    if inst.operand("lod").is_some() {
        details.detail = Detail::Level;
        read(&mut details.numbers[..1], "lod", inst.ty("ctype"))?;
    }
    if inst.operand("dx").is_some() {
        details.detail = Detail::Gradient;
        let (dx, dy) = details.numbers.split_at_mut(3);
        read(dx, "dx", ScalarType::F32)?;
        read(dy, "dy", ScalarType::F32)?;
    }
    if inst.operand("offset").is_some() {
        read(&mut details.offset, "offset", ScalarType::S32)?;
    }
    Ok(details)
}

/// `tld4`.
pub(super) fn gather(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if inst.operand("depth").is_some() || has_residence(lo, inst)? {
        return not_implemented(lo, inst);
    }
    let component = match inst.word("comp") {
        Some("g") => 1,
        Some("b") => 2,
        Some("a") => 3,
        _ => 0,
    };
    let Some(place) = place(lo, inst, ScalarType::F32)? else { return not_implemented(lo, inst) };
    let details = details(lo, inst)?;
    if place.geometry.layered && inst.operand("offset").is_some() {
        return not_implemented(lo, inst);
    }
    let what = |nth, geometry| {
        let (gathered, detail) = (Some(nth), Detail::Base);
        Sampling { geometry, float: true, component, gathered, detail }
    };
    components(lo, inst, &place, &details, what)
}

/// Whether a predicate is wanted that says if texels are resident.
fn has_residence(lo: &mut Lowering, inst: &Inst<'_>) -> Result<bool> {
    Ok(matches!(lo.operand(inst, "d")?.kind, OperandKind::Pair(..)))
}

/// The results of `tex` and `tld4`, one request each.
fn components(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    place: &Place,
    details: &Details,
    what: impl Fn(u8, Geometry) -> Sampling,
) -> Result {
    let operand = lo.operand(inst, "d")?;
    let elements = lo.elements(operand);
    // Without the word, results are pairs of halves.
    let is_packed = inst.word("dtype").is_none();
    let ty = if is_packed { ScalarType::F16x2 } else { inst.ty("dtype") };
    // Results may stand in the registers of coordinates: they are written when all have been read.
    let mut late: Vec<(&Operand, Reg)> = Vec::new();
    for (nth, d) in (0..).zip(elements) {
        if matches!(d.kind, OperandKind::Sink) {
            continue;
        }
        let mut component = |nth: u8| {
            let control = what(nth, place.geometry).bits();
            ask_texture(lo, place, details, control)
        };
        let value = if is_packed {
            let (low, high) = (component(2 * nth), component(2 * nth + 1));
            let [low, high] = [low, high].map(|value| lo.b.unary(TO_HALF, value));
            lo.b.binary(BinaryOp::Pack32, low, high)
        } else if ty == ScalarType::F16 {
            let value = component(nth);
            lo.b.unary(TO_HALF, value)
        } else {
            component(nth)
        };
        late.push((d, value));
    }
    for (d, value) in late {
        lo.write_to(d, value.into(), ty)?;
    }
    Ok(())
}

/// Asks the host for a component.
fn ask_texture(lo: &mut Lowering, place: &Place, details: &Details, control: u64) -> Reg {
    if details.are_none() {
        return ask(lo, Service::Sample, Class::W32, place, control);
    }
    let d = lo.b.reg(Class::W32);
    let numbers = place.coordinates.into_iter().chain(details.numbers).chain(details.offset);
    let operands = [place.handle].into_iter().chain(numbers).chain([Src::Imm(control)]);
    lo.b.push(Op::Host {
        service: Service::SampleDetail,
        d: Some(d),
        operands: operands.collect(),
    });
    d
}

/// Asks the host something of a place.
fn ask(lo: &mut Lowering, service: Service, class: Class, place: &Place, control: u64) -> Reg {
    let d = lo.b.reg(class);
    let [x, y, z, w] = place.coordinates;
    let operands = vec![place.handle, x, y, z, w, Src::Imm(control)];
    lo.b.push(Op::Host { service, d: Some(d), operands });
    d
}

/// What an instruction names in brackets; `None` if that is not implemented: a geometry of samples, or a sampler.
fn place(lo: &mut Lowering, inst: &Inst<'_>, ty: ScalarType) -> Result<Option<Place>> {
    let operand = lo.operand(inst, "a")?;
    let OperandKind::Address(inner) = &operand.kind else {
        return lo.reject(operand, "a texture in brackets must stand here");
    };
    let (Some(geometry), [at]) =
        (inst.word("geom").and_then(Geometry::from_word), inner.rest.as_slice())
    else {
        return Ok(None);
    };
    let handle = lo.value_of(&inner.base, ScalarType::U64)?;
    let mut coordinates = [Src::Imm(0); 4];
    let given = lo.elements(at).iter().take(geometry.coordinates());
    for (nth, (to, from)) in coordinates.iter_mut().zip(given).enumerate() {
        // A layer is an integer, whatever the coordinates are.
        let is_layer = geometry.layered && nth == 0;
        *to = lo.value_of(from, if is_layer { ScalarType::B32 } else { ty })?;
    }
    Ok(Some(Place { handle, coordinates, geometry }))
}

/// `txq` and `suq`.
pub(super) fn query(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let operand = lo.operand(inst, "a")?;
    let OperandKind::Address(inner) = &operand.kind else {
        return lo.reject(operand, "a texture in brackets must stand here");
    };
    let what = inst.word("query").and_then(TextureQuery::from_word);
    let Some(what) = what else { return not_implemented(lo, inst) };
    let handle = lo.value_of(&inner.base, ScalarType::U64)?;
    let level = match inst.operand("lod") {
        Some(_) => lo.value(inst, "lod")?,
        None => Src::Imm(0),
    };
    let d = lo.b.reg(Class::W32);
    let operands = vec![handle, level, Src::Imm(what.bits())];
    lo.b.push(Op::Host { service: Service::QueryTexture, d: Some(d), operands });
    lo.write(inst, "d", d.into(), ScalarType::B32)
}

/// The address of an access to a surface, and a guard for it: it goes nowhere where the address is 0.
fn surface(lo: &mut Lowering, inst: &Inst<'_>, count: usize) -> Result<Option<(Address, Pred)>> {
    let Some(place) = place(lo, inst, ScalarType::S32)? else { return Ok(None) };
    let outside = match inst.word("clamp") {
        Some("clamp") => Outside::Clamp,
        Some("zero") => Outside::Zero,
        _ => Outside::Trap,
    };
    let bytes = (inst.ty("type").bits() / 8) as usize * count;
    let what = SurfaceAccess { geometry: place.geometry, outside, bytes: bytes as u8 };
    let address = ask(lo, Service::SurfaceAddress, Class::W64, &place, what.bits());
    let inside = lo.b.compare(CompareOp::NeI64, address, Src::Imm(0));
    let guard = match lo.b.guard() {
        Some(guard) => lo.b.logic(AND, guard, inside).into(),
        None => inside.into(),
    };
    Ok(Some((Address { base: address.into(), offset: 0 }, guard)))
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
    let Some((address, guard)) = surface(lo, inst, elements.len())? else {
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

/// `sust.b`: a store.
pub(super) fn store(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.relaxed = true;
    let ty = inst.ty("type");
    let operand = lo.operand(inst, "b")?;
    let elements = lo.elements(operand);
    let values = elements.iter().map(|element| lo.value_of(element, ty));
    let values = values.collect::<Result<Vec<_>>>()?;
    let Some((address, guard)) = surface(lo, inst, elements.len())? else {
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
    let Some((address, guard)) = surface(lo, inst, 1)? else { return not_implemented(lo, inst) };
    let op = Op::Atomic {
        d: None,
        update: Update::Apply(op),
        space: Space::Global,
        access: access(ty),
        address,
        b,
        c: Src::Imm(0),
        ordering: Ordering::Relaxed(Scope::Gpu),
    };
    guarded(lo, guard, op);
    Ok(())
}
