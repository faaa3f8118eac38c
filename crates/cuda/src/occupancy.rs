//! `cuOccupancy*`: how many CTAs a multiprocessor holds, by the documented rules (CUDA C++ Programming Guide, "Occupancy
//! Calculator" and "Compute Capabilities").

use crate::abi::{Answer, CUfunction, CUlaunchConfig, CUoccupancyB2DSize, CUresult, In, Out};
use crate::function::Function;
use crate::launch_attributes;
use crate::module::resolve;
use warpwise::ir::PORTABLE_CLUSTER;

/// Threads of a warp, and of a CTA at most.
const WARP: u32 = 32;
const THREADS: u32 = 1024;
/// Registers are given out to warps in pieces of so many, shared memory to CTAs; so much of it is the system's.
const REGISTERS: u32 = 256;
const SHARED: u64 = 128;
const SHARED_OF_SYSTEM: u64 = 1 << 10;

/// Registers of a thread as an assembler would use them. What is known is an estimate, so it is kept inside what there is.
pub(crate) fn registers(function: &Function) -> u32 {
    let estimated = function.attributes().estimated_registers.unwrap_or(32);
    let fits = (1 << 16) / function.attributes().max_threads_per_block.max(WARP);
    let estimated = estimated.saturating_add(8).next_multiple_of(8).clamp(16, fits.clamp(16, 255));
    // What does not fit then is spilled to memory, as an assembler does.
    // A kernel's own limit is stronger than that of the program that loads it, as NVIDIA's assembler has it.
    let most = function.attributes().max_registers.or(function.max_registers);
    most.map_or(estimated, |most| estimated.min(most))
}

/// How many CTAs of so many threads a multiprocessor holds.
pub(crate) fn resident(function: &Function, threads: u32, dynamic: u64) -> u32 {
    let properties = &function.context.gpu.properties;
    let too_much = dynamic > function.dynamic_shared();
    // How many threads the kernel wants at most does not count here (H100, driver 580.159).
    if threads == 0 || threads > THREADS || too_much {
        return 0;
    }
    let warps = threads.div_ceil(WARP);
    let by_threads = properties.multiprocessor_threads / WARP / warps;
    let of_warp = (registers(function) * WARP).next_multiple_of(REGISTERS);
    let by_registers = properties.multiprocessor_registers / of_warp / warps;
    let wanted = function.attributes().static_shared_bytes + dynamic;
    let reserved = if function.context.gpu.capability().0 >= 8 { SHARED_OF_SYSTEM } else { 0 };
    let of_cta = (wanted + reserved).next_multiple_of(SHARED);
    let by_shared = match (wanted, of_cta) {
        (wanted, _) if wanted > u64::from(properties.shared_bytes) => 0,
        (_, 0) => u32::MAX,
        (_, of_cta) => (u64::from(properties.multiprocessor_shared_bytes) / of_cta) as u32,
    };
    properties.multiprocessor_ctas.min(by_threads).min(by_registers).min(by_shared)
}

/// `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
pub(crate) fn blocks(to: Out<i32>, function: CUfunction, threads: i32, dynamic: u64) -> Answer {
    blocks_with(to, function, threads, dynamic, 0)
}

/// `cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags`.
pub(crate) fn blocks_with(
    to: Out<i32>,
    function: CUfunction,
    threads: i32,
    dynamic: u64,
    flags: u32,
) -> Answer {
    let function = resolve(function)?;
    let threads = u32::try_from(threads).ok().filter(|threads| *threads > 0);
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(resident(&function, threads.ok_or(CUresult::INVALID_VALUE)?, dynamic) as i32)
}

/// `cuOccupancyMaxPotentialBlockSize`.
pub(crate) fn potential(
    grid: Out<i32>,
    block: Out<i32>,
    function: CUfunction,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: u64,
    limit: i32,
) -> Answer {
    potential_with(grid, block, function, dynamic_of, dynamic, limit, 0)
}

/// `cuOccupancyMaxPotentialBlockSizeWithFlags`: the largest CTA of those with which most threads are there.
pub(crate) fn potential_with(
    grid: Out<i32>,
    block: Out<i32>,
    function: CUfunction,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: u64,
    limit: i32,
    flags: u32,
) -> Answer {
    let function = resolve(function)?;
    let limit = u32::try_from(limit).map_err(|_| CUresult::INVALID_VALUE)?;
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    let most = function.attributes().max_threads_per_block.min(THREADS);
    let most = if limit == 0 { most } else { most.min(limit) };
    let (mut best, mut best_threads, mut best_blocks) = (0, 0, 0);
    let mut threads = most;
    while threads > 0 {
        let shared = dynamic_of.map_or(dynamic, |of| of(threads as i32));
        let blocks = resident(&function, threads, shared);
        if blocks * threads > best {
            (best, best_threads, best_blocks) = (blocks * threads, threads, blocks);
        }
        // Partial warps last of all: after the largest one come whole warps.
        threads =
            if threads.is_multiple_of(WARP) { threads } else { threads.next_multiple_of(WARP) };
        threads = threads.saturating_sub(WARP);
    }
    block.set(best_threads as i32)?;
    grid.set((best_blocks * function.context.gpu.properties.multiprocessors) as i32)
}

/// `cuOccupancyAvailableDynamicSMemPerBlock`.
pub(crate) fn available(to: Out<u64>, function: CUfunction, blocks: i32, threads: i32) -> Answer {
    let function = resolve(function)?;
    let positive = |number: i32| u64::try_from(number).ok().filter(|number| *number > 0);
    let (Some(blocks), Some(_)) = (positive(blocks), positive(threads)) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let properties = &function.context.gpu.properties;
    let reserved = if function.context.gpu.capability().0 >= 8 { SHARED_OF_SYSTEM } else { 0 };
    let each = u64::from(properties.multiprocessor_shared_bytes) / blocks / SHARED * SHARED;
    let fixed = function.attributes().static_shared_bytes;
    let most = u64::from(properties.shared_bytes);
    let free = each.saturating_sub(reserved).min(most).saturating_sub(fixed);
    to.set(free.min(function.dynamic_shared()))
}

/// `cuOccupancyMaxPotentialClusterSize`: what every device with clusters can run.
pub(crate) fn cluster(to: Out<i32>, function: CUfunction, config: In<CUlaunchConfig>) -> Answer {
    let function = resolve(function)?;
    config.get()?;
    to.set(if function.kernel.ir().cluster.available { PORTABLE_CLUSTER as i32 } else { 1 })
}

/// `cuOccupancyMaxActiveClusters`: as many as all multiprocessors together have room for.
pub(crate) fn clusters(to: Out<i32>, function: CUfunction, config: In<CUlaunchConfig>) -> Answer {
    let function = resolve(function)?;
    let config = config.get()?;
    let threads: u64 = config.block.iter().map(|extent| u64::from(*extent)).product();
    let threads = u32::try_from(threads).map_err(|_| CUresult::INVALID_VALUE)?;
    let (_, cluster) = launch_attributes::asked(config.attributes, config.attribute_count)?;
    let cluster =
        launch_attributes::clusters(&function, config.grid, cluster, config.shared_bytes)?;
    // Without clusters there are none (H100, driver 580.159).
    let Some(cluster) = cluster else { return to.set(0) };
    let blocks = resident(&function, threads, config.shared_bytes.into());
    let all = blocks.saturating_mul(function.context.gpu.properties.multiprocessors);
    to.set((all / cluster.iter().product::<u32>()) as i32)
}
