//! Texture and surface references: variables of a module that stand for texels, which the program binds to them by the driver's
//! functions. Modules of PTX have them still; compilers make textures and surfaces by handle.

mod surface;
mod texture;

pub(crate) use surface::{array as surface_array, of_module as surface, set_array as set_surface};
pub(crate) use texture::*;

use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::module::Loaded;
use std::sync::{Arc, Mutex, PoisonError};
use warpwise::{Device, Error, Module};

/// The variable of a module that a reference is.
#[derive(Debug)]
struct Variable {
    context: Arc<Context>,
    module: Module,
    name: String,
    /// The handle that it holds; 0 leads to nothing.
    held: Mutex<u64>,
}

impl Variable {
    fn new(loaded: &Loaded, name: &str) -> Variable {
        let (context, module) = (Arc::clone(&loaded.context), loaded.instance().clone());
        Variable { context, module, name: name.to_owned(), held: Mutex::new(0) }
    }

    /// Binds it to another texture or surface, or to nothing: kernels that run see the one before.
    fn bind(&self, make: impl FnOnce(&Device) -> Option<Result<u64, Error>>) -> Answer {
        self.context.check()?;
        self.context.wait();
        let device = self.context.device()?;
        let handle = match make(device) {
            Some(made) => made.map_err(|_| CUresult::INVALID_VALUE)?,
            None => 0,
        };
        let set = device.set_variable(&self.module, &self.name, &handle.into());
        set.map_err(|_| CUresult::NOT_FOUND)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *held, handle);
        if before != 0 {
            let _ = device.destroy_texture(before);
        }
        Ok(())
    }

    /// The module is unloaded, or its context is gone.
    fn end(&self) {
        let held = *self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(device) = self.context.device()
            && held != 0
        {
            let _ = device.destroy_texture(held);
        }
    }
}
