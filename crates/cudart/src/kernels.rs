//! Functions about kernels: launches, attributes, occupancy.

use crate::api::runtime;
use crate::context;
use crate::driver;
use crate::launch::{self, Configuration, RuntimeConfig};
use crate::registry;
use crate::status::{Result, Status};
use crate::types::{Address, Dim3, Function, Kernel, Stream, stream_or};
use std::ffi::{c_char, c_int, c_void};

/// `cudaFuncAttributes`, as far as it is known; 14 words behind it are reserved.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    shared: usize,
    constant: usize,
    local: usize,
    /// In the order of the structure, by the numbers in [`NUMBERS`].
    numbers: [c_int; 13],
    reserved: [c_int; 16],
}

/// `CUfunction_attribute`s of sizes: shared, constant, local memory.
const SIZES: [c_int; 3] = [1, 2, 3];

/// `CUfunction_attribute`s of the other members: threads, registers, PTX version, architecture, caching, dynamic shared memory, carve-out, and
/// of clusters: whether they must be set, three sizes, policy, whether they may be larger than is portable.
const NUMBERS: [c_int; 13] = [0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14];

const _: () = assert!(size_of::<Attributes>() == 144);

fn attribute(function: Function, which: c_int) -> Result<c_int> {
    let mut value = 0;
    // SAFETY: the driver checks its handles; the place of the result is ours.
    unsafe { driver::cuFuncGetAttribute(&mut value, which, function) }.map(|()| value)
}

runtime! {
    fn cudaLaunchKernel(function: *const c_void, grid: Dim3, block: Dim3, args: *mut Address, shared: usize, stream: Stream)
        [cudaLaunchKernel_ptsz |default|] {
        let stream = stream_or(stream, default);
        launch::launch(function, &Configuration { grid, block, shared, stream }, args)
    }

    fn cudaLaunchCooperativeKernel(function: *const c_void, grid: Dim3, block: Dim3, args: *mut Address, shared: usize, stream: Stream)
        [cudaLaunchCooperativeKernel_ptsz |default|] {
        let stream = stream_or(stream, default);
        launch::launch_cooperative(function, &Configuration { grid, block, shared, stream }, args)
    }

    fn cudaLaunchKernelExC(config: *const RuntimeConfig, function: *const c_void, args: *mut Address)
        [cudaLaunchKernelExC_ptsz |default|] {
        let config = config.as_ref().ok_or(Status::INVALID_VALUE)?;
        launch::launch_with(function, config, default, args)
    }

    fn cudaLaunchHostFunc(stream: Stream, function: Address, data: Address) [cudaLaunchHostFunc_ptsz |default|] {
        context::ensure()?;
        driver::cuLaunchHostFunc(stream_or(stream, default), function, data)
    }

    fn cudaFuncGetAttributes(attributes: *mut Attributes, function: *const c_void) {
        let attributes = attributes.as_mut().ok_or(Status::INVALID_VALUE)?;
        let function = registry::function(function)?;
        let size = |which| Ok(usize::try_from(attribute(function, which)?).unwrap_or(0));
        let [shared, constant, local] = SIZES;
        *attributes = Attributes { shared: size(shared)?, constant: size(constant)?, local: size(local)?, ..Attributes::default() };
        for (number, which) in attributes.numbers.iter_mut().zip(NUMBERS) {
            *number = attribute(function, which)?;
        }
        Ok(())
    }

    fn cudaFuncSetAttribute(function: *const c_void, which: c_int, value: c_int) {
        driver::cuFuncSetAttribute(registry::function(function)?, which, value)
    }

    fn cudaFuncSetCacheConfig(function: *const c_void, config: c_int) {
        driver::cuFuncSetCacheConfig(registry::function(function)?, config)
    }

    fn cudaFuncSetSharedMemConfig(function: *const c_void, config: c_int) {
        driver::cuFuncSetSharedMemConfig(registry::function(function)?, config)
    }

    fn cudaFuncGetName(name: *mut *const c_char, function: *const c_void) {
        driver::cuFuncGetName(name, registry::function(function)?)
    }

    fn cudaFuncGetParamInfo(function: *const c_void, nth: usize, offset: *mut usize, size: *mut usize) {
        driver::cuFuncGetParamInfo(registry::function(function)?, nth, offset, size)
    }

    fn cudaFuncGetParamCount(function: *const c_void, count: *mut usize) {
        let count = count.as_mut().ok_or(Status::INVALID_VALUE)?;
        let function = registry::function(function)?;
        let (mut offset, mut size) = (0, 0);
        let found = (0..).find(|nth| driver::cuFuncGetParamInfo(function, *nth, &mut offset, &mut size).is_err());
        *count = found.unwrap_or(0);
        Ok(())
    }

    fn cudaGetFuncBySymbol(found: *mut Function, function: *const c_void) {
        found.write(registry::function(function)?);
        Ok(())
    }

    fn cudaGetKernel(found: *mut Kernel, function: *const c_void) {
        found.write(registry::kernel_of_host(function)?);
        Ok(())
    }

    fn cudaKernelSetAttributeForDevice(kernel: Kernel, which: c_int, value: c_int, device: c_int) {
        context::ensure()?;
        driver::cuKernelSetAttribute(which, value, kernel, device)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: *const c_void, threads: c_int, shared: usize) {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, registry::function(function)?, threads, shared, 0)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: *const c_void, threads: c_int, shared: usize, flags: u32,
    ) {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, registry::function(function)?, threads, shared, flags)
    }

    fn cudaOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: *const c_void, blocks: c_int, threads: c_int) {
        driver::cuOccupancyAvailableDynamicSMemPerBlock(bytes, registry::function(function)?, blocks, threads)
    }

    fn cudaOccupancyMaxPotentialClusterSize(size: *mut c_int, function: *const c_void, config: *const RuntimeConfig) {
        let config = config.as_ref().ok_or(Status::INVALID_VALUE)?.for_driver(crate::types::LEGACY)?;
        driver::cuOccupancyMaxPotentialClusterSize(size, registry::function(function)?, (&raw const config).cast())
    }

    fn cudaOccupancyMaxActiveClusters(clusters: *mut c_int, function: *const c_void, config: *const RuntimeConfig) {
        let config = config.as_ref().ok_or(Status::INVALID_VALUE)?.for_driver(crate::types::LEGACY)?;
        driver::cuOccupancyMaxActiveClusters(clusters, registry::function(function)?, (&raw const config).cast())
    }
}
