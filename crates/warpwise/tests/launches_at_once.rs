//! A hundred launches at once, of kernels that are compiled meanwhile, by every engine; `cargo xtask sanitizers` runs it under a thread
//! sanitizer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise::{
    Arg, Buffer, Device, EngineChoice, Event, Kernel, LaunchConfig, Module, Properties, Session,
};

const THREADS: u32 = 64;
const CTAS: u32 = 3;

/// Numbers by way of a loop, shared memory, a block of the heap, and a function that calls itself. `many` counts threads.
const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 bytes);
.extern .func free(.param .b64 block);
.global .u32 many;
.func (.param .b32 r) depth(.param .b32 n)
{
    .reg .b32 %n, %d; .reg .pred %p;
    ld.param.b32 %n, [n];
    mov.b32 %d, 0;
    setp.eq.u32 %p, %n, 0;
    @%p bra done;
    sub.u32 %n, %n, 1;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %n;
      call (b), depth, (a);
      ld.param.b32 %d, [b]; }
    add.u32 %d, %d, 1;
done:
    st.param.b32 [r], %d;
    ret;
}
.visible .entry work(.param .u64 out, .param .u32 factor, .param .u32 rounds)
{
    .reg .b32 %t, %g, %c, %n, %x, %y, %z, %f, %k; .reg .b64 %o, %b, %m; .reg .pred %p;
    .shared .align 4 .b8 left[256];
    ld.param.u64 %o, [out]; ld.param.u32 %f, [factor]; ld.param.u32 %k, [rounds];
    mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %n, %ntid.x;
    mad.lo.u32 %g, %c, %n, %t;
    mul.lo.u32 %x, %g, %f;
again:
    setp.eq.u32 %p, %k, 0;
    @%p bra over;
    mad.lo.u32 %x, %x, 1664525, 1013904223;
    sub.u32 %k, %k, 1;
    bra again;
over:
    mov.u32 %y, left;
    mad.lo.u32 %z, %t, 4, %y;
    st.shared.u32 [%z], %x;
    bar.sync 0;
    add.u32 %z, %t, 1;
    and.b32 %z, %z, 63;
    mad.lo.u32 %z, %z, 4, %y;
    ld.shared.u32 %y, [%z];
    { .param .b64 bytes; .param .b64 r;
      st.param.b64 [bytes], 16;
      call (r), malloc, (bytes);
      ld.param.b64 %b, [r]; }
    st.u32 [%b + 8], %y;
    ld.u32 %y, [%b + 8];
    { .param .b64 block; st.param.b64 [block], %b; call free, (block); }
    and.b32 %z, %t, 3;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %z;
      call (b), depth, (a);
      ld.param.b32 %z, [b]; }
    xor.b32 %x, %x, %y;
    add.u32 %x, %x, %z;
    mad.wide.u32 %o, %g, 4, %o;
    st.global.u32 [%o], %x;
    mov.u64 %m, many;
    red.global.add.u32 [%m], 1;
    ret;
}
";

/// What `work` leaves.
fn expected(factor: u32, rounds: u32) -> Vec<u32> {
    let number = |cta: u32, thread: u32| {
        let first = (cta * THREADS + thread).wrapping_mul(factor);
        (0..rounds).fold(first, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    };
    let of = |cta: u32, thread: u32| {
        let (own, next) = (number(cta, thread), number(cta, (thread + 1) % THREADS));
        (own ^ next).wrapping_add(thread & 3)
    };
    (0..CTAS).flat_map(|cta| (0..THREADS).map(move |thread| of(cta, thread))).collect()
}

fn launch(kernel: &Kernel, device: &Device, engine: EngineChoice, out: Buffer, numbers: [u32; 2]) {
    let config = LaunchConfig { engine, ..LaunchConfig::new(CTAS, THREADS) };
    let args = [Arg::Buffer(out), numbers[0].into(), numbers[1].into()];
    kernel.launch(device, &config, &args).expect("it runs");
}

#[test]
fn a_hundred_launches_at_once_by_every_engine() {
    const WORKERS: u32 = 100;
    let device = Device::new().expect("address space");
    let module = Module::from_ptx("at_once.ptx", PTX).expect("PTX");
    let kernels = [(); 2].map(|()| module.kernel("work").expect("it lowers"));
    let engines: Vec<EngineChoice> =
        EngineChoice::available().chain([EngineChoice::Auto]).collect();
    let at_once = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (device, kernels, engines, at_once) = (&device, &kernels, &engines, &at_once);
            scope.spawn(move || {
                at_once.fetch_add(1, Ordering::Relaxed);
                while at_once.load(Ordering::Relaxed) < WORKERS {
                    std::thread::yield_now();
                }
                let engine = engines[worker as usize % engines.len()];
                let kernel = &kernels[(worker / 7) as usize % 2];
                // Some take long enough for code to be made.
                let rounds = if worker % 5 == 0 { 20_000 } else { 50 };
                let out = device.allocate(u64::from(4 * CTAS * THREADS)).expect("room");
                launch(kernel, device, engine, out, [worker, rounds]);
                let found = device.download::<u32>(out).expect("a buffer");
                assert_eq!(found, expected(worker, rounds), "{engine}, {worker}");
                device.free(out).expect("allocated");
            });
        }
    });
    assert_eq!(device.memory().blocks(), []);
}

#[test]
fn threads_share_a_session_with_its_streams() {
    const WORKERS: u32 = 8;
    let session = Session::with_cache(Properties::of("sm_80").expect("known"), None);
    let session = session.expect("address space");
    let events: Vec<Event> = (0..WORKERS).map(|_| Event::new()).collect();
    let word = session.device().upload(&[0_u32]).expect("room");
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (session, events) = (&session, &events);
            scope.spawn(move || {
                let module = session.module("at_once.ptx", PTX).expect("PTX");
                let kernel = session.kernel(&module, "work").expect("it lowers");
                let stream = session.stream();
                let out = session.device().allocate(u64::from(4 * CTAS * THREADS)).expect("room");
                for nth in 0..10 {
                    let kernel = Arc::clone(&kernel);
                    stream.enqueue(move |device| {
                        launch(&kernel, device, EngineChoice::Auto, out, [worker, nth]);
                        Ok(())
                    });
                }
                // Whoever comes last adds to what the one before left, without any lock.
                if let Some(before) = worker.checked_sub(1) {
                    while events[before as usize].point().is_none() {
                        std::thread::yield_now();
                    }
                    stream.wait(&events[before as usize]);
                }
                stream.enqueue(move |device| {
                    let found = device.download::<u32>(word).expect("a buffer");
                    device.write(word, 0, &[found[0] * 3 + worker]).map(drop)
                });
                stream.record(&events[worker as usize]);
                stream.synchronize().expect("nothing failed");
                let found = session.device().download::<u32>(out).expect("a buffer");
                assert_eq!(found, expected(worker, 9));
            });
        }
    });
    let last = (0..WORKERS).fold(0, |word, worker| word * 3 + worker);
    assert_eq!(session.device().download::<u32>(word).expect("a buffer"), [last]);
}
