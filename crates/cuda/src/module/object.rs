//! A module in a context.

use crate::abi::{Answer, CUfunction, CUmodule, CUresult};
use crate::context::Context;
use crate::fault;
use crate::function::{self, Function, Settable, functions};
use crate::program::{Image, Refused};
use crate::registry::Registry;
use crate::say;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use warpwise::{Buffer, Module, Variable};

/// A module in a context, with variables of its own.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) context: Arc<Context>,
    /// What modules of the same text share.
    module: Arc<Module>,
    instance: Module,
    handle: CUmodule,
    functions: Mutex<HashMap<String, CUfunction>>,
    /// Handles of its texture and surface references by their names, and how each is forgotten.
    references: Mutex<HashMap<String, (u64, Forget)>>,
    settables: Arc<Settables>,
}

/// Forgets the object of a handle.
type Forget = fn(u64);

/// What programs have set of kernels, by their names. The modules of a library share it.
#[derive(Debug, Default)]
pub(crate) struct Settables {
    of_kernels: Mutex<HashMap<String, Arc<Settable>>>,
    /// The most registers of a thread; 0 is no limit.
    max_registers: AtomicU32,
}

impl Settables {
    /// What is set of a kernel.
    pub(crate) fn of(&self, name: &str) -> Arc<Settable> {
        let mut all = self.of_kernels.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(name.to_owned()).or_default())
    }

    /// The most registers of a thread of any kernel.
    fn max_registers(&self) -> Option<u32> {
        Some(self.max_registers.load(Ordering::Relaxed)).filter(|most| *most > 0)
    }
}

/// Handles of modules.
pub(crate) fn modules() -> &'static Registry<Loaded> {
    static ALL: Registry<Loaded> = Registry::new(3);
    &ALL
}

/// Loads an image in a context.
///
/// # Errors
/// There is no module in it for the device.
pub(crate) fn load(
    context: &Arc<Context>,
    image: &Image,
    settables: Arc<Settables>,
) -> Result<CUmodule, Refused> {
    let module = image.module(&context.gpu)?;
    if let Some(most) = image.max_registers() {
        settables.max_registers.store(most, Ordering::Relaxed);
    }
    let instance = module.instance();
    let device = context
        .device()
        .map_err(|result| Refused { result, words: "the device has no memory".to_owned() })?;
    device.load(&instance)?;
    let handle = modules().insert_with(|handle| {
        let (context, handle) = (Arc::clone(context), CUmodule(handle));
        let (functions, references) = (Mutex::default(), Mutex::default());
        Arc::new(Loaded { context, module, instance, handle, functions, references, settables })
    });
    context.owns(handle, forget);
    Ok(CUmodule(handle))
}

/// The module of a handle.
pub(crate) fn get(handle: CUmodule) -> Answer<Arc<Loaded>> {
    let module = modules().get(handle.0)?;
    module.context.check().map(|()| module)
}

/// Forgets a module: its context is gone, or it is unloaded.
pub(crate) fn forget(handle: u64) {
    let Ok(module) = modules().remove(handle) else { return };
    let known = module.functions.lock().unwrap_or_else(PoisonError::into_inner);
    for function in known.values() {
        let _ = functions().remove(function.0);
    }
    let references = module.references.lock().unwrap_or_else(PoisonError::into_inner);
    for (reference, forget) in references.values() {
        forget(*reference);
    }
    if let Ok(device) = module.context.device() {
        let _ = device.unload(&module.instance);
    }
}

impl Loaded {
    /// The names of its kernels.
    pub(crate) fn kernels(&self) -> Vec<String> {
        self.module.kernels().map(str::to_owned).collect()
    }

    /// The function of a kernel, by its exact name.
    ///
    /// # Errors
    /// There is none of the name, or something in it cannot be done.
    pub(crate) fn function(&self, name: &str) -> Answer<CUfunction> {
        let mut known = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = known.get(name) {
            return Ok(*function);
        }
        if !self.module.kernels().any(|kernel| kernel == name) {
            return Err(CUresult::NOT_FOUND);
        }
        let kernel = self.context.gpu.session()?.kernel(&self.module, name).map_err(|error| {
            say::once(&error.to_string());
            fault::of_module(&error)
        })?;
        let kernel = kernel.of_instance(&self.instance);
        let (context, settable) = (Arc::clone(&self.context), self.settables.of(name));
        let most = self.settables.max_registers();
        let function = Function::new(kernel, context, self.handle, (settable, most));
        let function = function::insert(function);
        known.insert(name.to_owned(), function);
        Ok(function)
    }

    /// The module, with variables of its own.
    pub(crate) fn instance(&self) -> &Module {
        &self.instance
    }

    /// The handle of the reference that a variable is, made if nobody has asked before.
    ///
    /// # Errors
    /// There is no such variable of the name.
    pub(crate) fn reference(
        &self,
        name: &str,
        is: impl Fn(&Variable) -> bool,
        make: impl FnOnce() -> (u64, Forget),
    ) -> Answer<u64> {
        if !self.module.variables().any(|variable| variable.name() == name && is(&variable)) {
            return Err(CUresult::NOT_FOUND);
        }
        let mut known = self.references.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(known.entry(name.to_owned()).or_insert_with(make).0)
    }

    /// Where a variable stands, by its exact name.
    ///
    /// # Errors
    /// There is none of the name, or it is a reference.
    pub(crate) fn variable(&self, name: &str) -> Answer<Buffer> {
        let is_memory = |variable: &Variable| !variable.is_texture() && !variable.is_surface();
        let mut variables = self.module.variables();
        if !variables.any(|variable| variable.name() == name && is_memory(&variable)) {
            return Err(CUresult::NOT_FOUND);
        }
        let device = self.context.device()?;
        let found = device.variable(&self.instance, name).map_err(|_| CUresult::OUT_OF_MEMORY)?;
        found.ok_or(CUresult::NOT_FOUND)
    }
}
