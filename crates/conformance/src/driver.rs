//! A CUDA driver, opened at run time: the few functions of its public interface that are needed here.
#![allow(unsafe_code)]

use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::path::Path;
use std::ptr::{null, null_mut};

type Result32 = c_int;
type Handle = *mut c_void;

/// Types of functions, as `cuda.h` declares them.
mod signature {
    use super::{Handle, LaunchConfig, Result32, c_char, c_int, c_uint, c_void};

    pub(super) type Init = unsafe extern "C" fn(c_uint) -> Result32;
    pub(super) type GetInt = unsafe extern "C" fn(*mut c_int) -> Result32;
    pub(super) type DeviceGet = unsafe extern "C" fn(*mut c_int, c_int) -> Result32;
    pub(super) type DeviceName = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Result32;
    pub(super) type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Result32;
    pub(super) type Retain = unsafe extern "C" fn(*mut Handle, c_int) -> Result32;
    pub(super) type OfHandle = unsafe extern "C" fn(Handle) -> Result32;
    pub(super) type Nothing = unsafe extern "C" fn() -> Result32;
    pub(super) type ErrorText = unsafe extern "C" fn(Result32, *mut *const c_char) -> Result32;
    pub(super) type LoadData = unsafe extern "C" fn(
        *mut Handle,
        *const c_void,
        c_uint,
        *const c_int,
        *const Handle,
    ) -> Result32;
    pub(super) type GetFunction =
        unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> Result32;
    pub(super) type GetGlobal =
        unsafe extern "C" fn(*mut u64, *mut usize, Handle, *const c_char) -> Result32;
    pub(super) type Allocate = unsafe extern "C" fn(*mut u64, usize) -> Result32;
    pub(super) type Free = unsafe extern "C" fn(u64) -> Result32;
    pub(super) type ToDevice = unsafe extern "C" fn(u64, *const c_void, usize) -> Result32;
    pub(super) type ToHost = unsafe extern "C" fn(*mut c_void, u64, usize) -> Result32;
    pub(super) type Fill = unsafe extern "C" fn(u64, u8, usize) -> Result32;
    pub(super) type SetAttribute = unsafe extern "C" fn(Handle, c_int, c_int) -> Result32;
    pub(super) type SetLimit = unsafe extern "C" fn(c_int, usize) -> Result32;
    pub(super) type Launch = unsafe extern "C" fn(
        *const LaunchConfig,
        Handle,
        *const *mut c_void,
        *const *mut c_void,
    ) -> Result32;
}

/// `CUlaunchConfig`.
#[repr(C)]
struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic_shared: c_uint,
    stream: Handle,
    attributes: *const LaunchAttribute,
    count: c_uint,
}

/// `CUlaunchAttribute`, whose value is 64 bytes.
#[repr(C, align(8))]
struct LaunchAttribute {
    id: c_int,
    pad: c_int,
    value: [c_uint; 16],
}

// `cuda.h`
const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
const COMPUTE_CAPABILITY_MINOR: c_int = 76;
const JIT_ERROR_LOG_BUFFER: c_int = 5;
const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;
const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
const ATTRIBUTE_CLUSTER_DIMENSION: c_int = 4;
const LIMIT_STACK_SIZE: c_int = 0;

/// Dynamic shared memory that kernels have without asking for more (CUDA C++ Programming Guide, 20.9).
const STATIC_SHARED_LIMIT: u32 = 48 << 10;

/// An open driver with a device, whose primary context is current in this thread.
pub(crate) struct Driver {
    library: Library,
    device: c_int,
}

/// What a driver refused.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The function.
    pub(crate) function: &'static str,
    /// What it returned, in the driver's words, and what else is known.
    pub(crate) why: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.function, self.why)
    }
}

/// A result of the driver's, or what it refused.
pub(crate) type Asked<T> = Result<T, Refused>;

/// Calls a function by its name.
macro_rules! call {
    ($driver:expr, $name:ident: $ty:ident($($argument:expr),* $(,)?)) => {{
        let driver: &Driver = $driver;
        let name = stringify!($name);
        // SAFETY: the type is that of the header's declaration, and every pointer leads to what lives as long as the call.
        let result = unsafe {
            driver.symbol::<signature::$ty>(name).map(|function| function($($argument),*))
        };
        result.and_then(|result| driver.judge(name, result))
    }};
}

/// Memory of the device, freed when it is dropped.
pub(crate) struct Memory<'d> {
    driver: &'d Driver,
    /// The device address.
    pub(crate) address: u64,
    /// Its size.
    pub(crate) bytes: usize,
}

/// A loaded module, unloaded when it is dropped.
pub(crate) struct Module<'d> {
    driver: &'d Driver,
    handle: Handle,
}

/// A kernel of a module.
pub(crate) struct Function<'m> {
    module: &'m Module<'m>,
    handle: Handle,
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) dynamic_shared: u32,
}

impl Driver {
    /// Opens a driver and makes the primary context of one of its devices current.
    pub(crate) fn open(path: &Path, device: i32) -> Asked<Driver> {
        // SAFETY: loading runs the library's constructors; it is the driver that the user names.
        let library = unsafe { Library::new(path) }.map_err(|why| Refused {
            function: "dlopen",
            why: format!("{}: {why}", path.display()),
        })?;
        let mut driver = Driver { library, device: 0 };
        call!(&driver, cuInit: Init(0))?;
        let mut count = 0;
        call!(&driver, cuDeviceGetCount: GetInt(&mut count))?;
        if !(0..count).contains(&device) {
            let why = format!("there is no device {device}; the driver has {count}");
            return Err(Refused { function: "cuDeviceGet", why });
        }
        let mut handle = 0;
        call!(&driver, cuDeviceGet: DeviceGet(&mut handle, device))?;
        driver.device = handle;
        driver.enter()?;
        Ok(driver)
    }

    /// # Safety
    /// `T` is the type of the function.
    unsafe fn symbol<T: Copy>(&self, name: &'static str) -> Asked<T> {
        // SAFETY: as the caller says.
        let symbol: Result<Symbol<'_, T>, _> = unsafe { self.library.get(name.as_bytes()) };
        symbol.map(|symbol| *symbol).map_err(|why| Refused { function: name, why: why.to_string() })
    }

    fn judge(&self, function: &'static str, result: Result32) -> Asked<()> {
        if result == 0 {
            return Ok(());
        }
        let mut name: *const c_char = null();
        // SAFETY: the type is that of the declaration; the driver leaves a text that lives as long as it is loaded, or null.
        let known = unsafe {
            let ask = self.symbol::<signature::ErrorText>("cuGetErrorName")?;
            ask(result, &mut name) == 0 && !name.is_null()
        };
        let why = match known {
            // SAFETY: it is a C string of the driver's.
            true => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
            false => format!("error {result}"),
        };
        Err(Refused { function, why })
    }

    fn enter(&self) -> Asked<()> {
        let mut context = null_mut();
        call!(self, cuDevicePrimaryCtxRetain: Retain(&mut context, self.device))?;
        call!(self, cuCtxSetCurrent: OfHandle(context))
    }

    /// The version of CUDA that the driver is for, as `13.0`.
    pub(crate) fn version(&self) -> Asked<String> {
        let mut version = 0;
        call!(self, cuDriverGetVersion: GetInt(&mut version))?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// The device's name.
    pub(crate) fn device_name(&self) -> Asked<String> {
        let mut name: [c_char; 256] = [0; 256];
        call!(self, cuDeviceGetName: DeviceName(name.as_mut_ptr(), 255, self.device))?;
        // SAFETY: the driver ends it, and the last byte is 0 in any case.
        Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
    }

    /// The device's compute capability: 90 is 9.0.
    pub(crate) fn capability(&self) -> Asked<u32> {
        let of = |attribute| {
            let mut value = 0;
            call!(self, cuDeviceGetAttribute: Attribute(&mut value, attribute, self.device))?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        Ok(of(COMPUTE_CAPABILITY_MAJOR)? * 10 + of(COMPUTE_CAPABILITY_MINOR)?)
    }

    /// Memory of so many bytes; of one if it is none.
    pub(crate) fn allocate(&self, bytes: usize) -> Asked<Memory<'_>> {
        let mut address = 0;
        call!(self, cuMemAlloc_v2: Allocate(&mut address, bytes.max(1)))?;
        Ok(Memory { driver: self, address, bytes })
    }

    /// Copies to the device.
    pub(crate) fn write(&self, to: u64, from: &[u8]) -> Asked<()> {
        match from.is_empty() {
            true => Ok(()),
            false => call!(self, cuMemcpyHtoD_v2: ToDevice(to, from.as_ptr().cast(), from.len())),
        }
    }

    /// Copies from the device.
    pub(crate) fn read(&self, from: u64, bytes: usize) -> Asked<Vec<u8>> {
        let mut held = vec![0; bytes];
        if bytes > 0 {
            call!(self, cuMemcpyDtoH_v2: ToHost(held.as_mut_ptr().cast(), from, bytes))?;
        }
        Ok(held)
    }

    /// Lets each thread of a kernel have a stack of so many bytes, if the device has them.
    pub(crate) fn allow_stack(&self, bytes: usize) -> Asked<()> {
        call!(self, cuCtxSetLimit: SetLimit(LIMIT_STACK_SIZE, bytes))
    }

    /// Waits for everything.
    pub(crate) fn synchronize(&self) -> Asked<()> {
        call!(self, cuCtxSynchronize: Nothing())
    }

    /// Loads a module. What a refused one lacks is in the words of the driver.
    pub(crate) fn load(&self, ptx: &str) -> Asked<Module<'_>> {
        let text = CString::new(ptx).map_err(|_| Refused {
            function: "cuModuleLoadDataEx",
            why: "the text has a zero inside".to_owned(),
        })?;
        let mut log = vec![0_u8; 4096];
        let options = [JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let size = std::ptr::without_provenance_mut(log.len());
        let values: [Handle; 2] = [log.as_mut_ptr().cast(), size];
        let mut handle = null_mut();
        let loaded = call!(self, cuModuleLoadDataEx: LoadData(
            &mut handle,
            text.as_ptr().cast(),
            2,
            options.as_ptr(),
            values.as_ptr(),
        ));
        loaded.map(|()| Module { driver: self, handle }).map_err(|mut refused| {
            let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
            let said = String::from_utf8_lossy(&log[..end]);
            if let Some(line) = said.lines().find(|line| !line.trim().is_empty()) {
                refused.why = format!("{} ({})", refused.why, line.trim());
            }
            refused
        })
    }
}

impl Memory<'_> {
    /// Fills it with zeros.
    pub(crate) fn clear(&self) -> Asked<()> {
        call!(self.driver, cuMemsetD8_v2: Fill(self.address, 0, self.bytes.max(1)))
    }

    /// What it holds.
    pub(crate) fn read(&self) -> Asked<Vec<u8>> {
        self.driver.read(self.address, self.bytes)
    }

    /// Overwrites it.
    pub(crate) fn write(&self, bytes: &[u8]) -> Asked<()> {
        self.driver.write(self.address, bytes)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // A context that has stopped has freed it.
        let _ = call!(self.driver, cuMemFree_v2: Free(self.address));
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        let _ = call!(self.driver, cuModuleUnload: OfHandle(self.handle));
    }
}

impl Module<'_> {
    /// A kernel.
    pub(crate) fn function(&self, name: &str) -> Asked<Function<'_>> {
        let text = CString::new(name).unwrap_or_default();
        let mut handle = null_mut();
        let found = call!(self.driver, cuModuleGetFunction: GetFunction(&mut handle, self.handle, text.as_ptr()));
        found.map(|()| Function { module: self, handle })
    }

    /// Where a variable stands, and its size.
    pub(crate) fn variable(&self, name: &str) -> Asked<(u64, usize)> {
        let text = CString::new(name).unwrap_or_default();
        let (mut address, mut bytes) = (0, 0);
        call!(self.driver, cuModuleGetGlobal_v2: GetGlobal(
            &mut address,
            &mut bytes,
            self.handle,
            text.as_ptr(),
        ))?;
        Ok((address, bytes))
    }
}

impl Function<'_> {
    /// Launches the kernel with the bytes of each parameter, and waits for it.
    pub(crate) fn launch(&self, shape: &Shape, parameters: &mut [Vec<u8>]) -> Asked<()> {
        let driver = self.module.driver;
        if shape.dynamic_shared > STATIC_SHARED_LIMIT {
            let bytes = c_int::try_from(shape.dynamic_shared).unwrap_or(c_int::MAX);
            call!(driver, cuFuncSetAttribute: SetAttribute(
                self.handle,
                MAX_DYNAMIC_SHARED_SIZE_BYTES,
                bytes,
            ))?;
        }
        let cluster = shape.cluster.map(|extents| {
            let mut value = [0; 16];
            value[..3].copy_from_slice(&extents);
            LaunchAttribute { id: ATTRIBUTE_CLUSTER_DIMENSION, pad: 0, value }
        });
        let config = LaunchConfig {
            grid: shape.grid,
            block: shape.block,
            dynamic_shared: shape.dynamic_shared,
            stream: null_mut(),
            attributes: cluster.as_ref().map_or(null(), std::ptr::from_ref),
            count: cluster.iter().count() as c_uint,
        };
        let pointers: Vec<*mut c_void> =
            parameters.iter_mut().map(|bytes| bytes.as_mut_ptr().cast()).collect();
        call!(driver, cuLaunchKernelEx: Launch(&config, self.handle, pointers.as_ptr(), null()))?;
        driver.synchronize()
    }
}
