//! A launch: a grid of CTAs over the host's cores.

mod common;
mod grid;
mod outcome;
mod request;
mod resident;
mod storage;
mod values;

pub use common::cta_index;
pub(crate) use grid::Grid;
pub use outcome::Outcome;
pub use request::{
    CLOCK_KHZ, DEFAULT_STACK, HEAP_LIMIT, Launch, LaunchError, MAX_LOCAL, MAX_SHARED, MAX_THREADS,
    TURN, clusters,
};
pub(crate) use resident::Resident;
pub(crate) use storage::Storage;
pub(crate) use values::SpecialValues;
use values::Time;

use crate::engine::EngineChoice;
use crate::executable::Executable;
use crate::fault::{Fault, FaultKind, ThreadId};
use crate::float_environment::FloatEnvironment;
use crate::memory::{Memory, Quarantine};
use crate::observer::{Observer, Silent, Unobserved};
use crate::plan::Shape;
use crate::pool;
use crate::schedule::Chooser;
use common::Common;
use ir::{Interrupt, Place};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// Who leads a launch that took less last time waits so long before it calls others: to wake a thread takes as long.
const SMALL: Duration = Duration::from_micros(20);

/// Runs a kernel.
///
/// # Errors
/// The launch is not possible for this kernel; nothing ran.
pub fn launch(
    executable: &Executable,
    launch: &Launch<'_>,
    memory: &Memory,
) -> Result<Outcome, LaunchError> {
    match launch.schedule.chooser() {
        None => run(executable, launch, memory, &mut Unobserved, None),
        Some(mut chooser) => run(executable, launch, memory, &mut Silent, Some(&mut *chooser)),
    }
}

/// Runs a kernel on one host thread and shows every step to an observer.
///
/// # Errors
/// The launch is not possible for this kernel; nothing ran.
pub fn launch_observed<O: Observer>(
    executable: &Executable,
    launch: &Launch<'_>,
    memory: &Memory,
    observer: &mut O,
) -> Result<Outcome, LaunchError> {
    let mut chooser = launch.schedule.chooser();
    let chooser = chooser.as_deref_mut().map(|chooser| chooser as &mut dyn Chooser);
    run(executable, launch, memory, observer, chooser)
}

/// Runs a kernel step by step as a chooser wants it, whatever schedule the launch names, and shows every step to an
/// observer.
///
/// # Errors
/// The launch is not possible for this kernel; nothing ran.
pub fn launch_chosen<O: Observer>(
    executable: &Executable,
    launch: &Launch<'_>,
    memory: &Memory,
    observer: &mut O,
    chooser: &mut dyn Chooser,
) -> Result<Outcome, LaunchError> {
    run(executable, launch, memory, observer, Some(chooser))
}

fn run<O: Observer>(
    executable: &Executable,
    launch: &Launch<'_>,
    memory: &Memory,
    observer: &mut O,
    chooser: Option<&mut dyn Chooser>,
) -> Result<Outcome, LaunchError> {
    request::check(executable.kernel(), launch)?;
    let _environment = FloatEnvironment::enter();
    if O::OBSERVES {
        memory.set_quarantine(Quarantine::Forever);
    }
    let Launch { grid, cluster, dynamic_shared, .. } = *launch;
    let cluster = clusters(executable.kernel(), grid, cluster, dynamic_shared)?;
    let explicit_cluster = cluster.is_some();
    let cluster = cluster.unwrap_or([1; 3]);
    let shape = Shape {
        block: launch.block,
        cluster,
        explicit_cluster,
        dynamic_shared: launch.dynamic_shared,
        stack: if executable.kernel().has_stack { launch.stack } else { 0 },
        observed: O::OBSERVES,
        stepwise: chooser.is_some(),
    };
    let interrupt = Interrupt::new(launch.interrupted);
    // What must be the same each time is not to depend on when machine code is there.
    let is_told = O::OBSERVES || launch.deterministic || chooser.is_some();
    let interpreted = launch.engine == EngineChoice::Auto && is_told;
    let engine = if interpreted { EngineChoice::interpreter() } else { launch.engine };
    let Some(made) = executable.made(shape, engine, &interrupt) else {
        let first = executable.kernel().blocks.first();
        let place = first.map_or(Place::default(), |block| {
            block.insts.first().map_or(block.place, |inst| inst.place)
        });
        let thread = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
        let fault = Some(Fault { kind: FaultKind::Interrupted, place, thread });
        return Ok(Outcome { fault, ..Outcome::default() });
    };
    (launch.progress)(0);
    let started = Instant::now();
    let workers = match launch.threads {
        // There is one observer.
        _ if O::OBSERVES || launch.deterministic || chooser.is_some() => 1,
        0 => pool::cores(),
        threads => threads.min(4 * pool::cores()),
    };
    let is_counted =
        launch.deterministic || O::OBSERVES || chooser.is_some() || launch.schedule.apart() != 0;
    let time = match is_counted {
        true => Time::Counted(AtomicU64::new(0)),
        false => Time::Host { clock_khz: launch.clock_khz },
    };
    let common = Common::new(&made, launch, memory, time);
    let ctas = common.ctas;
    let workers = usize::try_from(common.clusters()).map_or(workers, |all| all.min(workers));
    let grid = Grid::new(&common, workers <= 1);
    let mut together = 1;
    match chooser {
        Some(chooser) => grid.work_stepwise(observer, chooser),
        None if workers <= 1 => grid.work(observer, None),
        None => {
            // The others are called when it is clear that there is work for them.
            let is_small = made.usual_time(ctas).is_some_and(|time| time < SMALL);
            let part = || {
                let _environment = FloatEnvironment::enter();
                grid.work(&mut Unobserved, None);
            };
            pool::run(workers, part, |others| {
                if !is_small {
                    others.call();
                }
                grid.work(&mut Unobserved, Some((others, started + SMALL)));
                together = if others.are_called() { workers } else { 1 };
            });
        }
    }
    let outcome = grid.finish();
    if outcome.fault.is_none() {
        made.took(ctas, started.elapsed() * together as u32);
    }
    Ok(outcome)
}
