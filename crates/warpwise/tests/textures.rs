//! Textures and surfaces as users of the library make them.

use warpwise::texture::{AddressMode, ChannelKind, Filter, Format, ReadMode, Texels, Texture};
use warpwise::{Arg, Device, EngineChoice, Error, FaultKind, Kernel, LaunchConfig, Module};

const FLOAT: Format = Format { channels: 1, bits: 32, kind: ChannelKind::Float };

/// A kernel that reads the texels (x, y) of a 3 x 2 texture in 6 threads, by float coordinates or integer ones.
const READ: &str = ".version 7.8
.target sm_80
.address_size 64
.visible .entry floats(.param .u64 t, .param .u64 out)
{
    .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [t];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f32.u32 %f2, %r2;
    tex.2d.v4.f32.f32 {%f1, _, _, _}, [%rd1, {%f1, %f2}];
    mad.lo.u32 %r3, %r2, 3, %r1;
    mad.wide.u32 %rd3, %r3, 4, %rd2;
    st.global.f32 [%rd3], %f1;
    ret;
}
.visible .entry edge(.param .u64 t, .param .u64 out)
{
    .reg .b32 %r<5>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [t];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    suld.b.1d.b32.trap {%r2}, [%rd1, {%r1}];
    st.global.u32 [%rd2], %r2;
    ret;
}
.visible .entry parted(.param .u64 even, .param .u64 odd, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<6>; .reg .f32 %f<12>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [even];
    ld.param.u64 %rd2, [odd];
    ld.param.u64 %rd3, [out];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    selp.b64 %rd4, %rd1, %rd2, %p1;
    cvt.rn.f32.u32 %f1, %r1;
    mov.f32 %f2, 0f00000000;
    mov.u32 %r3, 0;
again:
    cvt.rn.f32.u32 %f3, %r3;
    fma.rn.f32 %f4, %f1, 0f3EBD70A4, %f3;
    sub.f32 %f4, %f4, 0f41100000;
    fma.rn.f32 %f5, %f1, 0fBDE147AE, %f3;
    tex.2d.v4.f32.f32 {%f6, %f7, %f8, %f9}, [%rd4, {%f4, %f5}];
    add.f32 %f6, %f6, %f7;
    add.f32 %f8, %f8, %f9;
    add.f32 %f6, %f6, %f8;
    fma.rn.f32 %f2, %f2, 0f3F000000, %f6;
    add.u32 %r4, %r1, %r3;
    rem.u32 %r4, %r4, 3;
    setp.eq.u32 %p2, %r4, 0;
    @%p2 tex.2d.v4.f32.f32 {%f2, _, _, _}, [%rd4, {%f5, %f4}];
    setp.eq.u32 %p3, %r4, 1;
    @%p3 bra over;
    tex.2d.v4.f32.f32 {_, _, %f6, %f7}, [%rd4, {%f5, %f5}];
    sub.f32 %f2, %f2, %f6;
    add.f32 %f2, %f2, %f7;
over:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, 40;
    @%p2 bra again;
    mad.wide.u32 %rd5, %r1, 4, %rd3;
    st.global.f32 [%rd5], %f2;
    ret;
}";

fn kernel(name: &str) -> Kernel {
    let module = Module::from_ptx("texture.ptx", READ).expect("the module is well formed");
    module.kernel(name).expect("it lowers")
}

fn point(texels: Texels) -> Texture {
    Texture::new(texels)
}

fn launch(device: &Device, name: &str, threads: [u32; 3], args: &[Arg]) -> Option<FaultKind> {
    let config = LaunchConfig::new(1, threads);
    let error = kernel(name).launch(device, &config, args).err()?;
    Some(error.failure().fault.as_ref().expect("the kernel was stopped").kind.clone())
}

#[test]
fn rows_may_stand_apart() {
    let device = Device::new().expect("the host gives memory");
    // Rows of three texels, eight numbers apart.
    let numbers: Vec<f32> = (0..16_u8).map(f32::from).collect();
    let buffer = device.upload(&numbers).expect("it fits");
    let texels = Texels { pitch: 32, ..Texels::dense(buffer.address, FLOAT, [3, 2, 0], 0) };
    let handle = device.create_texture(point(texels)).expect("it can be");
    let out = device.allocate(24).expect("it fits");
    assert_eq!(launch(&device, "floats", [3, 2, 1], &[handle.into(), out.into()]), None);
    assert_eq!(device.download::<f32>(out).ok(), Some(vec![0.0, 1.0, 2.0, 8.0, 9.0, 10.0]));
}

#[test]
fn what_is_not_there_stops_the_kernel() {
    let device = Device::new().expect("the host gives memory");
    let array = device.create_array(FLOAT, [3, 2, 0], 0).expect("it fits");
    let out = device.allocate(24).expect("it fits");
    let handle = device.create_texture(point(array.texels)).expect("it can be");
    let surface = device.create_surface(array.texels).expect("it can be");
    let run = |name, handle: u64| launch(&device, name, [3, 2, 1], &[handle.into(), out.into()]);
    assert_eq!(run("floats", handle), None);
    // A number that is no texture.
    for other in [handle + 100, surface, 0] {
        assert!(matches!(run("floats", other), Some(FaultKind::OutOfBounds { .. })), "{other:#x}");
    }
    // Texels that were freed.
    device.destroy_array(array).expect("it is there");
    assert!(matches!(run("floats", handle), Some(FaultKind::OutOfBounds { .. })));
    device.destroy_texture(handle).expect("it is there");
    assert!(matches!(device.destroy_texture(handle), Err(Error::BadInput(_))));
    assert!(matches!(run("floats", handle), Some(FaultKind::OutOfBounds { .. })));
}

#[test]
fn a_warp_that_reads_one_texture_reads_what_its_lanes_read_of_two() {
    const THREADS: u32 = 80;
    let device = Device::new().expect("the host gives memory");
    let bytes: Vec<u8> = (0..4 * 7 * 5_u32).map(|nth| ((nth * 151) >> 2) as u8).collect();
    let buffer = device.upload(&bytes).expect("it fits");
    let format = Format { channels: 4, bits: 8, kind: ChannelKind::Unsigned };
    let texels = Texels::dense(buffer.address, format, [7, 5, 0], 0);
    let out = device.allocate(u64::from(4 * THREADS)).expect("it fits");
    let kernel = kernel("parted");
    let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    for (filter, mode) in
        [Filter::Point, Filter::Linear].into_iter().flat_map(|filter| modes.map(|it| (filter, it)))
    {
        let read = ReadMode::Normalized;
        let texture = Texture { filter, address: [mode; 3], read, ..point(texels) };
        let [one, other] = [0; 2].map(|_| device.create_texture(texture).expect("it can be"));
        let mut known: Option<Vec<u32>> = None;
        for engine in EngineChoice::available().chain([EngineChoice::Auto]) {
            for odd in [one, other] {
                let config = LaunchConfig { engine, ..LaunchConfig::new(1, [THREADS, 1, 1]) };
                let args = [one.into(), odd.into(), out.into()];
                kernel.launch(&device, &config, &args).expect("it runs");
                let found = device.download::<u32>(out).expect("it is there");
                let known = known.get_or_insert_with(|| found.clone());
                assert_eq!(*known, found, "{engine} {filter:?} {mode:?}");
            }
        }
    }
}

#[test]
fn outside_a_surface_an_access_traps() {
    let device = Device::new().expect("the host gives memory");
    let bytes = Format { channels: 1, bits: 8, kind: ChannelKind::Unsigned };
    // The row has five bytes of sixteen that are allocated: byte 4 to 8 is outside of it.
    let array = device.create_array(bytes, [16, 0, 0], 0).expect("it fits");
    let out = device.allocate(4).expect("it fits");
    let whole = device.create_surface(array.texels).expect("it can be");
    let short = Texels { extents: [5, 0, 0], ..array.texels };
    let short = device.create_surface(short).expect("it can be");
    let run = |handle: u64| launch(&device, "edge", [1, 1, 1], &[handle.into(), out.into()]);
    assert_eq!((run(whole), run(short)), (None, None));
    let narrow = Texels { extents: [3, 0, 0], ..array.texels };
    let narrow = device.create_surface(narrow).expect("it can be");
    assert_eq!(run(narrow), Some(FaultKind::Trap));
}

/// Rows of an array begin at multiples of 16 bytes, so that an access to a surface may be wider than a texel wherever it is
/// aligned in its row; what is written and read as a whole has no gaps.
#[test]
fn an_array_has_rows_for_wide_accesses() {
    let device = Device::new().expect("the host gives memory");
    let bytes = Format { channels: 1, bits: 8, kind: ChannelKind::Unsigned };
    for (extents, layers) in [([5, 3, 0], 0), ([5, 3, 2], 0), ([20, 3, 0], 4), ([16, 2, 0], 0)] {
        let array = device.create_array(bytes, extents, layers).expect("it fits");
        let count = array.texels.contents().expect("they are few") as usize;
        assert!(array.texels.pitch.is_multiple_of(16) && array.buffer.bytes >= count as u64);
        let values: Vec<u8> = (0..count).map(|nth| nth as u8).collect();
        device.write_array(array, &values).expect("it is there");
        assert_eq!(device.read_array::<u8>(array).ok(), Some(values.clone()));
        let last = array.texels.bytes().expect("they are few") - 1;
        let row = extents[0] as usize;
        let mut second = vec![0; row];
        device.read(array.buffer, array.texels.pitch, &mut second).expect("inside");
        assert_eq!(second, values[row..2 * row]);
        let mut end = [0];
        device.read(array.buffer, last, &mut end).expect("inside");
        assert_eq!(end[0], values[count - 1]);
        let too_many = vec![0_u8; count + 1];
        assert!(matches!(device.write_array(array, &too_many), Err(Error::BadInput(_))));
        assert_eq!(device.read_array::<[u8; 4]>(array).map(|it| it.len()).ok(), Some(count / 4));
    }
}

#[test]
fn textures_that_cannot_be_are_refused() {
    let device = Device::new().expect("the host gives memory");
    let integers = Format { kind: ChannelKind::Signed, ..FLOAT };
    let array = device.create_array(FLOAT, [4, 4, 0], 0).expect("it fits").texels;
    let good = point(array);
    let wrong = |texture| matches!(device.create_texture(texture), Err(Error::BadInput(_)));
    assert!(!wrong(good) && !wrong(Texture { filter: Filter::Linear, ..good }));
    let of = |texels| Texture { texels, ..good };
    let of_format = |format| of(Texels { format, ..array });
    assert!(wrong(Texture { filter: Filter::Linear, ..of_format(integers) }));
    assert!(wrong(Texture { read: ReadMode::Normalized, ..of_format(integers) }));
    assert!(wrong(of_format(Format { channels: 3, ..FLOAT })));
    assert!(wrong(of_format(Format { bits: 8, ..FLOAT })));
    assert!(wrong(of(Texels { extents: [0, 1, 0], ..array })));
    assert!(wrong(of(Texels { extents: [4, 0, 4], ..array })));
    assert!(wrong(of(Texels { extents: [5, 1, 0], ..array })));
    assert!(wrong(of(Texels { slice: u64::MAX, layers: 3, ..array })));
    assert!(matches!(device.create_array(FLOAT, [u32::MAX; 3], 0), Err(Error::Limit(_))));
}
