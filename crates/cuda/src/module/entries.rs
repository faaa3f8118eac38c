//! `cuModule*`.

use super::log::Options;
use super::object::{forget, get, load};
use crate::abi::{Address, Answer, CUfunction, CUjit_option, CUmodule, CUresult, Out, Text};
use crate::context::{Context, current};
use crate::driver::driver;
use crate::program::{Image, Refused};
use std::sync::Arc;

/// Loads an image; what is wrong goes where the options say, or to people.
fn loaded(
    to: Out<CUmodule>,
    options: Options,
    image: impl FnOnce() -> Result<Image, Refused>,
) -> Answer {
    let context = current()?;
    to.check()?;
    options.check()?;
    context.flush();
    let image = image().map(|image| image.limited(options.max_registers()));
    let made = image.and_then(|image| load(&context, &image, Arc::default()));
    match made {
        Ok(module) => {
            options.nothing();
            to.set(module)
        }
        Err(refused) if options.error(&refused.words) => Err(refused.result),
        Err(refused) => Err(refused.said()),
    }
}

/// `cuModuleLoad`.
pub(crate) fn load_file(to: Out<CUmodule>, path: Text) -> Answer {
    let path = path.get()?;
    loaded(to, Options::none(), || Image::of_file(&path))
}

/// `cuModuleLoadData`, `cuModuleLoadFatBinary`.
pub(crate) fn load_data(to: Out<CUmodule>, image: Address) -> Answer {
    load_data_with(to, image, 0, Out::null(), Out::null())
}

/// `cuModuleLoadDataEx`.
pub(crate) fn load_data_with(
    to: Out<CUmodule>,
    image: Address,
    count: u32,
    options: Out<CUjit_option>,
    values: Out<Address>,
) -> Answer {
    if image.is_null() {
        driver()?;
        return Err(CUresult::INVALID_VALUE);
    }
    loaded(to, Options::new(count, options.as_in(), values), || Image::read(image))
}

/// Unloads a module when its work is done.
fn unload_in(context: &Context, module: CUmodule) {
    context.wait();
    context.disowns(module.0);
    forget(module.0);
}

/// `cuModuleUnload`.
pub(crate) fn unload(module: CUmodule) -> Answer {
    driver()?;
    let loaded = get(module)?;
    let context = Arc::clone(&loaded.context);
    drop(loaded);
    unload_in(&context, module);
    Ok(())
}

/// `cuModuleGetFunction`.
pub(crate) fn function(to: Out<CUfunction>, module: CUmodule, name: Text) -> Answer {
    driver()?;
    to.check()?;
    let name = name.get()?;
    if name.is_empty() {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(get(module)?.function(&name)?)
}

/// `cuModuleGetFunctionCount`.
pub(crate) fn function_count(to: Out<u32>, module: CUmodule) -> Answer {
    driver()?;
    to.set(get(module)?.kernels().len() as u32)
}

/// `cuModuleEnumerateFunctions`.
pub(crate) fn functions(to: Out<CUfunction>, count: u32, module: CUmodule) -> Answer {
    driver()?;
    let module = get(module)?;
    let names = module.kernels();
    let wanted = names.iter().take(count as usize);
    let all: Answer<Vec<_>> = wanted.map(|name| module.function(name)).collect();
    to.fill(&all?)
}

/// `cuModuleGetGlobal_v2`.
pub(crate) fn global(to: Out<u64>, bytes: Out<u64>, module: CUmodule, name: Text) -> Answer {
    driver()?;
    let buffer = get(module)?.variable(&name.get()?)?;
    if to.is_null() && bytes.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    to.offer(buffer.address);
    bytes.offer(buffer.bytes);
    Ok(())
}

/// `cuModuleGetLoadingMode`: what is loaded is there at once, and kernels are made when they are asked for.
pub(crate) fn loading_mode(to: Out<u32>) -> Answer {
    driver()?;
    to.set(crate::abi::constants::CU_MODULE_LAZY_LOADING)
}
