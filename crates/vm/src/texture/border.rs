//! What lies outside of textures whose mode is the border: a texel of their format.

use super::descriptor::{ChannelKind, Format, ReadMode, Texture};
use super::srgb;

/// A component outside: the lowest bits of one in memory.
pub(super) fn texel(texture: &Texture, component: u8) -> u32 {
    let Format { bits, kind, .. } = texture.texels.format;
    let given = texture.border[usize::from(component & 3)];
    let colour = f32::from_bits(given);
    match (kind, texture.read) {
        (ChannelKind::Float, _) if bits == 16 => half(colour),
        (ChannelKind::Float, _) | (_, ReadMode::Element) => given,
        _ if texture.is_srgb(component) => srgb::nearest(f64::from(zero_if_none(colour))).into(),
        (ChannelKind::Unsigned, ReadMode::Normalized) => {
            let most = ((1_u32 << bits) - 1) as f32;
            (zero_if_none(colour).clamp(0.0, 1.0) * most).round_ties_even() as u32
        }
        (ChannelKind::Signed, ReadMode::Normalized) => {
            let colour = zero_if_none(colour).clamp(-1.0, 1.0);
            let size = match bits {
                8 => (colour.abs() * 127.0).round_ties_even() as i32,
                _ => (colour.abs() * 65535.0).round_ties_even() as i32 / 2,
            };
            (if colour < 0.0 { -size } else { size }).cast_unsigned()
        }
    }
}

fn zero_if_none(colour: f32) -> f32 {
    if colour.is_nan() { 0.0 } else { colour }
}

/// The binary16 towards zero, which is finite.
fn half(colour: f32) -> u32 {
    let bits = colour.to_bits();
    let sign = bits >> 16 & 0x8000;
    let size = colour.abs();
    if size.is_nan() {
        return sign | 0x7fff;
    }
    if size >= 65504.0 {
        return sign | 0x7bff;
    }
    let least = 1.0 / f32::from(1_u16 << 14);
    let kept = if size < least {
        (size * 16_777_216.0) as u32
    } else {
        ((bits & 0x7fff_ffff) - (112 << 23)) >> 13
    };
    sign | kept
}
