//! What `explore::all` finds, against every interleaving of the threads' operations, as a model of its own runs them: random
//! programs of two or three threads, which are lanes (of one code, or of their own), warps or CTAs.
//!
//! `WARPWISE_INTERLEAVINGS=COUNT:SEED` runs so many programs instead of a few.

use ir::{
    Access, Address, BarrierAction, BinaryOp, BlockId, Builder, Class, Collective, CompareOp, Dim,
    Kernel, Members, Op, Ordering, Place, Pred, Reg, Scope, Space, Special, Src, Terminator,
    UnaryOp, Update, WarpRules,
};
use lanes::ShflMode;
use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use vm::memory::Snapshot;
use vm::{Chooser, Executable, Launch, Memory, Observer, Random, Schedule};
use warpwise_sanitize::explore::{self, End, Footprints, Run, Subject};
use warpwise_sanitize::{Options, Sanitizer};

/// Who the threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Lanes of one warp, each with code of its own.
    Lanes,
    /// Lanes of one warp that execute the same code.
    Same,
    /// A lane of each warp.
    Warps,
    /// CTAs of one thread.
    Ctas,
}

/// An operand.
#[derive(Clone, Copy, Debug)]
enum Value {
    Const(u32),
    /// What the thread has read so far.
    Acc,
    /// What it read last, and one.
    LastAndOne,
}

#[derive(Clone, Copy, Debug)]
enum Update1 {
    Add,
    Exchange,
    CompareExchange,
    Max,
    Min,
    And,
    Or,
}

#[derive(Clone, Copy, Debug)]
enum Meet {
    Shuffle,
    Ballot,
    WarpSync,
    Barrier,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug)]
enum Do {
    Update {
        op: Update1,
        wide: bool,
        at: usize,
        a: Value,
        b: Value,
        told: bool,
    },
    Load {
        ordering: Ordering,
        wide: bool,
        at: usize,
    },
    Store {
        ordering: Ordering,
        wide: bool,
        at: usize,
        a: Value,
    },
    /// Goes on at an index if what was read last is zero, or if it is not.
    Skip {
        if_zero: bool,
        to: usize,
    },
    Meet(Meet),
}

/// Bytes of the memory through which threads speak. The lock is behind the data.
const BYTES: usize = 12;
const LOCK: usize = 8;

struct Program {
    kind: Kind,
    start: [u8; BYTES],
    threads: Vec<Vec<Do>>,
}

fn one_of<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u64) as usize]
}

fn operation(random: &mut Random, code: &mut Vec<Do>) {
    let wide = random.below(4) == 0;
    let at = if wide { 0 } else { 4 * random.below(2) as usize };
    let values =
        [Value::Const(0), Value::Const(0), Value::Const(1), Value::Const(1), Value::Const(2)];
    let values = [&values[..], &[Value::Acc, Value::Acc]].concat();
    let (a, b) = (one_of(random, &values), one_of(random, &values));
    let scope = one_of(random, &[Scope::Gpu, Scope::Sys]);
    match random.below(10) {
        0 | 1 => {
            let all = [Ordering::Relaxed(scope), Ordering::Acquire(scope), Ordering::Volatile];
            code.push(Do::Load { ordering: one_of(random, &all), wide, at });
        }
        2 | 3 => {
            let all = [Ordering::Relaxed(scope), Ordering::Release(scope), Ordering::Volatile];
            code.push(Do::Store { ordering: one_of(random, &all), wide, at, a });
        }
        4 if random.below(2) == 0 => locked(random, code),
        _ => {
            use Update1::{Add, And, CompareExchange, Exchange, Max, Min, Or};
            let all = [Add, Exchange, CompareExchange, CompareExchange, Max, Min, And, Or];
            let told = random.below(4) > 0;
            code.push(Do::Update { op: one_of(random, &all), wide, at, a, b, told });
        }
    }
}

/// Tries twice to take the lock, and counts up a word under it.
fn locked(random: &mut Random, code: &mut Vec<Do>) {
    let (at, first) = (4 * random.below(2) as usize, code.len());
    let (one, zero) = (Value::Const(1), Value::Const(0));
    let (op, wide, told) = (Update1::CompareExchange, false, true);
    let take = Do::Update { op, wide, at: LOCK, a: zero, b: one, told };
    code.extend([take, Do::Skip { if_zero: true, to: first + 4 }]);
    code.extend([take, Do::Skip { if_zero: false, to: first + 7 }]);
    let ordering = Ordering::Relaxed(Scope::Gpu);
    code.push(Do::Load { ordering, wide, at });
    code.push(Do::Store { ordering, wide, at, a: Value::LastAndOne });
    let op = Update1::Exchange;
    code.push(Do::Update { op, wide, at: LOCK, a: zero, b: zero, told: false });
}

fn program(random: &mut Random) -> Program {
    let kind = one_of(random, &[Kind::Lanes, Kind::Same, Kind::Same, Kind::Warps, Kind::Ctas]);
    let count = 2 + random.below(3) as usize / 2;
    let meets = match kind {
        Kind::Lanes | Kind::Same => {
            &[Meet::Shuffle, Meet::Ballot, Meet::WarpSync, Meet::Barrier][..]
        }
        Kind::Warps => &[Meet::Barrier],
        Kind::Ctas => &[],
    };
    let meet = (random.below(3) == 0 && !meets.is_empty()).then(|| one_of(random, meets));
    let code = |random: &mut Random| {
        let mut code = Vec::new();
        let most = if count == 2 { 4 } else { 3 };
        let length = 1 + random.below(most);
        let middle = random.below(length + 1);
        for nth in 0..=length {
            if nth == middle {
                code.extend(meet.map(Do::Meet));
            }
            if nth < length {
                operation(random, &mut code);
            }
        }
        code
    };
    let first = code(random);
    let mut threads = vec![first];
    while threads.len() < count {
        let next = if kind == Kind::Same { threads[0].clone() } else { code(random) };
        threads.push(next);
    }
    let mut start = [0; BYTES];
    start[0] = random.below(3) as u8;
    start[4] = random.below(3) as u8;
    Program { kind, start, threads }
}

/// Where a thread is, what it has read so far, and what it read last.
type Thread = (usize, u32, u32);

type State = (Vec<Thread>, [u8; BYTES]);

fn read(memory: &[u8; BYTES], at: usize, wide: bool) -> u64 {
    let bytes = if wide { 8 } else { 4 };
    memory[at..at + bytes].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn write(memory: &mut [u8; BYTES], at: usize, wide: bool, value: u64) {
    let bytes = if wide { 8 } else { 4 };
    memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

fn value(value: Value, (_, acc, last): Thread, wide: bool) -> u64 {
    let word = match value {
        Value::Const(value) => value,
        Value::Acc => acc,
        Value::LastAndOne => last.wrapping_add(1),
    };
    // Wide values have the word in both halves.
    if wide { u64::from(word) * 0x1_0000_0001 } else { u64::from(word) }
}

fn take(thread: &mut Thread, found: u64, wide: bool) {
    thread.2 = found as u32;
    thread.1 = thread.1.wrapping_mul(7).wrapping_add(found as u32);
    if wide {
        thread.1 = thread.1.wrapping_mul(7).wrapping_add((found >> 32) as u32);
    }
}

fn updated(op: Update1, old: u64, a: u64, b: u64, wide: bool) -> u64 {
    let all = if wide { u64::MAX } else { u64::from(u32::MAX) };
    match op {
        Update1::Add => old.wrapping_add(a) & all,
        Update1::Exchange => a,
        Update1::CompareExchange => {
            if old == a {
                b
            } else {
                old
            }
        }
        Update1::Max => old.max(a),
        Update1::Min => old.min(a),
        Update1::And => old & a,
        Update1::Or => old | a,
    }
}

/// The state after a thread's next operation; `None` if it waits or is done.
fn step(program: &Program, state: &State, who: usize) -> Option<State> {
    let (mut threads, mut memory) = state.clone();
    let next = |thread: &Thread, nth: usize| program.threads[nth].get(thread.0).copied();
    let thread = &mut threads[who];
    let doing = next(thread, who)?;
    thread.0 += 1;
    match doing {
        Do::Update { op, wide, at, a, b, told } => {
            let (a, b) = (value(a, *thread, wide), value(b, *thread, wide));
            let old = read(&memory, at, wide);
            write(&mut memory, at, wide, updated(op, old, a, b, wide));
            if told {
                take(thread, old, wide);
            }
        }
        Do::Load { wide, at, .. } => take(thread, read(&memory, at, wide), wide),
        Do::Store { wide, at, a, .. } => {
            write(&mut memory, at, wide, value(a, *thread, wide));
        }
        Do::Skip { if_zero, to } => {
            if (thread.2 == 0) == if_zero {
                thread.0 = to;
            }
        }
        Do::Meet(meet) => {
            // The first thread speaks for all, which must be there.
            let there =
                |(nth, thread): (usize, &Thread)| matches!(next(thread, nth), Some(Do::Meet(_)));
            if who != 0 || !state.0.iter().enumerate().all(there) {
                return None;
            }
            let count = threads.len();
            for (nth, thread) in threads.iter_mut().enumerate() {
                *thread = state.0[nth];
                thread.0 += 1;
                let own = thread.1;
                match meet {
                    Meet::Shuffle => {
                        let other = state.0[(nth + 1) % count].1;
                        thread.1 = own.wrapping_mul(7).wrapping_add(other);
                    }
                    Meet::Ballot => {
                        let odd = state.0.iter().enumerate();
                        let mask = odd.fold(0, |mask, (nth, other)| mask | (other.1 & 1) << nth);
                        thread.1 = own.wrapping_mul(7).wrapping_add(mask);
                    }
                    Meet::WarpSync | Meet::Barrier => {}
                }
            }
        }
    }
    Some((threads, memory))
}

/// Everything that an interleaving leaves: memory, and what each thread has read.
fn outcomes(program: &Program) -> BTreeSet<Vec<u8>> {
    let start: State = (vec![(0, 1, 0); program.threads.len()], program.start);
    let (mut todo, mut seen, mut ends) = (vec![start], HashSet::new(), BTreeSet::new());
    while let Some(state) = todo.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let before = todo.len();
        todo.extend((0..program.threads.len()).filter_map(|who| step(program, &state, who)));
        if todo.len() == before {
            let told = state.0.iter().flat_map(|thread| thread.1.to_le_bytes());
            ends.insert(state.1.into_iter().chain(told).collect());
        }
    }
    ends
}

/// Emits one thread's code. Ends where `end` begins.
struct Emitter<'b> {
    b: &'b mut Builder,
    base: Reg,
    who: Reg,
    acc: Reg,
    last: Reg,
    count: u64,
}

impl Emitter<'_> {
    fn address(&self, at: usize) -> Address {
        Address { base: self.base.into(), offset: at as i64 }
    }

    fn value(&mut self, value: Value, wide: bool) -> Src {
        let word = match value {
            Value::Const(value) if wide => return Src::Imm(u64::from(value) * 0x1_0000_0001),
            Value::Const(value) => return Src::Imm(u64::from(value)),
            Value::Acc => self.acc,
            Value::LastAndOne => self.b.binary(BinaryOp::AddI32, self.last, Src::Imm(1)),
        };
        if !wide {
            return word.into();
        }
        let long = self.b.unary(UnaryOp::ZeroExtend32, word);
        self.b.binary(BinaryOp::MulLo64, long, Src::Imm(0x1_0000_0001)).into()
    }

    fn add(&mut self, word: impl Into<Src>) {
        self.b.binary_to(self.acc, BinaryOp::MulLo32, self.acc, Src::Imm(7));
        self.b.binary_to(self.acc, BinaryOp::AddI32, self.acc, word);
    }

    fn take(&mut self, found: Reg, wide: bool) {
        match wide {
            true => {
                let low = self.b.unary(UnaryOp::Low32, found);
                let high = self.b.unary(UnaryOp::High32, found);
                self.b.copy_to(self.last, low);
                self.add(low);
                self.add(high);
            }
            false => {
                self.b.copy_to(self.last, found);
                self.add(found);
            }
        }
    }

    fn meet(&mut self, meet: Meet) {
        let members = Members::Mask(Src::Imm((1 << self.count) - 1));
        let d = self.b.reg(Class::W32);
        let (acc, who) = (self.acc, self.who);
        let what = match meet {
            Meet::Barrier => {
                let (action, id) = (BarrierAction::Sync, Src::Imm(0));
                self.b.push(Op::Barrier { action, id, threads: None, aligned: false });
                return;
            }
            Meet::WarpSync => Collective::WarpSync,
            Meet::Shuffle => {
                // The next lane, or the first.
                let next = self.b.binary(BinaryOp::AddI32, who, Src::Imm(1));
                let p = self.b.compare(CompareOp::EqI32, next, Src::Imm(self.count));
                let b = self.b.reg(Class::W32);
                self.b.push(Op::Select { d: b, a: Src::Imm(0), b: next.into(), p: p.into() });
                let (mode, c) = (ShflMode::Idx, Src::Imm(0x1f));
                Collective::Shfl { mode, d, p: None, a: acc.into(), b: b.into(), c }
            }
            Meet::Ballot => {
                let odd = self.b.binary(BinaryOp::And32, acc, Src::Imm(1));
                let a = Pred::Is(self.b.compare(CompareOp::NeI32, odd, Src::Imm(0)));
                Collective::Ballot { d, a }
            }
        };
        self.b.push(Op::Collective { what, members, aligned: false });
        if !matches!(meet, Meet::WarpSync) {
            self.add(d);
        }
    }

    fn code(&mut self, code: &[Do], end: BlockId) {
        let space = Space::Global;
        // A block begins wherever a branch leads.
        let leads = |nth: usize| {
            let to = |doing: &Do| matches!(doing, Do::Skip { to, .. } if *to == nth);
            code.iter().any(to) || nth > 0 && matches!(code[nth - 1], Do::Skip { .. })
        };
        let blocks: Vec<Option<BlockId>> = (0..=code.len())
            .map(|nth| match nth == code.len() {
                true => Some(end),
                false => leads(nth).then(|| self.b.block()),
            })
            .collect();
        let block = |nth: usize| blocks[nth].expect("a branch leads there");
        for (nth, doing) in code.iter().enumerate() {
            if let Some(here) = blocks[nth] {
                if !self.b.is_terminated() {
                    self.b.terminate(Terminator::Jump(here));
                }
                self.b.switch_to(here);
            }
            let class = |wide| if wide { Class::W64 } else { Class::W32 };
            let access = |wide| if wide { Access::B64 } else { Access::B32 };
            match *doing {
                Do::Update { op, wide, at, a, b, told } => {
                    let (a, b) = (self.value(a, wide), self.value(b, wide));
                    let d = told.then(|| self.b.reg(class(wide)));
                    let update = match (op, wide) {
                        (Update1::Exchange, _) => Update::Exchange,
                        (Update1::CompareExchange, _) => Update::CompareExchange,
                        (Update1::Add, false) => Update::Apply(BinaryOp::AddI32),
                        (Update1::Add, true) => Update::Apply(BinaryOp::AddI64),
                        (Update1::Max, false) => Update::Apply(BinaryOp::MaxU32),
                        (Update1::Max, true) => Update::Apply(BinaryOp::MaxU64),
                        (Update1::Min, false) => Update::Apply(BinaryOp::MinU32),
                        (Update1::Min, true) => Update::Apply(BinaryOp::MinU64),
                        (Update1::And, false) => Update::Apply(BinaryOp::And32),
                        (Update1::And, true) => Update::Apply(BinaryOp::And64),
                        (Update1::Or, false) => Update::Apply(BinaryOp::Or32),
                        (Update1::Or, true) => Update::Apply(BinaryOp::Or64),
                    };
                    let (address, access) = (self.address(at), access(wide));
                    let ordering = Ordering::Relaxed(Scope::Gpu);
                    self.b.push(Op::Atomic {
                        d,
                        update,
                        space,
                        access,
                        address,
                        b: a,
                        c: b,
                        ordering,
                    });
                    if let Some(d) = d {
                        self.take(d, wide);
                    }
                }
                Do::Load { ordering, wide, at } => {
                    let d = self.b.reg(class(wide));
                    let (address, access) = (self.address(at), access(wide));
                    self.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
                    self.take(d, wide);
                }
                Do::Store { ordering, wide, at, a } => {
                    let values = vec![self.value(a, wide)];
                    let (address, access) = (self.address(at), access(wide));
                    self.b.push(Op::Store { values, space, access, address, ordering });
                }
                Do::Skip { if_zero, to } => {
                    let op = if if_zero { CompareOp::EqI32 } else { CompareOp::NeI32 };
                    let p = self.b.compare(op, self.last, Src::Imm(0));
                    let (then, otherwise) = (block(to), block(nth + 1));
                    self.b.terminate(Terminator::Branch { p: p.into(), then, otherwise });
                }
                Do::Meet(meet) => self.meet(meet),
            }
        }
        if !self.b.is_terminated() {
            self.b.terminate(Terminator::Jump(end));
        }
    }
}

fn kernel(program: &Program) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let (base, number) = (b.reg(Class::W64), b.reg(Class::W32));
    let address = Address { base: Src::Imm(0), offset: 0 };
    let (space, access, ordering) = (Space::Param, Access::B64, Ordering::Weak);
    b.push(Op::Load { d: vec![Some(base)], space, access, address, ordering });
    let what = match program.kind {
        Kind::Ctas => Special::Ctaid(Dim::X),
        Kind::Lanes | Kind::Same | Kind::Warps => Special::Tid(Dim::X),
    };
    b.push(Op::Special { d: number, what });
    let who = match program.kind {
        Kind::Warps => {
            let lane = b.binary(BinaryOp::And32, number, Src::Imm(31));
            let p = b.compare(CompareOp::NeI32, lane, Src::Imm(0));
            let (idle, go) = (b.block(), b.block());
            b.terminate(Terminator::Branch { p: p.into(), then: idle, otherwise: go });
            b.switch_to(idle);
            b.terminate(Terminator::Exit);
            b.switch_to(go);
            b.binary(BinaryOp::ShrU32, number, Src::Imm(5))
        }
        Kind::Lanes | Kind::Same | Kind::Ctas => number,
    };
    let (acc, last) = (b.reg(Class::W32), b.reg(Class::W32));
    b.copy_to(acc, Src::Imm(1));
    b.copy_to(last, Src::Imm(0));
    let end = b.block();
    let count = program.threads.len() as u64;
    let own = if program.kind == Kind::Same { 1 } else { program.threads.len() };
    for (nth, code) in program.threads[..own].iter().enumerate() {
        let next = (nth + 1 < own).then(|| {
            let (here, next) = (b.block(), b.block());
            let p = b.compare(CompareOp::EqI32, who, Src::Imm(nth as u64));
            b.terminate(Terminator::Branch { p: p.into(), then: here, otherwise: next });
            b.switch_to(here);
            next
        });
        Emitter { b: &mut b, base, who, acc, last, count }.code(code, end);
        if let Some(next) = next {
            b.switch_to(next);
        }
    }
    b.switch_to(end);
    let bytes = b.binary(BinaryOp::MulWideU32, who, Src::Imm(4));
    let own = b.binary(BinaryOp::AddI64, base, bytes);
    let address = Address { base: own.into(), offset: BYTES as i64 };
    let (space, access, ordering) = (Space::Global, Access::B32, Ordering::Weak);
    b.push(Op::Store { values: vec![acc.into()], space, access, address, ordering });
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 8;
    let mut places = (1..).map(Place);
    for block in &mut kernel.blocks {
        let own = block.insts.iter_mut().map(|inst| &mut inst.place);
        own.chain([&mut block.place]).zip(&mut places).for_each(|(place, next)| *place = next);
    }
    ir::verify(&kernel).expect("a valid kernel");
    kernel
}

/// A program whose results are collected.
struct Collected<'p> {
    program: &'p Program,
    kernel: Executable,
    memory: Memory,
    buffer: u64,
    start: Snapshot,
    results: BTreeSet<Vec<u8>>,
}

/// Watches without taking note.
struct Silent;

impl Observer for Silent {}

impl<'p> Collected<'p> {
    fn new(program: &'p Program, memory: Memory) -> Self {
        let buffer = memory.allocate((BYTES + 4 * program.threads.len()) as u64).expect("space");
        memory.write(buffer, &program.start).expect("inside");
        let (start, kernel) = (memory.snapshot(), Executable::new(kernel(program)));
        Collected { program, kernel, memory, buffer, start, results: BTreeSet::new() }
    }

    fn result(&self) -> Vec<u8> {
        let mut found = vec![0; BYTES + 4 * self.program.threads.len()];
        self.memory.read(self.buffer, &mut found).expect("inside");
        found
    }

    fn once<O: Observer>(
        &mut self,
        chooser: Option<&mut dyn Chooser>,
        schedule: Schedule,
        watch: &mut O,
    ) -> Run {
        self.memory.restore(&self.start);
        let count = self.program.threads.len() as u32;
        let (grid, block) = match self.program.kind {
            Kind::Lanes | Kind::Same => (1, count),
            Kind::Warps => (1, 32 * count),
            Kind::Ctas => (count, 1),
        };
        let params = self.buffer.to_le_bytes();
        let launch = Launch {
            threads: 1,
            schedule,
            max_steps: Some(10_000),
            ..Launch::new([grid, 1, 1], [block, 1, 1], &params)
        };
        let mut sanitizer =
            Sanitizer::new(self.kernel.kernel(), launch.grid, launch.block, Options::default());
        let mut both = (&mut sanitizer, Some(watch));
        let outcome = match chooser {
            Some(chooser) => {
                vm::launch_chosen(&self.kernel, &launch, &self.memory, &mut both, chooser)
            }
            None => vm::launch_observed(&self.kernel, &launch, &self.memory, &mut both),
        };
        let fault = outcome.expect("possible").fault;
        let findings = sanitizer.finish(fault.as_ref(), &self.memory).findings;
        Run { findings, memory: self.memory.snapshot(), fault }
    }
}

/// Notes whether a run was given up.
struct Patient<'c> {
    chooser: &'c mut dyn Chooser,
    given_up: bool,
}

impl Chooser for Patient<'_> {
    fn choose(&mut self, choice: &vm::Choice<'_>) -> Option<vm::Chosen> {
        let chosen = self.chooser.choose(choice);
        self.given_up = chosen.is_none();
        chosen
    }
}

impl Subject for Collected<'_> {
    type Error = Infallible;

    fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        footprints: Option<&mut Footprints>,
    ) -> Result<Run, Infallible> {
        let mut patient = Patient { chooser, given_up: false };
        let run = match footprints {
            Some(watch) => self.once(Some(&mut patient), Schedule::Fair, watch),
            None => self.once(Some(&mut patient), Schedule::Fair, &mut Silent),
        };
        assert!(run.fault.is_none(), "{:?}", run.fault);
        if !patient.given_up {
            self.results.insert(self.result());
        }
        Ok(run)
    }

    fn start(&self) -> &Snapshot {
        &self.start
    }

    fn line(&self, place: Place) -> u64 {
        u64::from(place.0)
    }

    fn kernel(&self) -> &Kernel {
        self.kernel.kernel()
    }

    fn counts_lanes(&self) -> bool {
        false
    }

    fn ctas(&self) -> u64 {
        if self.program.kind == Kind::Ctas { self.program.threads.len() as u64 } else { 1 }
    }

    fn interrupted(&self) -> bool {
        false
    }
}

#[test]
fn every_outcome_is_found() {
    let wanted = std::env::var("WARPWISE_INTERLEAVINGS").unwrap_or_default();
    let (count, seed) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    let (count, seed) = (count.parse().unwrap_or(400), seed.parse().unwrap_or(1));
    let (mut several, mut incomplete) = (0u64, 0u64);
    for nth in 0..count {
        let mut random = Random::new(Random::new(seed).below(u64::MAX).wrapping_add(nth));
        let program = program(&mut random);
        let exact = outcomes(&program);
        let what =
            || format!("program {nth} of seed {seed}: {:?} {:?}", program.kind, program.threads);
        let mut all = Collected::new(&program, Memory::new().expect("address space"));
        let first = all.once(None, Schedule::Fair, &mut Silent);
        assert!(exact.contains(&all.result()), "{}", what());
        let Ok(explored) = explore::all(&mut all, &first, 20_000);
        assert!(all.results.is_subset(&exact), "impossible: {}", what());
        match explored.end {
            End::Covered => assert_eq!(all.results, exact, "missed: {}", what()),
            _ => incomplete += 1,
        }
        assert_eq!(explored.different.is_some(), all.results.len() > 1, "{}", what());
        if let Some((schedule, run)) = explored.different {
            // What is told replays.
            let schedule: Schedule = schedule.to_string().parse().expect("a schedule");
            let again = all.once(None, schedule, &mut Silent);
            assert!(again.memory == run.memory && again.memory != first.memory, "{}", what());
        }
        several += u64::from(exact.len() > 1);
    }
    println!(
        "{count} programs, {several} with several outcomes, {incomplete} not explored to the end"
    );
    assert!(4 * several > count && 100 * incomplete <= count);
}
