//! Addresses that are known to lie one after the other, or to be one, only when a kernel runs: every engine takes whole vectors
//! where they do, and must give what it gives lane by lane.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const TEXT: &str = "
    .version 7.8
    .target sm_80
    .address_size 64
    // out[row][column] = a[row][k] + 3 b[k][column], matrices of n columns.
    .visible .entry tile(.param .u64 a, .param .u64 b, .param .u64 out, .param .u32 n, .param .u32 k)
    {
        .reg .b32 %r<12>;
        .reg .b64 %rd<10>;
        ld.param.u64 %rd1, [a];
        ld.param.u64 %rd2, [b];
        ld.param.u64 %rd3, [out];
        ld.param.u32 %r1, [n];
        ld.param.u32 %r2, [k];
        mov.u32 %r3, %tid.x;
        mov.u32 %r4, %tid.y;
        mad.lo.u32 %r5, %r4, %r1, %r2;
        mul.wide.u32 %rd4, %r5, 4;
        add.u64 %rd4, %rd1, %rd4;
        ld.global.u32 %r6, [%rd4];
        mad.lo.u32 %r7, %r2, %r1, %r3;
        mul.wide.u32 %rd5, %r7, 4;
        add.u64 %rd5, %rd2, %rd5;
        ld.global.u32 %r8, [%rd5];
        mad.lo.u32 %r9, %r8, 3, %r6;
        mad.lo.u32 %r10, %r4, %r1, %r3;
        mul.wide.u32 %rd6, %r10, 4;
        add.u64 %rd6, %rd3, %rd6;
        st.global.u32 [%rd6], %r9;
        ret;
    }
    // out[index[t]] = in[t] where that is positive.
    .visible .entry spread(.param .u64 in, .param .u64 index, .param .u64 out)
    {
        .reg .pred %p;
        .reg .b32 %r<6>;
        .reg .b64 %rd<8>;
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [index];
        ld.param.u64 %rd3, [out];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd4, %r1, 4;
        add.u64 %rd1, %rd1, %rd4;
        add.u64 %rd2, %rd2, %rd4;
        ld.global.u32 %r2, [%rd1];
        ld.global.u32 %r3, [%rd2];
        mul.wide.u32 %rd5, %r3, 4;
        add.u64 %rd3, %rd3, %rd5;
        setp.gt.s32 %p, %r2, 0;
        @%p st.global.u32 [%rd3], %r2;
        ret;
    }
    // out[t] = (in[t].y, in[t].x + t)
    .visible .entry pairs(.param .u64 in, .param .u64 out)
    {
        .reg .b32 %r<6>;
        .reg .b64 %rd<8>;
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        mov.u32 %r1, %tid.x;
        mov.u32 %r2, %tid.y;
        mov.u32 %r3, %ntid.x;
        mad.lo.u32 %r1, %r2, %r3, %r1;
        mul.wide.u32 %rd3, %r1, 16;
        add.u64 %rd1, %rd1, %rd3;
        add.u64 %rd2, %rd2, %rd3;
        ld.global.v2.u64 {%rd4, %rd5}, [%rd1];
        cvt.u64.u32 %rd6, %r1;
        add.u64 %rd4, %rd4, %rd6;
        st.global.v2.u64 [%rd2], {%rd5, %rd4};
        ret;
    }
    // out[t] = in[index[t]]
    .visible .entry collect(.param .u64 in, .param .u64 index, .param .u64 out)
    {
        .reg .b32 %r<6>;
        .reg .b64 %rd<8>;
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [index];
        ld.param.u64 %rd3, [out];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd4, %r1, 4;
        add.u64 %rd3, %rd3, %rd4;
        add.u64 %rd2, %rd2, %rd4;
        ld.global.u32 %r3, [%rd2];
        mul.wide.u32 %rd5, %r3, 4;
        add.u64 %rd1, %rd1, %rd5;
        ld.global.u32 %r2, [%rd1];
        st.global.u32 [%rd3], %r2;
        ret;
    }";

/// Numbers without order, every third of them not positive.
fn numbers(count: u32) -> Vec<u32> {
    let one = |nth: u32| {
        let number = (nth.wrapping_mul(2_654_435_761) >> 8) + 1;
        if nth % 3 == 1 { number.wrapping_neg() } else { number }
    };
    (0..count).map(one).collect()
}

#[test]
fn tiles_of_any_width_are_the_same_on_every_engine() {
    let module = Module::from_ptx("rows.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("tile").expect("it lowers");
    let device = Device::new().expect("address space");
    let (n, k) = (45, 2);
    let matrix = numbers(64 * n);
    let (a, b) = (device.upload(&matrix).expect("space"), device.upload(&matrix).expect("space"));
    for engine in EngineChoice::available() {
        for [width, height] in [[16, 16], [8, 8], [32, 4], [4, 16], [2, 32], [32, 1], [1, 64]] {
            let out = device.upload(&vec![0u32; (64 * n) as usize]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, [width, height, 1]) };
            let args = [a.into(), b.into(), out.into(), n.into(), k.into()];
            kernel.launch(&device, &config, &args).expect("it runs");
            let mut expected = vec![0; (64 * n) as usize];
            for row in 0..height {
                for column in 0..width {
                    let (left, right) = (row * n + k, k * n + column);
                    let [left, right] = [left, right].map(|at| matrix[at as usize]);
                    expected[(row * n + column) as usize] =
                        right.wrapping_mul(3).wrapping_add(left);
                }
            }
            let found = device.download::<u32>(out).expect("there");
            assert!(found == expected, "{engine}, tiles of {width} by {height}");
            device.free(out).expect("a buffer");
        }
    }
}

#[test]
fn tiles_that_are_nowhere_are_told() {
    let module = Module::from_ptx("rows.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("tile").expect("it lowers");
    let device = Device::new().expect("address space");
    let held = device.upload(&vec![0u32; 4096]).expect("space");
    for engine in EngineChoice::available() {
        for (nowhere, block) in
            (0..3).flat_map(|nth| [[16, 16, 1], [8, 8, 1]].map(|block| (nth, block)))
        {
            let mut args = [held.into(), held.into(), held.into(), 45.into(), 2.into()];
            args[nowhere] = 4096u64.into();
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, block) };
            let told = kernel.launch(&device, &config, &args).expect_err("nobody has that memory");
            assert!(told.to_string().contains("0x1"), "{engine}, {nowhere}: {told}");
        }
    }
}

#[test]
fn pairs_of_64_bits_are_the_same_on_every_engine() {
    let module = Module::from_ptx("rows.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("pairs").expect("it lowers");
    let device = Device::new().expect("address space");
    let input: Vec<u64> = numbers(256).into_iter().map(|n| u64::from(n) << 17 | 5).collect();
    let from = device.upload(&input).expect("space");
    for engine in EngineChoice::available() {
        for block in [[128, 1, 1], [8, 16, 1], [32, 1, 1], [96, 1, 1]] {
            let out = device.upload(&[0u64; 256]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, block) };
            kernel.launch(&device, &config, &[from.into(), out.into()]).expect("it runs");
            let found = device.download::<u64>(out).expect("there");
            let threads = block.iter().product::<u32>() as usize;
            for t in 0..threads {
                let expected = [input[2 * t + 1], input[2 * t] + t as u64];
                assert_eq!(found[2 * t..][..2], expected, "{engine}, {block:?}, thread {t}");
            }
            device.free(out).expect("a buffer");
        }
    }
}

#[test]
fn elements_go_and_come_wherever_their_indices_say() {
    const COUNT: u32 = 64;
    let module = Module::from_ptx("rows.ptx", TEXT).expect("it is legal");
    let [spread, collect] =
        ["spread", "collect"].map(|name| module.kernel(name).expect("a kernel"));
    let device = Device::new().expect("address space");
    let input = numbers(4 * COUNT);
    let is_positive = |t: usize| input[t].cast_signed() > 0;
    // Behind how many others an element is kept.
    let rank = |t: u32| (0..t as usize).filter(|t| is_positive(*t)).count() as u32;
    let indices: [(&str, Vec<u32>); 7] = [
        ("in order", (0..COUNT).collect()),
        ("in order, further on", (0..COUNT).map(|t| t + 5).collect()),
        ("the other way round", (0..COUNT).rev().collect()),
        ("apart", (0..COUNT).map(|t| 3 * t).collect()),
        ("one place", vec![7; COUNT as usize]),
        ("a place for each half of a warp", (0..COUNT).map(|t| t / 16).collect()),
        ("by rank", (0..COUNT).map(rank).collect()),
    ];
    for engine in EngineChoice::available() {
        for (name, index) in &indices {
            let from = device.upload(&input).expect("space");
            let at = device.upload(index).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, COUNT) };
            let mut expected = [vec![0; 4 * COUNT as usize], vec![0; 4 * COUNT as usize]];
            for (t, at) in index.iter().enumerate() {
                if is_positive(t) {
                    // Lanes write one place in ascending order.
                    expected[0][*at as usize] = input[t];
                }
                expected[1][t] = input[*at as usize];
            }
            for (kernel, expected) in [&spread, &collect].into_iter().zip(&expected) {
                let out = device.upload(&vec![0u32; 4 * COUNT as usize]).expect("space");
                let args = [from.into(), at.into(), out.into()];
                kernel.launch(&device, &config, &args).expect("it runs");
                let found = device.download::<u32>(out).expect("there");
                assert_eq!(&found, expected, "{engine}, {name}");
                device.free(out).expect("a buffer");
            }
        }
    }
}
