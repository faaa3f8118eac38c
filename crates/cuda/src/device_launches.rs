//! Work that other work decides about: what kernels launch, which is done when they have ended, in the order in which they launched
//! it, and what the value of a condition chooses.

use crate::abi::{Address, Answer, CUmodule, CUresult};
use crate::context::Context;
use crate::function::functions;
use crate::memory::{CallPlace, Fill, Rows, Side, load_word};
use crate::module::loaded;
use crate::operation::{Choice, Chosen, Operation};
use crate::prepare::{Shape, prepared_with};
use crate::say;
use std::sync::Arc;
use warpwise::{Device, DeviceLaunch, DeviceWork, in_order};

/// Does an operation of a stream, and what follows from it: what a kernel launches, or a condition chooses, and what follows from
/// that. What goes wrong is the context's.
/// `place` is where the program issued it, if that is known.
pub(crate) fn perform(
    operation: &Operation,
    context: &Arc<Context>,
    device: &Device,
    place: Option<&CallPlace>,
) {
    let launched = operation.perform(context, device, place);
    if let Operation::Choose(choice) = operation {
        return choose(choice, context, device, place);
    }
    let Operation::Launch(by) = operation else { return };
    for launch in in_order(&launched) {
        if context.check().is_err() {
            return;
        }
        match made_of(launch, by.depth + 1, by.function.module) {
            Ok(operation) => perform(&operation, context, device, place),
            Err(result) => {
                say::note(&format!("a kernel launches what is not possible: {:?}", launch.work));
                context.fail(result);
            }
        }
        launch.release(device);
    }
}

/// Does what a condition chooses.
fn choose(choice: &Choice, context: &Arc<Context>, device: &Device, place: Option<&CallPlace>) {
    let Choice { word, chosen, bodies } = choice;
    loop {
        if context.check().is_err() {
            return;
        }
        let value = load_word(*word, size_of::<u32>() as u64);
        let nth = match (chosen, value) {
            (Chosen::If, 0) => 1,
            (Chosen::While, 0) => return,
            (Chosen::If | Chosen::While, _) => 0,
            (Chosen::Switch, value) => value as usize,
        };
        let body = bodies.get(nth).map(Vec::as_slice).unwrap_or_default();
        body.iter().for_each(|operation| perform(operation, context, device, place));
        if *chosen != Chosen::While {
            return;
        }
    }
}

/// What a kernel has launched, as a stream would do it.
fn made_of(launch: &DeviceLaunch, depth: u32, module: CUmodule) -> Answer<Operation> {
    let side = |address| Side { address, pitch: 0, slice: 0, is_foreign: false };
    match &launch.work {
        DeviceWork::Kernel { name, grid, block, dynamic_shared } => {
            let handle = loaded(module)?.function(name)?;
            let function = functions().get(handle.0)?;
            let (grid, block, shared) = (grid.0, block.0, *dynamic_shared);
            let shape = Shape { grid, block, shared, cooperative: false, cluster: None };
            let bytes = u64::from(function.kernel.param_block_bytes());
            let arguments = (Address(launch.block_address()), bytes);
            let prepared = prepared_with(handle, function, shape, arguments)?;
            Ok(Operation::Launch(Arc::new(prepared.at_depth(depth))))
        }
        DeviceWork::Copy { from, to, bytes } => {
            let (from, to, extent) = (side(*from), side(*to), [*bytes, 1, 1]);
            Ok(Operation::Copy(Rows { to, from, extent }))
        }
        DeviceWork::Fill { to, value, bytes } => {
            let (value, width) = (Fill::B8(*value), *bytes);
            Ok(Operation::Fill { to: *to, pitch: 0, value, width, height: 1 })
        }
        DeviceWork::Unknown(_) => Err(CUresult::INVALID_HANDLE),
    }
}
