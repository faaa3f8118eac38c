//! What streams do: launches, copies, fills, calls of the program. Graphs are made of the same.

use crate::abi::{Address, Answer, CUfunction, CUresult, CUstream, Out};
use crate::context::{Context, STACK};
use crate::fault;
use crate::function::Function;
use crate::memory::{CallPlace, Fill, GraphMemory, Rows, check, load_word, release, store_word};
use crate::report;
use crate::watch;
use std::iter;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use warpwise::{
    Among, DEFAULT_STACK, Device, DeviceLaunch, Event, Extents, LaunchConfig, Others, Packed, order,
};

/// A launch.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) function: Arc<Function>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) cooperative: bool,
    pub(crate) shared: u32,
    pub(crate) packed: Packed,
    /// How many kernels launched each other before it.
    pub(crate) depth: u32,
    /// What the program calls the function.
    pub(crate) handle: CUfunction,
    /// Where the arguments lie, for programs that look.
    addresses: OnceLock<Vec<Address>>,
}

impl Launch {
    pub(crate) fn new(
        (function, handle): (Arc<Function>, CUfunction),
        (grid, block, cluster): ([u32; 3], [u32; 3], Option<[u32; 3]>),
        cooperative: bool,
        shared: u32,
        packed: Packed,
    ) -> Launch {
        Launch {
            function,
            grid,
            block,
            cluster,
            cooperative,
            shared,
            packed,
            depth: 0,
            handle,
            addresses: OnceLock::new(),
        }
    }

    /// The same launch, cooperative or not, with other clusters.
    pub(crate) fn asking(&self, cooperative: bool, cluster: Option<[u32; 3]>) -> Launch {
        let of = (Arc::clone(&self.function), self.handle);
        let (extents, packed) = ((self.grid, self.block, cluster), self.packed.clone());
        Launch::new(of, extents, cooperative, self.shared, packed)
    }

    /// The same launch by a kernel.
    pub(crate) fn at_depth(self, depth: u32) -> Launch {
        Launch { depth, ..self }
    }

    /// Pointers to its arguments, which live as long as it does.
    pub(crate) fn params(&self) -> Out<Address> {
        let all = self.addresses.get_or_init(|| {
            let at = |param| self.packed.bytes_of(param).as_ptr().expose_provenance() as u64;
            self.function.kernel.params().iter().map(|param| Address(at(param))).collect()
        });
        match all.is_empty() {
            true => Out::null(),
            false => Address(all.as_ptr().expose_provenance() as u64).into(),
        }
    }

    /// Threads of the grid.
    fn threads(&self) -> u64 {
        let all = self.grid.iter().chain(&self.block).map(|extent| u64::from(*extent));
        all.fold(1, u64::saturating_mul)
    }
}

/// A call of a function of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    /// With what it was given.
    Host(extern "C" fn(Address), Address),
    /// With the stream, and how it goes there.
    Stream(extern "C" fn(CUstream, CUresult, Address), CUstream, Address),
}

/// A word of memory, and a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) address: u64,
    /// 4 or 8.
    pub(crate) bytes: u64,
    pub(crate) value: u64,
}

/// How what is there compares with a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Compare {
    /// It is not below, counted round the width.
    NotBelow,
    Equal,
    /// They have a common bit.
    And,
    /// There is a bit that neither has.
    Nor,
}

impl Compare {
    fn holds(self, there: u64, Word { bytes, value, .. }: Word) -> bool {
        match (self, bytes) {
            (Compare::NotBelow, 4) => (there as u32).wrapping_sub(value as u32) as i32 >= 0,
            (Compare::NotBelow, _) => there.wrapping_sub(value) as i64 >= 0,
            (Compare::Equal, _) => there == value,
            (Compare::And, _) => there & value != 0,
            (Compare::Nor, 4) => !(there | value) as u32 != 0,
            (Compare::Nor, _) => !(there | value) != 0,
        }
    }
}

/// Which of several lists of operations is done, by the value of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// The first if it is not zero, else the second, if there is one.
    If,
    /// The only one, as long as it is not zero.
    While,
    /// The one of its number, if there is one.
    Switch,
}

/// Lists of operations, one of which is done.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Where the condition is.
    pub(crate) word: u64,
    pub(crate) chosen: Chosen,
    pub(crate) bodies: Vec<Vec<Operation>>,
}

/// Something that a stream does.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// Nothing: a place in the order.
    Nothing,
    Launch(Arc<Launch>),
    Copy(Rows),
    /// Fills rows: the memory, the value, how many in a row, and rows.
    Fill {
        to: u64,
        pitch: u64,
        value: Fill,
        width: u64,
        height: u64,
    },
    Call(Call),
    /// Writes a word.
    Write(Word),
    /// Waits until a word of memory compares so with its value.
    Await(Word, Compare),
    /// Frees memory that was allocated in the order of a stream.
    Free(u64),
    /// Memory of a graph is there until then.
    Keep(#[expect(dead_code, reason = "it is held, and nobody asks for it")] Arc<GraphMemory>),
    /// Does some of other operations.
    Choose(Arc<Choice>),
    Record(Event),
    Wait(Event),
}

impl Operation {
    /// Whether it is over so soon that who issues it may as well do it.
    pub(crate) fn is_brief(&self) -> bool {
        /// Bytes that are copied in some microseconds.
        const FEW: u64 = 64 << 10;
        match self {
            Operation::Launch(launch) => launch.function.is_brief(launch.threads()),
            Operation::Copy(rows) => rows.bytes() <= FEW,
            Operation::Fill { value, width, height, .. } => {
                value.bytes().saturating_mul(*width).saturating_mul(*height) <= FEW
            }
            Operation::Nothing
            | Operation::Free(_)
            | Operation::Keep(_)
            | Operation::Record(_)
            | Operation::Wait(_) => true,
            Operation::Write(_) => true,
            // Programs expect another thread.
            Operation::Call(_) | Operation::Await(..) | Operation::Choose(_) => false,
        }
    }

    /// Whether it waits for nobody but the work before it.
    pub(crate) fn goes_on(&self) -> bool {
        match self {
            Operation::Launch(launch) => !launch.function.waits,
            Operation::Call(_) | Operation::Await(..) | Operation::Choose(_) => false,
            Operation::Nothing
            | Operation::Copy(_)
            | Operation::Fill { .. }
            | Operation::Write(_)
            | Operation::Free(_)
            | Operation::Keep(_)
            | Operation::Record(_)
            | Operation::Wait(_) => true,
        }
    }

    /// Takes note that memory may be written until what is returned is dropped. Launches do so themselves.
    fn works(&self) -> Option<watch::Working> {
        match self {
            Operation::Copy(_)
            | Operation::Fill { .. }
            | Operation::Call(_)
            | Operation::Write(_)
            | Operation::Free(_) => watch::working(),
            Operation::Launch(_)
            | Operation::Nothing
            | Operation::Await(..)
            | Operation::Choose(_)
            | Operation::Keep(_)
            | Operation::Record(_)
            | Operation::Wait(_) => None,
        }
    }

    /// Does it: what a kernel has launched, and what is to be chosen, is left to be done. What goes wrong is the context's from then on.
    /// `place` is where the program issued it, if that is known.
    pub(crate) fn perform(
        &self,
        context: &Arc<Context>,
        device: &Device,
        place: Option<&CallPlace>,
    ) -> Vec<DeviceLaunch> {
        let (_at_work, _working) = (watch::at_work(), self.works());
        let mut launched = Vec::new();
        // After a fault nothing is done; callbacks of streams are told.
        let state = context.check();
        if let Operation::Call(_) = self {
            // It may tell other threads of the program.
            order::host_learns();
        }
        if let Operation::Call(Call::Stream(function, stream, data)) = self {
            context.flush();
            function(*stream, state.err().unwrap_or(CUresult::SUCCESS), *data);
            return launched;
        }
        if state.is_err() {
            return launched;
        }
        let done = match self {
            Operation::Nothing
            | Operation::Keep(_)
            | Operation::Choose(_)
            | Operation::Record(_)
            | Operation::Wait(_)
            | Operation::Call(Call::Stream(..)) => Ok(()),
            Operation::Launch(launch) => {
                launched = perform_launch(launch, context, device, place);
                Ok(())
            }
            Operation::Copy(rows) => {
                watch::copied(rows, place);
                rows.perform()
            }
            Operation::Fill { to, pitch, value, width, height } => {
                let bytes = value.bytes() * width;
                let row = |nth: u64| to + nth * pitch..to + nth * pitch + bytes;
                watch::written("a fill", place, (0..*height).map(row));
                value.perform(*to, *pitch, [*width, *height])
            }
            Operation::Call(Call::Host(function, data)) => {
                context.flush();
                function(*data);
                Ok(())
            }
            Operation::Free(address) => {
                watch::frees(*address, place);
                release(*address)
            }
            Operation::Write(word) => check(word.address, word.bytes).map(|()| {
                let bytes = word.address..word.address + word.bytes;
                watch::written("a write of a word", place, iter::once(bytes));
                watch::disordered();
                store_word(word.address, word.bytes, word.value);
            }),
            Operation::Await(word, compare) => {
                watch::disordered();
                await_word(context, *word, *compare)
            }
        };
        // What was there when it was issued is there no more.
        if done.is_err() {
            context.fail(CUresult::ILLEGAL_ADDRESS);
        }
        launched
    }
}

/// Waits for a word, as long as it is there and nothing has gone wrong.
fn await_word(context: &Context, word: Word, compare: Compare) -> Answer {
    /// How often it is looked at.
    const PAUSE: Duration = Duration::from_micros(20);
    while context.check().is_ok() {
        check(word.address, word.bytes)?;
        if compare.holds(load_word(word.address, word.bytes), word) {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// The stack that a thread gets here for what it would have on a device: frames are larger by as much as the defaults say.
fn stack(asked: u64) -> u32 {
    /// More than this only who asks for it.
    const MOST: u64 = 256 << 10;
    let larger = asked.saturating_mul(u64::from(DEFAULT_STACK) / STACK).min(MOST).max(asked);
    u32::try_from(larger).unwrap_or(u32::MAX)
}

/// Launches a kernel, or checks it: what it has launched then.
fn perform_launch(
    launch: &Launch,
    context: &Context,
    device: &Device,
    place: Option<&CallPlace>,
) -> Vec<DeviceLaunch> {
    let Launch { function, grid, block, cluster, cooperative, shared, packed, .. } = launch;
    let limits = context.limits();
    let config = LaunchConfig {
        cluster: cluster.map(Extents),
        cooperative: *cooperative,
        dynamic_shared: *shared,
        stack_limit: stack(limits.stack),
        heap_limit: limits.heap,
        depth: launch.depth,
        // Of thousands of small launches, the first, second, fourth, eighth and so on tell as much as all.
        again: (function.launches() + 1).is_power_of_two(),
        clock_khz: context.gpu.properties.clock_khz,
        engine: report::engine(),
        ..LaunchConfig::new(Extents(*grid), Extents(*block))
    };
    let started = Instant::now();
    let mut launched = Vec::new();
    let _running = report::begins(&function.kernel);
    if report::is_checked(&function.kernel, function.launches()) {
        let others: Arc<dyn Others> = watch::Check::begin();
        let args = function.kernel.named(device, packed);
        let (options, unwritten) = (Default::default(), watch::unwritten());
        let among = Among { unwritten: &unwritten, others: &others };
        match function.kernel.check_among_others(device, &config, options, &args, &among) {
            Ok(checked) => {
                watch::ran(&function.kernel.plain_name(), place, checked.traffic.clone());
                context.printed(&checked.report.printed.text());
                report::checked(&function.kernel, &checked);
                if let Some(stopped) = &checked.fault {
                    context.fail(fault::of_fault(&stopped.kind));
                }
                launched = checked.report.launched;
            }
            Err(error) => {
                report::failed(&function.kernel, &error);
                context.fail(fault::of_launch(&error));
            }
        }
        function.took(launch.threads(), started.elapsed());
        return launched;
    }
    watch::ran("", None, None);
    let _working = watch::working();
    match function.kernel.launch_packed(device, &config, packed) {
        Ok(done) => {
            let text = done.printed.text();
            if !text.is_empty() {
                context.printed(&text);
            }
            report::launched(&function.kernel, &done);
            launched = done.launched;
        }
        Err(error) => {
            context.printed(&error.failure().printed.text());
            report::failed(&function.kernel, &error);
            context.fail(fault::of_launch(&error));
        }
    }
    function.took(launch.threads(), started.elapsed());
    launched
}
