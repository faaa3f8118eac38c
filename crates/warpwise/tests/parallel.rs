//! Several threads of the host use one device at once.

use warpwise::{Device, LaunchConfig, Module, Quarantine};

const TEXT: &str = "
    .version 7.8
    .target sm_80
    .address_size 64
    .global .u32 launches;
    .visible .entry scaled(.param .u64 in, .param .u64 out, .param .u32 factor)
    {
        .reg .pred %p;
        .reg .b32 %r<8>;
        .reg .b64 %rd<6>;
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        ld.param.u32 %r1, [factor];
        mov.u32 %r2, %tid.x;
        mov.u32 %r3, %ctaid.x;
        mad.lo.u32 %r4, %r3, 96, %r2;
        mul.wide.u32 %rd3, %r4, 4;
        add.u64 %rd1, %rd1, %rd3;
        add.u64 %rd2, %rd2, %rd3;
        ld.global.u32 %r5, [%rd1];
        mad.lo.u32 %r6, %r5, %r1, %r4;
        st.global.u32 [%rd2], %r6;
        setp.ne.u32 %p, %r4, 0;
        @%p bra DONE;
        red.global.add.u32 [launches], 1;
    DONE:
        ret;
    }";

#[test]
fn a_hundred_launches_at_once_over_one_device() {
    let module = Module::from_ptx("scaled.ptx", TEXT).expect("the module is well formed");
    let kernel = module.kernel("scaled").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let input: Vec<u32> = (0..480).map(|i| i * 7 + 1).collect();
    let from = device.upload(&input).expect("it fits");
    std::thread::scope(|scope| {
        for worker in 0..10 {
            let (device, kernel, input) = (&device, &kernel, &input);
            scope.spawn(move || {
                for nth in 0..10_u32 {
                    let to = device.allocate(4 * 480).expect("it fits");
                    let factor = worker * 100 + nth;
                    let args = [from.into(), to.into(), factor.into()];
                    kernel.launch(device, &LaunchConfig::new(5, 96), &args).expect("it runs");
                    let expected = (0..).zip(input).map(|(i, value)| value * factor + i);
                    assert!(device.download::<u32>(to).expect("there").into_iter().eq(expected));
                    device.free(to).expect("a buffer");
                }
            });
        }
    });
    // The variables were laid out once, whoever came first.
    let launches = device.variable(&module, "launches").expect("it is loaded");
    let launches = launches.expect("the module has it");
    assert_eq!(device.download::<u32>(launches).ok(), Some(vec![100]));
}

#[test]
fn addresses_of_freed_buffers_are_used_again_or_not() {
    for (quarantine, used_again) in [(Quarantine::Short, true), (Quarantine::Forever, false)] {
        let device = Device::new().expect("the host gives memory");
        device.set_quarantine(quarantine);
        let first = device.upload(&[7_u8; 100]).expect("it fits");
        device.free(first).expect("a buffer");
        let again = (0..1000).any(|_| {
            let buffer = device.allocate(100).expect("it fits");
            assert_eq!(device.bytes(buffer).ok(), Some(vec![0; 100]));
            device.free(buffer).expect("a buffer");
            buffer.address == first.address
        });
        assert_eq!(again, used_again);
    }
}
