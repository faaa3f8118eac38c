//! `cuFuncGetAttribute` and its like, of functions and of kernels.

use super::object::{Function, Settable};
use crate::abi::constants::*;
use crate::abi::{
    Answer, CUdevice, CUfunction, CUfunction_attribute, CUkernel, CUmodule, CUresult, Out, Text,
};
use crate::driver::{driver, gpu};
use crate::module::{kernels, resolve};
use crate::occupancy;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The first of the attributes about clusters.
const CLUSTERS: CUfunction_attribute = CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET;

fn value(function: &Function, attribute: CUfunction_attribute) -> Answer<i32> {
    let attributes = function.attributes();
    let clamped = |bytes: u64| i32::try_from(bytes).unwrap_or(i32::MAX);
    let settable = &function.settable;
    let demands = &function.kernel.ir().cluster;
    Ok(match attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => attributes.max_threads_per_block as i32,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => clamped(attributes.static_shared_bytes),
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES => clamped(attributes.constant_bytes),
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => clamped(attributes.local_bytes.into()),
        CU_FUNC_ATTRIBUTE_NUM_REGS => occupancy::registers(function) as i32,
        CU_FUNC_ATTRIBUTE_PTX_VERSION => attributes.written_for as i32,
        CU_FUNC_ATTRIBUTE_BINARY_VERSION => {
            let (major, minor) = function.context.gpu.capability();
            (10 * major + minor) as i32
        }
        CU_FUNC_ATTRIBUTE_CACHE_MODE_CA => 0,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => clamped(function.dynamic_shared()),
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
            settable.carveout.load(Ordering::Relaxed)
        }
        CLUSTERS..=CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
            let demanded = match attribute {
                CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET => demands.explicit.then_some(1),
                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH => demands.required.map(|it| it[0]),
                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT => demands.required.map(|it| it[1]),
                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH => demands.required.map(|it| it[2]),
                _ => None,
            };
            let set = &settable.clusters[(attribute - CLUSTERS) as usize];
            demanded.map_or_else(|| set.load(Ordering::Relaxed), |it| it as i32)
        }
        other if other < CU_FUNC_ATTRIBUTE_MAX => 0,
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// Sets what can be set. `most` is what shared memory the device has for dynamic one.
fn set(settable: &Settable, attribute: CUfunction_attribute, to: i32, most: u64) -> Answer {
    match attribute {
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
            match u64::try_from(to) {
                Ok(bytes) if bytes <= most => settable.dynamic_shared.store(to, Ordering::Relaxed),
                _ => return Err(CUresult::INVALID_VALUE),
            };
        }
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
            if !(-1..=100).contains(&to) {
                return Err(CUresult::INVALID_VALUE);
            }
            settable.carveout.store(to, Ordering::Relaxed);
        }
        CLUSTERS..=CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
            settable.clusters[(attribute - CLUSTERS) as usize].store(to, Ordering::Relaxed);
        }
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}

/// `cuFuncGetAttribute`.
pub(crate) fn get(to: Out<i32>, attribute: CUfunction_attribute, function: CUfunction) -> Answer {
    let function = resolve(function)?;
    to.set(value(&function, attribute)?)
}

/// `cuFuncSetAttribute`.
pub(crate) fn set_of(function: CUfunction, attribute: CUfunction_attribute, to: i32) -> Answer {
    let function = resolve(function)?;
    let shared = u64::from(function.context.gpu.properties.shared_bytes);
    let most = shared.saturating_sub(function.attributes().static_shared_bytes);
    set(&function.settable, attribute, to, most)
}

/// `cuKernelGetAttribute`.
pub(crate) fn kernel_get(
    to: Out<i32>,
    attribute: CUfunction_attribute,
    kernel: CUkernel,
    device: CUdevice,
) -> Answer {
    gpu(device)?;
    let kernel = kernels().get(kernel.0)?;
    to.set(value(&*kernel.function()?, attribute)?)
}

/// `cuKernelSetAttribute`.
pub(crate) fn kernel_set(
    attribute: CUfunction_attribute,
    to: i32,
    kernel: CUkernel,
    device: CUdevice,
) -> Answer {
    let most = u64::from(gpu(device)?.properties.shared_bytes);
    set(&kernels().get(kernel.0)?.settable, attribute, to, most)
}

/// `cuFuncSetCacheConfig`, `cuFuncSetSharedMemConfig`: hints.
pub(crate) fn hint(function: CUfunction, config: u32) -> Answer {
    resolve(function)?;
    if config <= 3 { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuKernelSetCacheConfig`: a hint.
pub(crate) fn kernel_hint(kernel: CUkernel, config: u32, device: CUdevice) -> Answer {
    gpu(device)?;
    kernels().get(kernel.0)?;
    if config <= 3 { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuFuncGetModule`.
pub(crate) fn module(to: Out<CUmodule>, function: CUfunction) -> Answer {
    to.set(resolve(function)?.module)
}

/// `cuFuncGetName`. The text lives as long as the process.
pub(crate) fn name(to: Out<Text>, function: CUfunction) -> Answer {
    let function = resolve(function)?;
    to.set(crate::names::kept(function.kernel.name()))
}

fn param(function: &Function, nth: u64, offset: Out<u64>, bytes: Out<u64>) -> Answer {
    let params = function.kernel.params();
    let param = usize::try_from(nth).ok().and_then(|nth| params.get(nth));
    let param = param.ok_or(CUresult::INVALID_VALUE)?;
    offset.set(param.block_offset.into())?;
    bytes.offer(param.bytes.into());
    Ok(())
}

/// `cuFuncGetParamInfo`.
pub(crate) fn param_info(
    function: CUfunction,
    nth: u64,
    offset: Out<u64>,
    bytes: Out<u64>,
) -> Answer {
    param(&*resolve(function)?, nth, offset, bytes)
}

/// `cuFuncGetParamCount`.
pub(crate) fn param_count(function: CUfunction, to: Out<u64>) -> Answer {
    to.set(resolve(function)?.kernel.params().len() as u64)
}

/// A kernel of a library, as the function that it is now.
fn of_kernel(kernel: CUkernel) -> Answer<Arc<Function>> {
    driver()?;
    kernels().get(kernel.0)?.function()
}

/// `cuKernelGetParamInfo`.
pub(crate) fn kernel_param_info(
    kernel: CUkernel,
    nth: u64,
    offset: Out<u64>,
    bytes: Out<u64>,
) -> Answer {
    param(&*of_kernel(kernel)?, nth, offset, bytes)
}

/// `cuKernelGetParamCount`.
pub(crate) fn kernel_param_count(kernel: CUkernel, to: Out<u64>) -> Answer {
    to.set(of_kernel(kernel)?.kernel.params().len() as u64)
}

/// `cuFuncIsLoaded`: what has a handle is loaded.
pub(crate) fn is_loaded(to: Out<u32>, function: CUfunction) -> Answer {
    resolve(function)?;
    to.set(CU_FUNCTION_LOADING_STATE_LOADED)
}

/// `cuFuncLoad`.
pub(crate) fn load(function: CUfunction) -> Answer {
    resolve(function).map(drop)
}
