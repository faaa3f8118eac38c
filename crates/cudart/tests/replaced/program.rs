//! A program that has a runtime inside, as `nvcc` links it; its functions return what no runtime returns. It opens a library that
//! has another one.

use std::ffi::{CString, c_char, c_int, c_void};
use std::hint::black_box;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn cudaGetDeviceCount(count: *mut c_int) -> c_int {
    unsafe { *count = black_box(3) };
    777
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __cudaRegisterFatBinary(wrapper: *mut c_void) -> *mut c_void {
    black_box(wrapper)
}

/// The program's own, whatever its name.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn cudaMallocAndFill(value: c_int) -> c_int {
    black_box(value)
}

fn main() {
    black_box(__cudaRegisterFatBinary as *const ());
    let mut count = 0;
    let status = black_box(cudaGetDeviceCount as extern "C" fn(*mut c_int) -> c_int)(&mut count);
    println!("program: device count {status}, own function {}", cudaMallocAndFill(black_box(5)));
    let path = std::env::args().nth(1).expect("the library");
    let path = CString::new(path).expect("a path");
    unsafe {
        let library = dlopen(path.as_ptr(), 2);
        let late = dlsym(library, c"late".as_ptr());
        assert!(!late.is_null());
        std::mem::transmute::<*mut c_void, extern "C" fn()>(late)();
    }
}
