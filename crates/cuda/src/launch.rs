//! `cuLaunch*`: kernels with their arguments.

use crate::abi::{Address, Answer, CUfunction, CUlaunchConfig, CUresult, CUstream, In, Out};
use crate::context::current;
use crate::launch_attributes::asked;
use crate::module::resolve;
use crate::operation::{Launch, Operation};
use crate::prepare::{Shape, prepared, prepared_with};
use crate::stream::{self, Stream};
use std::sync::Arc;

/// Launches a function in a stream.
fn launched(
    default: CUstream,
    handle: CUfunction,
    shape: Shape,
    stream: CUstream,
    params: Out<Address>,
    extra: Out<Address>,
) -> Answer {
    // What has stopped the context counts more than what else is wrong.
    let function = resolve(handle).map_err(|why| current_fault().unwrap_or(why))?;
    let stream = stream::resolve(default, stream)?;
    let launch = prepared(handle, function, shape, params, extra).inspect_err(|_| {
        // What cannot be launched makes a capture worthless (H100, driver 580.159).
        stream.capture().iter().for_each(|capture| capture.invalidate());
    })?;
    issue(launch, &stream)
}

/// Why nothing more can be done in the current context, if that is so.
fn current_fault() -> Option<CUresult> {
    current().err()
}

/// Puts a launch into the order of a stream, which must be of the function's context.
fn issue(launch: Launch, stream: &Stream) -> Answer {
    if launch.function.context.id != stream.context.id {
        return Err(CUresult::INVALID_HANDLE);
    }
    stream.context.flush();
    stream.issue(Operation::Launch(Arc::new(launch)))
}

/// Launches a function with a block of arguments.
pub(crate) fn with_block(
    function: CUfunction,
    shape: Shape,
    stream: CUstream,
    arguments: &[u8],
) -> Answer {
    let at = Address(arguments.as_ptr().expose_provenance() as u64);
    let given = resolve(function)?;
    let stream = stream::resolve(CUstream::LEGACY, stream)?;
    issue(prepared_with(function, given, shape, (at, arguments.len() as u64))?, &stream)
}

/// `cuLaunchKernel`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn kernel(
    default: CUstream,
    function: CUfunction,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: CUstream,
    params: Out<Address>,
    extra: Out<Address>,
) -> Answer {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let shape = Shape { grid, block, shared, cooperative: false, cluster: None };
    launched(default, function, shape, stream, params, extra)
}

/// `cuLaunchCooperativeKernel`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn cooperative(
    default: CUstream,
    function: CUfunction,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: CUstream,
    params: Out<Address>,
) -> Answer {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let shape = Shape { grid, block, shared, cooperative: true, cluster: None };
    launched(default, function, shape, stream, params, Out::null())
}

/// `cuLaunchKernelEx`.
pub(crate) fn kernel_with(
    default: CUstream,
    config: In<CUlaunchConfig>,
    function: CUfunction,
    params: Out<Address>,
    extra: Out<Address>,
) -> Answer {
    let config = config.get()?;
    let (cooperative, cluster) = asked(config.attributes, config.attribute_count)?;
    let CUlaunchConfig { grid, block, shared_bytes: shared, .. } = config;
    let shape = Shape { grid, block, shared, cooperative, cluster };
    launched(default, function, shape, config.stream, params, extra)
}
