//! Whether a launch is possible, and its arguments.

use crate::abi::{Address, Answer, CUfunction, CUresult, Out};
use crate::function::Function;
use crate::launch_attributes::clusters;
use crate::occupancy;
use crate::operation::Launch;
use crate::watch;
use std::sync::Arc;

/// What a launch asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) cooperative: bool,
    /// The extents of clusters in CTAs, if the launch says them.
    pub(crate) cluster: Option<[u32; 3]>,
}

/// What ends the list of `extra`, and stands in it before the address of a block of arguments and that of its size.
const END: u64 = 0;
const BUFFER_POINTER: u64 = 1;
const BUFFER_SIZE: u64 = 2;

/// The largest grid and CTA (CUDA C++ Programming Guide, "Compute Capabilities").
const GRID: [u32; 3] = [(1 << 31) - 1, 65535, 65535];
const BLOCK: [u32; 3] = [1024, 1024, 64];
const THREADS: u64 = 1024;

/// A block of arguments: its address and its size.
fn block_of(extra: Out<Address>) -> Answer<(Address, u64)> {
    let (mut address, mut bytes) = (Address::NULL, 0);
    for nth in (0..16).step_by(2) {
        let value = || extra.plus(nth + 1).get();
        match extra.plus(nth).get()?.0 {
            END => return Ok((address, bytes)),
            BUFFER_POINTER => address = value()?,
            BUFFER_SIZE => bytes = value()?.to::<u64>().get()?,
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    Err(CUresult::INVALID_VALUE)
}

/// Checks what a launch asks for, and packs its arguments.
pub(crate) fn prepared(
    handle: CUfunction,
    function: Arc<Function>,
    shape: Shape,
    params: Out<Address>,
    extra: Out<Address>,
) -> Answer<Launch> {
    let Shape { grid, block, shared, cooperative, cluster } = shape;
    let within = |extents: [u32; 3], most: [u32; 3]| {
        extents.iter().zip(most).all(|(extent, most)| (1..=most).contains(extent))
    };
    let threads: u64 = block.iter().map(|extent| u64::from(*extent)).product();
    let attributes = function.attributes();
    let (most, room) = (u64::from(attributes.max_threads_per_block), function.dynamic_shared());
    let refused = |why: &str| {
        watch::refused(&function, why);
        Err(CUresult::INVALID_VALUE)
    };
    if !within(grid, GRID) {
        return refused(&format!("a grid of {grid:?} is not between 1 and {GRID:?}"));
    }
    if !within(block, BLOCK) || threads > THREADS {
        return refused(&format!(
            "a block of {block:?} is not between 1 and {BLOCK:?} with {THREADS} threads at most"
        ));
    }
    // NVIDIA's driver has this error for `.maxntid`, too (numba-cuda's tests of launch bounds).
    if threads > most {
        return refused(&format!("{threads} threads in a block, where the kernel allows {most}"));
    }
    if let Some(required) = attributes.required_block.filter(|required| *required != block) {
        return refused(&format!("a block of {block:?}, where the kernel wants {required:?}"));
    }
    if u64::from(shared) > room {
        // An H100 (driver 580.159) does not say what of a cooperative launch is too large.
        if cooperative {
            return Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
        return refused(&format!(
            "{shared} bytes of dynamic shared memory, of which there are {room}; for more than \
             48 KiB cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) comes first"
        ));
    }
    clusters(&function, grid, cluster, shared)?;
    if cooperative {
        let resident = occupancy::resident(&function, threads as u32, shared.into());
        let most = u64::from(resident) * u64::from(function.context.gpu.properties.multiprocessors);
        let ctas: u64 = grid.iter().map(|extent| u64::from(*extent)).product();
        if ctas > most {
            return Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
    }
    let count = function.kernel.params().len();
    let mut failed = None;
    let packed = if !extra.is_null() {
        if !params.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let (address, bytes) = block_of(extra)?;
        if bytes < u64::from(function.kernel.param_block_bytes())
            || (bytes > 0 && address.is_null())
        {
            return Err(CUresult::INVALID_VALUE);
        }
        function.kernel.arguments(|_, param, place| {
            let from = address.plus(param.block_offset.into()).to::<u8>();
            failed = failed.or(from.copy(place).err());
        })
    } else {
        if count > 0 && params.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        function.kernel.arguments(|nth, _, place| {
            let copied = params.plus(nth).get().and_then(|from| from.to::<u8>().copy(place));
            failed = failed.or(copied.err());
        })
    };
    match failed {
        Some(failed) => Err(failed),
        None => {
            let extents = (grid, block, cluster);
            Ok(Launch::new((function, handle), extents, cooperative, shared, packed))
        }
    }
}

/// The same with a block of arguments.
pub(crate) fn prepared_with(
    handle: CUfunction,
    function: Arc<Function>,
    shape: Shape,
    (address, mut bytes): (Address, u64),
) -> Answer<Launch> {
    let exposed = |pointer: *mut u8| Address(pointer.expose_provenance() as u64);
    let size = exposed((&raw mut bytes).cast());
    let mut extra = [Address(BUFFER_POINTER), address, Address(BUFFER_SIZE), size, Address(END)];
    let extra = exposed(extra.as_mut_ptr().cast()).into();
    prepared(handle, function, shape, Out::null(), extra)
}
