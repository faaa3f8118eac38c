//! Functions that load code at run time.

use crate::api::forward;
use crate::types::{Address, Kernel, Library};
use std::ffi::{c_char, c_int, c_void};

forward! {
    fn cudaLibraryLoadData(library: *mut Library, code: *const c_void, jit: *mut c_int, jit_values: *mut Address, jit_count: u32, options: *mut c_int, values: *mut Address, count: u32) = cuLibraryLoadData;
    fn cudaLibraryLoadFromFile(library: *mut Library, name: *const c_char, jit: *mut c_int, jit_values: *mut Address, jit_count: u32, options: *mut c_int, values: *mut Address, count: u32) = cuLibraryLoadFromFile;
    fn cudaLibraryUnload(library: Library) = cuLibraryUnload;
    fn cudaLibraryGetKernel(kernel: *mut Kernel, library: Library, name: *const c_char) = cuLibraryGetKernel;
    fn cudaLibraryGetGlobal(address: *mut Address, bytes: *mut usize, library: Library, name: *const c_char) = cuLibraryGetGlobal;
    fn cudaLibraryGetManaged(address: *mut Address, bytes: *mut usize, library: Library, name: *const c_char) = cuLibraryGetManaged;
    fn cudaLibraryGetUnifiedFunction(address: *mut Address, library: Library, name: *const c_char) = cuLibraryGetUnifiedFunction;
    fn cudaLibraryGetKernelCount(count: *mut u32, library: Library) = cuLibraryGetKernelCount;
    fn cudaLibraryEnumerateKernels(kernels: *mut Kernel, count: u32, library: Library) = cuLibraryEnumerateKernels;
}
