//! A loop whose body is longer than the pieces after which a turn may end, in machine code that begins where one has ended.

use std::fmt::Write as _;
use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 256;

fn text() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 out, .param .u32 times)\n{\n\
         .reg .f32 %f<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n\
         ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [times];\nmov.u32 %r2, %tid.x;\n\
         cvt.rn.f32.u32 %f1, %r2;\nmov.f32 %f2, 0f3F000000;\nmov.u32 %r3, 0;\nL:\n",
    );
    for _ in 0..1100 {
        text.push_str("fma.rn.f32 %f1, %f1, %f2, %f2;\n");
    }
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\n\
         mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.f32 [%rd3], %f1;\nret;\n}}\n"
    );
    text
}

#[test]
fn a_long_body_comes_to_its_end_on_every_engine() {
    let module = Module::from_ptx("long.ptx", text()).expect("a program");
    let device = Device::new().expect("the host gives memory");
    let kernel = module.kernel("k").expect("it lowers");
    let run = |engine, times: u32| {
        let out = device.upload(&[0_f32; THREADS as usize]).expect("it fits");
        let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
        kernel.launch(&device, &config, &[out.into(), times.into()]).expect("it runs");
        device.download::<f32>(out).expect("it is there")
    };
    // Machine code of `auto` is ready somewhere within the loop.
    for times in [3, 3000] {
        let expected = run(EngineChoice::interpreter(), times);
        for engine in EngineChoice::available().chain([EngineChoice::Auto]) {
            assert_eq!(run(engine, times), expected, "{engine:?}");
        }
    }
}
