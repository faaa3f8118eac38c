//! What kernels may ask of textures and surfaces (PTX ISA 9.1, 9.7.10.5 txq, 9.7.11.4 suq).

use super::TextureObject;
use super::descriptor::{ChannelKind, Format, ReadMode, Texture};
use ir::{Filter, Sampler, TextureQuery};

/// What is so of what a handle leads to, at a level of detail; `None` if it does not lead to what the query is about.
pub(crate) fn query(
    handle: u64,
    object: Option<&TextureObject>,
    level: u32,
    what: TextureQuery,
) -> Option<u32> {
    let sampler = Sampler::from_handle(handle);
    match (what, object, sampler) {
        (TextureQuery::Object, Some(TextureObject::Texture(_)), _) => Some(1),
        (TextureQuery::Object, Some(TextureObject::Surface(_)), _) => Some(4),
        (TextureQuery::Object, None, sampler) => Some(if sampler.is_some() { 2 } else { 0 }),
        (_, Some(TextureObject::Texture(texture)), _) => of_texture(texture, level, what),
        (_, Some(TextureObject::Surface(texels)), _) => {
            of_texture(&Texture::new(*texels), level, what)
        }
        (_, None, Some(sampler)) => of_sampler(sampler, what),
        (_, None, None) => None,
    }
}

/// What is so of a sampler apart from textures.
fn of_sampler(sampler: Sampler, what: TextureQuery) -> Option<u32> {
    let Sampler { address, filter, unnormalized } = sampler;
    match what {
        TextureQuery::Filter => Some((filter == Filter::Linear).into()),
        TextureQuery::Mode0 => Some(address[0].number()),
        TextureQuery::Mode1 => Some(address[1].number()),
        TextureQuery::Mode2 => Some(address[2].number()),
        TextureQuery::Unnormalized => Some(unnormalized.into()),
        TextureQuery::Width
        | TextureQuery::Height
        | TextureQuery::Depth
        | TextureQuery::Layers
        | TextureQuery::Normalized
        | TextureQuery::Levels
        | TextureQuery::ChannelType
        | TextureQuery::ChannelOrder
        | TextureQuery::Samples
        | TextureQuery::Layout
        | TextureQuery::Format
        | TextureQuery::Object => None,
    }
}

/// What is so of a texture, at a level of detail.
fn of_texture(texture: &Texture, level: u32, what: TextureQuery) -> Option<u32> {
    let texels = texture.texels.level(level.min(texture.levels.count.max(1) - 1));
    let mode = |axis: usize| texture.address[axis].number();
    Some(match what {
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
        // No texture here has several.
        TextureQuery::Samples => 0,
        TextureQuery::Filter => (texture.filter == Filter::Linear).into(),
        TextureQuery::Mode0 => mode(0),
        TextureQuery::Mode1 => mode(1),
        TextureQuery::Mode2 => mode(2),
        // Surfaces are arrays.
        TextureQuery::Layout => 0,
        TextureQuery::Unnormalized | TextureQuery::Object => return None,
        TextureQuery::Format => {
            let Format { channels, bits, kind } = texels.format;
            let kind = match kind {
                ChannelKind::Unsigned => 0,
                ChannelKind::Signed => 1,
                ChannelKind::Float => 2,
            };
            u32::from(channels) | u32::from(bits) << 8 | kind << 16
        }
    })
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
