//! What instructions ask of textures and surfaces. It travels as a constant operand of a service of the host
//! ([`crate::Service::Sample`], [`crate::Service::SurfaceAddress`]).

/// The geometry of an access (PTX ISA 9.1, 9.7.10.3 tex: `.geom`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// How many coordinates lead to a texel of a layer: 1 to 3; of a cube map, the three of a direction.
    pub dimensions: u8,
    /// Whether a layer's number stands before the coordinates.
    pub layered: bool,
    /// Whether the coordinates are a direction, which leads to a face.
    pub cube: bool,
}

impl Geometry {
    /// The geometry of that name, without its dot; `None` for what has several samples a texel.
    pub fn from_word(word: &str) -> Option<Geometry> {
        let (layered, rest) = match word.strip_prefix('a') {
            Some(rest) => (true, rest),
            None => (false, word),
        };
        let (dimensions, cube) = match rest {
            "1d" => (1, false),
            "2d" => (2, false),
            "3d" => (3, false),
            "cube" => (3, true),
            _ => return None,
        };
        Some(Geometry { dimensions, layered, cube })
    }

    /// How many operands its coordinates are, the layer included.
    pub fn coordinates(self) -> usize {
        usize::from(self.dimensions) + usize::from(self.layered)
    }

    fn bits(self) -> u64 {
        u64::from(self.dimensions & 3) | u64::from(self.layered) << 2 | u64::from(self.cube) << 3
    }

    fn from_bits(bits: u64) -> Geometry {
        Geometry { dimensions: (bits & 3) as u8, layered: bits & 4 != 0, cube: bits & 8 != 0 }
    }
}

/// How an access chooses the level of detail (PTX ISA 9.1, 9.7.10.3 tex: `.mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// It is the first one.
    Base,
    /// By its number, of the type of the coordinates.
    Level,
    /// By how the coordinates change from a place to those beside it, in two directions.
    Gradient,
}

/// What a coordinate outside the texture means (CUDA C++ Programming Guide, "Texture Memory").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The texture repeats. Of coordinates that are not normalized, as [`AddressMode::Clamp`].
    Wrap,
    /// The nearest texel.
    Clamp,
    /// The texture repeats, every other time reversed. Of coordinates that are not normalized, as [`AddressMode::Clamp`].
    Mirror,
    /// The border colour.
    Border,
}

impl AddressMode {
    /// As `txq` and samplers have it: the place in { wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border } (PTX ISA 9.1, 9.7.10.5
    /// txq).
    pub fn number(self) -> u32 {
        match self {
            AddressMode::Wrap => 0,
            AddressMode::Mirror => 1,
            AddressMode::Clamp => 3,
            AddressMode::Border => 4,
        }
    }

    /// The mode of a number.
    pub fn from_number(number: u64) -> Option<AddressMode> {
        let all = [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp, AddressMode::Border];
        all.into_iter().find(|mode| u64::from(mode.number()) == number)
    }
}

/// How a value is made of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// It is the texel that the coordinates lie in.
    Point,
    /// It is the mean of the 2, 4 or 8 texels around, weighted by how near they are.
    Linear,
}

/// A sampler apart from textures (PTX ISA 9.1, 5.3.2 "Sampler Properties"): how the textures that it is named with are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// What coordinates outside mean, of each dimension.
    pub address: [AddressMode; 3],
    /// How values are made of texels that are read as floats; of integers, it is the nearest one.
    pub filter: Filter,
    /// Whether coordinates count texels, whatever the texture says (`force_unnormalized_coords`).
    pub unnormalized: bool,
}

impl Default for Sampler {
    /// What a variable is whose fields have no initial values: the nearest texel, inside, by coordinates as the texture has them.
    fn default() -> Sampler {
        Sampler { address: [AddressMode::Clamp; 3], filter: Filter::Point, unnormalized: false }
    }
}

/// What the handles of samplers begin with. They are no addresses, and say all of the sampler: no table knows them.
const SAMPLER: u64 = 0x5361 << 48;

impl Sampler {
    /// The number that kernels know it by: what a variable or a parameter of type `.samplerref` holds.
    pub fn handle(self) -> u64 {
        let [x, y, z] = self.address.map(|mode| u64::from(mode.number()));
        let linear = u64::from(self.filter == Filter::Linear);
        SAMPLER | x | y << 4 | z << 8 | linear << 12 | u64::from(self.unnormalized) << 13
    }

    /// The sampler of a handle, if it is one's.
    pub fn from_handle(handle: u64) -> Option<Sampler> {
        let mode = |nth: u32| AddressMode::from_number(handle >> (4 * nth) & 15);
        let sampler = Sampler {
            address: [mode(0)?, mode(1)?, mode(2)?],
            filter: if handle & 1 << 12 != 0 { Filter::Linear } else { Filter::Point },
            unnormalized: handle & 1 << 13 != 0,
        };
        (sampler.handle() == handle).then_some(sampler)
    }
}

/// One component that is read from a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampling {
    /// The geometry of the coordinates.
    pub geometry: Geometry,
    /// Whether coordinates are binary32, not 32-bit integers.
    pub float: bool,
    /// Which component: 0 to 3.
    pub component: u8,
    /// Which texel of the four that linear filtering would read, in the order of `tld4`, in place of the filtered value.
    pub gathered: Option<u8>,
    /// How the level of detail is chosen.
    pub detail: Detail,
    /// Whether a sampler apart says how the texture is read.
    pub has_sampler: bool,
}

impl Sampling {
    /// As a constant operand.
    pub fn bits(self) -> u64 {
        let gathered = self.gathered.map_or(0, |nth| 4 | u64::from(nth & 3));
        let detail = match self.detail {
            Detail::Base => 0,
            Detail::Level => 1,
            Detail::Gradient => 2,
        };
        self.geometry.bits()
            | u64::from(self.float) << 4
            | u64::from(self.component & 3) << 5
            | gathered << 7
            | detail << 10
            | u64::from(self.has_sampler) << 12
    }

    /// What an operand means.
    pub fn from_bits(bits: u64) -> Sampling {
        Sampling {
            geometry: Geometry::from_bits(bits),
            float: bits & 1 << 4 != 0,
            component: (bits >> 5 & 3) as u8,
            gathered: (bits & 1 << 9 != 0).then_some((bits >> 7 & 3) as u8),
            detail: match bits >> 10 & 3 {
                1 => Detail::Level,
                2 => Detail::Gradient,
                _ => Detail::Base,
            },
            has_sampler: bits & 1 << 12 != 0,
        }
    }
}

/// What an access outside a surface does (PTX ISA 9.1, 9.7.11.1 suld: `.clamp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outside {
    /// It stops the kernel.
    Trap,
    /// It goes to the nearest place inside.
    Clamp,
    /// It reads zero and writes nothing.
    Zero,
}

/// What an access to a surface is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceUnit {
    /// So many bytes, at most 32; the first coordinate, behind the layer, counts bytes.
    Bytes(u8),
    /// A texel, whatever its format; coordinates count texels.
    Texel,
    /// A texel that has so many bytes, all of integers; coordinates count texels.
    Integer(u8),
}

/// An access to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceAccess {
    /// The geometry of the coordinates.
    pub geometry: Geometry,
    /// What happens outside.
    pub outside: Outside,
    /// What is accessed.
    pub unit: SurfaceUnit,
}

impl SurfaceAccess {
    /// As a constant operand.
    pub fn bits(self) -> u64 {
        let outside = match self.outside {
            Outside::Trap => 0,
            Outside::Clamp => 1,
            Outside::Zero => 2,
        };
        let (unit, bytes) = match self.unit {
            SurfaceUnit::Bytes(bytes) => (0, bytes),
            SurfaceUnit::Texel => (1, 0),
            SurfaceUnit::Integer(bytes) => (2, bytes),
        };
        self.geometry.bits() | outside << 4 | unit << 6 | u64::from(bytes) << 8
    }

    /// What an operand means.
    pub fn from_bits(bits: u64) -> SurfaceAccess {
        SurfaceAccess {
            geometry: Geometry::from_bits(bits),
            outside: match bits >> 4 & 3 {
                1 => Outside::Clamp,
                2 => Outside::Zero,
                _ => Outside::Trap,
            },
            unit: match (bits >> 6 & 3, (bits >> 8) as u8) {
                (1, _) => SurfaceUnit::Texel,
                (2, bytes) => SurfaceUnit::Integer(bytes),
                (_, bytes) => SurfaceUnit::Bytes(bytes),
            },
        }
    }
}

/// What can be asked of a texture or a surface (PTX ISA 9.1, 9.7.10.5 txq, 9.7.11.4 suq).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureQuery {
    /// Texels in a row.
    Width,
    /// Rows; 0 if there is one dimension.
    Height,
    /// Planes; 0 if there are fewer than three dimensions.
    Depth,
    /// Layers; 0 if it has none.
    Layers,
    /// 1 if coordinates are normalized.
    Normalized,
    /// Levels of detail; 0 if it is not mipmapped.
    Levels,
    /// The type of a channel, as OpenCL numbers them (PTX ISA 9.1, 5.3.2 "Channel Data Type and Channel Order Fields").
    ChannelType,
    /// Which channels there are, as OpenCL numbers that.
    ChannelOrder,
    /// Samples of a texel; 0 if it is no texture of several.
    Samples,
    /// 0 for the nearest texel, 1 for the mean of those around.
    Filter,
    /// What coordinates outside mean, of each dimension: 0 the texture repeats, 1 it is mirrored, 3 the nearest texel, 4 the border.
    Mode0,
    /// The same of the second dimension.
    Mode1,
    /// The same of the third.
    Mode2,
    /// 1 if the texels are linear memory, and no array.
    Layout,
    /// 1 if coordinates count texels whatever the texture says. Of samplers alone.
    Unnormalized,
    /// The format of a texel: its channels, 256 times the bits of one, and 65536 times 0 for integers without a sign, 1 for those
    /// with one and 2 for floats. No instruction asks for it: formatted accesses to surfaces do.
    Format,
    /// What a handle leads to, if to anything: 1 for a texture, 2 for a sampler, 4 for a surface, else 0 (PTX ISA 9.1, 9.7.10.6
    /// istypep).
    Object,
}

impl TextureQuery {
    /// All of them; their places are their operands.
    const ALL: [TextureQuery; 17] = [
        Self::Width,
        Self::Height,
        Self::Depth,
        Self::Layers,
        Self::Normalized,
        Self::Levels,
        Self::ChannelType,
        Self::ChannelOrder,
        Self::Samples,
        Self::Filter,
        Self::Mode0,
        Self::Mode1,
        Self::Mode2,
        Self::Layout,
        Self::Unnormalized,
        Self::Format,
        Self::Object,
    ];

    /// The query of that name, without its dot.
    pub fn from_word(word: &str) -> Option<TextureQuery> {
        Some(match word {
            "width" => TextureQuery::Width,
            "height" => TextureQuery::Height,
            "depth" => TextureQuery::Depth,
            "array_size" => TextureQuery::Layers,
            "normalized_coords" => TextureQuery::Normalized,
            "num_mipmap_levels" => TextureQuery::Levels,
            "channel_data_type" => TextureQuery::ChannelType,
            "channel_order" => TextureQuery::ChannelOrder,
            "num_samples" => TextureQuery::Samples,
            "filter_mode" => TextureQuery::Filter,
            "addr_mode_0" => TextureQuery::Mode0,
            "addr_mode_1" => TextureQuery::Mode1,
            "addr_mode_2" => TextureQuery::Mode2,
            "memory_layout" => TextureQuery::Layout,
            "force_unnormalized_coords" => TextureQuery::Unnormalized,
            _ => return None,
        })
    }

    /// As a constant operand.
    pub fn bits(self) -> u64 {
        self as u64
    }

    /// What an operand means.
    pub fn from_bits(bits: u64) -> Option<TextureQuery> {
        Self::ALL.get(usize::try_from(bits).ok()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_mean_what_was_said() {
        for word in ["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"] {
            let geometry = Geometry::from_word(word).expect("a geometry");
            for gathered in [None, Some(0), Some(3)] {
                for (float, component) in [(false, 0), (true, 3), (true, 1)] {
                    for detail in [Detail::Base, Detail::Level, Detail::Gradient] {
                        for has_sampler in [false, true] {
                            let one = Sampling {
                                geometry,
                                float,
                                component,
                                gathered,
                                detail,
                                has_sampler,
                            };
                            assert_eq!(Sampling::from_bits(one.bits()), one);
                        }
                    }
                }
            }
            for outside in [Outside::Trap, Outside::Clamp, Outside::Zero] {
                for unit in [SurfaceUnit::Bytes(32), SurfaceUnit::Texel, SurfaceUnit::Integer(8)] {
                    let one = SurfaceAccess { geometry, outside, unit };
                    assert_eq!(SurfaceAccess::from_bits(one.bits()), one);
                }
            }
        }
        assert_eq!(Geometry::from_word("2dms"), None);
        for query in TextureQuery::ALL {
            assert_eq!(TextureQuery::from_bits(query.bits()), Some(query));
        }
    }

    #[test]
    fn handles_say_what_samplers_are() {
        let modes =
            [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
        for (nth, x) in modes.into_iter().enumerate() {
            for filter in [Filter::Point, Filter::Linear] {
                for unnormalized in [false, true] {
                    let address = [x, modes[(nth + 1) % 4], modes[(nth + 2) % 4]];
                    let sampler = Sampler { address, filter, unnormalized };
                    assert_eq!(Sampler::from_handle(sampler.handle()), Some(sampler));
                }
            }
        }
        // What is no sampler: addresses, a mode that there is not, bits that no field has.
        let of = |bits: u64| Sampler::from_handle(Sampler::default().handle() ^ bits);
        assert_eq!([0, 1 << 40].map(Sampler::from_handle), [None; 2]);
        assert_eq!([of(1), of(1 << 14), of(1 << 20), of(1 << 63)], [None; 4]);
    }
}
