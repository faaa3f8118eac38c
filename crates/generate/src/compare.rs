//! One case in every way that must not make a difference.

use crate::case::{Buffers, Case};
use crate::reference;
use std::fmt;
use std::time::{Duration, Instant};
use vm::{EngineChoice, Executable, Launch, Memory, Observer, Schedule, Straight, View};

/// Warp instructions after which a launch is said not to end: of three thousand kernels, the longest takes 650,000.
const MAX_STEPS: u64 = 10_000_000;

/// Branches of a turn that ends within most loops.
const SHORT_TURN: u32 = 3;

/// The longest that a launch may take: a thousand times what one does.
const LONGEST: Duration = Duration::from_secs(100);

/// A way to run a kernel.
#[derive(Clone, Debug)]
struct Way {
    engine: EngineChoice,
    schedule: Schedule,
    observer: Option<Watches>,
    threads: usize,
    /// Branches of a turn.
    turn: u32,
}

/// What an observer wants to be told.
#[derive(Clone, Copy, Debug)]
enum Watches {
    /// Every instruction, and what comes of it.
    Effects,
    /// What concerns others.
    Stretches,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Way { engine, schedule, observer, threads, turn } = self;
        let observed = match observer {
            None => "unobserved",
            Some(Watches::Effects) => "observed",
            Some(Watches::Stretches) => "observed in stretches",
        };
        write!(
            f,
            "{engine}, schedule {schedule}, {observed}, on {threads} threads of the host, turns of {turn} branches"
        )
    }
}

/// A case that the VM and the reference do not agree about.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The case.
    pub case: Box<Case>,
    /// How they differ.
    pub what: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { kernel, grid, cluster, block, dynamic_shared, words, .. } = &*self.case;
        writeln!(f, "{}", self.what)?;
        writeln!(
            f,
            "grid {grid:?}, cluster {cluster:?}, block {block:?}, {dynamic_shared} bytes of dynamic shared memory, words {words:x?}"
        )?;
        write!(f, "{kernel}")
    }
}

impl std::error::Error for Mismatch {}

/// Takes note of nothing, but is told of everything.
struct Everything;

impl Observer for Everything {
    const EFFECTS: bool = true;
}

/// Takes note of nothing, and is told of no more than it has to be.
struct Little;

impl Observer for Little {
    fn straight(&mut self, _view: &View<'_>, _straight: &Straight<'_>) -> bool {
        false
    }
}

/// The ways to run a case, by its own numbers.
fn ways(case: &Case) -> Vec<Way> {
    let pick = u64::from(case.words.iter().fold(0, |sum: u32, word| sum.wrapping_add(*word)));
    let mut ways = Vec::new();
    let way = |engine| Way {
        engine,
        schedule: Schedule::Fair,
        observer: None,
        threads: 1,
        turn: vm::TURN,
    };
    for engine in EngineChoice::available() {
        for observer in [None, Some(Watches::Effects), Some(Watches::Stretches)] {
            ways.push(Way { observer, ..way(engine) });
        }
        // Loops are left in between, also where lanes are apart.
        ways.push(Way { turn: SHORT_TURN, ..way(engine) });
    }
    let engine = EngineChoice::interpreter();
    let ctas: u32 = case.grid.iter().product();
    if ctas > 1 {
        ways.push(Way { threads: 2, ..way(engine) });
    }
    let apart = Schedule::Apart((pick % u64::from(vm::LANE_BITS)) as u32);
    for schedule in
        [apart, Schedule::Seed(pick), Schedule::Seed(pick + 1), Schedule::Switches(Vec::new())]
    {
        ways.push(Way { schedule, ..way(engine) });
    }
    ways
}

/// Runs a case with the reference and on the VM in many ways.
///
/// # Errors
/// A result that differs, a fault, or a kernel that is not as it should be.
pub fn compare(case: &Case) -> Result<(), Mismatch> {
    let mismatch = |what: String| Mismatch { case: Box::new(case.clone()), what };
    ir::verify(&case.kernel).map_err(|why| mismatch(format!("the kernel is not valid: {why}")))?;
    let text = case.kernel.to_string();
    if ir::text::parse(&text).as_ref() != Ok(&case.kernel) {
        return Err(mismatch("the kernel's text is not the text of the kernel".into()));
    }
    let expected = reference::run(case).map_err(|why| mismatch(format!("the reference: {why}")))?;
    compare_with(case, &expected, MAX_STEPS).map_err(mismatch)
}

/// Runs a case on the VM, so many warp instructions at most; what it leaves is to be this.
fn compare_with(case: &Case, expected: &Buffers, max_steps: u64) -> Result<(), String> {
    let mut device = Device::new(case, max_steps)?;
    for way in ways(case) {
        let found = device.run(case, &way).map_err(|why| format!("{way}: {why}"))?;
        if let Some(difference) = difference(case, expected, &found) {
            return Err(format!("{way}: {difference}"));
        }
    }
    Ok(())
}

/// The first difference, in words.
fn difference(case: &Case, expected: &Buffers, found: &Buffers) -> Option<String> {
    let first =
        |one: &[u8], other: &[u8]| one.iter().zip(other).position(|(one, other)| one != other);
    if let Some(at) = first(&expected.output, &found.output) {
        let ctas: u32 = case.grid.iter().product();
        let threads: u32 = case.block.iter().product();
        let each = expected.output.len() / (ctas * threads) as usize;
        let (thread, offset) = (at / each, at % each);
        let line = |buffers: &Buffers| hex(buffers.output.chunks(each).nth(thread));
        return Some(format!(
            "byte {offset} of what thread {} of CTA {} wrote\n  expected {}\n  found    {}",
            thread % threads as usize,
            thread / threads as usize,
            line(expected),
            line(found),
        ));
    }
    let at = first(&expected.counters, &found.counters)?;
    let line = |buffers: &Buffers| hex(buffers.counters.chunks(8).nth(at / 8));
    let (expected, found) = (line(expected), line(found));
    Some(format!("counter {}\n  expected {expected}\n  found    {found}", at / 8))
}

/// Words of four bytes, as numbers.
fn hex(bytes: Option<&[u8]>) -> String {
    let words = bytes.unwrap_or_default().chunks(4);
    let value =
        |word: &[u8]| word.iter().rev().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
    words.map(|word| format!("{:08x}", value(word))).collect::<Vec<_>>().join(" ")
}

/// A case's kernel, and memory with its buffers.
struct Device {
    executable: Executable,
    memory: Memory,
    input: u64,
    output: u64,
    counters: u64,
    max_steps: u64,
}

impl Device {
    fn new(case: &Case, max_steps: u64) -> Result<Self, String> {
        let memory = Memory::new().map_err(|why| format!("{why:?}"))?;
        let allocate =
            |bytes: usize| memory.allocate(bytes as u64).map_err(|why| format!("{why:?}"));
        let (input, output, counters) = (
            allocate(case.input.len())?,
            allocate(case.output_bytes)?,
            allocate(case.counter_bytes)?,
        );
        let executable = Executable::new(case.kernel.clone());
        Ok(Device { executable, memory, input, output, counters, max_steps })
    }

    fn run(&mut self, case: &Case, way: &Way) -> Result<Buffers, String> {
        let Device { executable, memory, input, output, counters, max_steps } = self;
        let write =
            |at: u64, bytes: &[u8]| memory.write(at, bytes).map_err(|why| format!("{why:?}"));
        write(*input, &case.input)?;
        write(*output, &vec![0; case.output_bytes])?;
        write(*counters, &vec![0; case.counter_bytes])?;
        let params = case.params(*input, *output, *counters);
        let started = Instant::now();
        let launch = Launch {
            cluster: case.cluster,
            dynamic_shared: case.dynamic_shared,
            threads: way.threads,
            turn: way.turn,
            schedule: way.schedule.clone(),
            // Where steps are counted, turns do not end without the scheduler.
            max_steps: match way.observer {
                Some(Watches::Stretches) => None,
                None | Some(Watches::Effects) => Some(*max_steps),
            },
            engine: way.engine,
            interrupted: &|| started.elapsed() > LONGEST,
            ..Launch::new(case.grid, case.block, &params)
        };
        let outcome = match way.observer {
            None => vm::launch(executable, &launch, memory),
            Some(Watches::Effects) => {
                vm::launch_observed(executable, &launch, memory, &mut Everything)
            }
            Some(Watches::Stretches) => {
                vm::launch_observed(executable, &launch, memory, &mut Little)
            }
        };
        let outcome = outcome.map_err(|why| why.to_string())?;
        if let Some(fault) = outcome.fault {
            return Err(format!("{fault:?}"));
        }
        let read = |at: u64, bytes: usize| {
            let mut held = vec![0; bytes];
            memory.read(at, &mut held).map_err(|why| format!("{why:?}"))?;
            Ok::<_, String>(held)
        };
        Ok(Buffers {
            output: read(*output, case.output_bytes)?,
            counters: read(*counters, case.counter_bytes)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choices, generate};
    use ir::{BinaryOp, Collective, Op};
    use lanes::ReduxOp;

    /// Some kernels without their barriers wait for ever.
    const SOON: u64 = 300_000;

    /// Without the barriers of clusters kernels have other results: their threads do reach what is another CTA's.
    #[test]
    fn clusters_need_their_barriers() {
        let (mut with_clusters, mut found) = (0, 0);
        for seed in 0..150 {
            let mut case = generate(&mut Choices::from_seed(seed));
            let Ok(expected) = reference::run(&case) else { continue };
            let mut some = false;
            for block in &mut case.kernel.blocks {
                let before = block.insts.len();
                block.insts.retain(|inst| !matches!(inst.op, Op::ClusterBarrier { .. }));
                some |= block.insts.len() < before;
            }
            if some && case.clusters() != [1; 3] {
                with_clusters += 1;
                found += usize::from(compare_with(&case, &expected, SOON).is_err());
            }
        }
        assert!(with_clusters >= 20 && found >= 10, "{found} of {with_clusters}");
    }

    /// The reference with other operations in the place of some: many kernels then differ, and are said to.
    #[test]
    fn mistakes_are_found() {
        let mut found = 0;
        for seed in 0..60 {
            let case = generate(&mut Choices::from_seed(seed));
            let mut wrong = case.clone();
            for inst in wrong.kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
                if let Op::Collective { what: Collective::Redux { op, .. }, .. } = &mut inst.op {
                    *op = if *op == ReduxOp::Add { ReduxOp::Xor } else { ReduxOp::Add };
                }
                if let Op::Binary { op: op @ BinaryOp::SubI32, .. } = &mut inst.op {
                    *op = BinaryOp::AddI32;
                }
            }
            // Some then do what is not defined.
            let Ok(expected) = reference::run(&wrong) else { continue };
            let Err(what) = compare_with(&case, &expected, MAX_STEPS) else { continue };
            assert!(what.contains("expected") && what.contains("found"), "{what}");
            found += 1;
        }
        assert!(found >= 10, "{found}");
    }
}
