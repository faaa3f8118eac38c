//! The types of the interface that several files use. Layouts are those of `driver_types.h` and `cuda.h`.

use std::ffi::c_void;

/// An address of host or device memory, which is one address space.
pub(crate) type Address = *mut c_void;
/// `cudaStream_t`, `CUstream`.
pub(crate) type Stream = *mut c_void;
/// `cudaEvent_t`, `CUevent`.
pub(crate) type Event = *mut c_void;
/// `CUcontext`.
pub(crate) type Context = *mut c_void;
/// `cudaLibrary_t`, `CUlibrary`.
pub(crate) type Library = *mut c_void;
/// `cudaKernel_t`, `CUkernel`.
pub(crate) type Kernel = *mut c_void;
/// `cudaFunction_t`, `CUfunction`.
pub(crate) type Function = *mut c_void;
/// `cudaArray_t`, `CUarray`.
pub(crate) type Array = *mut c_void;
/// `cudaMemPool_t`, `CUmemoryPool`.
pub(crate) type Pool = *mut c_void;
/// `cudaGraph_t`, `CUgraph`.
pub(crate) type Graph = *mut c_void;
/// `cudaGraphNode_t`, `CUgraphNode`.
pub(crate) type Node = *mut c_void;
/// `cudaGraphExec_t`, `CUgraphExec`.
pub(crate) type GraphExec = *mut c_void;

/// The default stream that waits for the other streams, and they for it.
pub(crate) const LEGACY: Stream = std::ptr::null_mut();
/// The default stream of each thread.
pub(crate) const PER_THREAD: Stream = std::ptr::without_provenance_mut(2);

/// A stream, or the default one for stream 0.
pub(crate) fn stream_or(stream: Stream, default: Stream) -> Stream {
    if stream.is_null() { default } else { stream }
}

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim3 {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: u32,
}

/// `cudaExtent`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `cudaPos`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Pos {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PitchedPtr {
    pub(crate) ptr: Address,
    pub(crate) pitch: usize,
    pub(crate) xsize: usize,
    pub(crate) ysize: usize,
}

/// `cudaChannelFormatDesc`: bits of each component, and their kind.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct ChannelDesc {
    pub(crate) bits: [i32; 4],
    pub(crate) kind: i32,
}

/// `cudaMemcpyKind`.
pub(crate) mod kind {
    pub(crate) const HOST_TO_HOST: i32 = 0;
    pub(crate) const HOST_TO_DEVICE: i32 = 1;
    pub(crate) const DEVICE_TO_HOST: i32 = 2;
    pub(crate) const DEVICE_TO_DEVICE: i32 = 3;
    pub(crate) const DEFAULT: i32 = 4;
}

/// `CUmemorytype`.
pub(crate) mod place {
    pub(crate) const HOST: u32 = 1;
    pub(crate) const DEVICE: u32 = 2;
    pub(crate) const ARRAY: u32 = 3;
    pub(crate) const UNIFIED: u32 = 4;
}

/// One side of a copy of several dimensions, as `CUDA_MEMCPY2D` has it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Side2d {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) place: u32,
    pub(crate) host: Address,
    pub(crate) device: Address,
    pub(crate) array: Array,
    pub(crate) pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Copy2d {
    pub(crate) source: Side2d,
    pub(crate) target: Side2d,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
}

/// One side of `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Side3d {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) level: usize,
    pub(crate) place: u32,
    pub(crate) host: Address,
    pub(crate) device: Address,
    pub(crate) array: Array,
    /// Reserved in `CUDA_MEMCPY3D`; the context in `CUDA_MEMCPY3D_PEER`.
    pub(crate) context: Context,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

/// `CUDA_MEMCPY3D` and `CUDA_MEMCPY3D_PEER`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Copy3d {
    pub(crate) source: Side3d,
    pub(crate) target: Side3d,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct ArrayDesc {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

/// `cudaMemLocation`, `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

const _: () = {
    assert!(size_of::<Copy2d>() == 128 && size_of::<Copy3d>() == 200);
    assert!(size_of::<ArrayDesc>() == 40 && size_of::<ChannelDesc>() == 20);
};
