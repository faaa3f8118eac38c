//! A session: a device with its properties, the programs that it has loaded, and the order of its work.
//!
//! What programs share that launch many kernels: modules are parsed and kernels lowered once, code is kept with its kernel,
//! and launches are given to streams.

mod event;
pub mod order;
mod queue;
mod stream;

pub use event::Event;
pub use queue::Point;
pub use stream::Stream;

use crate::device::Device;
use crate::error::{Error, Stage};
use crate::linker::Linker;
use crate::module::{Kernel, Module};
use crate::properties::Properties;
use diag::Class;
use ptx::Linking;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use vm::CodeCache;

/// Modules that are kept; those that were loaded first go first.
const MAX_MODULES: usize = 256;

/// A device and what has been loaded on it. It can be used from several threads of the host at once.
///
/// ```
/// use std::sync::Arc;
/// use warpwise::{Arg, LaunchConfig, Properties, Session};
///
/// # let ptx = "
/// #     .version 7.0
/// #     .target sm_75
/// #     .address_size 64
/// #     .visible .entry one(.param .u64 out) {
/// #         .reg .b64 %rd<2>;
/// #         ld.param.u64 %rd1, [out];
/// #         st.global.u32 [%rd1], 1;
/// #         ret;
/// #     }";
/// let session = Session::new(Properties::of("sm_90").expect("a known device"))?;
/// let module = session.module("one.ptx", ptx)?;
/// let kernel = session.kernel(&module, "one")?;
/// let out = session.device().allocate(4)?;
/// let stream = session.stream();
/// stream.enqueue(move |device| {
///     kernel.launch(device, &LaunchConfig::new(1, 1), &[Arg::Buffer(out)]).map(|_| ())
/// });
/// stream.synchronize()?;
/// assert_eq!(session.device().download::<u32>(out)?, [1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Session {
    device: Arc<Device>,
    properties: Properties,
    cache: Option<CodeCache>,
    programs: Mutex<Programs>,
}

/// What has been loaded.
#[derive(Debug, Default)]
struct Programs {
    /// In the order in which they were loaded, each with its texts.
    modules: Vec<(Vec<String>, Arc<Module>)>,
    /// By their modules' addresses and their symbols.
    kernels: HashMap<(usize, String), Arc<Kernel>>,
}

impl Programs {
    fn module(&self, parts: &[(&str, &str)]) -> Option<Arc<Module>> {
        let texts = || parts.iter().map(|(_, text)| *text);
        let found = self.modules.iter().find(|(known, _)| known.iter().eq(texts()));
        found.map(|(_, module)| Arc::clone(module))
    }
}

/// What a module is known by, as long as it is kept.
fn key(module: &Arc<Module>) -> usize {
    Arc::as_ptr(module).addr()
}

impl Session {
    /// A session with a device of its own, with nothing in its memory. Machine code is kept in the user's cache
    /// ([`CodeCache::of_user`]).
    ///
    /// # Errors
    /// The host reserves no address range, or there is no such architecture.
    pub fn new(properties: Properties) -> Result<Session, Error> {
        Session::with_cache(properties, CodeCache::of_user())
    }

    /// The same with another cache of machine code, or none.
    ///
    /// # Errors
    /// As for [`Session::new`].
    pub fn with_cache(properties: Properties, cache: Option<CodeCache>) -> Result<Session, Error> {
        let device = Arc::new(Device::of(properties.clone())?);
        Ok(Session { device, properties, cache, programs: Mutex::default() })
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// What the device says of itself.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// A module, parsed if the same text has not been loaded before. Its kernels run as on the session's device. `name` is what
    /// diagnostics call the text.
    ///
    /// # Errors
    /// The text is not PTX, its variables make no sense, or it is written for a later architecture than the device's.
    pub fn module(&self, name: &str, text: &str) -> Result<Arc<Module>, Error> {
        self.program(&[(name, text)])
    }

    /// A program that is linked of several modules ([`Linker`]), each a name and a text, as [`Session::module`] has one of one.
    ///
    /// # Errors
    /// As for [`Session::module`], or the modules do not make a program.
    pub fn program(&self, parts: &[(&str, &str)]) -> Result<Arc<Module>, Error> {
        if let Some(module) = self.programs().module(parts) {
            return Ok(module);
        }
        // Not locked meanwhile: others may load what is there.
        let mut linker = Linker::at(Linking::WhileRunning);
        parts.iter().try_for_each(|(name, text)| linker.add_ptx(*name, *text))?;
        let mut module = linker.link()?;
        let (written, device) = (module.target(), &self.properties.target);
        let number = |target: &str| ptx::target::sm_number(target);
        if number(&written) > number(device) {
            let name = parts.first().map_or("the module", |(name, _)| name);
            let message = format!("{name} is written for {written}, and the device has {device}");
            return Err(Error::message(Stage::Module, Class::BadInput, message));
        }
        // What is written for one architecture alone stays what it is.
        if number(&written) != number(device) {
            module.retarget(device)?;
        }
        module.set_code_cache(self.cache.clone());
        let module = Arc::new(module);
        let mut programs = self.programs();
        if let Some(known) = programs.module(parts) {
            return Ok(known);
        }
        if programs.modules.len() == MAX_MODULES {
            let (_, oldest) = programs.modules.remove(0);
            programs.kernels.retain(|(of, _), _| *of != key(&oldest));
        }
        let texts = parts.iter().map(|(_, text)| (*text).to_owned()).collect();
        programs.modules.push((texts, Arc::clone(&module)));
        Ok(module)
    }

    /// A kernel of a module by its name, as [`Module::kernel`] reads it, lowered if it has not been before. Whoever has it shares
    /// the code that launches make of it.
    ///
    /// # Errors
    /// As for [`Module::kernel`].
    pub fn kernel(&self, module: &Arc<Module>, name: &str) -> Result<Arc<Kernel>, Error> {
        let symbol = module.kernel_symbol(name)?;
        let key = (key(module), symbol.to_owned());
        if let Some(kernel) = self.programs().kernels.get(&key) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = Arc::new(module.kernel(symbol)?);
        let mut programs = self.programs();
        // Only of modules that are kept: no other module can have the address of one of these.
        if !programs.modules.iter().any(|(_, known)| Arc::ptr_eq(known, module)) {
            return Ok(kernel);
        }
        Ok(Arc::clone(programs.kernels.entry(key).or_insert(kernel)))
    }

    /// A new stream.
    pub fn stream(&self) -> Stream {
        Stream::new(Arc::clone(&self.device))
    }

    fn programs(&self) -> std::sync::MutexGuard<'_, Programs> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
