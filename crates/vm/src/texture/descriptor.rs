//! What textures and surfaces are.

use ir::{AddressMode, Filter, Sampler};
use std::fmt;
use std::ops::Range;

/// What the components of a texel are (`cudaChannelFormatKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Integers without a sign.
    Unsigned,
    /// Two's complement.
    Signed,
    /// Binary16 or binary32.
    Float,
}

/// The format of a texel (`cudaChannelFormatDesc`): components of one type, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// 1, 2 or 4.
    pub channels: u8,
    /// Bits of one: 8, 16 or 32.
    pub bits: u8,
    /// What they are.
    pub kind: ChannelKind,
}

impl Format {
    /// Bytes of a texel.
    pub fn bytes(self) -> u64 {
        u64::from(self.channels) * u64::from(self.bits / 8)
    }
}

/// Texels in device memory: rows of them, planes or layers of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texels {
    /// The address of the first one.
    pub address: u64,
    /// What each is.
    pub format: Format,
    /// Width, height and depth in texels; 0 for a dimension that there is not.
    pub extents: [u32; 3],
    /// Layers; six for each cube of a cube map; 0 if it has none.
    pub layers: u32,
    /// Bytes from a row to the next.
    pub pitch: u64,
    /// Bytes from a plane or a layer to the next.
    pub slice: u64,
}

impl Texels {
    /// Texels that lie one behind the other without gaps.
    pub fn dense(address: u64, format: Format, extents: [u32; 3], layers: u32) -> Texels {
        let mut texels = Texels { address, format, extents, layers, pitch: 0, slice: 0 };
        texels.pitch = texels.row_bytes();
        texels.slice = texels.pitch.saturating_mul(extents[1].max(1).into());
        texels
    }

    /// The texels of an array (`cudaArray_t`), whose rows begin at multiples of 16 bytes: an access to a surface may be wider
    /// than a texel, and is aligned if its place in the row is.
    pub fn array(address: u64, format: Format, extents: [u32; 3], layers: u32) -> Texels {
        let dense = Texels::dense(address, format, extents, layers);
        let pitch = dense.pitch.checked_next_multiple_of(ROW).unwrap_or(u64::MAX);
        Texels { pitch, slice: pitch.saturating_mul(extents[1].max(1).into()), ..dense }
    }

    /// Bytes of the texels of a row.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.extents[0]).saturating_mul(self.format.bytes())
    }

    /// Bytes of all texels, without what lies between rows; `None` if there are too many.
    pub fn contents(&self) -> Option<u64> {
        let rows = u64::from(self.extents[1].max(1));
        let slices = u64::from(self.extents[2].max(self.layers).max(1));
        self.row_bytes().checked_mul(rows)?.checked_mul(slices)
    }

    /// So many bytes of the texels, from one on, if they are counted without what lies between rows: for those of each row where they
    /// lie from the first texel on, and which they are.
    pub fn pieces(self, first: u64, count: usize) -> impl Iterator<Item = (u64, Range<usize>)> {
        let mut done = 0_usize;
        std::iter::from_fn(move || {
            let (place, here) = self.place(first.saturating_add(done as u64));
            let here = usize::try_from(here).unwrap_or(usize::MAX);
            let piece = done..count.min(done.saturating_add(here));
            done = piece.end;
            (!piece.is_empty()).then_some((place, piece))
        })
    }

    /// Where a byte lies, and how many are in its row from there on.
    fn place(&self, nth: u64) -> (u64, u64) {
        let row = self.row_bytes().max(1);
        let (rows, inside) = (nth / row, nth % row);
        let height = u64::from(self.extents[1].max(1));
        let (slice, row_of_it) = (rows / height, rows % height);
        let before = slice.saturating_mul(self.slice).saturating_add(row_of_it * self.pitch);
        (before.saturating_add(inside), row - inside)
    }

    /// Bytes from the first texel to the end of the last one; `None` if no memory holds them.
    pub fn bytes(&self) -> Option<u64> {
        let [width, height, depth] = self.extents.map(|extent| u64::from(extent.max(1)));
        let rows = self.pitch.checked_mul(height - 1)?;
        let slices = self.slice.checked_mul(depth.max(self.layers.into()) - 1)?;
        width.checked_mul(self.format.bytes())?.checked_add(rows)?.checked_add(slices)
    }

    /// The texels of a level of detail, of which these are those of the first, an array each. Extents halve from level to level; a level begins at a
    /// multiple of [`LEVEL`] bytes behind the beginning of the one before.
    pub fn level(&self, nth: u32) -> Texels {
        let mut level = *self;
        for _ in 0..nth.min(MAX_LEVELS) {
            let halved = |extent: u32| if extent == 0 { 0 } else { (extent / 2).max(1) };
            let bytes = level.bytes().unwrap_or(0).next_multiple_of(LEVEL);
            let address = level.address.saturating_add(bytes);
            let extents = level.extents.map(halved);
            level = Texels::array(address, level.format, extents, level.layers);
        }
        level
    }

    /// Levels of detail, at most: the last one has one texel.
    pub fn most_levels(&self) -> u32 {
        let largest = self.extents.iter().copied().max().unwrap_or(1).max(1);
        largest.ilog2() + 1
    }

    /// The same as [`Texels::bytes`] for so many levels of detail.
    pub fn bytes_of_levels(&self, levels: u32) -> Option<u64> {
        let last = self.level(levels.max(1) - 1);
        (last.address - self.address).checked_add(last.bytes()?)
    }

    /// Why they cannot be.
    pub(super) fn check(&self) -> Result<(), TextureError> {
        let Format { channels, bits, kind } = self.format;
        if !matches!(channels, 1 | 2 | 4) {
            return Err(TextureError("a texel has 1, 2 or 4 channels"));
        }
        if !matches!((bits, kind), (16 | 32, _) | (8, ChannelKind::Unsigned | ChannelKind::Signed))
        {
            return Err(TextureError("a channel has 8, 16 or 32 bits, one of floats 16 or 32"));
        }
        match self.extents {
            [0, _, _] => return Err(TextureError("a texture has at least one texel")),
            [_, 0, depth] if depth > 0 => {
                return Err(TextureError("what has a depth has a height"));
            }
            [_, _, depth] if depth > 0 && self.layers > 0 => {
                return Err(TextureError("layers have no depth"));
            }
            _ => {}
        }
        let row = self.row_bytes();
        if self.pitch < row || self.slice < row {
            return Err(TextureError("rows, planes or layers overlap"));
        }
        let end = self.bytes().and_then(|bytes| self.address.checked_add(bytes));
        end.map(|_| ()).ok_or(TextureError("these are more texels than any memory holds"))
    }
}

/// What is read of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadMode {
    /// Themselves.
    Element,
    /// Floats: the largest integer of their type is 1, and -1 the one opposite to it. 8 and 16 bits only.
    Normalized,
}

/// Rows of arrays begin at multiples of so many bytes: as many as the widest access to a surface has.
const ROW: u64 = 16;
/// Levels of detail begin at multiples of so many bytes, counted from the first one.
pub const LEVEL: u64 = 512;
/// Levels of detail of any texture, at most.
const MAX_LEVELS: u32 = 32;

/// The levels of detail of a texture (`mipmapFilterMode` and what follows in `cudaTextureDesc`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// How many there are ([`Texels::level`]); 0 if the texture is not mipmapped, and so has its texels alone.
    pub count: u32,
    /// What a number between two levels means: the nearest one, or the mean of both.
    pub filter: Filter,
    /// What is added to the number of a level that an access asks for.
    pub bias: f32,
    /// The least and the greatest number then.
    pub clamp: [f32; 2],
}

/// A texture (`cudaTextureDesc`), with its texels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// The texels.
    pub texels: Texels,
    /// What coordinates outside mean, of each dimension.
    pub address: [AddressMode; 3],
    /// How values are made.
    pub filter: Filter,
    /// What integers are read as.
    pub read: ReadMode,
    /// Whether float coordinates go from 0 to 1 over the texture; else they count texels.
    pub normalized: bool,
    /// What components are outside, where the mode is [`AddressMode::Border`]: as they are read, bits of floats or of integers.
    pub border: [u32; 4],
    /// Whether the first three components, which are integers of 8 bits without a sign and are read as floats, are those of the
    /// colour space sRGB, and are read as linear ones.
    pub srgb: bool,
    /// Its levels of detail.
    pub levels: Levels,
}

impl Texture {
    /// A texture of which the nearest texel is read as it is, the nearest also outside, by coordinates that count texels, and which has
    /// one level of detail.
    pub fn new(texels: Texels) -> Texture {
        let levels = Levels { count: 0, filter: Filter::Point, bias: 0.0, clamp: [0.0; 2] };
        Texture {
            texels,
            address: [AddressMode::Clamp; 3],
            filter: Filter::Point,
            read: ReadMode::Element,
            normalized: false,
            border: [0; 4],
            srgb: false,
            levels,
        }
    }

    /// Why it cannot be.
    pub(super) fn check(&self) -> Result<(), TextureError> {
        self.texels.check()?;
        let Format { bits, kind, .. } = self.texels.format;
        if self.read == ReadMode::Normalized && kind != ChannelKind::Float && bits == 32 {
            return Err(TextureError(
                "only integers of 8 and 16 bits are read as normalized floats",
            ));
        }
        if self.levels.count > self.texels.most_levels() {
            return Err(TextureError("the last level of detail has a texel"));
        }
        let is_float = |number: &f32| number.is_finite();
        if ![self.levels.bias].iter().chain(&self.levels.clamp).all(is_float) {
            return Err(TextureError("levels of detail are finite numbers"));
        }
        if self.levels.count > 1 && self.texels.bytes_of_levels(self.levels.count).is_none() {
            return Err(TextureError("these are more texels than any memory holds"));
        }
        if self.srgb && (bits, kind, self.read) != (8, ChannelKind::Unsigned, ReadMode::Normalized)
        {
            return Err(TextureError(
                "only integers of 8 bits without a sign that are read as floats are of sRGB",
            ));
        }
        let either = self.filter == Filter::Linear || self.levels.filter == Filter::Linear;
        if either && !self.is_float() {
            return Err(TextureError("linear filtering needs texels that are read as floats"));
        }
        Ok(())
    }

    /// The same texture, read as a sampler says.
    pub(crate) fn sampled_by(self, sampler: Sampler) -> Texture {
        let Sampler { address, filter, unnormalized } = sampler;
        let filter = if self.is_float() { filter } else { Filter::Point };
        Texture { address, filter, normalized: self.normalized && !unnormalized, ..self }
    }

    /// Whether what is read are floats.
    pub fn is_float(&self) -> bool {
        self.texels.format.kind == ChannelKind::Float || self.read == ReadMode::Normalized
    }
}

/// Why a texture or a surface cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureError(pub(super) &'static str);

impl fmt::Display for TextureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for TextureError {}
