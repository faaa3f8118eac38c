//! What an NVIDIA H100 (driver 580.159, CUDA 13.0) read of textures: tests/textures/h100.bin, which tests/textures/record.cu describes.

use warpwise::texture::{
    AddressMode, ChannelKind, Filter, Format, Levels, ReadMode, Texels, Texture,
};
use warpwise::{Arg, Device, LaunchConfig, Module};

/// The words of the recording.
struct Words<'r>(&'r [u8]);

impl Words<'_> {
    fn next(&mut self) -> u32 {
        let (word, rest) = self.0.split_first_chunk().expect("a word");
        self.0 = rest;
        u32::from_le_bytes(*word)
    }

    fn number(&mut self) -> f32 {
        f32::from_bits(self.next())
    }

    fn take(&mut self, count: u32) -> Vec<u32> {
        (0..count).map(|_| self.next()).collect()
    }

    fn mode(&mut self) -> AddressMode {
        [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border]
            [self.next() as usize]
    }

    fn filter(&mut self) -> Filter {
        if self.next() == 1 { Filter::Linear } else { Filter::Point }
    }
}

/// A case of the recording.
struct Case {
    /// One of `Spec::kind`.
    kind: u32,
    texture: Texture,
    /// One of `Op`.
    op: u32,
    texels: Vec<u32>,
    coordinates: Vec<u32>,
    /// How many of the details are a read's.
    detail: u32,
    details: Vec<u32>,
    found: Vec<u32>,
}

impl Case {
    fn read(words: &mut Words<'_>) -> Case {
        let kind = words.next();
        let [width, height, depth] = [(); 3].map(|()| words.next());
        let levels = words.next();
        let bits = words.next() as u8;
        let channel = [ChannelKind::Signed, ChannelKind::Unsigned, ChannelKind::Float];
        let format =
            Format { bits, kind: channel[words.next() as usize], channels: words.next() as u8 };
        let address = [(); 3].map(|()| words.mode());
        let filter = words.filter();
        let read = if words.next() == 1 { ReadMode::Normalized } else { ReadMode::Element };
        let (normalized, srgb) = (words.next() == 1, words.next() == 1);
        let levels = Levels {
            count: levels,
            filter: words.filter(),
            bias: words.number(),
            clamp: [(); 2].map(|()| words.number()),
        };
        let border = [(); 4].map(|()| words.next());
        let [op, size, reads, detail] = [(); 4].map(|()| words.next());
        let (extents, layers) = match kind {
            1 => ([width, 0, 0], depth),
            3 | 5 | 6 => ([width, height, 0], depth),
            _ => ([width, height, depth], 0),
        };
        let texels = Texels::array(0, format, extents, layers);
        let texture = Texture { texels, address, filter, read, normalized, border, srgb, levels };
        Case {
            kind,
            texture,
            op,
            texels: words.take(size),
            coordinates: words.take(4 * reads),
            detail,
            details: words.take(detail * reads),
            found: words.take(4 * reads),
        }
    }

    /// A kernel whose threads read each at its coordinates.
    fn kernel(&self) -> String {
        let is_float = self.texture.is_float();
        let (float, typed) = if is_float { ("f32", "%f") } else { ("u32", "%r") };
        let result: Vec<String> = (10..14).map(|nth| format!("{typed}{nth}")).collect();
        let result = result.join(", ");
        let coordinates = match self.kind {
            1 => "{%r4, %f1}",
            3 => "{%r4, %f1, %f2, %f2}",
            4 | 5 => "{%f1, %f2, %f3, %f3}",
            6 => "{%r4, %f1, %f2, %f3}",
            0 => "{%f1}",
            _ => "{%f1, %f2}",
        };
        let geometry = ["1d", "a1d", "2d", "a2d", "3d", "cube", "acube", "1d"][self.kind as usize];
        let read = match (self.kind, self.op) {
            (7, _) => format!("tex.1d.v4.{float}.s32 {{{result}}}, [%t, {{%r1}}];"),
            (_, 7) => format!("tex.2d.v4.{float}.s32 {{{result}}}, [%t, {{%r1, %r2}}];"),
            (_, 1) => format!(
                "tex.level.{geometry}.v4.{float}.f32 {{{result}}}, [%t, {coordinates}], %f5;"
            ),
            (_, op @ 3..=6) => {
                let component = ["r", "g", "b", "a"][op as usize - 3];
                format!("tld4.{component}.2d.v4.{float}.f32 {{{result}}}, [%t, {coordinates}];")
            }
            (_, 8) => format!(
                "mov.b32 %r8, -3; mov.b32 %r9, 2;
                 tex.2d.v4.{float}.f32 {{{result}}}, [%t, {coordinates}], {{%r8, %r9}};"
            ),
            _ => format!("tex.{geometry}.v4.{float}.f32 {{{result}}}, [%t, {coordinates}];"),
        };
        format!(
            ".version 7.8
             .target sm_80
             .address_size 64
             .visible .entry read(.param .u64 t, .param .u64 at, .param .u64 detail, .param .u64 out) {{
                .reg .f32 %f<16>; .reg .b32 %r<16>; .reg .b64 %t, %a, %d, %o;
                ld.param.u64 %t, [t]; ld.param.u64 %a, [at]; ld.param.u64 %d, [detail]; ld.param.u64 %o, [out];
                mov.u32 %r0, %tid.x;
                mad.wide.u32 %a, %r0, 16, %a; mad.wide.u32 %o, %r0, 16, %o; mad.wide.u32 %d, %r0, 4, %d;
                ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%a]; ld.global.f32 %f5, [%d];
                mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;
                {read}
                st.global.v4.{float} [%o], {{{result}}};
                ret; }}"
        )
    }

    /// What Warpwise reads.
    fn run(&self, device: &Device) -> Vec<u32> {
        let mut texture = self.texture;
        let (count, dense) = (texture.levels.count.max(1), texture.texels);
        let bytes = dense.bytes_of_levels(count).expect("few bytes");
        let buffer = device.allocate(bytes).expect("space");
        texture.texels.address = buffer.address;
        let all: Vec<u8> = self.texels.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut rest = &all[..];
        for nth in 0..count {
            let level = texture.texels.level(nth);
            let size = level.contents().expect("few bytes") as usize;
            for (place, piece) in level.pieces(0, size) {
                let at = level.address - buffer.address + place;
                device.write(buffer, at, &rest[piece]).expect("inside");
            }
            rest = &rest[size..];
        }
        let module = Module::from_ptx("recording.ptx", self.kernel()).expect("it is well formed");
        let kernel = module.kernel("read").expect("it lowers");
        let reads = self.coordinates.len() / 4;
        let details = if self.detail == 0 { vec![0; reads] } else { self.details.clone() };
        let [at, detail] = [&self.coordinates, &details].map(|all| device.upload(all));
        let (at, detail) = (at.expect("space"), detail.expect("space"));
        let out = device.upload(&vec![0_u32; 4 * reads]).expect("space");
        let handle = device.create_texture(texture).expect("a texture");
        let args: [Arg; 4] = [handle.into(), at.into(), detail.into(), out.into()];
        let config = LaunchConfig::new(1, reads as u32);
        kernel.launch(device, &config, &args).expect("it runs");
        device.download(out).expect("inside")
    }
}

#[test]
fn textures_are_read_as_an_h100_reads_them() {
    let mut words = Words(include_bytes!("../../../tests/textures/h100.bin"));
    let device = Device::new().expect("address space");
    let (mut cases, mut reads) = (0, 0);
    while !words.0.is_empty() {
        let case = Case::read(&mut words);
        let found = case.run(&device);
        for (nth, (found, wanted)) in found.chunks(4).zip(case.found.chunks(4)).enumerate() {
            let at = &case.coordinates[4 * nth..4 * nth + 4];
            assert_eq!(
                found, wanted,
                "case {cases}, read {nth} at {at:x?}, operation {} of {:?}",
                case.op, case.texture
            );
            reads += 1;
        }
        cases += 1;
    }
    assert!(cases > 100 && reads > 2500, "{cases} {reads}");
}
