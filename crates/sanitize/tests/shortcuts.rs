//! What detectors do in one look for many instructions, lanes and warps they must find as well when they are shown each: random
//! kernels, as they are and with mistakes planted in them.
//!
//! `WARPWISE_SEED=N WARPWISE_SEEDS=N` tries others.

use generate::{Case, Choices, generate};
use ir::{Inst, Kernel, Members, Op, Place, Pred, Reg, Src, Terminator};
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};
use vm::{
    Arrival, BarrierArrival, BarrierPart, Candidate, ClusterArrival, Executable, Fault, FaultKind,
    Firing, HeapEvent, Launch, Memory, Observer, Random, Schedule, Verdict, View, Waiting,
};
use warpwise_sanitize::{Found, Options, Outside, Sanitizer};

/// Kernels of one run, and of which seeds.
const SEEDS: Range<u64> = 0..300;
/// Kernels with mistakes of each.
const PLANTED: u64 = 4;
/// What takes longer does not end.
const LONG: Duration = Duration::from_secs(2);

/// A sanitizer that is told of everything one by one. It asks for effects, so that nothing is done at once for it.
struct OneByOne(Sanitizer);

impl Observer for OneByOne {
    const EFFECTS: bool = true;

    fn begin(&mut self, view: &View<'_>) {
        self.0.begin(view);
    }

    fn end(&mut self, view: &View<'_>) {
        self.0.end(view);
    }

    fn step(&mut self, split: &Candidate) {
        self.0.step(split);
    }

    fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        self.0.look_up(view, waiting)
    }

    fn guard(&mut self, view: &View<'_>, guard: Pred, place: Place) {
        self.0.guard(view, guard, place);
    }

    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        self.0.inst(view, inst);
    }

    fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        self.0.leave(view, terminator, place);
    }

    fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>) {
        self.0.arrive(view, arrival);
    }

    fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        self.0.fire(view, firing);
    }

    fn arrive_at_barrier(&mut self, view: &View<'_>, arrival: &BarrierArrival<'_>) {
        self.0.arrive_at_barrier(view, arrival);
    }

    fn complete_barrier(&mut self, view: &View<'_>, id: u32, waiting: &[BarrierPart<'_>]) {
        self.0.complete_barrier(view, id, waiting);
    }

    fn come_to_cluster(&mut self, view: &View<'_>, arrival: &ClusterArrival<'_>) {
        self.0.come_to_cluster(view, arrival);
    }

    fn complete_cluster(&mut self, ctas: &[View<'_>]) {
        self.0.complete_cluster(ctas);
    }

    fn pass_cluster(&mut self, view: &View<'_>, parts: &[BarrierPart<'_>]) {
        self.0.pass_cluster(view, parts);
    }

    fn heap(&mut self, view: &View<'_>, event: &HeapEvent) {
        self.0.heap(view, event);
    }
}

/// Memory with a case's buffers.
struct Device {
    memory: Memory,
    input: u64,
    output: u64,
    counters: u64,
}

/// What a run has shown and left.
#[derive(Debug, PartialEq)]
struct Shown {
    found: Found,
    outcome: String,
    memory: Vec<u8>,
}

impl Device {
    fn new(case: &Case) -> Device {
        let memory = Memory::new().expect("address space");
        let buffer = |bytes: usize| memory.allocate(bytes as u64).expect("room");
        let input = buffer(case.input.len());
        let (output, counters) = (buffer(case.output_bytes), buffer(case.counter_bytes));
        Device { memory, input, output, counters }
    }

    /// Runs a kernel of the case under every detector. `None` if it does not end.
    fn check(
        &self,
        case: &Case,
        (executable, kernel): (&Executable, &Kernel),
        (options, among_others, schedule): (Options, bool, &Schedule),
        at_once: bool,
    ) -> Option<Shown> {
        let Device { memory, input, output, counters } = self;
        memory.write(*input, &case.input).expect("the input");
        let outputs = [(*output, case.output_bytes), (*counters, case.counter_bytes)];
        for (at, bytes) in outputs {
            memory.write(at, &vec![0; bytes]).expect("an output");
        }
        let started = Instant::now();
        let params = case.params(*input, *output, *counters);
        let launch = Launch {
            cluster: case.cluster,
            dynamic_shared: case.dynamic_shared,
            threads: 1,
            schedule: schedule.clone(),
            interrupted: &|| started.elapsed() > LONG,
            ..Launch::new(case.grid, case.block, &params)
        };
        let sanitizer = Sanitizer::new(kernel, case.grid, case.block, options).impatient(1 << 24);
        let unwritten = *input..*input + case.input.len() as u64 / 2;
        let mut sanitizer = match among_others {
            true => sanitizer.among_others(std::slice::from_ref(&unwritten), Outside::Nobody),
            false => sanitizer,
        };
        let (outcome, sanitizer) = match at_once {
            true => (vm::launch_observed(executable, &launch, memory, &mut sanitizer), sanitizer),
            false => {
                let mut slowly = OneByOne(sanitizer.one_by_one());
                let outcome = vm::launch_observed(executable, &launch, memory, &mut slowly);
                (outcome, slowly.0)
            }
        };
        let outcome = outcome.expect("a possible launch");
        let found = sanitizer.finish(outcome.fault.as_ref(), memory);
        let mut left = Vec::new();
        for (at, bytes) in outputs {
            let mut held = vec![0; bytes];
            memory.read(at, &mut held).expect("an output");
            left.extend(held);
        }
        let is_interrupted =
            matches!(&outcome.fault, Some(Fault { kind: FaultKind::Interrupted, .. }));
        let outcome = format!("{outcome:?}");
        (!is_interrupted).then_some(Shown { found, outcome, memory: left })
    }
}

fn any_inst<'k>(kernel: &'k mut Kernel, random: &mut Random) -> Option<(&'k mut Vec<Inst>, usize)> {
    let count = kernel.blocks.iter().map(|block| block.insts.len()).sum::<usize>();
    let mut nth = random.below(count.max(1) as u64) as usize;
    for block in &mut kernel.blocks {
        if nth < block.insts.len() {
            return Some((&mut block.insts, nth));
        }
        nth -= block.insts.len();
    }
    None
}

/// A register of a class.
fn any_reg(kernel: &Kernel, class: ir::Class, random: &mut Random) -> Option<Reg> {
    let all: Vec<u32> = (0..kernel.registers.len() as u32)
        .filter(|nth| kernel.registers[*nth as usize] == class)
        .collect();
    let nth = random.below(all.len().max(1) as u64) as usize;
    all.get(nth).map(|nth| Reg(*nth))
}

/// Makes a mistake somewhere. Not every one is valid, or makes a difference.
fn plant(kernel: &mut Kernel, random: &mut Random) {
    let classes = kernel.registers.clone();
    let guard = any_reg(kernel, ir::Class::Pred, random);
    let narrow = any_reg(kernel, ir::Class::W32, random);
    let mistake = random.below(8);
    let number = random.below(1 << 32);
    if mistake == 0 {
        let nth = random.below(kernel.blocks.len() as u64) as usize;
        if let Terminator::Branch { p, .. } = &mut kernel.blocks[nth].terminator {
            *p = match *p {
                Pred::Is(reg) => Pred::Not(reg),
                Pred::Not(reg) => Pred::Is(reg),
                constant @ Pred::Const(_) => constant,
            };
        }
        return;
    }
    // Of what fits, one that comes behind some instruction.
    let Some((insts, nth)) = any_inst(kernel, random) else { return };
    match mistake {
        1 | 2 => {
            insts.remove(nth);
        }
        3 => {
            let is_meeting = |inst: &Inst| inst.op.may_wait() || inst.op.orders_memory();
            if let Some(nth) = insts.iter().position(is_meeting) {
                insts.remove(nth);
            }
        }
        4 => {
            for inst in &mut insts[nth..] {
                if let Op::Collective { members: Members::Mask(mask), .. } = &mut inst.op {
                    *mask = match number % 3 {
                        0 => Src::Imm(number),
                        1 => Src::Imm(0xffff),
                        _ => narrow.map_or(Src::Imm(1), Src::Reg),
                    };
                    break;
                }
            }
        }
        5 => {
            for inst in &mut insts[nth..] {
                let mut addresses = inst.op.addresses_mut().into_iter().flatten();
                if let Some(address) = addresses.next() {
                    address.offset += [4, -4, 8, 128, 1][number as usize % 5];
                    break;
                }
            }
        }
        6 => {
            if insts[nth].guard.is_none() {
                insts[nth].guard = guard.map(Pred::Is);
            }
        }
        _ => {
            for src in insts[nth].op.sources_mut() {
                if let Src::Reg(reg) = src
                    && classes[reg.0 as usize] == ir::Class::W32
                    && let Some(narrow) = narrow
                {
                    *reg = narrow;
                    break;
                }
            }
        }
    }
}

/// The ways to check a kernel, by a number.
fn ways(number: u64) -> [(Options, bool, Schedule); 3] {
    let pedantic = Options { pedantic: true };
    let usual = Options::default();
    let chosen = match number % 4 {
        0 => Schedule::Apart((number / 4) as u32 % vm::LANE_BITS),
        1 => Schedule::Seed(number),
        _ => Schedule::Fair,
    };
    [
        (usual, false, Schedule::Fair),
        (pedantic, number.is_multiple_of(2), Schedule::Fair),
        (usual, true, chosen),
    ]
}

/// How many kernels had findings.
fn compare(seed: u64) -> u64 {
    let case = generate(&mut Choices::from_seed(seed));
    let device = Device::new(&case);
    let mut with_findings = 0;
    for variant in 0..=PLANTED {
        let mut random = Random::new(seed << 8 | variant);
        let mut kernel = case.kernel.clone();
        for _ in 0..variant.min(2) {
            plant(&mut kernel, &mut random);
        }
        if ir::verify(&kernel).is_err() {
            continue;
        }
        let executable = Executable::new(kernel.clone());
        let mut any = false;
        for way in ways(seed + variant) {
            let of = |at_once| {
                device.check(&case, (&executable, &kernel), (way.0, way.1, &way.2), at_once)
            };
            let (Some(fast), Some(slow)) = (of(true), of(false)) else { continue };
            any |= !slow.found.findings.is_empty();
            assert!(
                fast == slow,
                "seed {seed}, variant {variant}, {:?}\nin one look {fast:#?}\none by one {slow:#?}\n{kernel}",
                (way.0, way.1, way.2),
            );
        }
        with_findings += u64::from(any);
    }
    with_findings
}

#[test]
fn what_is_looked_at_in_one_is_what_each_shows() {
    let from_environment = |name: &str| std::env::var(name).ok()?.parse().ok();
    let start = from_environment("WARPWISE_SEED").unwrap_or(SEEDS.start);
    let count = from_environment("WARPWISE_SEEDS").unwrap_or(SEEDS.end - SEEDS.start);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let found: u64 = std::thread::scope(|scope| {
        let work = |core: u64| -> u64 {
            (start + core..start + count).step_by(cores as usize).map(compare).sum()
        };
        let workers: Vec<_> = (0..cores).map(|core| scope.spawn(move || work(core))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a mismatch")).sum()
    });
    assert!(found > count, "mistakes that are found: {found}");
}
