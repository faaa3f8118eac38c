//! `cuLibrary*` and kernels of libraries: images that every context loads when it first needs them.

use super::log::Options;
use super::object::{Loaded, Settables, forget, get, load};
use crate::abi::{
    Address, Answer, CUfunction, CUjit_option, CUkernel, CUlibrary, CUlibraryOption, CUmodule,
    CUresult, Out, Text,
};
use crate::context::{Context, current};
use crate::driver::{driver, gpu};
use crate::function::{Function, Settable, functions};
use crate::program::{Image, Refused};
use crate::registry::Registry;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

/// A library.
#[derive(Debug)]
pub(crate) struct Library {
    image: Image,
    /// The names of its kernels.
    names: Vec<String>,
    /// The module that it is in each context.
    modules: Mutex<HashMap<u64, CUmodule>>,
    kernels: Mutex<HashMap<String, CUkernel>>,
    settables: Arc<Settables>,
}

/// A kernel of a library.
#[derive(Debug)]
pub(crate) struct LibraryKernel {
    library: CUlibrary,
    name: CString,
    pub(crate) settable: Arc<Settable>,
    /// The function that it was last, and in which context.
    last: Mutex<Option<(u64, Arc<Function>)>>,
}

fn libraries() -> &'static Registry<Library> {
    static ALL: Registry<Library> = Registry::new(4);
    &ALL
}

/// Handles of kernels.
pub(crate) fn kernels() -> &'static Registry<LibraryKernel> {
    static ALL: Registry<LibraryKernel> = Registry::new(5);
    &ALL
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    /// The module that it is in a context.
    fn module(&self, context: &Arc<Context>) -> Answer<(CUmodule, Arc<Loaded>)> {
        let mut modules = lock(&self.modules);
        if let Some(module) = modules.get(&context.id)
            && let Ok(loaded) = get(*module)
        {
            return Ok((*module, loaded));
        }
        let module =
            load(context, &self.image, Arc::clone(&self.settables)).map_err(Refused::said)?;
        modules.insert(context.id, module);
        Ok((module, get(module)?))
    }
}

impl LibraryKernel {
    /// The function that it is in the current context.
    pub(crate) fn function(&self) -> Answer<Arc<Function>> {
        let context = current()?;
        let mut last = lock(&self.last);
        if let Some((known, function)) = last.as_ref().filter(|(known, _)| *known == context.id) {
            debug_assert_eq!(*known, context.id);
            return Ok(Arc::clone(function));
        }
        let function = functions().get(self.handle(&context)?.0)?;
        *last = Some((context.id, Arc::clone(&function)));
        Ok(function)
    }

    /// The handle of that.
    fn handle(&self, context: &Arc<Context>) -> Answer<CUfunction> {
        let (_, loaded) = libraries().get(self.library.0)?.module(context)?;
        loaded.function(&self.name.to_string_lossy())
    }
}

/// The function of a handle, which may be that of a kernel.
pub(crate) fn resolve(handle: CUfunction) -> Answer<Arc<Function>> {
    driver()?;
    match functions().find(handle.0) {
        Some(function) => Ok(function),
        None => kernels().get(handle.0)?.function(),
    }
}

/// Options and their values are read where the driver has a use for them: there is none for those of libraries.
#[allow(clippy::too_many_arguments)]
fn loaded(
    to: Out<CUlibrary>,
    image: impl FnOnce() -> Result<Image, Refused>,
    options: Options,
) -> Answer {
    driver()?;
    to.check()?;
    options.check()?;
    let first = current().map(|context| Arc::clone(&context.gpu));
    let gpu = match first {
        Ok(gpu) => gpu,
        Err(_) => Arc::clone(gpu(0)?),
    };
    let made = image().and_then(|image| {
        let image = image.limited(options.max_registers());
        let module = image.module(&gpu)?;
        Ok((image, module))
    });
    match made {
        Ok((image, module)) => {
            options.nothing();
            let names = module.kernels().map(str::to_owned).collect();
            let (modules, kernels) = (Mutex::default(), Mutex::default());
            let library = Library { image, names, modules, kernels, settables: Arc::default() };
            to.set(CUlibrary(libraries().insert(Arc::new(library))))
        }
        Err(refused) if options.error(&refused.words) => Err(refused.result),
        Err(refused) => Err(refused.said()),
    }
}

/// `cuLibraryLoadData`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn library_load(
    to: Out<CUlibrary>,
    image: Address,
    names: Out<CUjit_option>,
    values: Out<Address>,
    count: u32,
    _options: Out<CUlibraryOption>,
    _option_values: Out<Address>,
    _option_count: u32,
) -> Answer {
    if image.is_null() {
        driver()?;
        return Err(CUresult::INVALID_VALUE);
    }
    loaded(to, || Image::read(image), Options::new(count, names.as_in(), values))
}

/// `cuLibraryLoadFromFile`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn library_load_file(
    to: Out<CUlibrary>,
    path: Text,
    names: Out<CUjit_option>,
    values: Out<Address>,
    count: u32,
    _options: Out<CUlibraryOption>,
    _option_values: Out<Address>,
    _option_count: u32,
) -> Answer {
    let path = path.get()?;
    loaded(to, || Image::of_file(&path), Options::new(count, names.as_in(), values))
}

/// `cuLibraryUnload`.
pub(crate) fn library_unload(library: CUlibrary) -> Answer {
    driver()?;
    let library = libraries().remove(library.0)?;
    for module in lock(&library.modules).values() {
        let Ok(loaded) = get(*module) else { continue };
        loaded.context.wait();
        loaded.context.disowns(module.0);
        drop(loaded);
        forget(module.0);
    }
    for kernel in lock(&library.kernels).values() {
        let _ = kernels().remove(kernel.0);
    }
    Ok(())
}

/// The kernel of a name.
fn kernel_of(handle: CUlibrary, library: &Library, name: &str) -> Answer<CUkernel> {
    if !library.names.iter().any(|known| known == name) {
        return Err(CUresult::NOT_FOUND);
    }
    let text = CString::new(name).map_err(|_| CUresult::NOT_FOUND)?;
    let mut known = lock(&library.kernels);
    let kernel = known.entry(name.to_owned()).or_insert_with(|| {
        let (settable, last) = (library.settables.of(name), Mutex::default());
        let kernel = LibraryKernel { library: handle, name: text, settable, last };
        CUkernel(kernels().insert(Arc::new(kernel)))
    });
    Ok(*kernel)
}

/// `cuLibraryGetKernel`.
pub(crate) fn library_kernel(to: Out<CUkernel>, library: CUlibrary, name: Text) -> Answer {
    driver()?;
    to.check()?;
    let found = libraries().get(library.0)?;
    to.set(kernel_of(library, &found, &name.get()?)?)
}

/// `cuLibraryGetKernelCount`.
pub(crate) fn library_kernel_count(to: Out<u32>, library: CUlibrary) -> Answer {
    driver()?;
    to.set(libraries().get(library.0)?.names.len() as u32)
}

/// `cuLibraryEnumerateKernels`.
pub(crate) fn library_kernels(to: Out<CUkernel>, count: u32, library: CUlibrary) -> Answer {
    driver()?;
    let found = libraries().get(library.0)?;
    let wanted = found.names.iter().take(count as usize);
    let all: Answer<Vec<_>> = wanted.map(|name| kernel_of(library, &found, name)).collect();
    to.fill(&all?)
}

/// `cuLibraryGetModule`.
pub(crate) fn library_module(to: Out<CUmodule>, library: CUlibrary) -> Answer {
    driver()?;
    let library = libraries().get(library.0)?;
    to.set(library.module(&current()?)?.0)
}

/// `cuLibraryGetGlobal`.
pub(crate) fn library_global(
    to: Out<u64>,
    bytes: Out<u64>,
    library: CUlibrary,
    name: Text,
) -> Answer {
    driver()?;
    let library = libraries().get(library.0)?;
    let buffer = library.module(&current()?)?.1.variable(&name.get()?)?;
    to.offer(buffer.address);
    bytes.offer(buffer.bytes);
    Ok(())
}

/// `cuLibraryGetManaged`: device memory is the host's, so a managed variable is any other.
pub(crate) fn library_managed(
    to: Out<u64>,
    bytes: Out<u64>,
    library: CUlibrary,
    name: Text,
) -> Answer {
    library_global(to, bytes, library, name)
}

/// `cuKernelGetFunction`.
pub(crate) fn kernel_function(to: Out<CUfunction>, kernel: CUkernel) -> Answer {
    driver()?;
    let kernel = kernels().get(kernel.0)?;
    to.set(kernel.handle(&current()?)?)
}

/// `cuKernelGetLibrary`.
pub(crate) fn kernel_library(to: Out<CUlibrary>, kernel: CUkernel) -> Answer {
    driver()?;
    to.set(kernels().get(kernel.0)?.library)
}

/// `cuKernelGetName`. The text lives as long as the library.
pub(crate) fn kernel_name(to: Out<Text>, kernel: CUkernel) -> Answer {
    driver()?;
    to.set(Text::new(&kernels().get(kernel.0)?.name))
}
