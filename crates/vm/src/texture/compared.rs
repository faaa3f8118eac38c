//! What warps read is what lanes read one by one: random textures, accesses and coordinates.

use super::asked::Asked;
use super::descriptor::{ChannelKind, Format, Levels, ReadMode, Texels, Texture};
use super::read::sample;
use super::warp::{Footprint, WarpTexture};
use ir::{AddressMode, Detail, Filter, Geometry, Sampling};
use lanes::{Lanes, WARP};

/// A generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.bits() >> 20) % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

fn format(random: &mut Random) -> Format {
    let bits = random.one_of(&[8, 16, 32]);
    let kinds = [ChannelKind::Unsigned, ChannelKind::Signed, ChannelKind::Float];
    let kind = random.one_of(&kinds[usize::from(bits == 8)..]);
    let kind = if bits == 8 && kind == ChannelKind::Float { ChannelKind::Unsigned } else { kind };
    Format { channels: random.one_of(&[1, 2, 4]), bits, kind }
}

fn texture(random: &mut Random) -> Texture {
    let format = format(random);
    let mut extent = || 1 + random.below(9) as u32;
    let [width, height, depth] = [extent(), extent(), extent()];
    let (extents, layers) = match random.below(5) {
        0 => ([width, 0, 0], 0),
        1 => ([width, height, 0], 0),
        2 => ([width, height, depth], 0),
        3 => ([width, 0, 0], depth),
        _ => ([width, height, 0], depth),
    };
    let mut texels = Texels::dense(0, format, extents, layers);
    texels.pitch += random.below(2) * 12;
    texels.slice = texels.pitch * u64::from(extents[1].max(1)) + random.below(2) * 20;
    let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    let border = [0; 4].map(|_| match random.below(3) {
        0 => 0,
        1 => (random.below(100) as f32 / 8.0 - 3.0).to_bits(),
        _ => random.bits() as u32,
    });
    Texture {
        texels,
        address: [0; 3].map(|_| random.one_of(&modes)),
        filter: random.one_of(&[Filter::Point, Filter::Linear]),
        read: random.one_of(&[ReadMode::Element, ReadMode::Normalized]),
        normalized: random.below(2) == 1,
        border,
        srgb: false,
        levels: Levels { count: 1, filter: Filter::Point, bias: 0.0, clamp: [0.0; 2] },
    }
}

/// Bits of a coordinate, of any kind, most of them near the texture.
fn coordinate(random: &mut Random, normalized: bool) -> u32 {
    let near = random.below(1 << 12) as f32 / 256.0 - 4.0;
    let exact = random.below(40) as f32 / 4.0 - 2.0;
    match random.below(16) {
        0 => random
            .one_of(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN])
            .to_bits(),
        1 => random.bits() as u32,
        2 => random.one_of(&[0.0_f32, -0.0, 1.0, -1.0, 0.5, 1e-40, -1e-40, 1e9, -1e13]).to_bits(),
        3..6 => exact.to_bits(),
        _ if normalized => (near / 4.0).to_bits(),
        _ => near.to_bits(),
    }
}

/// Bits of an integer coordinate.
fn integer(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.one_of(&[i32::MIN, i32::MAX, -1, 0]).cast_unsigned(),
        1 => random.bits() as u32,
        _ => (random.below(14) as i32 - 3).cast_unsigned(),
    }
}

#[test]
fn warps_read_what_lanes_read() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut compared, mut nans) = (0_u32, 0_u32);
    let turns = if cfg!(miri) { 60 } else { 40_000 };
    for _ in 0..turns {
        let mut texture = texture(&mut random);
        if texture.check().is_err() {
            continue;
        }
        let bytes = texture.texels.bytes().expect("they are few") as usize;
        let held: Vec<u8> = (0..bytes).map(|_| random.bits() as u8).collect();
        texture.texels.address = 0x4000;
        let whole = WarpTexture::new(&texture).expect("it is a common one");
        assert_eq!(whole.extent(), (0x4000, bytes as u64));
        let dimensions = 1 + random.below(3) as u8;
        let layered = dimensions < 3 && random.below(2) == 1;
        let geometry = Geometry { dimensions, layered, cube: false };
        let float = random.below(4) > 0;
        let what = Sampling {
            geometry,
            float,
            component: 0,
            gathered: None,
            detail: Detail::Base,
            has_sampler: false,
        };
        let mut coordinates: [Lanes<u32>; 4] = [[0; WARP]; 4];
        for (axis, lanes) in coordinates.iter_mut().enumerate() {
            for at in lanes {
                *at = match axis {
                    0 if layered => random.below(12) as u32,
                    _ if float => coordinate(&mut random, texture.normalized),
                    _ => integer(&mut random),
                };
            }
        }
        // A footprint of others first: it is to be found anew.
        let mut footprint = Footprint::new();
        whole.find(&mut footprint, Sampling { float: !float, ..what }, &coordinates);
        for component in 0..4 {
            let what = Sampling { component, ..what };
            whole.find(&mut footprint, what, &coordinates);
            // SAFETY: these are the texture's bytes.
            let found = unsafe { whole.read(held.as_ptr(), &footprint, component) };
            for lane in 0..WARP {
                let coordinates = coordinates.map(|lanes| lanes[lane]);
                let asked = Asked { coordinates, ..Asked::default() };
                let read = |address: u64, bytes: u32| -> Result<u32, u64> {
                    let at = (address - 0x4000) as usize;
                    let mut value = [0; 4];
                    let from = held.get(at..at + bytes as usize).ok_or(address)?;
                    value[..from.len()].copy_from_slice(from);
                    Ok(u32::from_le_bytes(value))
                };
                let wanted = sample(&texture, what, &asked, read);
                assert_eq!(Ok(found[lane]), wanted, "{texture:?} {what:?} {coordinates:x?}");
                compared += 1;
                nans += u32::from(found[lane] == numeric::f32::NAN);
            }
        }
    }
    assert!(compared > turns * 32 && (nans > 0 || cfg!(miri)), "{compared} {nans}");
}
