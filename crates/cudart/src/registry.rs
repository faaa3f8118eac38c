//! What programs register before `main`: their fat binaries, and which function and variable of the host stands for which
//! of the device. A fat binary is loaded when something of it is used for the first time.

use crate::context;
use crate::driver;
use crate::status::{Result, Status};
use crate::types::{Address, Function, Kernel, Library};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// A fat binary that the program has registered.
struct Module {
    /// The wrapper around it, which the program keeps for as long as it is registered.
    wrapper: usize,
    library: OnceLock<Result<usize>>,
    managed: Mutex<Vec<Managed>>,
}

/// A managed variable: the host reads its address from a variable of its own.
struct Managed {
    name: CString,
    host: usize,
}

/// A kernel, by the address of its function on the host.
struct Entry {
    module: Arc<Module>,
    name: CString,
    kernel: OnceLock<Result<usize>>,
}

/// A variable of the device, by the address of its shadow on the host.
#[derive(Clone)]
struct Variable {
    module: Arc<Module>,
    name: CString,
}

#[derive(Default)]
struct Registry {
    modules: HashMap<usize, Arc<Module>>,
    entries: HashMap<usize, Arc<Entry>>,
    variables: HashMap<usize, Variable>,
}

static REGISTRY: OnceLock<RwLock<Registry>> = OnceLock::new();

fn registry() -> &'static RwLock<Registry> {
    REGISTRY.get_or_init(RwLock::default)
}

/// Changes the registry.
fn change<T>(change: impl FnOnce(&mut Registry) -> T) -> T {
    change(&mut registry().write().unwrap_or_else(PoisonError::into_inner))
}

/// Looks something up in the registry.
fn look<T>(look: impl FnOnce(&Registry) -> T) -> T {
    look(&registry().read().unwrap_or_else(PoisonError::into_inner))
}

impl Module {
    /// The library of the driver that the fat binary is loaded as.
    fn library(&self) -> Result<Library> {
        let library = self.library.get_or_init(|| {
            let (mut library, mut preserved) = (null_mut(), BINARY_IS_PRESERVED);
            let wrapper = std::ptr::with_exposed_provenance(self.wrapper);
            let mut yes: [Address; 1] = [std::ptr::without_provenance_mut(1)];
            // SAFETY: the program keeps the wrapper; the options and the place of the result are ours.
            unsafe {
                driver::cuLibraryLoadData(
                    &mut library,
                    wrapper,
                    null_mut(),
                    null_mut(),
                    0,
                    &mut preserved,
                    yes.as_mut_ptr(),
                    1,
                )?;
            }
            Ok(library.expose_provenance())
        });
        let library: Library = std::ptr::with_exposed_provenance_mut((*library)?);
        self.place_managed(library)?;
        Ok(library)
    }

    /// Tells the host where the managed variables are. They are told once.
    fn place_managed(&self, library: Library) -> Result {
        let mut managed = self.managed.lock().unwrap_or_else(PoisonError::into_inner);
        for Managed { name, host } in managed.drain(..) {
            let (mut address, mut bytes) = (null_mut(), 0);
            let host: *mut Address = std::ptr::with_exposed_provenance_mut(host);
            // SAFETY: the program has registered `host` as the variable that takes the address.
            unsafe {
                driver::cuLibraryGetManaged(&mut address, &mut bytes, library, name.as_ptr())?;
                host.write(address);
            }
        }
        Ok(())
    }
}

/// `CU_LIBRARY_BINARY_IS_PRESERVED`.
const BINARY_IS_PRESERVED: c_int = 1;

/// The name that the program gives.
///
/// # Safety
/// It is a string.
unsafe fn name_of(name: *const c_char) -> Option<CString> {
    // SAFETY: the caller says so.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_owned())
}

/// Takes a wrapper in, and returns the handle of the fat binary.
pub(crate) fn add_module(wrapper: *const c_void) -> *mut Address {
    let wrapper = wrapper.expose_provenance();
    let module = Module { wrapper, library: OnceLock::new(), managed: Mutex::default() };
    let module = Arc::new(module);
    // The handle has to be an address of ours: that of the module, which the registry keeps.
    let handle = Arc::as_ptr(&module).expose_provenance();
    change(|registry| registry.modules.insert(handle, module));
    std::ptr::with_exposed_provenance_mut(handle)
}

/// Forgets a fat binary, and unloads it.
pub(crate) fn remove_module(handle: *mut Address) {
    let module = change(|registry| {
        let module = registry.modules.remove(&handle.addr())?;
        registry.entries.retain(|_, entry| !Arc::ptr_eq(&entry.module, &module));
        registry.variables.retain(|_, variable| !Arc::ptr_eq(&variable.module, &module));
        Some(module)
    });
    let library = module.and_then(|module| module.library.get().copied()?.ok());
    if let Some(library) = library {
        // SAFETY: the driver made the library. Whether it is still there at the end of the process is its own business.
        let _ = unsafe { driver::cuLibraryUnload(std::ptr::with_exposed_provenance_mut(library)) };
    }
}

fn module(handle: *mut Address) -> Option<Arc<Module>> {
    look(|registry| registry.modules.get(&handle.addr()).cloned())
}

/// Takes a kernel in.
///
/// # Safety
/// The name is a string.
pub(crate) unsafe fn add_function(handle: *mut Address, host: *const c_void, name: *const c_char) {
    // SAFETY: the caller says so.
    let (Some(module), Some(name)) = (module(handle), unsafe { name_of(name) }) else { return };
    let entry = Arc::new(Entry { module, name, kernel: OnceLock::new() });
    change(|registry| registry.entries.insert(host.expose_provenance(), entry));
}

/// Takes a variable in.
///
/// # Safety
/// The name is a string.
pub(crate) unsafe fn add_variable(handle: *mut Address, host: *const c_void, name: *const c_char) {
    // SAFETY: the caller says so.
    let (Some(module), Some(name)) = (module(handle), unsafe { name_of(name) }) else { return };
    change(|registry| registry.variables.insert(host.addr(), Variable { module, name }));
}

/// Takes a managed variable in: `host` is the host's variable that takes its address.
///
/// # Safety
/// The name is a string, and `host` can be written to for as long as the fat binary is registered.
pub(crate) unsafe fn add_managed(handle: *mut Address, host: *mut Address, name: *const c_char) {
    // SAFETY: the caller says so.
    let (Some(module), Some(name)) = (module(handle), unsafe { name_of(name) }) else { return };
    let managed = Managed { name: name.clone(), host: host.expose_provenance() };
    module.managed.lock().unwrap_or_else(PoisonError::into_inner).push(managed);
    change(|registry| registry.variables.insert(host.addr(), Variable { module, name }));
}

/// Loads a fat binary, so that its managed variables have addresses.
pub(crate) fn load(handle: *mut Address) -> Result {
    context::ensure()?;
    let module = module(handle).ok_or(Status::INVALID_VALUE)?;
    module.library().map(drop)
}

/// The kernel that a function of the host stands for; `None` if it stands for none.
fn registered(host: *const c_void) -> Option<Result<Kernel>> {
    let entry = look(|registry| registry.entries.get(&host.addr()).cloned())?;
    let kernel = entry.kernel.get_or_init(|| {
        let library = entry.module.library()?;
        let mut kernel = null_mut();
        // SAFETY: the library is the driver's, the name and the place of the result are ours.
        unsafe { driver::cuLibraryGetKernel(&mut kernel, library, entry.name.as_ptr())? };
        Ok(kernel.expose_provenance())
    });
    Some(kernel.map(std::ptr::with_exposed_provenance_mut).map_err(|status| {
        if status == Status::SYMBOL_NOT_FOUND { Status::INVALID_DEVICE_FUNCTION } else { status }
    }))
}

/// The kernel that is meant by a function of the host, or by a kernel of the driver.
pub(crate) fn kernel(function: *const c_void) -> Result<Kernel> {
    context::ensure()?;
    if function.is_null() {
        return Err(Status::INVALID_DEVICE_FUNCTION);
    }
    registered(function).unwrap_or(Ok(function.cast_mut()))
}

/// The kernel of a function of the host that is registered.
pub(crate) fn kernel_of_host(function: *const c_void) -> Result<Kernel> {
    context::ensure()?;
    registered(function).unwrap_or(Err(Status::INVALID_DEVICE_FUNCTION))
}

/// The function of the host that stands for a kernel; the kernel itself if there is none.
pub(crate) fn host_of(kernel: Kernel) -> *const c_void {
    let is_it =
        |entry: &Entry| matches!(entry.kernel.get(), Some(Ok(known)) if *known == kernel.addr());
    let found = look(|registry| {
        let mut entries = registry.entries.iter();
        entries.find(|(_, entry)| is_it(entry)).map(|(host, _)| *host)
    });
    found.map_or(kernel.cast_const(), std::ptr::with_exposed_provenance)
}

/// [`kernel`] as a function of the thread's context.
pub(crate) fn function(function: *const c_void) -> Result<Function> {
    let kernel = kernel(function)?;
    let mut found = null_mut();
    // SAFETY: the driver checks its handles; the place of the result is ours.
    unsafe { driver::cuKernelGetFunction(&mut found, kernel) }.map(|()| found).map_err(|status| {
        // A handle that is none.
        if status == Status::INVALID_RESOURCE_HANDLE {
            Status::INVALID_DEVICE_FUNCTION
        } else {
            status
        }
    })
}

/// Where a variable is on the thread's device, and how many bytes it has.
pub(crate) fn variable(host: *const c_void) -> Result<(Address, usize)> {
    context::ensure()?;
    let variable = look(|registry| registry.variables.get(&host.addr()).cloned());
    let variable = variable.ok_or(Status::INVALID_SYMBOL)?;
    let library = variable.module.library()?;
    let (mut address, mut bytes) = (null_mut(), 0);
    // SAFETY: the library is the driver's, the name and the places of the results are ours.
    unsafe { driver::cuLibraryGetGlobal(&mut address, &mut bytes, library, variable.name.as_ptr()) }
        .map(|()| (address, bytes))
        .map_err(|status| match status {
            Status::SYMBOL_NOT_FOUND => Status::INVALID_SYMBOL,
            // What has stopped the context counts more.
            other => other,
        })
}
