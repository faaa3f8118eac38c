//! A library that has a runtime inside, and calls it from its constructor.

use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::sync::atomic::{AtomicI32, Ordering};

static EARLY: AtomicI32 = AtomicI32::new(0);

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    EARLY.store(ask(), Ordering::Relaxed);
}

fn ask() -> c_int {
    black_box(__cudaRegisterFatBinary as *const ());
    let mut count = 0;
    black_box(cudaGetDeviceCount as extern "C" fn(*mut c_int) -> c_int)(&mut count)
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn cudaGetDeviceCount(count: *mut c_int) -> c_int {
    unsafe { *count = black_box(3) };
    888
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __cudaRegisterFatBinary(wrapper: *mut c_void) -> *mut c_void {
    black_box(wrapper)
}

#[unsafe(no_mangle)]
extern "C" fn late() {
    println!("plugin: early {}, late {}", EARLY.load(Ordering::Relaxed), ask());
}
