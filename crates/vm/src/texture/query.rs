//! What kernels may ask of textures and surfaces (PTX ISA 9.1, 9.7.10.5 txq, 9.7.11.4 suq).

use super::descriptor::{AddressMode, ChannelKind, Filter, Format, ReadMode, Texture};
use ir::TextureQuery;

/// What is so of a texture or a surface, at a level of detail.
pub(super) fn query(texture: &Texture, level: u32, what: TextureQuery) -> u32 {
    let texels = texture.texels.level(level.min(texture.levels.count.max(1) - 1));
    let mode = |axis: usize| match texture.address[axis] {
        AddressMode::Wrap => 0,
        AddressMode::Mirror => 1,
        AddressMode::Clamp => 3,
        AddressMode::Border => 4,
    };
    match what {
        TextureQuery::Width => texels.extents[0],
        TextureQuery::Height => texels.extents[1],
        TextureQuery::Depth => texels.extents[2],
        TextureQuery::Layers => texels.layers,
        TextureQuery::Normalized => texture.normalized.into(),
        TextureQuery::Levels => texture.levels.count,
        TextureQuery::ChannelType => channel_type(texels.format, texture.read),
        TextureQuery::ChannelOrder => match texels.format.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        },
        TextureQuery::Samples => 1,
        TextureQuery::Filter => (texture.filter == Filter::Linear).into(),
        TextureQuery::Mode0 => mode(0),
        TextureQuery::Mode1 => mode(1),
        TextureQuery::Mode2 => mode(2),
        // Surfaces are arrays.
        TextureQuery::Layout => 0,
    }
}

/// The number of a channel's type (PTX ISA 9.1, table "OpenCL 1.0 Channel Data Type Definition").
fn channel_type(Format { bits, kind, .. }: Format, read: ReadMode) -> u32 {
    let first = match (kind, read) {
        (ChannelKind::Float, _) => return if bits == 16 { 0x10dd } else { 0x10de },
        (ChannelKind::Signed, ReadMode::Normalized) => 0x10d0,
        (ChannelKind::Unsigned, ReadMode::Normalized) => 0x10d2,
        (ChannelKind::Signed, ReadMode::Element) => 0x10d7,
        (ChannelKind::Unsigned, ReadMode::Element) => 0x10da,
    };
    first + u32::from(bits).ilog2() - 3
}
