//! Levels of detail, offsets, border colours, sRGB, halves and queries, against tests/textures/expected.py.

use std::collections::HashMap;
use warpwise::texture::{
    AddressMode, ChannelKind, Filter, Format, LEVEL, Levels, ReadMode, Texels, Texture,
};
use warpwise::{Arg, Buffer, Device, Kernel, LaunchConfig, Module};

const EXPECTED: &str = include_str!("../../../tests/textures/expected.tsv");

const FLOAT: Format = Format { channels: 1, bits: 32, kind: ChannelKind::Float };

/// Kernels of one thread: numbers at `in`, the result at `out`.
fn module() -> Module {
    let kernel = |name: &str, body: &str| {
        format!(
            ".visible .entry {name}(.param .u64 t, .param .u64 in, .param .u64 out) {{
                .reg .f32 %f<8>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .b64 %t, %in, %out;
                ld.param.u64 %t, [t]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
                ld.global.f32 %f1, [%in]; ld.global.f32 %f2, [%in + 4]; ld.global.f32 %f3, [%in + 8];
                ld.global.f32 %f4, [%in + 12]; ld.global.f32 %f5, [%in + 16]; ld.global.f32 %f6, [%in + 20];
                {body}
                ret; }}
            "
        )
    };
    let query = |words: &[&str]| -> String {
        let each = words.iter().zip((0..).step_by(4));
        each.map(|(word, at)| {
            format!("txq.{word}.b32 %r1, [%t]; st.global.u32 [%out + {at}], %r1;")
        })
        .collect()
    };
    let words = [
        "width",
        "height",
        "depth",
        "num_mipmap_levels",
        "channel_data_type",
        "channel_order",
        "filter_mode",
        "addr_mode_0",
        "addr_mode_1",
        "normalized_coords",
        "num_samples",
    ];
    let text = [
        ".version 7.8\n.target sm_80\n.address_size 64\n".to_owned(),
        kernel("level", "tex.level.2d.v4.f32.f32 {%f1, _, _, _}, [%t, {%f1, %f2}], %f3; st.global.f32 [%out], %f1;"),
        kernel(
            "gradient",
            "tex.grad.2d.v4.f32.f32 {%f1, _, _, _}, [%t, {%f1, %f2}], {%f3, %f4}, {%f5, %f6}; st.global.f32 [%out], %f1;",
        ),
        kernel("base", "tex.2d.v4.f32.f32 {%f1, _, _, _}, [%t, {%f1, %f2}]; st.global.f32 [%out], %f1;"),
        kernel(
            "offset",
            "mov.b32 %r1, -3; mov.b32 %r2, 2;
             tex.2d.v4.f32.f32 {%f1, _, _, _}, [%t, {%f1, %f2}], {%r1, %r2}; st.global.f32 [%out], %f1;",
        ),
        kernel("half", "tex.2d.v4.f16.f32 {%h1, _, _, _}, [%t, {%f1, %f2}]; st.global.b16 [%out], %h1;"),
        kernel(
            "packed",
            "tex.2d.v2.f16x2.f32 {%r1, %r2}, [%t, {%f1, %f2}]; st.global.u32 [%out], %r1; st.global.u32 [%out + 4], %r2;",
        ),
        kernel("srgb", "tex.1d.v4.f32.f32 {%f1, _, _, %f2}, [%t, {%f1}]; st.global.f32 [%out], %f1; st.global.f32 [%out + 4], %f2;"),
        kernel("fetch", "mov.f32 %f1, 0fBF800000; tex.1d.v4.s32.f32 {%r1, _, _, %r2}, [%t, {%f1}]; st.global.u32 [%out], %r1; st.global.u32 [%out + 4], %r2;"),
        kernel("ask", &query(&words)),
        kernel("ask_level", "mov.b32 %r2, 3; txq.level.width.b32 %r1, [%t], %r2; st.global.u32 [%out], %r1; txq.level.height.b32 %r1, [%t], %r2; st.global.u32 [%out + 4], %r1;"),
    ];
    Module::from_ptx("detail.ptx", text.concat()).expect("the module is well formed")
}

/// A device with what the kernels need.
struct Bench {
    device: Device,
    kernels: HashMap<String, Kernel>,
    numbers: Buffer,
    out: Buffer,
}

impl Bench {
    fn new() -> Bench {
        let (device, module) = (Device::new().expect("address space"), module());
        let named = |name: &str| (name.to_owned(), module.kernel(name).expect("it lowers"));
        let kernels = module.kernels().map(named).collect();
        let [numbers, out] = [(); 2].map(|()| device.allocate(64).expect("space"));
        Bench { device, kernels, numbers, out }
    }

    /// What a kernel writes for a texture and numbers, as words.
    fn run(&self, name: &str, texture: Texture, numbers: &[u32]) -> Vec<u32> {
        self.device.write(self.out, 0, &[0_u32; 16]).expect("inside");
        self.device.write(self.numbers, 0, numbers).expect("inside");
        let handle = self.device.create_texture(texture).expect("a texture");
        let args: [Arg; 3] = [handle.into(), self.numbers.into(), self.out.into()];
        self.kernels[name].launch(&self.device, &LaunchConfig::new(1, 1), &args).expect("it runs");
        self.device.destroy_texture(handle).expect("it is there");
        self.device.download(self.out).expect("inside")
    }

    /// The levels that the table has.
    fn levels(&self) -> (Texels, u32) {
        let rows = EXPECTED.lines().filter_map(|line| line.strip_prefix("level\t"));
        let levels: Vec<Vec<&str>> = rows
            .map(|row| row.split('\t').collect())
            .filter(|row: &Vec<&str>| row[0].parse::<u32>().is_ok())
            .collect();
        let extent = |word: &str| word.parse().expect("a number");
        let extents = [extent(levels[0][0]), extent(levels[0][1]), 0];
        let dense = Texels::dense(0, FLOAT, extents, 0);
        let count = levels.len() as u32;
        let buffer = dense.bytes_of_levels(count).expect("few bytes");
        let buffer = self.device.allocate(buffer).expect("space");
        let texels = Texels { address: buffer.address, ..dense };
        for (nth, level) in (0..).zip(&levels) {
            let at = texels.level(nth);
            assert_eq!(at.extents[..2], [extent(level[0]), extent(level[1])]);
            assert!(nth == 0 || (at.address - texels.address).is_multiple_of(LEVEL));
            let values: Vec<u32> = level[2..].iter().map(|word| bits(word)).collect();
            self.device.write(buffer, at.address - texels.address, &values).expect("inside");
        }
        (texels, count)
    }
}

fn bits(word: &str) -> u32 {
    u32::from_str_radix(word, 16).expect("eight digits")
}

fn number(word: &str) -> f32 {
    f32::from_bits(bits(word))
}

#[test]
fn levels_offsets_borders_and_halves_are_as_the_formulas_say() {
    let bench = Bench::new();
    let (texels, count) = bench.levels();
    let filter = |word: &str| if word == "linear" { Filter::Linear } else { Filter::Point };
    let mut rows = 0;
    for line in EXPECTED.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [kernel, mode, texel, level, normalized, bias, least, most, border, ref rest @ ..] =
            words[..]
        else {
            continue;
        };
        let mode = match mode {
            "wrap" => AddressMode::Wrap,
            "clamp" => AddressMode::Clamp,
            "mirror" => AddressMode::Mirror,
            "border" => AddressMode::Border,
            _ => continue,
        };
        let texture = Texture {
            address: [mode; 3],
            filter: filter(texel),
            normalized: normalized == "yes",
            border: [bits(border), 0, 0, 0],
            levels: Levels {
                count,
                filter: filter(level),
                bias: number(bias),
                clamp: [number(least), number(most)],
            },
            ..Texture::new(texels)
        };
        let [numbers @ .., expected] = rest else { panic!("no result: {line}") };
        let numbers: Vec<u32> = numbers.iter().map(|word| bits(word)).collect();
        let found = bench.run(kernel, texture, &numbers)[0];
        assert_eq!(found, bits(expected), "{found:08x}: {line}");
        rows += 1;
    }
    assert!(rows > 1000);
}

#[test]
fn colours_of_srgb_are_read_as_linear_ones_and_alpha_as_it_is() {
    let bench = Bench::new();
    let format = Format { channels: 4, bits: 8, kind: ChannelKind::Unsigned };
    let texels: Vec<u8> = (0..=255).flat_map(|value| [value; 4]).collect();
    let buffer = bench.device.upload(&texels).expect("space");
    let texels = Texels::dense(buffer.address, format, [256, 0, 0], 0);
    let texture = Texture { read: ReadMode::Normalized, srgb: true, ..Texture::new(texels) };
    let mut count = 0;
    for row in EXPECTED.lines().filter_map(|line| line.strip_prefix("srgb\t")) {
        let (raw, expected) = row.split_once('\t').expect("two words");
        let raw: f32 = raw.parse().expect("a number");
        let found = bench.run("srgb", texture, &[(raw + 0.25).to_bits()]);
        assert_eq!(found[..2], [bits(expected), (raw / 255.0).to_bits()], "{raw}");
        // The mean of a texel alone is the same.
        let linear = Texture { filter: Filter::Linear, ..texture };
        assert_eq!(bench.run("srgb", linear, &[(raw + 0.5).to_bits()]), found, "{raw}");
        count += 1;
    }
    assert_eq!(count, 256);
}

#[test]
fn a_border_is_of_the_type_that_is_read() {
    let bench = Bench::new();
    let format = Format { channels: 4, bits: 8, kind: ChannelKind::Signed };
    let buffer = bench.device.upload(&[[1_i8, 2, 3, 4]; 8]).expect("space");
    let texels = Texels::dense(buffer.address, format, [8, 0, 0], 0);
    let border = [-7_i32, 8, 9, 1000].map(i32::cast_unsigned);
    let address = [AddressMode::Border; 3];
    let texture = Texture { border, address, ..Texture::new(texels) };
    // Of each number, as many of the lowest bits as a texel has.
    let low = i32::from(1000_i32 as i8).cast_unsigned();
    assert_eq!(bench.run("fetch", texture, &[])[..2], [border[0], low]);
}

#[test]
fn halves_come_in_pairs() {
    let bench = Bench::new();
    let format = Format { channels: 4, bits: 16, kind: ChannelKind::Float };
    // 1, -2, 0.5, 65504.
    let buffer = bench.device.upload(&[0x3c00_u16, 0xc000, 0x3800, 0x7bff]).expect("space");
    let texture = Texture::new(Texels::dense(buffer.address, format, [1, 1, 0], 0));
    assert_eq!(bench.run("packed", texture, &[0, 0])[..2], [0xc000_3c00, 0x7bff_3800]);
}

#[test]
fn textures_say_what_they_are() {
    let bench = Bench::new();
    let (texels, count) = bench.levels();
    let levels = Levels { count, ..Texture::new(texels).levels };
    let address = [AddressMode::Mirror, AddressMode::Border, AddressMode::Clamp];
    let texture = Texture {
        levels,
        address,
        filter: Filter::Linear,
        normalized: true,
        ..Texture::new(texels)
    };
    // OpenCL's CL_FLOAT and CL_R, and its number of samples where there are not several.
    let expected = [16, 8, 0, count, 0x10de, 0x10b0, 1, 1, 4, 1, 0];
    assert_eq!(bench.run("ask", texture, &[])[..11], expected);
    assert_eq!(bench.run("ask_level", texture, &[])[..2], [2, 1]);
    let format = Format { channels: 2, bits: 16, kind: ChannelKind::Signed };
    let texels = Texels::dense(texels.address, format, [8, 4, 0], 0);
    let plain = Texture::new(texels);
    // CL_SIGNED_INT16, CL_RG; and CL_SNORM_INT16.
    assert_eq!(bench.run("ask", plain, &[])[..9], [8, 4, 0, 0, 0x10d8, 0x10b2, 0, 3, 3]);
    let read = Texture { read: ReadMode::Normalized, ..plain };
    assert_eq!(bench.run("ask", read, &[])[4], 0x10d1);
}

#[test]
fn what_cannot_be_is_refused() {
    let bench = Bench::new();
    let (texels, count) = bench.levels();
    let good = Texture::new(texels);
    let of = |count, bias| Levels { count, bias, ..good.levels };
    for (levels, is_possible) in [
        (of(count, 0.0), true),
        (of(count + 1, 0.0), false),
        (of(0, 0.0), true),
        (of(2, f32::NAN), false),
        (of(u32::MAX, 0.0), false),
    ] {
        let made = bench.device.create_texture(Texture { levels, ..good });
        assert_eq!(made.is_ok(), is_possible, "{levels:?}");
    }
    assert!(bench.device.create_texture(Texture { srgb: true, ..good }).is_err());
}
