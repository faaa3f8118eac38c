//! Handles, and types that are numbers.
#![allow(unsafe_code, non_camel_case_types)]

use super::pointer::{Address, Plain};

/// Declares types of handles: numbers that lead to an object of the driver, or to none.
macro_rules! handles {
    ($($name:ident $what:literal)*) => {
        $(
            #[doc = concat!("The handle of ", $what, ".")]
            #[repr(transparent)]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
            pub struct $name(pub u64);

            // SAFETY: a number.
            unsafe impl Plain for $name {}

            impl $name {
                /// The null handle.
                pub const NULL: $name = $name(0);
            }
        )*
    };
}

handles! {
    CUcontext "a context"
    CUmodule "a module"
    CUfunction "a function of a module, or a kernel of a library"
    CUlibrary "a library"
    CUkernel "a kernel of a library"
    CUstream "a stream"
    CUevent "an event"
    CUarray "an array"
    CUmipmappedArray "a mipmapped array"
    CUgraph "a graph"
    CUgraphNode "a node of a graph"
    CUgraphExec "a graph that can be launched"
    CUmemoryPool "a pool of memory"
    CUlinkState "a linker"
    CUuserObject "an object of the program that graphs keep"
    CUtexref "a texture reference"
    CUsurfref "a surface reference"
}

impl CUstream {
    /// The default stream of the context.
    pub const LEGACY: CUstream = CUstream(1);
    /// The default stream of the thread.
    pub const PER_THREAD: CUstream = CUstream(2);
}

/// A device: its number.
pub type CUdevice = i32;
/// An address of device memory.
pub type CUdeviceptr = u64;
/// The handle of a condition of a graph.
pub type CUgraphConditionalHandle = u64;
/// The handle of a texture.
pub type CUtexObject = u64;
/// The handle of a surface.
pub type CUsurfObject = u64;

/// A callback of `cuLaunchHostFunc`.
pub type CUhostFn = Option<extern "C" fn(Address)>;
/// A callback of `cuStreamAddCallback`.
pub type CUstreamCallback = Option<extern "C" fn(CUstream, super::CUresult, Address)>;
/// How much dynamic shared memory a CTA of a size needs.
pub type CUoccupancyB2DSize = Option<extern "C" fn(i32) -> u64>;

/// Declares types of enumerations. Values that no constant has are refused where they are used.
macro_rules! enumerations {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("A value of `", stringify!($name), "`.")]
            pub type $name = u32;
        )*
    };
}

enumerations! {
    CUdevice_attribute CUfunction_attribute CUpointer_attribute CUlimit CUfunc_cache CUsharedconfig CUjit_option CUlibraryOption
    CUjitInputType CUmem_advise CUmem_range_attribute CUmemPool_attribute CUgraphMem_attribute CUmoduleLoadingMode CUdriverProcAddressQueryResult
    CUstreamCaptureMode CUstreamCaptureStatus CUgraphNodeType CUgraphExecUpdateResult CUdevice_P2PAttribute
    CUlaunchAttributeID CUstreamAttrID CUkernelNodeAttrID CUaccess CUmemAccess_flags CUarray_format CUaddress_mode CUfilter_mode
    CUexecAffinityType CUmemAllocationType CUtensorMapDataType CUtensorMapInterleave
    CUtensorMapSwizzle CUtensorMapL2promotion CUtensorMapFloatOOBfill CUfunctionLoadingState CUflushGPUDirectRDMAWritesTarget CUflushGPUDirectRDMAWritesScope
}
