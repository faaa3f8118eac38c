//! What the lanes of a warp read of one texture, all at a time: the common cases, bit for bit as `read.rs` has them lane by lane.
//!
//! All is plain loops over lanes, inlined into handlers, so that it is compiled for each level of vector instructions.

use super::axis::{Axis, Taps};
use super::border;
use super::descriptor::{Format, Texture};
use super::sum::{AT_ONCE, Sum};
use super::texel::{Texel, of_component};
use super::weight::{ONE, weights};
use ir::{Detail, Filter, Sampling};
use lanes::{Lanes, WARP};

/// Where the texels are that the lanes of a warp want, and how much each counts.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    /// What was asked, the component aside; `None` if nothing was.
    what: Option<Sampling>,
    coordinates: [Lanes<u32>; 4],
    axes: [Taps<WARP>; 3],
    /// How many axes there are.
    count: usize,
    /// Bytes from the first texel of an axis, of the lower one and of the one behind it.
    offsets: [[Lanes<u32>; 2]; 3],
    /// How much texels count where means are read.
    weights: [Lanes<f64>; 8],
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

impl WarpTexture {
    /// `None` if its lanes are to read one by one: levels of detail, and texels of 4 GiB and more.
    pub(crate) fn new(texture: &Texture) -> Option<WarpTexture> {
        let bytes = u32::try_from(texture.texels.bytes()?).ok()?;
        let is_small = texture.texels.extents.iter().all(|extent| i32::try_from(*extent).is_ok());
        (is_small && texture.levels.count <= 1).then_some(WarpTexture { texture: *texture, bytes })
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
        let filter = texture.filter_of(what);
        let is_row = texture.is_row_of_plane(what, filter);
        footprint.count = if is_row { 2 } else { usize::from(what.geometry.dimensions).min(3) };
        for (nth, step) in steps.into_iter().enumerate().take(footprint.count) {
            let (extent, mode) = (texels.extents[nth], texture.address[nth]);
            let axis = Axis::new(extent, mode, texture.normalized && what.float, 0);
            let zero = [0; WARP];
            let coordinates = match footprint.coordinates.get(first + nth) {
                Some(coordinates) if !(is_row && nth == 1) => coordinates,
                _ => &zero,
            };
            let taps = &mut footprint.axes[nth];
            axis.find(coordinates, (what.float, filter), taps);
            for (offsets, indices) in footprint.offsets[nth].iter_mut().zip(&taps.index) {
                for (offset, index) in offsets.iter_mut().zip(indices) {
                    *offset = index.wrapping_mul(step as u32);
                }
            }
        }
        if filter == Filter::Linear {
            let none = [0; WARP];
            let high = |nth: usize| {
                if nth < footprint.count { &footprint.axes[nth].high } else { &none }
            };
            let high = [high(0), high(1), high(2)];
            footprint.weights = weights(&[ONE; WARP], high, footprint.count);
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
        let Format { channels, bits, .. } = self.texture.texels.format;
        if component >= channels {
            return [0; WARP];
        }
        // SAFETY: as for the caller: a texel has that component.
        unsafe {
            let base = base.add(usize::from(component) * usize::from(bits / 8));
            of_component!(self.texture, component, Type => {
                self.read_as::<Type>(base, footprint, component)
            })
        }
    }

    /// # Safety
    /// As for [`WarpTexture::read`], with the component's first byte, of which `T` is the type.
    #[inline(always)]
    unsafe fn read_as<T: Texel>(
        &self,
        base: *const u8,
        footprint: &Footprint,
        component: u8,
    ) -> Lanes<u32> {
        let what = footprint.what;
        let is_float = what.is_some_and(|what| what.float);
        let outside = if is_float { border::texel(&self.texture, component) } else { 0 };
        let outside = T::from_bits(outside);
        if what.is_some_and(|what| self.texture.filter_of(what) == Filter::Linear) {
            // SAFETY: as for the caller.
            return unsafe { mean(base, footprint, outside) };
        }
        // SAFETY: as for the caller.
        let texels = unsafe { footprint.texels(base, [0; 3], outside) };
        texels.map(|texel| texel.read(self.texture.read))
    }
}

/// The means of the texels around.
///
/// # Safety
/// As for [`WarpTexture::read_as`].
#[inline(always)]
unsafe fn mean<T: Texel>(base: *const u8, footprint: &Footprint, outside: T) -> Lanes<u32> {
    let mut sum = Sum::new();
    let around = 1_usize << footprint.count;
    let at_once = around.min(AT_ONCE);
    for first in (0..around).step_by(AT_ONCE) {
        let sides = |nth: usize| [nth & 1, nth >> 1 & 1, (first + nth) >> 2];
        let mut texels = [[T::default(); WARP]; AT_ONCE];
        for (nth, texels) in texels.iter_mut().enumerate().take(at_once) {
            // SAFETY: as for the caller.
            *texels = unsafe { footprint.texels(base, sides(nth), outside) };
        }
        let weights = &footprint.weights[first..first + at_once];
        sum.add(&texels[..at_once], weights, |nth| footprint.count_in(sides(nth)));
    }
    sum.means::<T>()
}

impl Footprint {
    /// That of no coordinates.
    pub(crate) fn new() -> Footprint {
        Footprint {
            what: None,
            coordinates: [[0; WARP]; 4],
            axes: [Taps::default(), Taps::default(), Taps::default()],
            count: 0,
            offsets: [[[0; WARP]; 2]; 3],
            weights: [[0.0; WARP]; 8],
            layer: [0; WARP],
        }
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

    /// Texels of each axis' lower coordinate or of the one behind it.
    ///
    /// # Safety
    /// As for [`WarpTexture::read_as`].
    #[inline(always)]
    unsafe fn texels<T: Texel>(&self, base: *const u8, sides: [usize; 3], outside: T) -> [T; WARP] {
        let mut offsets = self.layer;
        for (steps, side) in self.offsets.iter().zip(sides).take(self.count) {
            for (offset, step) in offsets.iter_mut().zip(&steps[side]) {
                *offset = offset.wrapping_add(*step);
            }
        }
        // SAFETY: as for the caller.
        let mut texels = unsafe { gather::<T>(base, &offsets) };
        for (taps, side) in self.axes.iter().zip(sides).take(self.count) {
            if taps.has_outside {
                for (texel, is_outside) in texels.iter_mut().zip(&taps.outside[side]) {
                    *texel = if *is_outside { outside } else { *texel };
                }
            }
        }
        texels
    }

    /// Whether a texel counts: on no axis do the coordinates lie at the centre of the other one.
    fn count_in(&self, sides: [usize; 3]) -> [bool; WARP] {
        let mut counts = [true; WARP];
        for (taps, side) in self.axes.iter().zip(sides).take(self.count) {
            for (counts, high) in counts.iter_mut().zip(&taps.high) {
                *counts &= side == 0 || *high > 0;
            }
        }
        counts
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
