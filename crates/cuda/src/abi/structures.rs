//! Structures, as C lays them out.
#![allow(unsafe_code, non_camel_case_types)]

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

            // SAFETY: all fields are plain.
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

    /// An attribute of a launch; its value as words.
    CUlaunchAttribute { id: u32, pad: u32, value: [u64; 8], }

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

/// A list of results that is not wanted is null.
impl<T: Plain> Default for Out<T> {
    fn default() -> Self {
        Out::null()
    }
}
