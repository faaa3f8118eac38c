//! Schedules that somebody else has run: what is found is the same with and without them.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use warpwise::{
    Arg, CheckOptions, Checked, Device, Exploration, Kernel, LaunchConfig, Module, News, Scouted,
    Scouts, Share,
};

/// Warps leave their numbers in words that nothing orders, and one thread branches on what the last of them left: the result, what is found,
/// and what is not found depend on the schedule.
const KERNEL: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<2>;
    .reg .pred %p;
    ld.param.u64 %rd0, [out];
    mov.u32 %r1, %tid.x;
    shr.u32 %r3, %r1, 5;
    atom.global.exch.b32 %r4, [%rd0], %r3;
    setp.ne.u32 %p, %r4, 2;
    @%p bra NEXT;
    st.global.u32 [%rd0+4], %r3;
NEXT:
    setp.ne.u32 %p, %r3, 1;
    @%p bra DONE;
    ld.global.u32 %r5, [%rd0+4];
    st.global.u32 [%rd0+8], %r5;
DONE:
    ret;
}
";

const COUNT: u64 = 60;
const SEED: u64 = 7;

/// What scouts have told before, if they are believed.
#[derive(Default)]
struct Before {
    fingerprint: u64,
    news: HashMap<u64, Vec<News>>,
    believed: bool,
    used: usize,
}

impl Scouts for Before {
    fn begin(&mut self, fingerprint: u64) {
        self.believed = self.fingerprint == fingerprint;
    }

    fn news(&mut self, nth: u64) -> Option<Vec<News>> {
        let news = self.news.get(&nth).filter(|_| self.believed)?;
        self.used += 1;
        Some(news.clone())
    }
}

/// Held while there is a device: the second device of a process lies at other addresses, and so its runs are others.
static ONE_DEVICE: Mutex<()> = Mutex::new(());

/// The kernel, with memory whose first word is `first`.
fn with<T>(first: u32, work: impl FnOnce(&Kernel, &Device, &LaunchConfig<'_>, &[Arg]) -> T) -> T {
    let _one = ONE_DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    let module = Module::from_ptx("k.ptx", KERNEL).expect("the module is well formed");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let buffer = device.upload(&[first, 0, 0]).expect("room");
    work(&kernel, &device, &LaunchConfig::new([1, 1, 1], [128, 1, 1]), &[Arg::Buffer(buffer)])
}

/// What the scouts of an exploration tell, each of its share.
fn scouted(first: u32, of: usize) -> Before {
    let mut before = Before::default();
    for which in 0..of {
        let of = NonZeroUsize::new(of).expect("there are scouts");
        let share = Share { count: COUNT, seed: SEED, which, of };
        let mut tell = |scouted| {
            match scouted {
                Scouted::First { fingerprint } => before.fingerprint = fingerprint,
                Scouted::Schedule { nth, news } => {
                    assert!(before.news.insert(nth, news).is_none(), "{nth} is run once");
                }
            }
            true
        };
        with(first, |kernel, device, config, args| {
            kernel.scout(device, config, CheckOptions::default(), share, args, &mut tell)
        })
        .expect("it runs");
    }
    before
}

fn explored(first: u32, scouts: &mut dyn Scouts) -> Checked {
    with(first, |kernel, device, config, args| {
        let options = CheckOptions::default();
        let exploration = Exploration::Some { count: COUNT, seed: SEED };
        kernel.explore_with_scouts(device, config, options, exploration, args, scouts)
    })
    .expect("it runs")
}

#[test]
fn what_is_found_is_the_same_with_scouts() {
    let alone = explored(0, &mut ());
    let found: Vec<_> = alone.findings.iter().map(|finding| finding.code.word()).collect();
    assert!(found.len() > 2 && found.contains(&"W008"), "{found:?}");
    for of in [1, 3] {
        let mut scouts = scouted(0, of);
        assert_eq!(scouts.news.len() as u64, COUNT - 1, "all but the first have a scout");
        assert!(
            scouts.news.values().any(Vec::is_empty) && !scouts.news.values().all(Vec::is_empty)
        );
        let beside = explored(0, &mut scouts);
        assert_eq!(scouts.used as u64, COUNT - 1);
        assert_eq!(beside.render(false), alone.render(false));
        assert_eq!((beside.explored, beside.runs), (alone.explored, alone.runs));
    }
}

#[test]
fn scouts_that_saw_another_first_run_are_not_believed() {
    let mut scouts = scouted(5, 1);
    let beside = explored(0, &mut scouts);
    assert_eq!(scouts.used, 0);
    assert_eq!(beside.render(false), explored(0, &mut ()).render(false));
}

#[test]
fn a_scout_stops_when_nobody_listens() {
    let mut told = 0;
    let of = NonZeroUsize::new(1).expect("one");
    with(0, |kernel, device, config, args| {
        let share = Share { count: u64::MAX, seed: 1, which: 0, of };
        kernel.scout(device, config, CheckOptions::default(), share, args, &mut |_| {
            told += 1;
            told < 4
        })
    })
    .expect("it runs");
    assert_eq!(told, 4);
}
