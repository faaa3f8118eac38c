//! Whose the bytes of device memory are.

use crate::argument::Arg;
use crate::device::Buffer;
use crate::module::Kernel;

/// What holds a byte of device memory.
pub(crate) enum Owner<'a> {
    /// The buffer of a parameter, by its index.
    Parameter(usize, Buffer),
    /// A variable of the module, by its name.
    Variable(&'a str),
}

impl Kernel {
    /// What holds the byte at a device address, and the byte's number in it. `image_base` is where the module's variables lie.
    pub(crate) fn owner(
        &self,
        address: u64,
        args: &[Arg],
        image_base: u64,
    ) -> Option<(Owner<'_>, u64)> {
        let of_buffer = args.iter().enumerate().find_map(|(nth, arg)| match arg {
            Arg::Buffer(buffer) => {
                let inside = address.checked_sub(buffer.address)?;
                // A buffer of no bytes is where it begins.
                (inside < buffer.bytes.max(1)).then_some((Owner::Parameter(nth, *buffer), inside))
            }
            Arg::Scalar(_) | Arg::Bytes(_) => None,
        });
        let of_variable = || {
            let (name, inside) = self.image.variable_at(address.checked_sub(image_base)?)?;
            Some((Owner::Variable(name), inside))
        };
        of_buffer.or_else(of_variable)
    }
}
