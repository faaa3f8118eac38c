//! What one thread reads of a texture, and where it accesses a surface.

use super::address::{Axis, ONE, Tap, face};
use super::descriptor::{AddressMode, ChannelKind, Filter, Format, ReadMode, Texels, Texture};
use ir::{Outside, Sampling, SurfaceAccess, TextureQuery};

/// Where an access to a surface goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To that address.
    At(u64),
    /// Nowhere.
    Nowhere,
    /// Outside, where it must not go.
    Trap,
}

/// A component of a texture at the coordinates of a thread, as 32 bits. `read` reads so many bytes of device memory.
pub(crate) fn sample<E>(
    texture: &Texture,
    what: Sampling,
    coordinates: [u32; 4],
    mut read: impl FnMut(u64, u32) -> Result<u32, E>,
) -> Result<u32, E> {
    let Format { channels, bits, kind } = texture.texels.format;
    if what.component >= channels {
        return Ok(0);
    }
    let bytes = u32::from(bits / 8);
    let of_component = u64::from(what.component) * u64::from(bytes);
    let mut texel =
        |place: [Option<u32>; 3], layer: u32| match address(&texture.texels, place, layer) {
            Some(address) => {
                read(address + of_component, bytes).map(|raw| extended(raw, bits, kind))
            }
            None => Ok(0),
        };
    let (layer, taps) = footprint(texture, what, coordinates);
    let [x, y, z] = taps;
    if let Some(nth) = what.gathered {
        // The texels from the lower left on, counterclockwise.
        let (x, y) = match nth {
            0 => (x[0], y[1]),
            1 => (x[1], y[1]),
            2 => (x[1], y[0]),
            _ => (x[0], y[0]),
        };
        let raw = texel([x.index, y.index, z[0].index], layer)?;
        return Ok(unfiltered(texture, raw));
    }
    if texture.filter == Filter::Point || !what.float {
        let raw = texel([x, y, z].map(|[tap, _]| tap.index), layer)?;
        return Ok(unfiltered(texture, raw));
    }
    let (mut sum, mut whole) = (0.0, 1.0);
    let axes = usize::from(if what.geometry.cube { 2 } else { what.geometry.dimensions });
    for _ in 0..axes {
        whole *= f64::from(ONE);
    }
    let weights = |tap: Tap, axis: usize| if axis < axes { f64::from(tap.weight) } else { 1.0 };
    for z in &z[..if axes > 2 { 2 } else { 1 }] {
        for y in &y[..if axes > 1 { 2 } else { 1 }] {
            for x in x {
                let weight = weights(x, 0) * weights(*y, 1) * weights(*z, 2);
                if weight > 0.0 {
                    let raw = texel([x.index, y.index, z.index], layer)?;
                    // The product is exact: a weight has at most 25 bits, a value at most 24.
                    sum += weight * value(texture, raw);
                }
            }
        }
    }
    Ok(((sum / (whole * scale(texture))) as f32).to_bits())
}

/// The layer, and the texels of each axis.
fn footprint(texture: &Texture, what: Sampling, coordinates: [u32; 4]) -> (u32, [[Tap; 2]; 3]) {
    let texels = &texture.texels;
    let first = usize::from(what.geometry.layered);
    let given = |axis: usize| {
        let bits = coordinates.get(first + axis).copied().unwrap_or(0);
        match what.float {
            true => f64::from(f32::from_bits(bits)),
            false => f64::from(bits.cast_signed()),
        }
    };
    let mut at = [given(0), given(1), given(2)];
    let cubes = if what.geometry.cube { 6 } else { 1 };
    let last = (texels.layers / cubes).max(1) - 1;
    let mut layer = if what.geometry.layered { coordinates[0].min(last) } else { 0 };
    if what.geometry.cube {
        let (face, [s, t]) = face(at);
        layer = (layer * cubes).saturating_add(face);
        at = [s, t, 0.0];
    }
    let mut axes = 0..;
    let taps = at.map(|at| {
        let axis: usize = axes.next().unwrap_or(0);
        let given = usize::from(if what.geometry.cube { 2 } else { what.geometry.dimensions });
        let extent = texels.extents[axis].max(1);
        let none = Tap { index: Some(0), weight: ONE };
        if axis >= given {
            return [none, none];
        }
        let (mode, normalized) = match what.geometry.cube {
            true => (AddressMode::Clamp, true),
            false => (texture.address[axis], texture.normalized && what.float),
        };
        let filter = match (what.gathered, what.float) {
            (Some(_), _) => Filter::Linear,
            (None, true) => texture.filter,
            (None, false) => Filter::Point,
        };
        Axis { extent, mode, filter, normalized }.taps(at)
    });
    (layer, taps)
}

/// The address of a texel; `None` for the border.
fn address(texels: &Texels, [x, y, z]: [Option<u32>; 3], layer: u32) -> Option<u64> {
    let (x, y, z) = (u64::from(x?), u64::from(y?), u64::from(z?));
    let slice = (z + u64::from(layer)).wrapping_mul(texels.slice);
    let row = y.wrapping_mul(texels.pitch).wrapping_add(slice);
    Some(texels.address.wrapping_add(row).wrapping_add(x * texels.format.bytes()))
}

/// A component as 32 bits: integers extended, binary16 as binary32.
fn extended(raw: u32, bits: u8, kind: ChannelKind) -> u32 {
    match (kind, bits) {
        (ChannelKind::Signed, 8) => i32::from(raw as u8 as i8).cast_unsigned(),
        (ChannelKind::Signed, 16) => i32::from(raw as u16 as i16).cast_unsigned(),
        (ChannelKind::Float, 16) => numeric::convert::f32::from_f16(raw as u16),
        (ChannelKind::Unsigned | ChannelKind::Signed | ChannelKind::Float, _) => raw,
    }
}

/// What a thread gets of an extended component.
fn unfiltered(texture: &Texture, raw: u32) -> u32 {
    let is_integer = texture.texels.format.kind != ChannelKind::Float;
    match texture.read == ReadMode::Normalized && is_integer {
        true => ((value(texture, raw) / scale(texture)) as f32).to_bits(),
        false => raw,
    }
}

/// An extended component as a number, which [`scale`] divides.
fn value(texture: &Texture, raw: u32) -> f64 {
    match texture.texels.format.kind {
        ChannelKind::Unsigned => f64::from(raw),
        // The lowest integer is -1, as the one above it.
        ChannelKind::Signed => f64::from(raw.cast_signed()).max(-scale(texture)),
        ChannelKind::Float => f64::from(f32::from_bits(raw)),
    }
}

/// The number that means 1.
fn scale(texture: &Texture) -> f64 {
    let Format { bits, kind, .. } = texture.texels.format;
    match kind {
        ChannelKind::Unsigned => ((1_u64 << bits) - 1) as f64,
        ChannelKind::Signed => ((1_u64 << (bits - 1)) - 1) as f64,
        ChannelKind::Float => 1.0,
    }
}

/// Where a thread accesses a surface.
pub(crate) fn surface(texels: &Texels, what: SurfaceAccess, coordinates: [u32; 4]) -> Place {
    let first = usize::from(what.geometry.layered);
    let row = u64::from(texels.extents[0]) * texels.format.bytes();
    // The first and the last place where an access of so many bytes lies inside, of each axis.
    let Some(last) = row.checked_sub(what.bytes.into()) else { return outside(what.outside) };
    let lasts =
        [last, u64::from(texels.extents[1].max(1)) - 1, u64::from(texels.extents[2].max(1)) - 1];
    let mut at = [0; 3];
    let axes = at.iter_mut().zip(lasts).take(what.geometry.dimensions.into());
    for ((at, last), given) in axes.zip(&coordinates[first..]) {
        match place(i64::from(given.cast_signed()), last, what.outside) {
            Some(inside) => *at = inside,
            None => return outside(what.outside),
        }
    }
    let mut layer = 0;
    if what.geometry.layered {
        let last = u64::from(texels.layers.max(1)) - 1;
        match place(i64::from(coordinates[0]), last, what.outside) {
            Some(inside) => layer = inside,
            None => return outside(what.outside),
        }
    }
    let slice = (at[2] + layer).wrapping_mul(texels.slice);
    let row = at[1].wrapping_mul(texels.pitch).wrapping_add(slice);
    Place::At(texels.address.wrapping_add(row).wrapping_add(at[0]))
}

/// A coordinate inside; `None` if it is outside and nothing brings it in.
fn place(given: i64, last: u64, outside: Outside) -> Option<u64> {
    match (u64::try_from(given), outside) {
        (Ok(at), _) if at <= last => Some(at),
        (given, Outside::Clamp) => Some(if given.is_ok() { last } else { 0 }),
        (_, Outside::Trap | Outside::Zero) => None,
    }
}

fn outside(what: Outside) -> Place {
    match what {
        Outside::Trap => Place::Trap,
        Outside::Clamp | Outside::Zero => Place::Nowhere,
    }
}

/// What is so of a texture or a surface.
pub(super) fn query(texels: &Texels, normalized: bool, what: TextureQuery) -> u32 {
    match what {
        TextureQuery::Width => texels.extents[0],
        TextureQuery::Height => texels.extents[1],
        TextureQuery::Depth => texels.extents[2],
        TextureQuery::Layers => texels.layers,
        TextureQuery::Normalized => normalized.into(),
        TextureQuery::Levels => 1,
    }
}
