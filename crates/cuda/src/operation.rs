//! What streams do: launches, copies, fills, calls of the program. Graphs are made of the same.

use crate::abi::{Address, CUresult, CUstream};
use crate::context::Context;
use crate::fault;
use crate::function::Function;
use crate::memory::{Fill, Rows, release};
use crate::report;
use std::sync::Arc;
use std::time::Instant;
use warpwise::{Device, Event, Extents, LaunchConfig, Packed};

/// A launch.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) function: Arc<Function>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) packed: Packed,
}

impl Launch {
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
    /// Frees memory that was allocated in the order of a stream.
    Free(u64),
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
            Operation::Nothing | Operation::Free(_) | Operation::Record(_) | Operation::Wait(_) => {
                true
            }
            // Programs expect another thread.
            Operation::Call(_) => false,
        }
    }

    /// Does it. What goes wrong is the context's from then on.
    pub(crate) fn perform(&self, context: &Arc<Context>, device: &Device) {
        // After a fault nothing is done; callbacks of streams are told.
        let state = context.check();
        if let Operation::Call(Call::Stream(function, stream, data)) = self {
            context.flush();
            function(*stream, state.err().unwrap_or(CUresult::SUCCESS), *data);
            return;
        }
        if state.is_err() {
            return;
        }
        let done = match self {
            Operation::Nothing
            | Operation::Record(_)
            | Operation::Wait(_)
            | Operation::Call(Call::Stream(..)) => Ok(()),
            Operation::Launch(launch) => {
                perform_launch(launch, context, device);
                Ok(())
            }
            Operation::Copy(rows) => rows.perform(),
            Operation::Fill { to, pitch, value, width, height } => {
                value.perform(*to, *pitch, [*width, *height])
            }
            Operation::Call(Call::Host(function, data)) => {
                context.flush();
                function(*data);
                Ok(())
            }
            Operation::Free(address) => release(*address),
        };
        // What was there when it was issued is there no more.
        if done.is_err() {
            context.fail(CUresult::ILLEGAL_ADDRESS);
        }
    }
}

/// Launches a kernel, or checks it.
fn perform_launch(launch: &Launch, context: &Context, device: &Device) {
    let Launch { function, grid, block, shared, packed } = launch;
    let limits = context.limits();
    let config = LaunchConfig {
        dynamic_shared: *shared,
        stack_limit: u32::try_from(limits.stack).unwrap_or(u32::MAX),
        heap_limit: limits.heap,
        engine: report::engine(),
        ..LaunchConfig::new(Extents(*grid), Extents(*block))
    };
    let started = Instant::now();
    if report::is_checked(&function.kernel, function.launches()) {
        let args = function.kernel.named(device, packed);
        match function.kernel.check(device, &config, Default::default(), &args) {
            Ok(checked) => {
                context.printed(&checked.report.printed.text());
                report::checked(&function.kernel, &checked);
                if let Some(stopped) = &checked.fault {
                    context.fail(fault::of_fault(&stopped.kind));
                }
            }
            Err(error) => {
                report::failed(&error);
                context.fail(fault::of_launch(&error));
            }
        }
        function.took(launch.threads(), started.elapsed());
        return;
    }
    match function.kernel.launch_packed(device, &config, packed) {
        Ok(done) => {
            let text = done.printed.text();
            if !text.is_empty() {
                context.printed(&text);
            }
            report::launched(&function.kernel, &done);
        }
        Err(error) => {
            context.printed(&error.failure().printed.text());
            report::failed(&error);
            context.fail(fault::of_launch(&error));
        }
    }
    function.took(launch.threads(), started.elapsed());
}
