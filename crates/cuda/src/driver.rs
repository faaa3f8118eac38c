//! The driver of a process: its settings and its devices.

use crate::abi::{Answer, CUdevice, CUresult};
use crate::gpu::Gpu;
use crate::say;
use crate::settings::Settings;
use std::sync::{Arc, OnceLock};

/// What `cuInit` makes.
#[derive(Debug)]
pub(crate) struct Driver {
    /// The process that it was made in. What a process forked has its memory and none of its threads, and so no driver.
    process: u32,
    pub(crate) settings: Settings,
    pub(crate) gpus: Vec<Arc<Gpu>>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// The version of CUDA that the driver is of: that of the headers whose functions it has.
pub(crate) const VERSION: i32 = 13050;

/// The driver.
///
/// # Errors
/// Nobody has called `cuInit`, or it was a process that has forked this one.
pub(crate) fn driver() -> Answer<&'static Driver> {
    DRIVER.get().filter(|driver| driver.is_ours()).ok_or(CUresult::NOT_INITIALIZED)
}

impl Driver {
    fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }
}

/// A device by its number.
pub(crate) fn gpu(device: CUdevice) -> Answer<&'static Arc<Gpu>> {
    let nth = usize::try_from(device).map_err(|_| CUresult::INVALID_DEVICE);
    let driver = driver()?;
    driver.gpus.get(nth?).ok_or(CUresult::INVALID_DEVICE)
}

/// The driver begins, if it has not yet.
pub(crate) fn begin(flags: u32) -> Answer {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = DRIVER.get_or_init(|| {
        let (settings, wrong) = Settings::read();
        wrong.iter().for_each(|why| say::once(why));
        let count = settings.properties.as_ref().map_or(0, |_| settings.devices);
        let gpu = |nth: usize| {
            let properties = settings.properties.clone()?;
            Some(Arc::new(Gpu::new(nth as CUdevice, properties, settings.check)))
        };
        Driver { process: std::process::id(), gpus: (0..count).filter_map(gpu).collect(), settings }
    });
    if !driver.is_ours() {
        return Err(CUresult::NOT_INITIALIZED);
    }
    if driver.gpus.is_empty() { Err(CUresult::NO_DEVICE) } else { Ok(()) }
}

/// `cuDriverGetVersion`.
pub(crate) fn version(version: crate::abi::Out<i32>) -> Answer {
    version.set(VERSION)
}
