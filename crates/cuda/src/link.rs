//! `cuLink*`: programs that are linked when they run. The result is an image that the driver loads: the PTX of all parts.

use crate::abi::constants::{
    CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_LIBRARY, CU_JIT_INPUT_OBJECT,
    CU_JIT_INPUT_PTX,
};
use crate::abi::{Address, Answer, CUjit_option, CUjitInputType, CUlinkState, CUresult, Out, Text};
use crate::context::{Context, current};
use crate::driver::driver;
use crate::module::Options;
use crate::program::{Image, Refused};
use crate::registry::Registry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpwise::{Module, diag};

/// What files of CUDA's device runtime library are called.
const DEVICE_RUNTIME: &str = "cudadevrt";

/// Whether a file is that library: what programs need of it is linked with every module that declares it.
fn is_device_runtime(path: &str) -> bool {
    path.contains(DEVICE_RUNTIME)
}

/// A linker.
#[derive(Debug)]
struct Linking {
    context: Arc<Context>,
    state: Mutex<State>,
    /// Where the program that has made it wants to be told what is wrong.
    options: [u64; 3],
}

#[derive(Debug, Default)]
struct State {
    texts: Vec<String>,
    /// The result, with a NUL behind it. It stays where it is.
    done: Option<Arc<[u8]>>,
}

fn linkers() -> &'static Registry<Linking> {
    static ALL: Registry<Linking> = Registry::new(12);
    &ALL
}

/// Forgets a linker: its context is gone.
fn forget(handle: u64) {
    let _ = linkers().remove(handle);
}

fn get(handle: CUlinkState) -> Answer<Arc<Linking>> {
    driver()?;
    let linking = linkers().get(handle.0)?;
    linking.context.check().map(|()| linking)
}

impl Linking {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn options(&self) -> Options {
        let [count, names, values] = self.options;
        Options::new(count as u32, Address(names).to(), Address(values).into())
    }

    /// Says why something cannot be linked, where it is wanted.
    fn refuse(&self, refused: Refused) -> CUresult {
        match self.options().error(&refused.words) {
            true => refused.result,
            false => refused.said(),
        }
    }

    fn add(&self, image: Result<Image, Refused>) -> Answer {
        let texts = image.and_then(|image| image.texts(&self.context.gpu));
        let texts = texts.map_err(|refused| self.refuse(refused))?;
        let mut state = self.state();
        if state.done.is_some() {
            return Err(CUresult::INVALID_VALUE);
        }
        state.texts.extend(texts);
        Ok(())
    }
}

/// `cuLinkCreate_v2`. The options' buffers are there until the linker is destroyed.
pub(crate) fn create(
    count: u32,
    names: Out<CUjit_option>,
    values: Out<Address>,
    to: Out<CUlinkState>,
) -> Answer {
    let context = current()?;
    to.check()?;
    Options::new(count, names.as_in(), values).check()?;
    let options = [count.into(), names.address().0, values.address().0];
    let linking = Linking { context: Arc::clone(&context), state: Mutex::default(), options };
    let handle = linkers().insert(Arc::new(linking));
    context.owns(handle, forget);
    to.set(CUlinkState(handle))
}

/// Whether an input may have PTX in it.
fn is_known(kind: CUjitInputType) -> Answer {
    match kind {
        CU_JIT_INPUT_PTX
        | CU_JIT_INPUT_FATBINARY
        | CU_JIT_INPUT_CUBIN
        | CU_JIT_INPUT_OBJECT
        | CU_JIT_INPUT_LIBRARY => Ok(()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuLinkAddData_v2`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn add_data(
    handle: CUlinkState,
    kind: CUjitInputType,
    data: Address,
    bytes: u64,
    name: Text,
    _count: u32,
    _names: Out<CUjit_option>,
    _values: Out<Address>,
) -> Answer {
    let linking = get(handle)?;
    is_known(kind)?;
    let bytes = usize::try_from(bytes).map_err(|_| CUresult::INVALID_VALUE)?;
    let is_library = !name.is_null() && is_device_runtime(&name.get()?);
    if kind == CU_JIT_INPUT_LIBRARY && is_library {
        return Ok(());
    }
    linking.add(Image::of_bytes(data.to::<u8>().bytes(bytes)?))
}

/// `cuLinkAddFile_v2`.
pub(crate) fn add_file(
    handle: CUlinkState,
    kind: CUjitInputType,
    path: Text,
    _count: u32,
    _names: Out<CUjit_option>,
    _values: Out<Address>,
) -> Answer {
    let linking = get(handle)?;
    is_known(kind)?;
    let path = path.get()?;
    if kind == CU_JIT_INPUT_LIBRARY && is_device_runtime(&path) {
        return std::fs::metadata(&path).map(drop).map_err(|_| CUresult::FILE_NOT_FOUND);
    }
    let bytes = std::fs::read(path).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    linking.add(Image::of_bytes(bytes))
}

/// What there is to say of a program that is linked.
fn remarks(module: &Module) -> String {
    let show = |warning| diag::render::text(module.sources(), warning, false);
    module.warnings().iter().map(show).collect()
}

/// `cuLinkComplete`.
pub(crate) fn complete(handle: CUlinkState, to: Out<Address>, bytes: Out<u64>) -> Answer {
    let linking = get(handle)?;
    to.check()?;
    let mut state = linking.state();
    let done = match &state.done {
        Some(done) => Arc::clone(done),
        None => {
            if state.texts.is_empty() {
                return Err(CUresult::INVALID_VALUE);
            }
            let most = linking.options().max_registers();
            let image = Image::of_texts(state.texts.clone()).limited(most);
            // Whatever is wrong with it is said here, and not when it is loaded.
            let module =
                image.module(&linking.context.gpu).map_err(|refused| linking.refuse(refused))?;
            linking.options().done(&remarks(&module));
            let mut text = image.linked().into_bytes();
            text.push(0);
            text.into()
        }
    };
    to.set(Address(done.as_ptr().expose_provenance() as u64))?;
    bytes.offer(done.len() as u64);
    state.done = Some(done);
    Ok(())
}

/// `cuLinkDestroy`.
pub(crate) fn destroy(handle: CUlinkState) -> Answer {
    driver()?;
    let linking = linkers().remove(handle.0)?;
    linking.context.disowns(handle.0);
    Ok(())
}
