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

/// An access to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceAccess {
    /// The geometry of the coordinates; the first of them, behind the layer, counts bytes.
    pub geometry: Geometry,
    /// What happens outside.
    pub outside: Outside,
    /// How many bytes are accessed, at most 32.
    pub bytes: u8,
}

impl SurfaceAccess {
    /// As a constant operand.
    pub fn bits(self) -> u64 {
        let outside = match self.outside {
            Outside::Trap => 0,
            Outside::Clamp => 1,
            Outside::Zero => 2,
        };
        self.geometry.bits() | outside << 4 | u64::from(self.bytes) << 8
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
            bytes: (bits >> 8) as u8,
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
    /// Levels of detail.
    Levels,
    /// The type of a channel, as OpenCL numbers them (PTX ISA 9.1, 5.3.2 "Channel Data Type and Channel Order Fields").
    ChannelType,
    /// Which channels there are, as OpenCL numbers that.
    ChannelOrder,
    /// Samples of a texel.
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
}

impl TextureQuery {
    /// All of them; their places are their operands.
    const ALL: [TextureQuery; 14] = [
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
                        let one = Sampling { geometry, float, component, gathered, detail };
                        assert_eq!(Sampling::from_bits(one.bits()), one);
                    }
                }
            }
            for outside in [Outside::Trap, Outside::Clamp, Outside::Zero] {
                let one = SurfaceAccess { geometry, outside, bytes: 32 };
                assert_eq!(SurfaceAccess::from_bits(one.bits()), one);
            }
        }
        assert_eq!(Geometry::from_word("2dms"), None);
        for query in TextureQuery::ALL {
            assert_eq!(TextureQuery::from_bits(query.bits()), Some(query));
        }
    }
}
