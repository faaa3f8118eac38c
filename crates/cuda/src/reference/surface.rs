//! `cuSurfRef*`.

use super::Variable;
use crate::abi::constants::CU_RESOURCE_TYPE_ARRAY;
use crate::abi::{Answer, CUDA_RESOURCE_DESC, CUarray, CUmodule, CUresult, CUsurfref, Out, Text};
use crate::driver::driver;
use crate::module;
use crate::registry::Registry;
use crate::texture::texels;
use std::sync::{Arc, Mutex, PoisonError};

/// A surface reference.
#[derive(Debug)]
struct Reference {
    variable: Variable,
    array: Mutex<Option<CUarray>>,
}

fn all() -> &'static Registry<Reference> {
    static ALL: Registry<Reference> = Registry::new(17);
    &ALL
}

/// Forgets a reference: its module is gone.
fn forget(handle: u64) {
    if let Ok(reference) = all().remove(handle) {
        reference.variable.end();
    }
}

/// `cuModuleGetSurfRef`.
pub(crate) fn of_module(to: Out<CUsurfref>, of: CUmodule, name: Text) -> Answer {
    driver()?;
    to.check()?;
    let loaded = module::loaded(of)?;
    let name = name.get()?;
    let is_surface = |found: &warpwise::Variable| found.is_surface();
    let handle = loaded.reference(&name, is_surface, || {
        let variable = Variable::new(&loaded, &name);
        (all().insert(Arc::new(Reference { variable, array: Mutex::new(None) })), forget)
    })?;
    to.set(CUsurfref(handle))
}

/// `cuSurfRefSetArray`.
pub(crate) fn set_array(reference: CUsurfref, array: CUarray, flags: u32) -> Answer {
    driver()?;
    let reference = all().get(reference.0)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let resource = CUDA_RESOURCE_DESC::of(CU_RESOURCE_TYPE_ARRAY, array.0);
    let texels = texels(&resource)?;
    reference.variable.bind(|device| Some(device.create_surface(texels)))?;
    *reference.array.lock().unwrap_or_else(PoisonError::into_inner) = Some(array);
    Ok(())
}

/// `cuSurfRefGetArray`.
pub(crate) fn array(to: Out<CUarray>, reference: CUsurfref) -> Answer {
    driver()?;
    let reference = all().get(reference.0)?;
    let array = *reference.array.lock().unwrap_or_else(PoisonError::into_inner);
    to.set(array.ok_or(CUresult::INVALID_VALUE)?)
}
