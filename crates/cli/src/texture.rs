//! `--arg tex:…`, `--arg surf:…` and `--arg sampler:…`.

use crate::fill::{Fill, fill};
use warpwise::texture::{
    AddressMode, ChannelKind, Filter, Format, ReadMode, Sampler, Texels, Texture,
};
use warpwise::{ElementType, Kind};

/// A texture or a surface: `tex:TYPE[xCHANNELS][H,W][:OPTION,...]=FILL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextureSpec {
    /// The type of a channel.
    pub(crate) ty: ElementType,
    /// Channels, extents and layers, at address 0.
    pub(crate) texels: Texels,
    /// What channels hold.
    pub(crate) fill: Fill,
    /// How a texture is read; `None` for a surface.
    pub(crate) reading: Option<Reading>,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// As a sampler apart would say it.
    sampler: Sampler,
    read: ReadMode,
    normalized: bool,
}

/// Sets what an option says of a sampler; whether it says anything of one.
fn set(sampler: &mut Sampler, option: &str) -> bool {
    match option {
        "wrap" => sampler.address = [AddressMode::Wrap; 3],
        "clamp" => sampler.address = [AddressMode::Clamp; 3],
        "mirror" => sampler.address = [AddressMode::Mirror; 3],
        "border" => sampler.address = [AddressMode::Border; 3],
        "point" => sampler.filter = Filter::Point,
        "linear" => sampler.filter = Filter::Linear,
        _ => return false,
    }
    true
}

/// The handle of a sampler apart from textures: what stands behind `sampler:`.
pub(crate) fn sampler(text: &str) -> Result<u64, String> {
    let mut sampler = Sampler::default();
    for option in text.split(',').filter(|option| !option.is_empty()) {
        match option {
            "texels" => sampler.unnormalized = true,
            _ if set(&mut sampler, option) => {}
            _ => {
                return Err(format!(
                    "`{option}` is none of wrap, clamp, mirror, border, point, linear and texels"
                ));
            }
        }
    }
    Ok(sampler.handle())
}

impl TextureSpec {
    /// Channels of all texels.
    pub(crate) fn count(&self) -> Option<u64> {
        Some(self.texels.contents()? / self.ty.bytes() as u64)
    }

    /// The texture, with texels at an address; `None` for a surface.
    pub(crate) fn texture(&self, texels: Texels) -> Option<Texture> {
        let Reading { sampler, read, normalized } = self.reading?;
        let Sampler { address, filter, unnormalized: _ } = sampler;
        Some(Texture { address, filter, read, normalized, ..Texture::new(texels) })
    }

    /// Reads what stands behind `tex:` or `surf:`.
    pub(crate) fn parse(text: &str, is_surface: bool) -> Result<TextureSpec, String> {
        let form = "write TYPE[H,W]=VALUE, TYPExCHANNELS[D,H,W]:OPTION,...=VALUE, with VALUE, iota or rand:SEED";
        let (format, rest) = text.split_once('[').ok_or(form)?;
        let (extents, rest) = rest.split_once(']').ok_or(form)?;
        let (options, value) = rest.split_once('=').ok_or(form)?;
        let (ty, channels) = match format.split_once('x') {
            Some((ty, channels)) => (ty, channels.parse().map_err(|_| form)?),
            None => (format, 1),
        };
        let ty: ElementType = ty.parse()?;
        let kind = match ty.kind() {
            Kind::Unsigned | Kind::Bits => ChannelKind::Unsigned,
            Kind::Signed => ChannelKind::Signed,
            Kind::Float => ChannelKind::Float,
            Kind::Brain => return Err(format!("no texture has channels of {ty}")),
        };
        let format = Format { channels, bits: 8 * ty.bytes() as u8, kind };
        let mut numbers = Vec::new();
        for number in extents.split(',') {
            let number: u32 = number.trim().parse().map_err(|_| form)?;
            numbers.push(number);
        }
        numbers.reverse();
        let mut all = [0; 3];
        if numbers.len() > all.len() || numbers.contains(&0) {
            return Err(form.to_owned());
        }
        all[..numbers.len()].copy_from_slice(&numbers);
        let mut reading =
            Reading { sampler: Sampler::default(), read: ReadMode::Element, normalized: false };
        let mut layers = 0;
        let mut is_sampled = false;
        let options = match options.strip_prefix(':') {
            Some(options) => options.split(',').collect(),
            None if options.is_empty() => Vec::new(),
            None => return Err(form.to_owned()),
        };
        for option in options {
            is_sampled |= option != "layers";
            match option {
                _ if set(&mut reading.sampler, option) => {}
                "normalized" => reading.normalized = true,
                "float" => reading.read = ReadMode::Normalized,
                // The first extent counts layers.
                "layers" if layers == 0 && numbers.len() > 1 => {
                    layers = std::mem::take(&mut all[numbers.len() - 1]);
                }
                _ => {
                    return Err(format!(
                        "`{option}` is none of wrap, clamp, mirror, border, point, linear, normalized, float and layers, \
                     or does not belong here"
                    ));
                }
            }
        }
        if is_surface && is_sampled {
            return Err("a surface has no option but `layers`".to_owned());
        }
        // Kernels may read the texels of a texture as a buffer (`&NAME`), of which numpy's arrays have no gaps, either.
        let texels = if is_surface { Texels::array } else { Texels::dense };
        let texels = texels(0, format, all, layers);
        let reading = (!is_surface).then_some(reading);
        Ok(TextureSpec { ty, texels, fill: fill(ty, value)?, reading })
    }
}
