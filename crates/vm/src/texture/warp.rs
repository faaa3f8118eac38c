//! What the lanes of a warp read of one texture, all at a time: the common cases, bit for bit as `read.rs` has them lane by lane.
//!
//! All is plain loops over lanes, inlined into handlers, so that it is compiled for each level of vector instructions.

use super::address::ONE;
use super::axis::{Axes, WarpAxis};
use super::descriptor::{ChannelKind, Format, ReadMode, Texture};
use super::read::{mean_bits, scale};
use ir::{AddressMode, Detail, Filter, Sampling};
use lanes::{Lanes, WARP};

/// Where the texels are that the lanes of a warp want, and how much each counts.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    /// What was asked, the component aside; `None` if nothing was.
    what: Option<Sampling>,
    coordinates: [Lanes<u32>; 4],
    axes: Axes,
    /// Bytes from the first texel to the layer.
    layer: Lanes<u32>,
}

/// A texture as a warp reads it.
#[derive(Clone, Debug)]
pub(crate) struct WarpTexture {
    texture: Texture,
    /// Bytes from the first texel to the end of the last one.
    bytes: u32,
}

/// The mode that is in force.
fn in_force(mode: AddressMode, normalized: bool) -> AddressMode {
    match mode {
        AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
        AddressMode::Wrap | AddressMode::Clamp | AddressMode::Mirror | AddressMode::Border => mode,
    }
}

impl WarpTexture {
    /// `None` if its lanes are to read one by one: levels of detail, sRGB, and texels of 4 GiB and more.
    pub(crate) fn new(texture: &Texture) -> Option<WarpTexture> {
        let bytes = u32::try_from(texture.texels.bytes()?).ok()?;
        let is_small = texture.texels.extents.iter().all(|extent| i32::try_from(*extent).is_ok());
        let is_common = is_small && texture.levels.count <= 1 && !texture.srgb;
        is_common.then_some(WarpTexture { texture: *texture, bytes })
    }

    /// The first of its bytes, and how many there are. The texels of every coordinate lie among them.
    pub(crate) fn extent(&self) -> (u64, u64) {
        (self.texture.texels.address, self.bytes.into())
    }

    /// Whether lanes that ask so are to read one by one.
    pub(crate) fn is_rare(what: Sampling) -> bool {
        let is_said = what.detail != Detail::Base || what.has_sampler;
        what.geometry.cube || what.gathered.is_some() || is_said
    }

    /// Whether the mean of texels is read.
    fn is_filtered(&self, what: Sampling) -> bool {
        self.texture.filter == Filter::Linear && what.float
    }

    /// Makes a footprint that of the lanes' coordinates, unless it is already. Lanes that want nothing may have any.
    #[inline(always)]
    pub(crate) fn find(
        &self,
        footprint: &mut Footprint,
        what: Sampling,
        coordinates: &[Lanes<u32>; 4],
    ) {
        if !footprint.is_of(what, coordinates) {
            (footprint.what, footprint.coordinates) = (Some(what), *coordinates);
            self.place(footprint, what);
        }
    }

    #[inline(always)]
    fn place(&self, footprint: &mut Footprint, what: Sampling) {
        let texture = &self.texture;
        let texels = &texture.texels;
        let first = usize::from(what.geometry.layered);
        let steps = [texels.format.bytes(), texels.pitch, texels.slice];
        let normalized = texture.normalized && what.float;
        let axes = usize::from(what.geometry.dimensions).min(3);
        footprint.axes.count = axes;
        for (axis, step) in steps.into_iter().enumerate().take(axes) {
            let found = WarpAxis {
                extent: texels.extents[axis].max(1),
                step: step as u32,
                mode: in_force(texture.address[axis], normalized),
                normalized,
            };
            let Some(coordinates) = footprint.coordinates.get(first + axis) else { continue };
            let taps = &mut footprint.axes.taps[axis];
            match (what.float, self.is_filtered(what)) {
                (true, true) => found.linear(coordinates, taps),
                (true, false) => found.nearest(coordinates, taps),
                (false, _) => found.integers(coordinates, taps),
            }
        }
        let last = texels.layers.max(1) - 1;
        for (layer, given) in footprint.layer.iter_mut().zip(&footprint.coordinates[0]) {
            let nth = if what.geometry.layered { (*given).min(last) } else { 0 };
            *layer = nth.wrapping_mul(texels.slice as u32);
        }
    }

    /// A component for each lane.
    ///
    /// # Safety
    /// The texture's bytes ([`WarpTexture::extent`]) can be read from `base` on, and the footprint is one of this texture.
    #[inline(always)]
    pub(crate) unsafe fn read(
        &self,
        base: *const u8,
        footprint: &Footprint,
        component: u8,
    ) -> Lanes<u32> {
        let Format { channels, bits, kind } = self.texture.texels.format;
        if component >= channels {
            return [0; WARP];
        }
        // SAFETY: as for the caller: a texel has that component.
        unsafe {
            let base = base.add(usize::from(component) * usize::from(bits / 8));
            match (bits, kind) {
                (8, ChannelKind::Unsigned) => self.read_as::<u8>(base, footprint, component),
                (8, _) => self.read_as::<i8>(base, footprint, component),
                (16, ChannelKind::Unsigned) => self.read_as::<u16>(base, footprint, component),
                (16, ChannelKind::Signed) => self.read_as::<i16>(base, footprint, component),
                (16, ChannelKind::Float) => self.read_as::<Half>(base, footprint, component),
                (_, ChannelKind::Unsigned | ChannelKind::Signed) => {
                    self.read_as::<u32>(base, footprint, component)
                }
                (_, ChannelKind::Float) => self.read_as::<f32>(base, footprint, component),
            }
        }
    }

    /// # Safety
    /// As for [`WarpTexture::read`], with the component's first byte, of which `T` is the type.
    #[inline(always)]
    unsafe fn read_as<T: Channel>(
        &self,
        base: *const u8,
        footprint: &Footprint,
        component: u8,
    ) -> Lanes<u32> {
        let border = self.texture.border[usize::from(component & 3)];
        // SAFETY: as for the caller.
        unsafe {
            match footprint.what.is_some_and(|what| self.is_filtered(what)) {
                true => self.mean::<T>(base, footprint, f64::from(f32::from_bits(border))),
                false => self.nearest::<T>(base, footprint, border),
            }
        }
    }

    /// # Safety
    /// As for [`WarpTexture::read_as`].
    #[inline(always)]
    unsafe fn nearest<T: Channel>(
        &self,
        base: *const u8,
        footprint: &Footprint,
        border: u32,
    ) -> Lanes<u32> {
        // SAFETY: as for the caller.
        let raw = unsafe { gather::<T>(base, &footprint.offsets([0; 3])) };
        let mut found = [0; WARP];
        if T::IS_FLOAT || self.texture.read == ReadMode::Element {
            for (found, raw) in found.iter_mut().zip(&raw) {
                *found = raw.extended();
            }
        } else {
            let scale = scale(&self.texture);
            for (found, raw) in found.iter_mut().zip(&raw) {
                *found = ((raw.value(scale) / scale) as f32).to_bits();
            }
        }
        if footprint.axes.reach_border() {
            let outside = footprint.axes.outside([0; 3]);
            for (found, outside) in found.iter_mut().zip(&outside) {
                *found = if *outside != 0 { border } else { *found };
            }
        }
        found
    }

    /// # Safety
    /// As for [`WarpTexture::read_as`].
    #[inline(always)]
    unsafe fn mean<T: Channel>(
        &self,
        base: *const u8,
        footprint: &Footprint,
        border: f64,
    ) -> Lanes<u32> {
        let (axes, scale) = (&footprint.axes, scale(&self.texture));
        let (mut sum, mut outside) = ([0.0; WARP], [0.0; WARP]);
        let has_border = axes.reach_border();
        for nth in 0..1_usize << axes.count {
            let sides = [nth & 1, nth >> 1 & 1, nth >> 2 & 1];
            let weights = axes.weights(sides);
            // SAFETY: as for the caller.
            let raw = unsafe { gather::<T>(base, &footprint.offsets(sides)) };
            // What has no weight does not count, and may be no number.
            if has_border {
                let beyond = axes.outside(sides);
                for lane in 0..WARP {
                    let is_inside = beyond[lane] == 0;
                    let within = if is_inside { raw[lane].value(scale) } else { 0.0 };
                    let within = weights[lane] * within;
                    let without = weights[lane] * if is_inside { 0.0 } else { border };
                    sum[lane] += if weights[lane] > 0.0 { within } else { 0.0 };
                    outside[lane] += if weights[lane] > 0.0 { without } else { 0.0 };
                }
            } else {
                for lane in 0..WARP {
                    let product = weights[lane] * raw[lane].value(scale);
                    sum[lane] += if weights[lane] > 0.0 { product } else { 0.0 };
                }
            }
        }
        let whole = (0..axes.count).fold(1.0, |whole, _| whole * f64::from(ONE));
        let mut found = [0; WARP];
        let by = whole * scale;
        for (found, sum) in found.iter_mut().zip(&sum) {
            *found = mean_bits(sum / by);
        }
        if has_border {
            for lane in 0..WARP {
                let both = mean_bits((sum[lane] / scale + outside[lane]) / whole);
                found[lane] = if outside[lane] == 0.0 { found[lane] } else { both };
            }
        }
        found
    }
}

impl Footprint {
    /// That of no coordinates.
    pub(crate) fn new() -> Footprint {
        let (axes, layer) = (Axes::default(), [0; WARP]);
        Footprint { what: None, coordinates: [[0; WARP]; 4], axes, layer }
    }

    /// Whether it is that of these coordinates.
    #[inline(always)]
    fn is_of(&self, what: Sampling, coordinates: &[Lanes<u32>; 4]) -> bool {
        let Some(known) = self.what else { return false };
        let is_same = Sampling { component: what.component, ..known } == what;
        let mut differs = 0;
        for (known, asked) in self.coordinates.iter().zip(coordinates) {
            for (known, asked) in known.iter().zip(asked) {
                differs |= known ^ asked;
            }
        }
        is_same && differs == 0
    }

    /// Where texels begin: of each axis, the lower one or the one behind it.
    #[inline(always)]
    fn offsets(&self, sides: [usize; 3]) -> Lanes<u32> {
        let mut offsets = self.layer;
        for (taps, side) in self.axes.taps.iter().zip(sides).take(self.axes.count) {
            for (offset, step) in offsets.iter_mut().zip(&taps.offset[side]) {
                *offset = offset.wrapping_add(*step);
            }
        }
        offsets
    }
}

/// A type of components, in memory.
trait Channel: Copy + Default {
    /// Whether it is one of floats.
    const IS_FLOAT: bool;

    /// As 32 bits.
    fn extended(self) -> u32;

    /// As a number; the lowest integer is the one opposite to the largest.
    fn value(self, scale: f64) -> f64;
}

/// A binary16.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
struct Half(u16);

macro_rules! integer {
    ($($ty:ty: $wide:ty, $extended:expr;)*) => {
        $(
            impl Channel for $ty {
                const IS_FLOAT: bool = false;

                #[inline(always)]
                fn extended(self) -> u32 {
                    let extended: fn(Self) -> u32 = $extended;
                    extended(self)
                }

                #[inline(always)]
                fn value(self, scale: f64) -> f64 {
                    let value = f64::from(<$wide>::from(self));
                    if value < -scale { -scale } else { value }
                }
            }
        )*
    };
}

integer! {
    u8: i32, u32::from;
    u16: i32, u32::from;
    i8: i32, |raw| i32::from(raw).cast_unsigned();
    i16: i32, |raw| i32::from(raw).cast_unsigned();
    u32: u32, |raw| raw;
}

impl Channel for Half {
    const IS_FLOAT: bool = true;

    #[inline(always)]
    fn extended(self) -> u32 {
        numeric::convert::f32::from_f16(self.0)
    }

    #[inline(always)]
    fn value(self, _scale: f64) -> f64 {
        f64::from(f32::from_bits(self.extended()))
    }
}

impl Channel for f32 {
    const IS_FLOAT: bool = true;

    #[inline(always)]
    fn extended(self) -> u32 {
        self.to_bits()
    }

    #[inline(always)]
    fn value(self, _scale: f64) -> f64 {
        f64::from(self)
    }
}

/// Reads for each lane.
///
/// # Safety
/// A `T`, aligned or not, can be read at every offset.
#[inline(always)]
unsafe fn gather<T: Copy + Default>(base: *const u8, offsets: &Lanes<u32>) -> [T; WARP] {
    let mut found = [T::default(); WARP];
    for (found, offset) in found.iter_mut().zip(offsets) {
        // SAFETY: as for the caller.
        *found = unsafe { base.add(*offset as usize).cast::<T>().read_unaligned() };
    }
    found
}
