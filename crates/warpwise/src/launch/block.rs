//! Arguments as drivers have them: one block in the layout of the ABI, or the bytes of each.

use super::arg::Arg;
use super::run::{LaunchConfig, Report};
use crate::device::Device;
use crate::error::Error;
use crate::module::Kernel;
use diag::{Class, Diagnostic, Severity};

impl Kernel {
    /// Bytes of the block of arguments of [`Kernel::launch_with_params`]: where the last parameter ends.
    pub fn param_block_bytes(&self) -> u32 {
        self.params().last().map_or(0, |param| param.block_offset.saturating_add(param.bytes))
    }

    /// Runs the kernel to its end with a block of arguments, laid out as the CUDA ABI has it: parameter after parameter at the
    /// next multiple of its alignment ([`ptx::Param::block_offset`], [`ptx::Param::align`]). That is what `cuLaunchKernel` takes as
    /// `CU_LAUNCH_PARAM_BUFFER_POINTER`, and what a structure of the parameters looks like in C. What a C compiler adds at its
    /// end, up to its alignment, is ignored.
    ///
    /// # Errors
    /// The block has another size; or as for [`Kernel::launch`].
    pub fn launch_with_params(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        block: &[u8],
    ) -> Result<Report, Error> {
        let bytes = self.param_block_bytes() as usize;
        let align = self.params().iter().map(|param| param.align.max(1)).max().unwrap_or(1);
        let padded = bytes.next_multiple_of(align as usize);
        if block.len() < bytes || block.len() > padded {
            let message = format!(
                "kernel `{}` takes a block of {bytes} bytes of arguments, {} were given",
                self.plain_name(),
                block.len()
            );
            let error = Diagnostic::new(Severity::Error, Class::BadInput, message);
            return Err(self.refuse(error.note(self.signature())));
        }
        let value = |param: &ptx::Param| {
            let start = param.block_offset as usize;
            Arg::Bytes(block.get(start..start + param.bytes as usize).unwrap_or_default().to_vec())
        };
        self.launch(device, config, &self.params().iter().map(value).collect::<Vec<_>>())
    }

    /// Runs the kernel to its end with the bytes of each argument, as `cuLaunchKernel` takes them by pointers in
    /// `kernelParams`: each as many as the parameter has.
    ///
    /// # Errors
    /// The number of arguments, or the size of one, is another; or as for [`Kernel::launch`].
    pub fn launch_with_bytes(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        args: &[&[u8]],
    ) -> Result<Report, Error> {
        let args: Vec<Arg> = args.iter().map(|bytes| Arg::Bytes(bytes.to_vec())).collect();
        self.launch(device, config, &args)
    }
}
