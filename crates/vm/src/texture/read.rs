//! What one thread reads of a texture, and where it accesses a surface.

use super::address::{Axis, ONE, Tap, face};
use super::asked::Asked;
use super::descriptor::{ChannelKind, Format, ReadMode, Texels, Texture};
use super::level::levels;
use ir::{AddressMode, Filter, Outside, Sampling, SurfaceAccess, SurfaceUnit};

/// Where an access to a surface goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To that address.
    At(u64),
    /// Nowhere.
    Nowhere,
    /// Outside, where it must not go.
    Trap,
    /// To texels that are no integers of so many bytes.
    Unfit(u8),
}

/// A component of a texture for a thread, as 32 bits. `read` reads so many bytes of device memory.
pub(crate) fn sample<E>(
    texture: &Texture,
    what: Sampling,
    asked: &Asked,
    mut read: impl FnMut(u64, u32) -> Result<u32, E>,
) -> Result<u32, E> {
    if what.component >= texture.texels.format.channels {
        return Ok(0);
    }
    let (level, weight) = levels(texture, what, asked);
    let mut at = Level { texture, what, texels: texture.texels.level(level), read: &mut read };
    if what.gathered.is_some() || (weight == 0 && (texture.filter == Filter::Point || !what.float))
    {
        return at.nearest(asked);
    }
    let low = at.mean(asked)?;
    if weight == 0 {
        return Ok(mean_bits(low));
    }
    at.texels = texture.texels.level(level + 1);
    let (high, part) = (at.mean(asked)?, f64::from(weight) / f64::from(ONE));
    Ok(mean_bits((1.0 - part) * low + part * high))
}

/// A level of detail that is read.
struct Level<'t, R> {
    texture: &'t Texture,
    what: Sampling,
    texels: Texels,
    read: R,
}

impl<E, R: FnMut(u64, u32) -> Result<u32, E>> Level<'_, R> {
    /// A component of a texel, extended to 32 bits; `None` for the border.
    fn texel(&mut self, place: [Option<u32>; 3], layer: u32) -> Result<Option<u32>, E> {
        let Format { bits, kind, .. } = self.texels.format;
        let Some(address) = address(&self.texels, place, layer) else { return Ok(None) };
        let bytes = u32::from(bits / 8);
        let of_component = u64::from(self.what.component) * u64::from(bytes);
        let raw = (self.read)(address.wrapping_add(of_component), bytes)?;
        Ok(Some(extended(raw, bits, kind)))
    }

    fn border(&self) -> u32 {
        self.texture.border[usize::from(self.what.component & 3)]
    }

    /// The texel that the coordinates lie in, or that is asked for.
    fn nearest(&mut self, asked: &Asked) -> Result<u32, E> {
        let (layer, [x, y, z]) = footprint(self.texture, &self.texels, self.what, asked);
        let place = match self.what.gathered {
            // The texels from the lower left on, counterclockwise.
            Some(nth) => {
                let (x, y) = match nth {
                    0 => (x[0], y[1]),
                    1 => (x[1], y[1]),
                    2 => (x[1], y[0]),
                    _ => (x[0], y[0]),
                };
                [x.index, y.index, z[0].index]
            }
            None => [x, y, z].map(|[tap, _]| tap.index),
        };
        let raw = self.texel(place, layer)?;
        Ok(raw.map_or(self.border(), |raw| unfiltered(self.texture, self.what.component, raw)))
    }

    /// The mean of the texels around, or the one that the coordinates lie in.
    fn mean(&mut self, asked: &Asked) -> Result<f64, E> {
        let (texture, what) = (self.texture, self.what);
        let (layer, [x, y, z]) = footprint(texture, &self.texels, what, asked);
        let is_srgb = texture.srgb && what.component < 3;
        let scale = if is_srgb { 1.0 } else { scale(texture) };
        let (mut sum, mut outside, mut whole) = (0.0, 0.0, 1.0);
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
                        // The products are exact: a weight has at most 25 bits, a value at most 24.
                        match self.texel([x.index, y.index, z.index], layer)? {
                            Some(raw) if is_srgb => sum += weight * linear(raw),
                            Some(raw) => sum += weight * value(texture, raw),
                            None => {
                                outside += weight * f64::from(f32::from_bits(self.border()));
                            }
                        }
                    }
                }
            }
        }
        Ok(if outside == 0.0 { sum / (whole * scale) } else { (sum / scale + outside) / whole })
    }
}

/// A mean as a thread gets it. One that is no number is canonical, as that of any arithmetic.
#[inline(always)]
pub(super) fn mean_bits(mean: f64) -> u32 {
    if mean.is_nan() { numeric::f32::NAN } else { (mean as f32).to_bits() }
}

/// What a component of 8 bits of the colour space sRGB is as a linear one (IEC 61966-2-1).
fn linear(raw: u32) -> f64 {
    let part = f64::from(raw) / 255.0;
    if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

/// The layer, and the texels of each axis.
fn footprint(
    texture: &Texture,
    texels: &Texels,
    what: Sampling,
    asked: &Asked,
) -> (u32, [[Tap; 2]; 3]) {
    let Asked { coordinates, offset, .. } = asked;
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
        let offset = offset[axis].cast_signed();
        Axis { extent, mode, filter, normalized, offset }.taps(at)
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
fn unfiltered(texture: &Texture, component: u8, raw: u32) -> u32 {
    if texture.srgb && component < 3 {
        return (linear(raw) as f32).to_bits();
    }
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
pub(super) fn scale(texture: &Texture) -> f64 {
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
    let texel = texels.format.bytes();
    let [width, height, depth] = texels.extents.map(|extent| u64::from(extent.max(1)));
    // The last place of a row where an access lies inside, and how many bytes it is from one to the next.
    let (last, step) = match what.unit {
        SurfaceUnit::Bytes(bytes) => match (width * texel).checked_sub(bytes.into()) {
            Some(last) => (last, 1),
            None => return outside(what.outside),
        },
        SurfaceUnit::Integer(bytes)
            if texel != u64::from(bytes)
                || texels.format.bits != 32
                || texels.format.kind == ChannelKind::Float =>
        {
            return Place::Unfit(bytes);
        }
        SurfaceUnit::Texel | SurfaceUnit::Integer(_) => (width - 1, texel),
    };
    let lasts = [last, height - 1, depth - 1];
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
    Place::At(texels.address.wrapping_add(row).wrapping_add(at[0] * step))
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
