//! Launches.

use crate::driver;
use crate::registry;
use crate::status::{Result, Status};
use crate::types::{Address, Dim3, Kernel, Stream};
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// What stands between `<<<` and `>>>`.
#[derive(Clone, Copy)]
pub(crate) struct Configuration {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared: usize,
    pub(crate) stream: Stream,
}

thread_local! {
    /// The configurations of launches whose arguments are being evaluated: one may launch something itself.
    static PENDING: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a configuration for the launch that follows.
pub(crate) fn push(configuration: Configuration) {
    PENDING.with_borrow_mut(|pending| pending.push(configuration));
}

/// The configuration that was kept last.
pub(crate) fn pop() -> Result<Configuration> {
    PENDING.with_borrow_mut(Vec::pop).ok_or(Status::MISSING_CONFIGURATION)
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
pub(crate) struct RuntimeConfig {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: Stream,
    attributes: *const c_void,
    count: u32,
}

/// `CUlaunchConfig`.
#[repr(C)]
pub(crate) struct DriverConfig {
    grid: Dim3,
    block: Dim3,
    shared: u32,
    stream: Stream,
    attributes: *const c_void,
    count: u32,
}

impl RuntimeConfig {
    /// As the driver has it; the attributes are the same.
    pub(crate) fn for_driver(&self, default: Stream) -> Result<DriverConfig> {
        Ok(DriverConfig {
            grid: self.grid,
            block: self.block,
            shared: shared_bytes(self.shared)?,
            stream: crate::types::stream_or(self.stream, default),
            attributes: self.attributes,
            count: self.count,
        })
    }
}

fn shared_bytes(bytes: usize) -> Result<u32> {
    u32::try_from(bytes).map_err(|_| Status::INVALID_VALUE)
}

/// Launches a kernel, which is given as itself or as the function of the host that stands for it.
///
/// # Safety
/// There is an argument for every parameter.
pub(crate) unsafe fn launch(
    function: *const c_void,
    configuration: &Configuration,
    args: *mut Address,
) -> Result {
    let kernel = registry::kernel(function)?;
    let Configuration { grid, block, shared, stream } = *configuration;
    let shared = shared_bytes(shared)?;
    // SAFETY: the caller gives the arguments; the driver checks its handles.
    let launched = unsafe {
        driver::cuLaunchKernel(
            kernel,
            grid.x,
            grid.y,
            grid.z,
            block.x,
            block.y,
            block.z,
            shared,
            stream,
            args,
            null_mut(),
        )
    };
    launched.map_err(|status| refused(status, kernel, grid, block))
}

/// Launches a kernel all of whose CTAs are resident at once.
///
/// # Safety
/// As for [`launch`].
pub(crate) unsafe fn launch_cooperative(
    function: *const c_void,
    configuration: &Configuration,
    args: *mut Address,
) -> Result {
    let kernel = registry::function(function)?;
    let Configuration { grid, block, shared, stream } = *configuration;
    let shared = shared_bytes(shared)?;
    // SAFETY: the caller gives the arguments; the driver checks its handles.
    let launched = unsafe {
        driver::cuLaunchCooperativeKernel(
            kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, args,
        )
    };
    launched.map_err(|status| refused(status, kernel, grid, block))
}

/// Launches a kernel with attributes.
///
/// # Safety
/// As for [`launch`]; the attributes are as many as the configuration says.
pub(crate) unsafe fn launch_with(
    function: *const c_void,
    config: &RuntimeConfig,
    default: Stream,
    args: *mut Address,
) -> Result {
    let kernel = registry::kernel(function)?;
    let for_driver = config.for_driver(default)?;
    // SAFETY: the caller gives the arguments; the driver checks its handles.
    let launched = unsafe {
        driver::cuLaunchKernelEx((&raw const for_driver).cast(), kernel, args, null_mut())
    };
    launched.map_err(|status| refused(status, kernel, config.grid, config.block))
}

/// The error of a launch: the driver has one for all arguments, and one for all handles.
fn refused(status: Status, kernel: Kernel, grid: Dim3, block: Dim3) -> Status {
    const MAX_THREADS: c_int = 0;
    if ![Status::INVALID_VALUE, Status::INVALID_RESOURCE_HANDLE].contains(&status) {
        return status;
    }
    let (mut function, mut threads) = (null_mut(), 1024);
    // SAFETY: the driver checks its handles; the places of the results are ours.
    let known = unsafe {
        driver::cuKernelGetFunction(&mut function, kernel)
            .and_then(|()| driver::cuFuncGetAttribute(&mut threads, MAX_THREADS, function))
    };
    let product =
        |dim: Dim3| u64::from(dim.x).saturating_mul(dim.y.into()).saturating_mul(dim.z.into());
    let sizes = [grid.x, grid.y, grid.z, block.x, block.y, block.z];
    let blocks = block.z > 64 || product(block) > u64::try_from(threads).unwrap_or(0);
    let grids = grid.y > 65535 || grid.z > 65535;
    let sizes_are_wrong = blocks || grids || sizes.contains(&0);
    match status {
        Status::INVALID_RESOURCE_HANDLE if known.is_err() => Status::INVALID_DEVICE_FUNCTION,
        Status::INVALID_VALUE if sizes_are_wrong => Status::INVALID_CONFIGURATION,
        _ => status,
    }
}
