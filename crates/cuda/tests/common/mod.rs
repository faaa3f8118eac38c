//! What tests that use the driver have in common.
#![allow(unsafe_code, unused_macros, unused_imports, dead_code)]

/// Calls a function that succeeds.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: all pointers are to values that live, or null.
        let result = unsafe { $name($($argument),*) };
        assert_eq!(result, CUresult::SUCCESS, "{}", stringify!($name));
    }};
}
pub(crate) use call;

/// The result of a function.
macro_rules! result {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: as above.
        unsafe { $name($($argument),*) }
    }};
}
pub(crate) use result;

/// What a function leaves in its first parameter.
macro_rules! made {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let mut made = Default::default();
        $crate::common::call!($name(Out::new(&mut made), $($argument),*));
        made
    }};
}
pub(crate) use made;

use cuda::abi::constants::{CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_HOST};
use cuda::abi::*;
use cuda::functions::*;
use std::ffi::{CStr, CString};

/// The kernels that nvcc has compiled.
pub(crate) const PTX: &CStr = match CStr::from_bytes_with_nul(
    concat!(include_str!("../kernels/kernels.ptx"), "\0").as_bytes(),
) {
    Ok(text) => text,
    Err(_) => c"",
};

/// One of them, in a context of its own.
pub(crate) fn kernel(name: &str) -> CUfunction {
    let (mut context, mut module, mut function) =
        (CUcontext::NULL, CUmodule::NULL, CUfunction::NULL);
    call!(cuInit(0));
    call!(cuCtxCreate_v2(Out::new(&mut context), 0, 0));
    let image = Address(PTX.as_ptr().expose_provenance() as u64);
    call!(cuModuleLoadData(Out::new(&mut module), image));
    let name = CString::new(name).expect("a name");
    call!(cuModuleGetFunction(Out::new(&mut function), module, Text::new(&name)));
    function
}

/// The address of a value of the test's.
pub(crate) fn address<T>(of: &T) -> Address {
    Address(std::ptr::from_ref(of).expose_provenance() as u64)
}

/// A copy of rows of bytes from the host to an array.
pub(crate) fn to_array(
    host: Address,
    pitch: u64,
    array: CUarray,
    [width_bytes, height]: [u64; 2],
) -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        src_x_bytes: 0,
        src_y: 0,
        src_type: CU_MEMORYTYPE_HOST,
        src_host: host,
        src_device: 0,
        src_array: CUarray::NULL,
        src_pitch: pitch,
        dst_x_bytes: 0,
        dst_y: 0,
        dst_type: CU_MEMORYTYPE_ARRAY,
        dst_host: Address::NULL,
        dst_device: 0,
        dst_array: array,
        dst_pitch: 0,
        width_bytes,
        height,
    }
}
