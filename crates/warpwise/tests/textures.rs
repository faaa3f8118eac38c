//! Textures and surfaces as users of the library make them.

use warpwise::texture::{ChannelKind, Filter, Format, ReadMode, Texels, Texture};
use warpwise::{Arg, Device, Error, FaultKind, Kernel, LaunchConfig, Module};

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
