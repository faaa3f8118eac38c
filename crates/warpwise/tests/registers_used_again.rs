//! Registers that hold one value after the other, as people write PTX by hand: every engine gives what each lane's own path says.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 64;

/// What each thread of a CTA stores, by each engine: `%r9` after this body, which finds its number in `%r1` and in `%r0` zero.
fn results(body: &str) -> Vec<(EngineChoice, Vec<u32>)> {
    let text = format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 three)
    {{
        .reg .pred %p<2>;
        .reg .b32 %r<10>;
        .reg .b64 %rd<3>;
        mov.u32 %r1, %tid.x;
        {body}
        mul.wide.u32 %rd0, %r1, 4;
        ld.param.u64 %rd1, [out];
        add.u64 %rd1, %rd1, %rd0;
        st.global.u32 [%rd1], %r9;
        ret;
    }}"
    );
    let module = Module::from_ptx("again.ptx", text).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let given: Vec<u32> = (0..THREADS).map(|nth| nth * nth).collect();
    let given = device.upload(&given).expect("space");
    let run = |engine| {
        let out = device.upload(&[0xeeee_eeeeu32; THREADS as usize]).expect("space");
        let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
        let args = [given.into(), out.into(), 3u32.into()];
        kernel.launch(&device, &config, &args).expect("it runs");
        let found = device.download::<u32>(out).expect("there");
        device.free(out).expect("a buffer");
        (engine, found)
    };
    EngineChoice::available().map(run).collect()
}

fn expect(body: &str, of: impl Fn(u32) -> u32) {
    let expected: Vec<u32> = (0..THREADS).map(of).collect();
    for (engine, found) in results(body) {
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn addresses_and_values_share_registers() {
    let body = "
        mov.u32 %r2, %r1;
        mul.wide.u32 %rd0, %r2, 4;
        ld.param.u64 %rd1, [in];
        add.u64 %rd0, %rd1, %rd0;
        ld.global.u32 %r2, [%rd0];
        ld.param.u32 %r3, [three];
        mul.lo.u32 %r2, %r2, %r3;
        mov.u32 %r3, %laneid;
        add.u32 %r9, %r2, %r3;";
    expect(body, |thread| 3 * thread * thread + thread % 32);
}

/// Lanes on one side of a branch give a register another value, while those on the other side still need the old one.
#[test]
fn lanes_of_one_side_write_what_others_read() {
    let body = "
        add.u32 %r2, %r1, 100;
        and.b32 %r3, %r1, 3;
        setp.lt.u32 %p0, %r3, 2;
        @%p0 bra $then;
        xor.b32 %r9, %r2, 1;
        mov.u32 %r2, 5;
        add.u32 %r9, %r9, %r2;
        bra $join;
    $then:
        mov.u32 %r3, 7;
        mul.lo.u32 %r9, %r2, %r3;
        ld.param.u32 %r2, [three];
        sub.u32 %r9, %r9, %r2;
    $join:
        mov.u32 %r2, %r1;
        mov.u32 %r3, 1;
        setp.ne.u32 %p0, %r2, 9;
        @%p0 add.u32 %r9, %r9, %r3;";
    let side = |t: u32| if t % 4 < 2 { (t + 100) * 7 - 3 } else { ((t + 100) ^ 1) + 5 };
    expect(body, |thread| side(thread) + u32::from(thread != 9));
}

/// Lanes leave a loop in different rounds with the last value of a register that is something else in it, and behind it.
#[test]
fn loops_use_registers_again() {
    let body = "
        mov.u32 %r2, 0;
        mov.u32 %r9, 0;
    $round:
        mov.u32 %r3, %r2;
        add.u32 %r9, %r9, %r3;
        add.u32 %r2, %r2, 1;
        and.b32 %r3, %r1, 15;
        setp.le.u32 %p0, %r2, %r3;
        @%p0 bra $round;
        mul.lo.u32 %r3, %r2, 1000;
        add.u32 %r9, %r9, %r3;
        mov.u32 %r2, 3;
        mul.lo.u32 %r9, %r9, %r2;";
    let sum = |n: u32| n * (n + 1) / 2 + (n + 1) * 1000;
    expect(body, |thread| 3 * sum(thread % 16));
}

/// What is read before it is written is zero, and a guarded write leaves the old value in the other lanes.
#[test]
fn old_values_stay_where_a_guard_says_so() {
    let body = "
        add.u32 %r2, %r0, 7;
        setp.lt.u32 %p0, %r1, 20;
        @%p0 mov.u32 %r2, %r1;
        mov.u32 %r9, %r2;
        mov.u32 %r2, 50;
        @!%p0 add.u32 %r2, %r2, %r0;
        setp.gt.u32 %p0, %r1, 40;
        @%p0 mov.u32 %r2, 60;
        add.u32 %r9, %r9, %r2;";
    let first = |t: u32| if t < 20 { t } else { 7 };
    expect(body, |thread| first(thread) + if thread > 40 { 60 } else { 50 });
}

/// A shuffle's register is another lane's, too; its result is used again for something else.
#[test]
fn shuffles_share_registers_with_other_values() {
    let body = "
        add.u32 %r2, %r1, 1;
        shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;
        add.u32 %r2, %r2, %r3;
        shfl.sync.bfly.b32 %r3, %r2, 8, 31, -1;
        add.u32 %r9, %r2, %r3;
        and.b32 %r2, %r1, 31;
        setp.lt.u32 %p0, %r2, 16;
        @!%p0 bra $end;
        mov.u32 %r3, %r9;
        shfl.sync.up.b32 %r2, %r3, 1, 0, 0xffff;
        mov.u32 %r3, 1000;
        add.u32 %r9, %r2, %r3;
    $end:
        mov.u32 %r2, 0;
        add.u32 %r9, %r9, %r2;";
    let summed = |t: u32| [t, t ^ 16, t ^ 8, t ^ 24].iter().map(|t| t + 1).sum::<u32>();
    expect(body, |thread| match thread % 32 {
        16.. => summed(thread),
        0 => summed(thread) + 1000,
        _ => summed(thread - 1) + 1000,
    });
}
