//! Every collective under random membermasks, against what the manual says of each lane: lanes of several membermasks at one
//! instruction, in two branches, without those that have exited or whose guard is false, with some that their membermask
//! does not name. In lockstep and with independent lanes; where nobody waits, and where lanes do.

mod kernels;
mod model;

use kernels::{Constants, Form, INPUTS, OUTPUTS, ROUND, forms, kernel};
use model::{Given, Kind, Lane, Rules, Value, given, source, takes_part};
use std::collections::{BTreeMap, BTreeSet};
use warpwise::{Arg, CheckOptions, Device, LaunchConfig, Module, Schedule};

const TARGETS: [(&str, u32); 7] = [
    ("sm_30", 30),
    ("sm_60", 60),
    ("sm_70", 70),
    ("sm_80", 80),
    ("sm_90", 90),
    ("sm_100a", 100),
    ("sm_120", 120),
];

/// What stands in results that a lane does not write.
const UNWRITTEN: u32 = 0xdead_beef;
const BEFORE: u32 = 77;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) ^ (self.0 >> 18)) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    fn mask(&mut self) -> u32 {
        match self.below(4) {
            0 => self.next() & self.next(),
            1 => self.next() | self.next(),
            _ => self.next(),
        }
    }

    /// Often equal ones, and floats of all kinds.
    fn value(&mut self) -> u32 {
        const FLOATS: [u32; 8] =
            [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0xffff_ffff, 1, 0x8000_0001];
        match self.below(4) {
            0 => FLOATS[self.below(8) as usize],
            1 => self.below(3),
            _ => self.next(),
        }
    }
}

/// How a kernel is made and run.
#[derive(Clone, Copy, Debug)]
struct Setup<'f> {
    form: &'f Form,
    target: &'static str,
    lockstep: bool,
    /// The collective stands in two branches.
    sides: bool,
    constants: [Constants; 2],
}

impl Setup<'_> {
    fn rules(&self) -> Rules {
        Rules { lockstep: self.lockstep || !self.form.sync(), sync: self.form.sync() }
    }
}

/// What a warp does: in two rounds.
#[derive(Clone, Copy, Debug)]
struct Warp {
    exited: u32,
    rounds: [[Lane; 32]; 2],
}

impl Warp {
    fn random(setup: &Setup<'_>, random: &mut Random) -> Warp {
        let whole = setup.form.kind == Kind::Transpose;
        let exited = if whole || random.below(2) == 0 { 0 } else { random.mask() };
        let sides = if setup.sides { random.mask() } else { 0 };
        let round = |nth: usize, random: &mut Random| {
            let guards = if whole || random.below(2) == 0 { u32::MAX } else { random.mask() };
            let mut lanes: [Lane; 32] = std::array::from_fn(|i| Lane {
                a: random.value(),
                high: random.below(2),
                b: random.next(),
                c: random.next(),
                membermask: 0,
                predicate: random.below(2) == 1,
                executes: guards & !exited & (1 << i) != 0,
                side: sides & (1 << i) != 0,
            });
            match random.below(8) {
                0 => lanes.iter_mut().for_each(|lane| lane.predicate = true),
                1 => lanes.iter_mut().for_each(|lane| (lane.a, lane.high) = (5, 0)),
                _ => {}
            }
            // A width of a power of two, as in real code.
            if random.below(2) == 0 {
                let width = 1 << random.below(6);
                let clamp = if setup.form.kind == Kind::Up { 0 } else { width - 1 };
                lanes.iter_mut().for_each(|lane| lane.c = ((32 - width) << 8) | clamp);
            }
            if let Some([b, c]) = setup.constants[nth].shuffle {
                lanes.iter_mut().for_each(|lane| (lane.b, lane.c) = (b, c));
            }
            Self::choose_masks(setup, nth, exited, &mut lanes, random);
            lanes
        };
        Warp { exited, rounds: [round(0, random), round(1, random)] }
    }

    /// Membermasks under which the kernel ends and the model says who takes part.
    fn choose_masks(
        setup: &Setup<'_>,
        nth: usize,
        exited: u32,
        lanes: &mut [Lane; 32],
        random: &mut Random,
    ) {
        if let Some(mask) = setup.constants[nth].membermask {
            lanes.iter_mut().for_each(|lane| lane.membermask = mask);
            return;
        }
        if setup.lockstep && !setup.sides && random.below(3) == 0 {
            // Nobody waits: any masks will do.
            let some = [random.mask(), random.mask(), random.mask()];
            lanes.iter_mut().for_each(|lane| lane.membermask = some[random.below(3) as usize]);
            return;
        }
        let kinds = [1, 1, 2, 4][random.below(4) as usize];
        let apart = setup.lockstep && setup.sides;
        let group: [u32; 32] =
            std::array::from_fn(|i| 2 * random.below(kinds) + u32::from(apart && lanes[i].side));
        let idle: u32 = (0..32).filter(|i| !lanes[*i].executes).map(|i| 1 << i).sum();
        // In the first round lanes that go on may wait for nobody whom they leave behind.
        let more = if nth == 0 { exited } else { idle };
        for of in 0..8 {
            let own: u32 =
                (0..32).filter(|i| group[*i] == of && lanes[*i].executes).map(|i| 1 << i).sum();
            let mask = own | random.next() & more;
            for i in (0..32).filter(|i| group[*i] == of) {
                lanes[i].membermask = mask;
            }
        }
        if nth == 1 && random.below(3) == 0 {
            // Some lanes are named by nobody.
            let strays = random.mask() & random.mask();
            for lane in lanes.iter_mut() {
                lane.membermask &= !strays;
            }
        }
    }

    fn rows(&self) -> Vec<u32> {
        let row = |value: &dyn Fn(usize) -> u32| (0..32).map(value).collect::<Vec<u32>>();
        let mut rows = Vec::with_capacity(32 * INPUTS);
        for (nth, lanes) in self.rounds.iter().enumerate() {
            assert_eq!(rows.len(), 32 * ROUND * nth);
            rows.extend(row(&|i| lanes[i].a));
            rows.extend(row(&|i| lanes[i].high));
            rows.extend(row(&|i| lanes[i].b));
            rows.extend(row(&|i| lanes[i].c));
            rows.extend(row(&|i| lanes[i].membermask));
            rows.extend(row(&|i| u32::from(lanes[i].predicate)));
            rows.extend(row(&|i| u32::from(lanes[i].executes)));
        }
        rows.extend(row(&|i| u32::from(self.rounds[0][i].side)));
        rows.extend(row(&|i| self.exited >> i & 1));
        rows
    }

    /// Compares what it wrote; returns how many results were defined.
    fn compare(&self, setup: &Setup<'_>, written: &[u32], what: &dyn Fn() -> String) -> usize {
        let mut compared = 0;
        for (nth, lanes) in self.rounds.iter().enumerate() {
            for i in 0..32 {
                let found = [0, 1].map(|row| written[(2 * nth + row) * 32 + i]);
                let Given { d, p } = match (self.exited >> i & 1, lanes[i].executes) {
                    (1, _) => {
                        assert_eq!(found, [UNWRITTEN; 2]);
                        continue;
                    }
                    (_, false) => Given { d: None, p: None },
                    (_, true) => given(setup.form.kind, lanes, i, setup.rules()),
                };
                let d = d.unwrap_or(Value::Is(BEFORE));
                let p = match p.unwrap_or(Value::Is(false)) {
                    Value::Is(p) => Value::Is(u32::from(p)),
                    Value::Undefined => Value::Undefined,
                };
                for (value, found) in [d, p].into_iter().zip(found) {
                    if let Value::Is(value) = value {
                        let lane = lanes[i];
                        assert_eq!(found, value, "lane {i}, round {nth}: {lane:?}\n{}", what());
                        compared += 1;
                    }
                }
            }
        }
        compared
    }

    /// The codes that `check --pedantic` has for it.
    fn codes(&self, setup: &Setup<'_>) -> BTreeSet<&'static str> {
        let mut codes = BTreeSet::new();
        let rules = setup.rules();
        for lanes in &self.rounds {
            for i in (0..32).filter(|i| lanes[*i].executes) {
                let stray = !takes_part(lanes, i, i, rules);
                if stray {
                    codes.insert("W001");
                }
                let Given { d, p } = given(setup.form.kind, lanes, i, rules);
                if d == Some(Value::Undefined) || p == Some(Value::Undefined) {
                    codes.insert("W010");
                }
                if setup.form.kind.is_shuffle() && !stray {
                    let (from, _) = source(setup.form.kind, i, lanes[i].b, lanes[i].c);
                    if !takes_part(lanes, i, from, rules) {
                        codes.insert("W002");
                    }
                }
                for j in (0..32).filter(|j| setup.lockstep && lanes[i].membermask >> j & 1 == 1) {
                    let here = lanes[j].executes && lanes[j].side == lanes[i].side;
                    if here && lanes[j].membermask != lanes[i].membermask && !stray {
                        codes.insert("W003");
                    }
                    // Lanes have exited before the first round, and nobody exits in between.
                    if !here && self.exited >> j & 1 == 0 && !stray {
                        codes.insert("W006");
                    }
                }
            }
        }
        codes
    }
}

/// Runs as many warps as there are, and compares. `warps` of a CTA.
fn run(setup: &Setup<'_>, all: &[Warp], warps: u32, schedule: Schedule) -> usize {
    let text = kernel(setup.form, setup.target, setup.constants, setup.sides);
    let module = Module::from_ptx("k.ptx", text.clone()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = module.kernel("k").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let rows: Vec<u32> = all.iter().flat_map(Warp::rows).collect();
    let device = Device::new().expect("the host has memory");
    let from = device.upload(&rows).expect("it fits");
    let to = device.upload(&vec![UNWRITTEN; all.len() * 32 * OUTPUTS]).expect("it fits");
    let ctas = all.len() as u32 / warps;
    let config = LaunchConfig { threads: 1, schedule, ..LaunchConfig::new(ctas, 32 * warps) };
    let ran = kernel.launch(&device, &config, &[Arg::Buffer(from), Arg::Buffer(to)]);
    ran.unwrap_or_else(|e| panic!("{e}\n{setup:?}\n{text}"));
    let written: Vec<u32> = device.download(to).expect("it is there");
    let each = all.iter().zip(written.chunks(32 * OUTPUTS)).enumerate();
    each.map(|(nth, (warp, written))| {
        warp.compare(setup, written, &|| format!("warp {nth} of {setup:?}\n{text}"))
    })
    .sum()
}

fn constants(random: &mut Random, masks: bool) -> Constants {
    let shuffle = (random.below(2) == 0).then(|| [random.next(), random.next()]);
    let membermask = masks.then(|| random.mask());
    Constants { shuffle, membermask }
}

/// Each form at each target, in line and in branches.
fn setups(forms: &[Form]) -> impl Iterator<Item = Setup<'_>> {
    let each = forms.iter().flat_map(|form| TARGETS.map(|target| (form, target)));
    each.filter(|(form, (_, sm))| form.sm.contains(sm)).flat_map(|(form, (target, sm))| {
        let sides: &[bool] = if form.kind == Kind::Transpose { &[false] } else { &[false, true] };
        let constants = [Constants::default(); 2];
        let setup = Setup { form, target, lockstep: sm < 70, sides: false, constants };
        sides.iter().map(move |sides| Setup { sides: *sides, ..setup })
    })
}

#[test]
fn results_are_the_manuals() {
    let mut random = Random(1);
    let forms = forms();
    let mut compared = 0;
    for setup in setups(&forms) {
        for (count, warps) in [(80, 1), (45, 3)] {
            let constants = [constants(&mut random, false), constants(&mut random, false)];
            let setup = Setup { constants, ..setup };
            let all: Vec<Warp> = (0..count).map(|_| Warp::random(&setup, &mut random)).collect();
            compared += run(&setup, &all, warps, Schedule::Fair);
        }
    }
    assert!(compared > 1_000_000, "{compared} results");
}

/// A membermask that the instruction has as a constant, whoever executes it. In the first round lanes would be
/// left behind that the others name.
#[test]
fn constant_membermasks() {
    let mut random = Random(2);
    let forms = forms();
    for setup in setups(&forms).filter(|setup| setup.form.sync()) {
        for mask in [u32::MAX, 0xff, 0xffff_0000, random.mask()] {
            let last = Constants { membermask: Some(mask), ..constants(&mut random, false) };
            // Branches in lockstep are no convergence.
            let sides = setup.sides && !setup.lockstep;
            let setup = Setup { constants: [constants(&mut random, false), last], sides, ..setup };
            let all: Vec<Warp> = (0..24).map(|_| Warp::random(&setup, &mut random)).collect();
            run(&setup, &all, 1, Schedule::Fair);
        }
    }
}

/// The same, one step of one split at a time.
#[test]
fn results_under_other_schedules() {
    let mut random = Random(3);
    let forms = forms();
    // Without a membermask, who is there together depends on the schedule.
    for setup in setups(&forms).filter(|setup| setup.form.sync() || setup.lockstep) {
        let all: Vec<Warp> = (0..8).map(|_| Warp::random(&setup, &mut random)).collect();
        run(&setup, &all, 2, Schedule::Seed(u64::from(random.next())));
    }
}

/// What is undefined is found, and nothing else.
#[test]
fn findings_are_the_manuals() {
    let mut random = Random(4);
    let forms = forms();
    let mut seen = BTreeMap::new();
    for setup in setups(&forms).filter(|setup| setup.form.sync()) {
        let text = kernel(setup.form, setup.target, setup.constants, setup.sides);
        let module = Module::from_ptx("k.ptx", text.clone()).unwrap_or_else(|e| panic!("{e}"));
        let kernel = module.kernel("k").unwrap_or_else(|e| panic!("{e}"));
        let device = Device::new().expect("the host has memory");
        for _ in 0..8 {
            let warp = Warp::random(&setup, &mut random);
            let from = device.upload(&warp.rows()).expect("it fits");
            let to = device.upload(&[UNWRITTEN; 32 * OUTPUTS]).expect("it fits");
            let args = [Arg::Buffer(from), Arg::Buffer(to)];
            let options = CheckOptions { pedantic: true };
            let config = LaunchConfig::new(1, 32);
            let checked = kernel.check(&device, &config, options, &args);
            let checked = checked.unwrap_or_else(|e| panic!("{e}\n{text}"));
            let codes = checked.findings.iter().map(|finding| finding.code.word());
            let (found, wanted) = (codes.collect::<BTreeSet<_>>(), warp.codes(&setup));
            assert_eq!(found, wanted, "{setup:?}\n{warp:?}\n{text}");
            found.into_iter().for_each(|code| *seen.entry(code).or_insert(0) += 1);
        }
    }
    let often = |code| seen.get(code).is_some_and(|count| *count > 100);
    assert!(["W001", "W002", "W003", "W006", "W010"].into_iter().all(often), "{seen:?}");
}
