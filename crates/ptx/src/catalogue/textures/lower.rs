//! Accesses to textures by handle, as requests to the host.

use crate::catalogue::not_implemented;
use crate::lower::{Entity, Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::{Operand, OperandKind};
use ir::{
    BinaryOp, Class, CompareOp, Detail, Geometry, Op, Reg, Round, Sampling, Service, Src,
    TextureQuery, UnaryOp,
};

/// What makes a half of a result.
const TO_HALF: UnaryOp = UnaryOp::F32ToF16(Round::NearestEven);

/// What stands in the brackets: a handle, perhaps a sampler's, and coordinates.
pub(super) struct Place {
    pub(super) handle: Src,
    sampler: Option<Src>,
    /// As the services of the host take them.
    pub(super) coordinates: [Src; 4],
    pub(super) geometry: Geometry,
}

/// `tex`.
pub(super) fn sample(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let float = inst.ty("ctype") == ScalarType::F32;
    let Some(place) = place(lo, inst, inst.ty("ctype"))? else { return not_implemented(lo, inst) };
    let details = details(lo, inst)?;
    let (detail, has_sampler) = (details.detail, place.sampler.is_some());
    let what = |component, geometry| {
        let gathered = None;
        Sampling { geometry, float, component, gathered, detail, has_sampler }
    };
    components(lo, inst, &place, &details, what)
}

/// A comparison with a depth. The ISA says that a texel passes or does not, and leaves to the texture what passes; nothing that makes
/// textures for CUDA says it.
pub(super) fn depth(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let geometry = inst.word("geom").and_then(Geometry::from_word);
    let has_offset = inst.operand("offset").is_some();
    if geometry.is_some_and(|geometry| geometry.cube) && !has_offset && is_integer(lo, inst)? {
        return cube_offset(lo, inst);
    }
    let message =
        "comparisons with a depth are not there: CUDA has no means to say how a texture compares";
    lo.unsupported(inst, message)
}

/// Whether what stands in the place of a depth is declared as an integer, so that the assembler takes it for an offset.
fn is_integer(lo: &mut Lowering, inst: &Inst<'_>) -> Result<bool> {
    let OperandKind::Name(name) = &lo.operand(inst, "depth")?.kind else { return Ok(false) };
    let Ok(Entity::Register(index)) = lo.entity(name) else { return Ok(false) };
    Ok(matches!(lo.declared(index), ScalarType::S32 | ScalarType::U32))
}

/// An offset in a cube map, which the assembler takes (PTX ISA 9.1, 9.7.10.3 tex: "Offset vector operand e is not supported for
/// cubemap textures").
pub(super) fn cube_offset(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.unsupported(
        inst,
        "the manual says that cube maps have no offsets, so it says nothing of what this does",
    )
}

/// A texture of several samples a texel, which CUDA cannot make.
pub(super) fn samples(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.unsupported(
        inst,
        "there are no textures of several samples a texel: CUDA has no means to make one",
    )
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
        if !matches!(lo.operand(inst, "offset")?.kind, OperandKind::Vector(_)) {
            let message = "an offset is a vector: NVIDIA's assembler takes a number alone, and leaves it out or compares it with a depth";
            return lo.unsupported(inst, message);
        }
    }
    Ok(details)
}

/// `tld4`.
pub(super) fn gather(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if inst.operand("depth").is_some() {
        return depth(lo, inst);
    }
    let component = match inst.word("comp") {
        Some("g") => 1,
        Some("b") => 2,
        Some("a") => 3,
        _ => 0,
    };
    let Some(place) = place(lo, inst, ScalarType::F32)? else { return not_implemented(lo, inst) };
    let details = details(lo, inst)?;
    let has_sampler = place.sampler.is_some();
    let what = |nth, geometry| {
        let (gathered, detail) = (Some(nth), Detail::Base);
        Sampling { geometry, float: true, component, gathered, detail, has_sampler }
    };
    components(lo, inst, &place, &details, what)
}

/// The results of `tex` and `tld4`, one request each.
fn components(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    place: &Place,
    details: &Details,
    what: impl Fn(u8, Geometry) -> Sampling,
) -> Result {
    let operand = match &lo.operand(inst, "d")?.kind {
        OperandKind::Pair(first, _) => first,
        _ => lo.operand(inst, "d")?,
    };
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
    // Whether the texels are resident: all memory is, since no array is sparse.
    if let Some(resident) = lo.result_predicate(inst, "d")? {
        lo.b.push(Op::Compare {
            op: CompareOp::EqI32,
            d: resident,
            a: Src::Imm(0),
            b: Src::Imm(0),
        });
    }
    Ok(())
}

/// Asks the host for a component.
fn ask_texture(lo: &mut Lowering, place: &Place, details: &Details, control: u64) -> Reg {
    if details.are_none() && place.sampler.is_none() {
        return ask(lo, Service::Sample, Class::W32, place, control);
    }
    let d = lo.b.reg(Class::W32);
    let numbers = place.coordinates.into_iter().chain(details.numbers).chain(details.offset);
    let sampler = place.sampler.unwrap_or(Src::Imm(0));
    let operands = [place.handle].into_iter().chain(numbers).chain([sampler, Src::Imm(control)]);
    lo.b.push(Op::Host {
        service: Service::SampleDetail,
        d: Some(d),
        operands: operands.collect(),
    });
    d
}

/// Asks the host something of a place.
pub(super) fn ask(
    lo: &mut Lowering,
    service: Service,
    class: Class,
    place: &Place,
    control: u64,
) -> Reg {
    let d = lo.b.reg(class);
    let [x, y, z, w] = place.coordinates;
    let operands = vec![place.handle, x, y, z, w, Src::Imm(control)];
    lo.b.push(Op::Host { service, d: Some(d), operands });
    d
}

/// What an instruction names in brackets; `None` if that is not implemented: a geometry of samples.
pub(super) fn place(lo: &mut Lowering, inst: &Inst<'_>, ty: ScalarType) -> Result<Option<Place>> {
    let operand = lo.operand(inst, "a")?;
    let OperandKind::Address(inner) = &operand.kind else {
        return lo.reject(operand, "a texture in brackets must stand here");
    };
    let Some(geometry) = inst.word("geom").and_then(Geometry::from_word) else { return Ok(None) };
    let (sampler, at) = match inner.rest.as_slice() {
        [at] => (None, at),
        [sampler, at] => (Some(lo.value_of(sampler, ScalarType::U64)?), at),
        _ => return lo.reject(operand, "coordinates must stand behind the texture"),
    };
    let handle = lo.value_of(&inner.base, ScalarType::U64)?;
    let mut coordinates = [Src::Imm(0); 4];
    let given = lo.elements(at).iter().take(geometry.coordinates());
    for (nth, (to, from)) in coordinates.iter_mut().zip(given).enumerate() {
        // A layer is an integer, whatever the coordinates are.
        let is_layer = geometry.layered && nth == 0;
        *to = lo.value_of(from, if is_layer { ScalarType::B32 } else { ty })?;
    }
    Ok(Some(Place { handle, sampler, coordinates, geometry }))
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
    let d = ask_what(lo, handle, level, what);
    lo.write(inst, "d", d.into(), ScalarType::B32)
}

/// Asks the host what is so of a handle.
pub(super) fn ask_what(lo: &mut Lowering, handle: Src, level: Src, what: TextureQuery) -> Reg {
    let d = lo.b.reg(Class::W32);
    let operands = vec![handle, level, Src::Imm(what.bits())];
    lo.b.push(Op::Host { service: Service::QueryTexture, d: Some(d), operands });
    d
}

/// `istypep`: a variable of these types is known by the handle that it holds.
pub(super) fn is_type(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let kind = match inst.ty("type") {
        ScalarType::TexRef => 1,
        ScalarType::SamplerRef => 2,
        _ => 4,
    };
    let handle = lo.value(inst, "a")?;
    let found = ask_what(lo, handle, Src::Imm(0), TextureQuery::Object);
    let d = lo.result(inst, "d")?;
    lo.b.push(Op::Compare { op: CompareOp::EqI32, d, a: found.into(), b: Src::Imm(kind) });
    Ok(())
}
