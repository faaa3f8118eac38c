//! Work that kernels have launched is done.

use super::launched::{DeviceLaunch, DeviceWork, in_order};
use super::run::{LaunchConfig, Report};
use crate::device::Device;
use crate::error::{Error, Stage};
use crate::module::Kernel;
use diag::Class;
use std::collections::HashMap;

impl Kernel {
    /// Does what the kernel has launched, and what that launches, and adds it to the report.
    pub(super) fn follow(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        report: &mut Report,
    ) -> Result<(), Error> {
        let launched = std::mem::take(&mut report.launched);
        self.follow_all(device, config, &launched, report, &mut HashMap::new())
    }

    fn follow_all(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        launched: &[DeviceLaunch],
        report: &mut Report,
        known: &mut HashMap<String, Kernel>,
    ) -> Result<(), Error> {
        let refuse = |message: String| Error::message(Stage::Launch, Class::BadInput, message);
        for launch in in_order(launched) {
            match &launch.work {
                DeviceWork::Kernel { name, grid, block, dynamic_shared } => {
                    let kernel = match (known.get(name), &self.program) {
                        (Some(kernel), _) => kernel.clone(),
                        (None, None) => {
                            return Err(refuse(format!("`{name}` has no program to be found in")));
                        }
                        (None, Some(program)) => {
                            let kernel = program.kernel(name)?;
                            known.insert(name.clone(), kernel.clone());
                            kernel
                        }
                    };
                    let config = LaunchConfig {
                        grid: *grid,
                        block: *block,
                        dynamic_shared: *dynamic_shared,
                        cluster: None,
                        cooperative: false,
                        depth: config.depth + 1,
                        ..config.clone()
                    };
                    let packed = launch.arguments(&kernel, device)?;
                    let below = kernel.launch_packed(device, &config, &packed)?;
                    launch.release(device);
                    report.add(&below);
                    self.follow_all(device, &config, &below.launched, report, known)?;
                }
                DeviceWork::Copy { from, to, bytes } => {
                    device.copy_within(*from, *to, *bytes)?;
                    launch.release(device);
                }
                DeviceWork::Fill { to, value, bytes } => {
                    device.fill_bytes(*to, *value, *bytes)?;
                    launch.release(device);
                }
                DeviceWork::Unknown(address) => {
                    return Err(refuse(format!(
                        "a kernel launches {address:#x}, which is no kernel"
                    )));
                }
            }
        }
        Ok(())
    }
}
