//! What a device can run, by its properties.

use super::run::LaunchConfig;
use crate::device::Device;
use crate::error::Error;
use crate::module::Kernel;
use crate::properties::Properties;
use diag::{Class, Diagnostic, Severity};

/// The first architecture with clusters.
const CLUSTERS_SINCE: u32 = 90;

impl Kernel {
    /// Whether the device, if it is one that exists, can run a launch.
    ///
    /// # Errors
    /// A limit of the device is exceeded; the message says which.
    pub(crate) fn fits(&self, device: &Device, config: &LaunchConfig<'_>) -> Result<(), Error> {
        let Some(properties) = device.properties() else { return Ok(()) };
        match self.exceeds(properties, config) {
            None => Ok(()),
            Some((class, why)) => {
                let Properties { name, target, .. } = properties;
                let message = format!("{why}; the device is {name} ({target})");
                Err(self.refuse(Diagnostic::new(Severity::Error, class, message)))
            }
        }
    }

    /// The first limit that a launch exceeds. Extents of grids and CTAs, threads and local memory have the same limits on all
    /// devices, which the VM knows (CUDA C++ Programming Guide, "Compute Capabilities").
    fn exceeds(
        &self,
        properties: &Properties,
        config: &LaunchConfig<'_>,
    ) -> Option<(Class, String)> {
        let kernel = &self.lowered.kernel;
        let sm = ptx::sm_number(&properties.target)?;
        if self.target.sm > sm {
            return Some((
                Class::BadInput,
                format!("the kernel is written for {}", self.target.name()),
            ));
        }
        let dynamic = u64::from(config.dynamic_shared);
        let fixed = self.lowered.static_shared;
        let all = fixed.saturating_add(dynamic);
        let limit = u64::from(properties.shared_bytes);
        if all > limit {
            let why = format!(
                "a CTA with {all} bytes of shared memory ({fixed} static and {dynamic} dynamic) is too large: the limit is {limit}"
            );
            return Some((Class::Limit, why));
        }
        let ctas = config.cluster.map(|cluster| cluster.0).or(kernel.cluster.required);
        if ctas.is_some_and(|ctas| ctas != [1; 3]) && sm < CLUSTERS_SINCE {
            let why = format!("clusters of several CTAs need sm_{CLUSTERS_SINCE} or later");
            return Some((Class::BadInput, why));
        }
        None
    }
}
