//! How many texels a thread of the host reads in a second: by warps that read one texture, and lane by lane, in turns.

use crate::median::median;
use std::time::{Duration, Instant};
use warpwise::texture::{AddressMode, ChannelKind, Filter, Format, ReadMode, Texels, Texture};
use warpwise::{Device, Error, LaunchConfig, Module};

const SIDE: u32 = 1024;
const TEXELS: u32 = SIDE * SIDE;
const THREADS: u32 = 256;
const REPETITIONS: usize = 5;

/// What is read, and how.
struct Case {
    name: &'static str,
    kernel: &'static str,
    format: Format,
    filter: Filter,
    mode: AddressMode,
    normalized: bool,
}

fn cases() -> [Case; 10] {
    let format = |channels, bits, kind| Format { channels, bits, kind };
    let float = format(1, 32, ChannelKind::Float);
    let point = Case {
        name: "float, point",
        kernel: "first",
        format: float,
        filter: Filter::Point,
        mode: AddressMode::Clamp,
        normalized: false,
    };
    let (linear, wrap) = (Filter::Linear, AddressMode::Wrap);
    let float4 = format(4, 32, ChannelKind::Float);
    let uchar4 = format(4, 8, ChannelKind::Unsigned);
    let ushort = format(1, 16, ChannelKind::Unsigned);
    [
        Case { name: "float, 1D by integers", kernel: "fetch", ..point },
        Case { name: "float, point, wrap", mode: wrap, normalized: true, ..point },
        Case { name: "float, linear", filter: linear, ..point },
        Case { name: "float, linear, wrap", filter: linear, mode: wrap, normalized: true, ..point },
        Case { name: "float, linear, border", filter: linear, mode: AddressMode::Border, ..point },
        Case { name: "ushort, linear", format: ushort, filter: linear, ..point },
        Case { name: "float4, point", kernel: "all", format: float4, ..point },
        Case { name: "uchar4, point", kernel: "all", format: uchar4, ..point },
        Case { name: "uchar4, linear", kernel: "all", format: uchar4, filter: linear, ..point },
        point,
    ]
}

/// Prints both for every case. What is computed is compared.
pub(crate) fn bench() -> Result<(), Error> {
    let module = Module::from_ptx("textures.ptx", include_str!("../kernels/textures.ptx"))?;
    let device = Device::new()?;
    let numbers: Vec<f32> =
        (0..4 * TEXELS).map(|nth| (nth.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
    let texels = device.upload(&numbers)?;
    let out = device.upload(&vec![0f32; TEXELS as usize])?;
    println!("texture                  Mpixel/s by warps   lane by lane   ratio");
    for case in cases() {
        let is_row = case.kernel == "fetch";
        let extents = if is_row { [TEXELS, 0, 0] } else { [SIDE, SIDE, 0] };
        let is_float = case.format.kind == ChannelKind::Float;
        let texture = Texture {
            filter: case.filter,
            address: [case.mode; 3],
            normalized: case.normalized,
            read: if is_float { ReadMode::Element } else { ReadMode::Normalized },
            ..Texture::new(Texels::dense(texels.address, case.format, extents, 0))
        };
        let handles = [device.create_texture(texture)?, device.create_texture(texture)?];
        let kernel = module.kernel(case.kernel)?;
        let scale = if case.normalized { 1.0 / SIDE as f32 } else { 1.0 };
        let config = LaunchConfig { threads: 1, ..LaunchConfig::new(TEXELS / THREADS, THREADS) };
        let run = |other: usize| -> Result<(Duration, Vec<f32>), Error> {
            let args = [handles[0].into(), handles[other].into(), out.into(), scale.into()];
            let started = Instant::now();
            kernel.launch(&device, &config, &args)?;
            Ok((started.elapsed(), device.download(out)?))
        };
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..REPETITIONS {
            let (warps, lanes) = (run(0)?, run(1)?);
            assert!(warps.1 == lanes.1, "{}: both read the same", case.name);
            times[0].push(warps.0);
            times[1].push(lanes.0);
        }
        let [warps, lanes] = times.map(median).map(|time| f64::from(TEXELS) / time / 1e6);
        println!("{:<24} {warps:>17.1} {lanes:>14.1} {:>7.1}", case.name, warps / lanes);
    }
    Ok(())
}
