//! The functions that the code of `nvcc` calls on its own: registration before `main`, and launches.

use crate::api::{Row, runtime};
use crate::launch::{self, Configuration};
use crate::registry;
use crate::status::{Result, guard};
use crate::types::{Address, Dim3, Kernel, Stream, stream_or};
use std::ffi::{c_char, c_int, c_void};

runtime! {
    fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Stream) {
        launch::push(Configuration { grid, block, shared, stream });
        Ok(())
    }

    fn __cudaPopCallConfiguration(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut Stream) {
        let configuration = launch::pop()?;
        grid.write(configuration.grid);
        block.write(configuration.block);
        shared.write(configuration.shared);
        stream.write(configuration.stream);
        Ok(())
    }

    fn __cudaGetKernel(kernel: *mut Kernel, function: *const c_void) {
        // What cannot be loaded is told again at the launch, of which the program asks how it went.
        kernel.write(function.cast_mut());
        kernel.write(registry::kernel_of_host(function)?);
        Ok(())
    }

    fn __cudaLaunchKernel(kernel: Kernel, grid: Dim3, block: Dim3, args: *mut Address, shared: usize, stream: Stream)
        [__cudaLaunchKernel_ptsz |default|] {
        let stream = stream_or(stream, default);
        launch::launch(kernel, &Configuration { grid, block, shared, stream }, args)
    }
}

/// The functions that return no status.
pub(crate) const OTHERS: &[Row] = &[
    row("__cudaRegisterFatBinary", __cudaRegisterFatBinary as *const ()),
    row("__cudaRegisterFatBinaryEnd", __cudaRegisterFatBinaryEnd as *const ()),
    row("__cudaUnregisterFatBinary", __cudaUnregisterFatBinary as *const ()),
    row("__cudaRegisterFunction", __cudaRegisterFunction as *const ()),
    row("__cudaRegisterVar", __cudaRegisterVar as *const ()),
    row("__cudaRegisterHostVar", __cudaRegisterHostVar as *const ()),
    row("__cudaRegisterManagedVar", __cudaRegisterManagedVar as *const ()),
    row("__cudaRegisterUnifiedTable", __cudaRegisterUnifiedTable as *const ()),
    row("__cudaInitModule", __cudaInitModule as *const ()),
];

const fn row(name: &'static str, address: *const ()) -> Row {
    Row { name, address, works: true }
}

/// What fails here is told when what is missing is used.
fn quietly(work: impl FnOnce() -> Result) {
    let _ = guard(work);
}

/// Takes a fat binary in. Nothing of it is read before it is used.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut Address {
    let mut handle = std::ptr::null_mut();
    quietly(|| {
        handle = registry::add_module(wrapper);
        Ok(())
    });
    handle
}

/// Says that all of a fat binary is registered.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut Address) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaUnregisterFatBinary(handle: *mut Address) {
    quietly(|| {
        registry::remove_module(handle);
        Ok(())
    });
}

/// The last five arguments are limits that nothing sets.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn __cudaRegisterFunction(
    handle: *mut Address,
    host: *const c_void,
    _device: *mut c_char,
    name: *const c_char,
    _threads: c_int,
    _tid: Address,
    _bid: Address,
    _block: Address,
    _grid: Address,
    _warp: Address,
) {
    quietly(|| {
        // SAFETY: the code of `nvcc` names the kernel by a string.
        unsafe { registry::add_function(handle, host, name) };
        Ok(())
    });
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn __cudaRegisterVar(
    handle: *mut Address,
    host: *const c_void,
    _device: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    quietly(|| {
        // SAFETY: the code of `nvcc` names the variable by a string.
        unsafe { registry::add_variable(handle, host, name) };
        Ok(())
    });
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn __cudaRegisterManagedVar(
    handle: *mut Address,
    host: *mut Address,
    _device: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    quietly(|| {
        // SAFETY: the code of `nvcc` names the variable by a string, and gives the variable that takes its address.
        unsafe { registry::add_managed(handle, host, name) };
        Ok(())
    });
}

/// Variables of the host that kernels use by name, where host and device share memory: nothing is to be done for them.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterHostVar(
    _handle: *mut Address,
    _name: *const c_char,
    _host: Address,
    _bytes: usize,
) {
}

/// A table of functions that both sides have: kernels of this device have none.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterUnifiedTable(_handle: *mut Address, _table: Address) {}

/// Loads a fat binary, so that the host can use its managed variables.
#[unsafe(no_mangle)]
extern "C" fn __cudaInitModule(handle: *mut Address) -> c_char {
    let status = guard(|| registry::load(handle));
    c_char::from(status == crate::status::Status::SUCCESS)
}
