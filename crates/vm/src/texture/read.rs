//! What one thread reads of a texture.

use super::asked::Asked;
use super::axis::{Axis, Taps};
use super::border;
use super::cube::face;
use super::descriptor::{Texels, Texture};
use super::level::levels;
use super::sum::{AT_ONCE, Sum};
use super::texel::{Texel, of_component};
use super::weight::{ONE, weights};
use ir::{AddressMode, Filter, Sampling};

/// A component of a texture for a thread, as 32 bits. `read` reads so many bytes of device memory.
pub(crate) fn sample<E>(
    texture: &Texture,
    what: Sampling,
    asked: &Asked,
    read: impl FnMut(u64, u32) -> Result<u32, E>,
) -> Result<u32, E> {
    if what.component >= texture.texels.format.channels {
        return Ok(0);
    }
    let mut reader = Reader { texture, what, asked, read };
    of_component!(texture, what.component, Type => reader.sample::<Type>())
}

/// What a thread wants to read.
struct Reader<'t, R> {
    texture: &'t Texture,
    what: Sampling,
    asked: &'t Asked,
    read: R,
}

/// Where the texels lie that a thread wants.
struct Place {
    layer: u32,
    axes: [Taps<1>; 3],
    /// How many axes there are.
    count: usize,
}

impl<E, R: FnMut(u64, u32) -> Result<u32, E>> Reader<'_, R> {
    fn sample<T: Texel>(&mut self) -> Result<u32, E> {
        let (level, weight) = levels(self.texture, self.what, self.asked);
        let first = self.texture.texels.level(level);
        let filter = self.texture.filter_of(self.what);
        if self.what.gathered.is_some() || (weight == 0 && filter == Filter::Point) {
            return self.nearest::<T>(&first);
        }
        let mut sum = Sum::new();
        self.add::<T>(&first, ONE - weight, &mut sum)?;
        if weight > 0 {
            self.add::<T>(&self.texture.texels.level(level + 1), weight, &mut sum)?;
        }
        let [mean] = sum.means::<T>();
        Ok(mean)
    }

    /// A component of a texel, of the axes' lower coordinate or of the one behind it.
    fn texel<T: Texel>(
        &mut self,
        texels: &Texels,
        place: &Place,
        sides: [usize; 3],
    ) -> Result<T, E> {
        let mut at = [0; 3];
        for ((at, taps), side) in at.iter_mut().zip(&place.axes).zip(sides) {
            if taps.has_outside && taps.outside[side][0] {
                let nothing = if self.what.float { self.border() } else { 0 };
                return Ok(T::from_bits(nothing));
            }
            *at = u64::from(taps.index[side][0]);
        }
        let [x, y, z] = at;
        let slice = (z + u64::from(place.layer)).wrapping_mul(texels.slice);
        let row = y.wrapping_mul(texels.pitch).wrapping_add(slice);
        let bytes = u32::from(texels.format.bits / 8);
        let in_row = x * texels.format.bytes() + u64::from(self.what.component) * u64::from(bytes);
        let address = texels.address.wrapping_add(row).wrapping_add(in_row);
        Ok(T::from_bits((self.read)(address, bytes)?))
    }

    fn border(&self) -> u32 {
        border::texel(self.texture, self.what.component)
    }

    /// The texel that the coordinates lie in, or that is asked for.
    fn nearest<T: Texel>(&mut self, texels: &Texels) -> Result<u32, E> {
        let filter = if self.what.gathered.is_some() { Filter::Linear } else { Filter::Point };
        let place = self.place(texels, filter);
        let sides = match self.what.gathered {
            // The texels from the lower left on, counterclockwise.
            Some(0) => [0, 1, 0],
            Some(1) => [1, 1, 0],
            Some(2) => [1, 0, 0],
            Some(_) | None => [0; 3],
        };
        Ok(self.texel::<T>(texels, &place, sides)?.read(self.texture.read))
    }

    /// Adds the texels around the coordinates, or the one that they lie in, which all together count so much.
    fn add<T: Texel>(&mut self, texels: &Texels, whole: u32, sum: &mut Sum<1>) -> Result<(), E> {
        let filter = self.texture.filter_of(self.what);
        let place = self.place(texels, filter);
        let high = [&place.axes[0].high, &place.axes[1].high, &place.axes[2].high];
        let all = weights(&[whole], high, place.count);
        let around = if filter == Filter::Linear { 1 << place.count } else { 1 };
        let (mut held, mut held_at) = ([[T::default()]; AT_ONCE], 0);
        for nth in 0..around {
            let sides = [nth & 1, nth >> 1 & 1, nth >> 2];
            held[nth % AT_ONCE] = match place.counts(sides) {
                true => [self.texel::<T>(texels, &place, sides)?],
                false => [T::default()],
            };
            if nth % AT_ONCE == AT_ONCE - 1 || nth + 1 == around {
                let weights = &all[held_at..=nth];
                sum.add(&held[..weights.len()], weights, |_| [true]);
                held_at = nth + 1;
            }
        }
        Ok(())
    }

    /// Where the texels are.
    fn place(&self, texels: &Texels, filter: Filter) -> Place {
        let (what, texture) = (self.what, self.texture);
        let Asked { mut coordinates, offset, .. } = *self.asked;
        let cubes = if what.geometry.cube { 6 } else { 1 };
        let last = (texels.layers / cubes).max(1) - 1;
        let mut layer = 0;
        if what.geometry.layered {
            layer = coordinates[0].min(last);
            coordinates.rotate_left(1);
        }
        let mut dimensions = usize::from(what.geometry.dimensions).min(3);
        let is_normalized = (texture.normalized || what.geometry.cube) && what.float;
        if what.geometry.cube {
            let [x, y, z, _] = coordinates.map(f32::from_bits);
            let (face, [s, t]) = face([x, y, z]);
            layer = (layer * cubes).saturating_add(face);
            coordinates = [s.to_bits(), t.to_bits(), 0, 0];
            dimensions = 2;
        }
        if texture.is_row_of_plane(what, filter) {
            coordinates[1] = 0;
            dimensions = 2;
        }
        let mut axes = [Taps::default(), Taps::default(), Taps::default()];
        for (nth, taps) in axes.iter_mut().enumerate().take(dimensions) {
            let (extent, mode) = (texels.extents[nth], texture.address[nth]);
            let axis = Axis::new(extent, mode, is_normalized, offset[nth].cast_signed());
            axis.find(&[coordinates[nth]], (what.float, filter), taps);
        }
        Place { layer, axes, count: dimensions }
    }
}

impl Place {
    /// Whether a texel counts: on no axis do the coordinates lie at the centre of the other one.
    fn counts(&self, sides: [usize; 3]) -> bool {
        self.axes.iter().zip(sides).all(|(taps, side)| side == 0 || taps.high[0] > 0)
    }
}

impl Texture {
    /// Whether a component is one of the colour space sRGB.
    pub(super) fn is_srgb(&self, component: u8) -> bool {
        self.srgb && component < 3
    }

    /// How texels are read: those of integer coordinates are no means.
    pub(super) fn filter_of(&self, what: Sampling) -> Filter {
        if what.float { self.filter } else { Filter::Point }
    }

    /// Whether a texture of one dimension is filtered as the row at 0 of a plane, of which half is border.
    pub(super) fn is_row_of_plane(&self, what: Sampling, filter: Filter) -> bool {
        what.float
            && what.geometry.dimensions == 1
            && !what.geometry.layered
            && filter == Filter::Linear
            && self.address[1] == AddressMode::Border
    }
}
