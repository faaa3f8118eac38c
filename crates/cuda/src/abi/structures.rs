//! Structures, as C lays them out.
#![allow(unsafe_code, non_camel_case_types)]

use super::constants::{
    CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_HANDLE_TYPE_NONE, CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEMORYTYPE_UNIFIED,
};
use super::handle::*;
use super::pointer::{Address, In, Out, Plain};

/// Declares structures of plain fields.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            #[allow(missing_docs)]
            pub struct $name {
                $(pub $field: $ty,)*
            }

            // SAFETY: all fields are plain; a function of the program is null or a function, as the program promises.
            unsafe impl Plain for $name {}
        )*

        /// The structures with their sizes.
        #[cfg(test)]
        pub(crate) const SIZES: &[(&str, usize)] = &[$((stringify!($name), size_of::<$name>())),*];
    };
}

structures! {
    /// A unique number.
    CUuuid { bytes: [u8; 16], }

    /// The value of an attribute of a launch or a stream.
    CUlaunchAttributeValue { words: [u64; 8], }

    /// An attribute of a launch; its value as words.
    CUlaunchAttribute { id: u32, pad: u32, value: [u64; 8], }

    /// A tensor, as kernels find it.
    CUtensorMap { bytes: [u8; 128], }

    /// A word of memory that a stream writes or waits for, or a barrier.
    CUstreamBatchMemOpParams {
        operation: u32,
        address: CUdeviceptr,
        value: u64,
        flags: u32,
        alias: CUdeviceptr,
        rest: u64,
    }

    /// A launch.
    CUlaunchConfig {
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        stream: CUstream,
        attributes: In<CUlaunchAttribute>,
        attribute_count: u32,
    }

    /// A copy of rows.
    CUDA_MEMCPY2D {
        src_x_bytes: u64,
        src_y: u64,
        src_type: u32,
        src_host: Address,
        src_device: CUdeviceptr,
        src_array: CUarray,
        src_pitch: u64,
        dst_x_bytes: u64,
        dst_y: u64,
        dst_type: u32,
        dst_host: Address,
        dst_device: CUdeviceptr,
        dst_array: CUarray,
        dst_pitch: u64,
        width_bytes: u64,
        height: u64,
    }

    /// One side of a copy of planes of rows. `other` is reserved, or the context of a copy between devices.
    Side3D {
        x_bytes: u64,
        y: u64,
        z: u64,
        level: u64,
        kind: u32,
        host: Address,
        device: CUdeviceptr,
        array: CUarray,
        other: u64,
        pitch: u64,
        height: u64,
    }

    /// A copy of planes of rows.
    CUDA_MEMCPY3D { src: Side3D, dst: Side3D, width_bytes: u64, height: u64, depth: u64, }

    /// The same between contexts.
    CUDA_MEMCPY3D_PEER { src: Side3D, dst: Side3D, width_bytes: u64, height: u64, depth: u64, }

    /// An array of one or two dimensions.
    CUDA_ARRAY_DESCRIPTOR { width: u64, height: u64, format: u32, channels: u32, }

    /// An array of any dimensions.
    CUDA_ARRAY3D_DESCRIPTOR {
        width: u64,
        height: u64,
        depth: u64,
        format: u32,
        channels: u32,
        flags: u32,
    }

    /// What a texture or a surface reads: an array, or memory; its members as they lie one behind the other.
    CUDA_RESOURCE_DESC {
        kind: u32,
        address: u64,
        format: u32,
        channels: u32,
        width_or_bytes: u64,
        height: u64,
        pitch: u64,
        rest: [u32; 22],
        flags: u32,
    }

    /// How a texture is read.
    CUDA_TEXTURE_DESC {
        address_mode: [u32; 3],
        filter: u32,
        flags: u32,
        anisotropy: u32,
        level_filter: u32,
        level_bias: f32,
        least_level: f32,
        greatest_level: f32,
        border: [f32; 4],
        rest: [u32; 12],
    }

    /// Which part of an array a texture reads.
    CUDA_RESOURCE_VIEW_DESC {
        format: u32,
        width: u64,
        height: u64,
        depth: u64,
        first_level: u32,
        last_level: u32,
        first_layer: u32,
        last_layer: u32,
        rest: [u32; 16],
    }

    /// Where memory is.
    CUmemLocation { kind: u32, id: i32, }

    /// How a copy of a batch is done.
    CUmemcpyAttributes { order: u32, from: CUmemLocation, to: CUmemLocation, flags: u32, }

    /// One side of a copy of a batch: a pointer with the elements of a row, the rows of a layer and where it is, or an array with
    /// the element that it begins at in x, y and z.
    CUmemcpy3DOperand { kind: u32, pad: u32, base: u64, words: [u64; 3], }

    /// A copy of a batch; extents in elements.
    CUDA_MEMCPY3D_BATCH_OP {
        src: CUmemcpy3DOperand,
        dst: CUmemcpy3DOperand,
        extent: [u64; 3],
        order: u32,
        flags: u32,
    }

    /// Who may access memory.
    CUmemAccessDesc { location: CUmemLocation, flags: u32, }

    /// What a pool is.
    CUmemPoolProps {
        kind: u32,
        handles: u32,
        location: CUmemLocation,
        security: Address,
        most: u64,
        usage: u16,
        direct: u8,
        rest: [u8; 53],
    }

    /// A kernel of a graph, as it was before CUDA 12.
    CUDA_KERNEL_NODE_PARAMS_v1 {
        function: CUfunction,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        params: Out<Address>,
        extra: Out<Address>,
    }

    /// A kernel of a graph.
    CUDA_KERNEL_NODE_PARAMS {
        function: CUfunction,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        params: Out<Address>,
        extra: Out<Address>,
        kernel: CUkernel,
        context: CUcontext,
    }

    /// A fill of a graph.
    CUDA_MEMSET_NODE_PARAMS {
        to: CUdeviceptr,
        pitch: u64,
        value: u32,
        element: u32,
        width: u64,
        height: u64,
    }

    /// A call of a graph.
    CUDA_HOST_NODE_PARAMS { function: CUhostFn, data: Address, }

    /// A conditional node.
    CUDA_CONDITIONAL_NODE_PARAMS {
        handle: u64,
        kind: u32,
        size: u32,
        graphs: Out<CUgraph>,
        context: CUcontext,
    }
    /// An allocation of a graph.
    CUDA_MEM_ALLOC_NODE_PARAMS {
        pool: CUmemPoolProps,
        access: In<CUmemAccessDesc>,
        access_count: u64,
        bytes: u64,
        address: CUdeviceptr,
    }

    /// A node of a graph: what it is, and the parameters of that.
    CUgraphNodeParams { kind: u32, rest: [u32; 3], parameters: [u64; 29], end: u64, }

    /// An order of two nodes; what is not 0 is more than an order.
    CUgraphEdgeData { ports: [u8; 2], kind: u8, rest: [u8; 5], }

    /// How a graph is made ready.
    CUDA_GRAPH_INSTANTIATE_PARAMS {
        flags: u64,
        stream: CUstream,
        wrong: CUgraphNode,
        result: u32,
    }

    /// Why a graph could not be updated.
    CUgraphExecUpdateResultInfo { result: u32, wrong: CUgraphNode, wrong_from: CUgraphNode, }

    /// What a context is created with.
    CUctxCreateParams { affinities: Address, affinity_count: i32, cig: Address, }

    /// What a context is limited to.
    CUexecAffinityParam { kind: u32, value: u32, }

    /// Old-style properties of a device.
    CUdevprop {
        threads_per_block: i32,
        block: [i32; 3],
        grid: [i32; 3],
        shared_bytes: i32,
        constant_bytes: i32,
        warp: i32,
        pitch: i32,
        registers: i32,
        clock: i32,
        texture_alignment: i32,
    }
}

/// The value of an attribute of a stream.
pub type CUstreamAttrValue = CUlaunchAttributeValue;
/// The value of an attribute of a kernel node.
pub type CUkernelNodeAttrValue = CUlaunchAttributeValue;

impl Side3D {
    /// At address 0, which would say itself where it leads.
    pub(crate) const UNIFIED: Side3D = Side3D {
        x_bytes: 0,
        y: 0,
        z: 0,
        level: 0,
        kind: CU_MEMORYTYPE_UNIFIED,
        host: Address::NULL,
        device: 0,
        array: CUarray::NULL,
        other: 0,
        pitch: 0,
        height: 0,
    };
}

impl CUmemPoolProps {
    /// Those of a pool of a device, which no other process shares.
    pub const fn of_device(id: i32) -> CUmemPoolProps {
        CUmemPoolProps {
            kind: CU_MEM_ALLOCATION_TYPE_PINNED,
            handles: CU_MEM_HANDLE_TYPE_NONE,
            location: CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id },
            security: Address::NULL,
            most: 0,
            usage: 0,
            direct: 0,
            rest: [0; 53],
        }
    }
}

impl CUDA_MEM_ALLOC_NODE_PARAMS {
    /// An allocation of so many bytes at an address, from the pool of a device.
    pub fn of_device(id: i32, bytes: u64, address: CUdeviceptr) -> Self {
        let (pool, access) = (CUmemPoolProps::of_device(id), In::null());
        CUDA_MEM_ALLOC_NODE_PARAMS { pool, access, access_count: 0, bytes, address }
    }
}

impl CUDA_RESOURCE_DESC {
    /// A resource of a kind, and its handle or address.
    pub const fn of(kind: u32, address: u64) -> CUDA_RESOURCE_DESC {
        CUDA_RESOURCE_DESC {
            kind,
            address,
            format: 0,
            channels: 0,
            width_or_bytes: 0,
            height: 0,
            pitch: 0,
            rest: [0; 22],
            flags: 0,
        }
    }
}

impl CUDA_TEXTURE_DESC {
    /// Everything is 0.
    pub const ZERO: CUDA_TEXTURE_DESC = CUDA_TEXTURE_DESC {
        address_mode: [0; 3],
        filter: 0,
        flags: 0,
        anisotropy: 0,
        level_filter: 0,
        level_bias: 0.0,
        least_level: 0.0,
        greatest_level: 0.0,
        border: [0.0; 4],
        rest: [0; 12],
    };
}

/// A list of results that is not wanted is null.
impl<T: Plain> Default for Out<T> {
    fn default() -> Self {
        Out::null()
    }
}

#[cfg(test)]
mod tests {
    use super::SIZES;

    #[test]
    fn structures_have_the_sizes_of_the_headers() {
        let recorded = include_str!("../../api/structures.tsv");
        let size = |name: &str| {
            recorded
                .lines()
                .filter_map(|row| row.split_once('\t'))
                .find(|(known, _)| *known == name)
        };
        for (name, bytes) in SIZES {
            // One side of a copy is no structure of its own.
            if *name == "Side3D" {
                continue;
            }
            let (_, recorded) = size(name).unwrap_or_else(|| panic!("{name} is not recorded"));
            assert_eq!(recorded.parse(), Ok(*bytes), "{name}");
        }
    }
}
