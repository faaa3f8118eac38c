//! Exploring all schedules, against trying every choice: random small programs have the same results and findings.

use ir::{
    Access, Address, BinaryOp, Builder, Class, CompareOp, Dim, Kernel, Op, Ordering, Place, Reg,
};
use ir::{Scope, Space, Special, Src, Tells, Terminator, Update, WarpRules};
use std::collections::BTreeSet;
use std::convert::Infallible;
use vm::memory::Snapshot;
use vm::{Choice, Chooser, Chosen, Executable, Launch, Memory, Observer, Random, parts};
use warpwise_sanitize::explore::{self, End, Explored, Footprints, Run, Subject};
use warpwise_sanitize::{Finding, Options, Sanitizer};

/// Who runs the programs side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Ctas,
    Warps,
    Lanes,
    /// Two lanes run a program together, a third one another.
    Together,
}

/// What programs do with the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accesses {
    /// What may be done at once.
    Relaxed,
    /// Everything: some race with others, some order others.
    Any,
}

impl Accesses {
    fn one_of(self, random: &mut Random, all: [Ordering; 3]) -> Ordering {
        match self {
            Accesses::Relaxed => RELAXED,
            Accesses::Any => all[random.below(3) as usize],
        }
    }

    fn load(self, random: &mut Random) -> Ordering {
        self.one_of(random, [Ordering::Weak, RELAXED, Ordering::Acquire(Scope::Gpu)])
    }

    fn store(self, random: &mut Random) -> Ordering {
        self.one_of(random, [Ordering::Weak, RELAXED, Ordering::Release(Scope::Gpu)])
    }

    fn atomic(self, random: &mut Random) -> Ordering {
        self.one_of(random, [RELAXED, RELAXED, Ordering::AcqRel(Scope::Gpu)])
    }
}

/// As `.relaxed.gpu`.
const RELAXED: Ordering = Ordering::Relaxed(Scope::Gpu);

const CELLS: u64 = 2;
/// Bytes of the cells, and of one result for each program.
const BYTES: u64 = 4 * CELLS + 4 * 3;

fn cell(random: &mut Random, base: Reg) -> Address {
    Address { base: base.into(), offset: 4 * random.below(CELLS) as i64 }
}

/// `seen = 31 * seen + value`.
fn take(b: &mut Builder, seen: Reg, value: Reg) {
    b.binary_to(seen, BinaryOp::MulLo32, seen, Src::Imm(31));
    b.binary_to(seen, BinaryOp::AddI32, seen, value);
}

/// Waits until a cell is not zero, for ever or for two turns, or until it is zero and takes it.
fn wait(b: &mut Builder, random: &mut Random, accesses: Accesses, base: Reg, seen: Reg) {
    let (space, access) = (Space::Global, Access::B32);
    let (again, behind) = (b.block(), b.block());
    let turns = b.reg(Class::W32);
    b.copy_to(turns, Src::Imm(0));
    b.terminate(Terminator::Jump(again));
    b.switch_to(again);
    let d = b.reg(Class::W32);
    let address = cell(random, base);
    let kind = random.below(3);
    let p = if kind < 2 {
        let ordering = accesses.load(random);
        b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        b.binary_to(turns, BinaryOp::AddI32, turns, Src::Imm(kind));
        let two = b.binary(BinaryOp::ShrU32, turns, Src::Imm(1));
        let done = b.binary(BinaryOp::Or32, d, two);
        b.compare(CompareOp::EqI32, done, Src::Imm(0))
    } else {
        let update = Update::CompareExchange;
        let (zero, c) = (Src::Imm(0), Src::Imm(1 + random.below(2)));
        let ordering = accesses.atomic(random);
        b.push(Op::Atomic { d: Some(d), update, space, access, address, b: zero, c, ordering });
        b.compare(CompareOp::NeI32, d, Src::Imm(0))
    };
    b.terminate(Terminator::Branch { p: p.into(), then: again, otherwise: behind });
    b.switch_to(behind);
    take(b, seen, d);
}

/// One instruction that others can notice.
fn step(
    b: &mut Builder,
    random: &mut Random,
    (side, accesses): (Side, Accesses),
    base: Reg,
    seen: Reg,
) {
    let (space, access) = (Space::Global, Access::B32);
    let value = Src::Imm(1 + random.below(3));
    let kinds = if matches!(side, Side::Lanes | Side::Together) { 5 } else { 4 };
    match random.below(kinds) {
        0 => {
            let (address, ordering) = (cell(random, base), accesses.store(random));
            b.push(Op::Store { values: vec![value], space, access, address, ordering });
        }
        1 => {
            let d = b.reg(Class::W32);
            let (address, ordering) = (cell(random, base), accesses.load(random));
            b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
            take(b, seen, d);
        }
        4 => {
            let d = b.reg(Class::W32);
            b.push(Op::ActiveMask { d });
            take(b, seen, d);
        }
        kind => {
            let d = (random.below(2) == 0).then(|| b.reg(Class::W32));
            let update = match kind {
                2 => Update::Apply(BinaryOp::AddI32),
                _ => Update::Exchange,
            };
            let (address, c) = (cell(random, base), Src::Imm(0));
            let ordering = accesses.atomic(random);
            b.push(Op::Atomic { d, update, space, access, address, b: value, c, ordering });
            if let Some(d) = d {
                take(b, seen, d);
            }
        }
    }
}

/// A program of each CTA, warp or lane, or of two lanes: two programs of two steps, with one more for both behind them, or three programs of one step. Each stores what it
/// has seen. Some of the steps wait, if they may.
fn kernel(
    random: &mut Random,
    (side, accesses): (Side, Accesses),
    programs: u32,
    waits: bool,
) -> Kernel {
    // Whole warps: their lanes are not to be told apart.
    let rules = match side {
        Side::Warps => WarpRules::Lockstep,
        Side::Ctas | Side::Lanes | Side::Together => WarpRules::Independent,
    };
    let mut b = Builder::new("k", rules);
    let base = b.reg(Class::W64);
    let address = Address { base: Src::Imm(0), offset: 0 };
    let (space, access, ordering) = (Space::Param, Access::B64, Ordering::Weak);
    b.push(Op::Load { d: vec![Some(base)], space, access, address, ordering });
    let number = b.reg(Class::W32);
    let what = match side {
        Side::Ctas => Special::Ctaid(Dim::X),
        Side::Warps | Side::Lanes | Side::Together => Special::Tid(Dim::X),
    };
    b.push(Op::Special { d: number, what });
    let number = match side {
        Side::Warps => b.binary(BinaryOp::ShrU32, number, Src::Imm(5)),
        Side::Ctas | Side::Lanes | Side::Together => number,
    };
    let (which, own) = match side {
        Side::Together => (b.binary(BinaryOp::ShrU32, number, Src::Imm(1)), programs.div_ceil(2)),
        Side::Ctas | Side::Warps | Side::Lanes => (number, programs),
    };
    let seen = b.reg(Class::W32);
    b.copy_to(seen, Src::Imm(1));
    let join = b.block();
    for program in 0..own {
        let (own, next) = (b.block(), b.block());
        let p = b.compare(CompareOp::EqI32, which, Src::Imm(u64::from(program)));
        b.terminate(Terminator::Branch { p: p.into(), then: own, otherwise: next });
        b.switch_to(own);
        for _ in 0..4 - programs {
            match waits && random.below(2) == 0 {
                true => wait(&mut b, random, accesses, base, seen),
                false => step(&mut b, random, (side, accesses), base, seen),
            }
        }
        b.terminate(Terminator::Jump(join));
        b.switch_to(next);
    }
    // Further lanes have nothing to do.
    b.terminate(Terminator::Exit);
    b.switch_to(join);
    if programs == 2 {
        step(&mut b, random, (side, accesses), base, seen);
    }
    let bytes = b.binary(BinaryOp::MulWideU32, number, Src::Imm(4));
    let own = b.binary(BinaryOp::AddI64, base, bytes);
    let address = Address { base: own.into(), offset: 4 * CELLS as i64 };
    let (space, access, ordering) = (Space::Global, Access::B32, Ordering::Weak);
    b.push(Op::Store { values: vec![seen.into()], space, access, address, ordering });
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 8;
    let mut places = (1..).map(Place);
    for block in &mut kernel.blocks {
        let own = block.insts.iter_mut().map(|inst| &mut inst.place);
        own.chain([&mut block.place]).zip(&mut places).for_each(|(place, next)| *place = next);
    }
    kernel
}

/// Watches without taking note.
struct Silent;

impl Observer for Silent {}

/// A kernel whose results are collected.
struct Collected {
    kernel: Executable,
    side: Side,
    programs: u32,
    memory: Memory,
    buffer: u64,
    start: Snapshot,
    /// What was left in memory; nothing by a run that does not end.
    results: BTreeSet<Option<Vec<u8>>>,
    /// Codes of findings, and their lines.
    found: BTreeSet<(String, Vec<u64>)>,
    /// Whether detectors watch.
    watched: bool,
    /// Instructions after which a run does not end.
    max_steps: Option<u64>,
}

impl Collected {
    fn new(kernel: Kernel, side: Side, programs: u32) -> Self {
        let memory = Memory::new().expect("address space");
        let buffer = memory.allocate(BYTES).expect("space");
        let start = memory.snapshot();
        Collected {
            kernel: Executable::new(kernel),
            side,
            programs,
            memory,
            buffer,
            start,
            results: BTreeSet::new(),
            found: BTreeSet::new(),
            watched: false,
            max_steps: None,
        }
    }

    fn once<O: Observer>(&mut self, chooser: &mut dyn Chooser, observer: &mut O) -> Run {
        self.memory.restore(&self.start);
        let (grid, block) = match self.side {
            Side::Ctas => (self.programs, 1),
            Side::Warps => (1, 32 * (self.programs - 1) + 1),
            Side::Lanes | Side::Together => (1, self.programs),
        };
        let params = self.buffer.to_le_bytes();
        let launch = Launch {
            threads: 1,
            max_steps: self.max_steps,
            ..Launch::new([grid, 1, 1], [block, 1, 1], &params)
        };
        let (kernel, memory) = (&self.kernel, &self.memory);
        let (fault, findings) = if self.watched {
            let mut sanitizer =
                Sanitizer::new(kernel.kernel(), launch.grid, launch.block, Options::default());
            let mut both = (&mut sanitizer, Some(observer));
            let outcome = vm::launch_chosen(kernel, &launch, memory, &mut both, chooser);
            let fault = outcome.expect("possible").fault;
            let found = sanitizer.finish(fault.as_ref(), memory);
            (fault, found.findings)
        } else {
            let outcome = vm::launch_chosen(kernel, &launch, memory, observer, chooser);
            (outcome.expect("possible").fault, Vec::new())
        };
        assert!(fault.is_none() || self.max_steps.is_some());
        Run { findings, memory: self.memory.snapshot(), fault }
    }

    /// Takes note of findings.
    fn find<'f>(&mut self, findings: impl IntoIterator<Item = &'f Finding>) {
        // What is harmless with these values is told of the first run alone.
        for finding in findings.into_iter().filter(|finding| !finding.is_harmless()) {
            let places = finding.places();
            let mut lines: Vec<u64> = places.map(|place| self.line(place)).collect();
            lines.sort_unstable();
            lines.dedup();
            self.found.insert((format!("{:?}", finding.code()), lines));
        }
    }

    /// What a user is told: the findings of the first run and those of others.
    fn find_all(&mut self, first: &Run, explored: &Explored) {
        self.find(&first.findings);
        self.find(explored.more.iter().map(|more| &more.finding));
    }

    fn collect(&mut self, run: &Run) {
        let mut result = vec![0; BYTES as usize];
        self.memory.read(self.buffer, &mut result).expect("inside");
        self.results.insert(run.fault.is_none().then_some(result));
    }
}

impl Subject for Collected {
    type Error = Infallible;

    fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        footprints: Option<&mut Footprints>,
    ) -> Result<Run, Infallible> {
        let run = match footprints {
            Some(footprints) => {
                let mut patient = Patient { chooser, given_up: false };
                let run = self.once(&mut patient, footprints);
                if patient.given_up {
                    return Ok(run);
                }
                run
            }
            None => return Ok(self.once(chooser, &mut Silent)),
        };
        self.collect(&run);
        Ok(run)
    }

    fn start(&self) -> &Snapshot {
        &self.start
    }

    fn line(&self, place: ir::Place) -> u64 {
        u64::from(place.0)
    }

    fn kernel(&self) -> &Kernel {
        self.kernel.kernel()
    }

    fn counts_lanes(&self) -> bool {
        let mut insts = self.kernel.kernel().blocks.iter().flat_map(|block| &block.insts);
        insts.any(|inst| matches!(inst.op, Op::ActiveMask { .. }))
    }

    fn ctas(&self) -> u64 {
        match self.side {
            Side::Ctas => u64::from(self.programs),
            Side::Warps | Side::Lanes | Side::Together => 1,
        }
    }

    fn interrupted(&self) -> bool {
        false
    }
}

/// Notes whether a run was given up.
struct Patient<'c> {
    chooser: &'c mut dyn Chooser,
    given_up: bool,
}

impl Chooser for Patient<'_> {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
        let chosen = self.chooser.choose(choice);
        self.given_up = chosen.is_none();
        chosen
    }
}

/// Every choice in turn.
struct Odometer {
    /// What was chosen, of how many.
    digits: Vec<(usize, usize)>,
    /// Choices of a run that are tried in turn. The usual ones follow.
    longest: usize,
}

impl Odometer {
    fn new(longest: usize) -> Self {
        Odometer { digits: Vec::new(), longest }
    }

    fn next(&mut self) -> bool {
        while let Some((chosen, of)) = self.digits.pop() {
            if chosen + 1 < of {
                self.digits.push((chosen + 1, of));
                return true;
            }
        }
        false
    }
}

impl Chooser for Odometer {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
        let number = choice.number as usize;
        if number >= self.longest {
            return Some(choice.by_default());
        }
        let splits = choice.candidates.iter().enumerate();
        let divisions = splits.flat_map(|(candidate, split)| {
            let parts = if split.tells == Tells::Nothing { vec![] } else { parts(split.split) };
            let all = std::iter::once(split.split).chain(parts);
            all.map(move |lanes| Chosen { candidate, lanes })
        });
        let all: Vec<Chosen> = divisions.collect();
        if number == self.digits.len() {
            self.digits.push((0, all.len()));
        }
        Some(all[self.digits[number].0])
    }
}

/// Choices of a run of programs that do not wait, at most.
const ALL: usize = 1000;
/// Instructions of a run of programs that wait, if it ends.
const END: u64 = 300;

fn compare(side: Side, accesses: Accesses, kernels: u64) {
    let (mut fewer, mut depend) = (0, 0);
    for seed in 0..kernels {
        let programs = 2 + seed as u32 % 2;
        let kernel = kernel(&mut Random::new(seed), (side, accesses), programs, false);
        ir::verify(&kernel).expect("a valid kernel");
        let mut every = Collected::new(kernel.clone(), side, programs);
        every.watched = accesses == Accesses::Any;
        let (mut odometer, mut runs) = (Odometer::new(ALL), 0);
        loop {
            let run = every.once(&mut odometer, &mut Silent);
            every.collect(&run);
            every.find(&run.findings);
            runs += 1;
            if !odometer.next() {
                break;
            }
        }
        let mut reduced = Collected::new(kernel, side, programs);
        reduced.watched = accesses == Accesses::Any;
        let first = reduced.once(&mut Odometer::new(ALL), &mut Silent);
        let Ok(explored) = explore::all(&mut reduced, &first, 100_000);
        reduced.find_all(&first, &explored);
        assert_eq!(reduced.found, every.found, "{side:?}, seed {seed}");
        // Lanes that execute weak accesses together stay together, and are found to race.
        let races = every.found.iter().any(|(code, _)| code == "R002");
        assert!(
            explored.end == End::Covered || races && explored.end == End::Races,
            "{side:?}, seed {seed}: {:?}",
            explored.end
        );
        match explored.end {
            End::Races => {
                assert!(reduced.results.is_subset(&every.results), "{side:?}, seed {seed}")
            }
            _ => assert_eq!(reduced.results, every.results, "{side:?}, seed {seed}"),
        }
        assert!(explored.schedules <= runs, "{side:?}, seed {seed}");
        fewer += u32::from(explored.schedules < runs);
        depend += u32::from(!explored.more.is_empty());
    }
    assert!(fewer > 0, "nothing was left out");
    assert!(depend > 0 || accesses == Accesses::Relaxed, "nothing to find");
}

/// Programs that wait for each other, against every choice of the first `longest`.
fn compare_waiting(side: Side, accesses: Accesses, kernels: u64, longest: usize) {
    let (mut hang, mut complete) = (0, 0);
    for seed in 0..kernels {
        let programs = if side == Side::Ctas { 2 + seed as u32 % 2 } else { 2 };
        let kernel = kernel(&mut Random::new(seed), (side, accesses), programs, true);
        ir::verify(&kernel).expect("a valid kernel");
        let mut every = Collected::new(kernel.clone(), side, programs);
        every.max_steps = Some(END);
        every.watched = accesses == Accesses::Any;
        let mut odometer = Odometer::new(longest);
        loop {
            let run = every.once(&mut odometer, &mut Silent);
            every.collect(&run);
            every.find(&run.findings);
            if !odometer.next() {
                break;
            }
        }
        let mut reduced = Collected::new(kernel, side, programs);
        reduced.max_steps = Some(END);
        reduced.watched = accesses == Accesses::Any;
        let first = reduced.once(&mut Random::new(seed), &mut Silent);
        let Ok(explored) = explore::all(&mut reduced, &first, 1_000);
        // Lanes that can tell who is with them may go round together or apart, time and again.
        if explored.end == End::Covered {
            // There are more where later choices matter, too: each is that of a run.
            assert!(reduced.results.is_superset(&every.results), "{side:?}, seed {seed}");
            reduced.find_all(&first, &explored);
            assert!(reduced.found.is_superset(&every.found), "{side:?}, seed {seed}");
            complete += 1;
        } else {
            assert!(side == Side::Lanes, "{side:?}, seed {seed}");
        }
        hang += u64::from(every.results.contains(&None));
    }
    assert!(hang > 0 && hang < kernels, "{hang} of {kernels} hang");
    assert!(4 * complete >= kernels, "{complete} of {kernels} complete");
}

/// One CTA counts to 2 in a cell, with one store in a loop; the other may see each of its values.
#[test]
fn each_turn_of_a_loop_is_a_step() {
    let (space, access, ordering) = (Space::Global, Access::B32, RELAXED);
    let mut b = Builder::new("k", WarpRules::Independent);
    let (base, number, count) = (b.reg(Class::W64), b.reg(Class::W32), b.reg(Class::W32));
    let address = Address { base: Src::Imm(0), offset: 0 };
    let (param, weak) = (Space::Param, Ordering::Weak);
    b.push(Op::Load {
        d: vec![Some(base)],
        space: param,
        access: Access::B64,
        address,
        ordering: weak,
    });
    b.push(Op::Special { d: number, what: Special::Ctaid(Dim::X) });
    b.copy_to(count, Src::Imm(0));
    let (again, sees, done) = (b.block(), b.block(), b.block());
    let p = is_zero(&mut b, number);
    b.terminate(Terminator::Branch { p: p.into(), then: again, otherwise: sees });
    b.switch_to(again);
    b.binary_to(count, BinaryOp::AddI32, count, Src::Imm(1));
    let address = Address { base: base.into(), offset: 0 };
    b.push(Op::Store { values: vec![count.into()], space, access, address, ordering });
    let rest = b.binary(BinaryOp::Xor32, count, Src::Imm(2));
    let p = is_zero(&mut b, rest);
    b.terminate(Terminator::Branch { p: p.into(), then: done, otherwise: again });
    b.switch_to(sees);
    let seen = b.reg(Class::W32);
    b.push(Op::Load { d: vec![Some(seen)], space, access, address, ordering });
    let address = Address { base: base.into(), offset: 4 };
    b.push(Op::Store { values: vec![seen.into()], space, access, address, ordering });
    b.terminate(Terminator::Jump(done));
    b.switch_to(done);
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 8;
    ir::verify(&kernel).expect("a valid kernel");
    let mut reduced = Collected::new(kernel, Side::Ctas, 2);
    let first = reduced.once(&mut Random::new(1), &mut Silent);
    let Ok(explored) = explore::all(&mut reduced, &first, 1_000);
    assert_eq!(explored.end, End::Covered);
    let seen = reduced.results.iter().flatten().map(|bytes| bytes[4]);
    assert_eq!(seen.collect::<Vec<_>>(), [0, 1, 2]);
}

fn is_zero(b: &mut Builder, value: Reg) -> Reg {
    b.compare(CompareOp::EqI32, value, Src::Imm(0))
}

/// One program loops for ever and accesses nothing, the other two take part in what others can notice.
#[test]
fn a_loop_without_accesses_never_ends() {
    for side in [Side::Ctas, Side::Warps, Side::Lanes] {
        let mut kernel = kernel(&mut Random::new(1), (side, Accesses::Relaxed), 3, false);
        let first = Place(kernel.blocks[0].place.0 + 1);
        let own = kernel
            .blocks
            .iter()
            .position(|block| block.insts.first().map_or(block.place, |inst| inst.place) == first);
        let own = own.expect("the first program");
        kernel.blocks[own].insts.clear();
        kernel.blocks[own].terminator = Terminator::Jump(ir::BlockId(own as u32));
        ir::verify(&kernel).expect("a valid kernel");
        let mut reduced = Collected::new(kernel, side, 3);
        reduced.max_steps = Some(200_000);
        let first = reduced.once(&mut Random::new(1), &mut Silent);
        let Ok(explored) = explore::all(&mut reduced, &first, 1_000);
        assert_eq!(explored.end, End::Covered);
        assert_eq!(reduced.results, BTreeSet::from([None]));
    }
}

#[test]
fn ctas_that_wait_have_the_results_of_every_choice() {
    compare_waiting(Side::Ctas, Accesses::Relaxed, 20, 7);
}

#[test]
fn warps_that_wait_have_the_results_of_every_choice() {
    compare_waiting(Side::Warps, Accesses::Relaxed, 20, 7);
}

#[test]
fn lanes_that_wait_have_the_results_of_every_choice() {
    compare_waiting(Side::Lanes, Accesses::Relaxed, 20, 9);
}

#[test]
fn ctas_have_the_results_of_every_choice() {
    compare(Side::Ctas, Accesses::Relaxed, 14);
}

#[test]
fn warps_have_the_results_of_every_choice() {
    compare(Side::Warps, Accesses::Relaxed, 14);
}

#[test]
fn lanes_have_the_results_of_every_choice() {
    compare(Side::Lanes, Accesses::Relaxed, 40);
}

#[test]
fn lanes_that_run_together_have_the_results_of_every_choice() {
    compare(Side::Together, Accesses::Relaxed, 40);
}

#[test]
fn lanes_that_run_together_have_the_findings_of_every_choice() {
    compare(Side::Together, Accesses::Any, 40);
}

#[test]
fn ctas_have_the_findings_of_every_choice() {
    compare(Side::Ctas, Accesses::Any, 14);
}

#[test]
fn warps_have_the_findings_of_every_choice() {
    compare(Side::Warps, Accesses::Any, 14);
}

#[test]
fn lanes_have_the_findings_of_every_choice() {
    compare(Side::Lanes, Accesses::Any, 40);
}

#[test]
fn ctas_that_wait_have_the_findings_of_every_choice() {
    compare_waiting(Side::Ctas, Accesses::Any, 20, 7);
}

#[test]
fn warps_that_wait_have_the_findings_of_every_choice() {
    compare_waiting(Side::Warps, Accesses::Any, 20, 7);
}

#[test]
fn lanes_that_wait_have_the_findings_of_every_choice() {
    compare_waiting(Side::Lanes, Accesses::Any, 20, 9);
}
