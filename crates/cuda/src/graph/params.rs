//! What nodes do, as parameters: for programs that look before they change something.

use super::object::{Work, home};
use crate::abi::{
    Answer, CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUcontext, CUevent,
    CUgraphNode, CUkernel, CUresult, Out, Side3D,
};
use crate::driver::driver;
use crate::event::events;
use crate::memory::{Fill, Rows, Side, find};
use crate::operation::{Call, Launch, Operation};
use std::sync::Arc;
use warpwise::Event;

/// What a node does, if it is an operation.
fn operation(node: CUgraphNode) -> Answer<Operation> {
    driver()?;
    home(node)?.with(node, |node| match &node.work {
        Work::Operation(operation) => Ok(operation.clone()),
        Work::Child(..) | Work::Alloc(_) | Work::Free(_) | Work::Conditional(_) => {
            Err(CUresult::INVALID_VALUE)
        }
    })?
}

/// The handle of an event.
fn handle(event: &Event) -> Answer<CUevent> {
    let handle = events().handle(|known| known.event.is(event));
    handle.map(CUevent).ok_or(CUresult::INVALID_VALUE)
}

/// `cuGraphEventRecordNodeGetEvent`.
pub(crate) fn recorded(node: CUgraphNode, to: Out<CUevent>) -> Answer {
    match operation(node)? {
        Operation::Record(event) => to.set(handle(&event)?),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuGraphEventWaitNodeGetEvent`.
pub(crate) fn awaited(node: CUgraphNode, to: Out<CUevent>) -> Answer {
    match operation(node)? {
        Operation::Wait(event) => to.set(handle(&event)?),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuGraphMemAllocNodeGetParams`.
pub(crate) fn alloc_params(node: CUgraphNode, to: Out<CUDA_MEM_ALLOC_NODE_PARAMS>) -> Answer {
    driver()?;
    let memory = home(node)?.with(node, |node| match &node.work {
        Work::Alloc(memory) => Ok(Arc::clone(memory)),
        Work::Operation(_) | Work::Child(..) | Work::Free(_) | Work::Conditional(_) => {
            Err(CUresult::INVALID_VALUE)
        }
    })??;
    let block = find(memory.address()).ok_or(CUresult::INVALID_VALUE)?;
    let (device, address) = (block.gpu.ordinal, memory.address());
    to.set(CUDA_MEM_ALLOC_NODE_PARAMS::of_device(device, block.bytes, address))
}

/// A kernel node's launch.
fn launch(node: CUgraphNode) -> Answer<Arc<Launch>> {
    match operation(node)? {
        Operation::Launch(launch) => Ok(launch),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuGraphKernelNodeGetParams`. The arguments are there until the node gets others.
pub(crate) fn kernel_params_v1(node: CUgraphNode, to: Out<CUDA_KERNEL_NODE_PARAMS_v1>) -> Answer {
    let launch = launch(node)?;
    let (function, params) = (launch.handle, launch.params());
    let Launch { grid, block, shared, .. } = *launch;
    to.set(CUDA_KERNEL_NODE_PARAMS_v1 { function, grid, block, shared, params, extra: Out::null() })
}

/// `cuGraphKernelNodeGetParams_v2`.
pub(crate) fn kernel_params(node: CUgraphNode, to: Out<CUDA_KERNEL_NODE_PARAMS>) -> Answer {
    let launch = launch(node)?;
    let (function, params) = (launch.handle, launch.params());
    let Launch { grid, block, shared, .. } = *launch;
    to.set(CUDA_KERNEL_NODE_PARAMS {
        function,
        grid,
        block,
        shared,
        params,
        extra: Out::null(),
        kernel: CUkernel::NULL,
        context: CUcontext::NULL,
    })
}

/// One side of a copy, as an address that says itself where it leads.
fn side(of: &Side) -> Side3D {
    Side3D {
        device: of.address,
        pitch: of.pitch,
        height: of.slice.checked_div(of.pitch).unwrap_or(0),
        ..Side3D::UNIFIED
    }
}

/// `cuGraphMemcpyNodeGetParams`. Addresses stand for arrays and offsets, too.
pub(crate) fn copy_params(node: CUgraphNode, to: Out<CUDA_MEMCPY3D>) -> Answer {
    match operation(node)? {
        Operation::Copy(Rows { to: target, from, extent: [width_bytes, height, depth] }) => {
            to.set(CUDA_MEMCPY3D {
                src: side(&from),
                dst: side(&target),
                width_bytes,
                height,
                depth,
            })
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuGraphMemsetNodeGetParams`.
pub(crate) fn fill_params(node: CUgraphNode, to: Out<CUDA_MEMSET_NODE_PARAMS>) -> Answer {
    match operation(node)? {
        Operation::Fill { to: target, pitch, value, width, height } => {
            let element = value.bytes() as u32;
            let value = match value {
                Fill::B8(value) => value.into(),
                Fill::B16(value) => value.into(),
                Fill::B32(value) => value,
            };
            to.set(CUDA_MEMSET_NODE_PARAMS { to: target, pitch, value, element, width, height })
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuGraphHostNodeGetParams`.
pub(crate) fn call_params(node: CUgraphNode, to: Out<CUDA_HOST_NODE_PARAMS>) -> Answer {
    match operation(node)? {
        Operation::Call(Call::Host(function, data)) => {
            to.set(CUDA_HOST_NODE_PARAMS { function: Some(function), data })
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}
