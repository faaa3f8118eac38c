//! Arguments as the kernel reads them, for hosts that launch often.

use super::arg::Arg;
use super::packing::{ADDRESS_BYTES, Place, is_float};
use crate::device::{Buffer, Device};
use crate::module::Kernel;
use ptx::Param;

/// The arguments of a launch as the kernel reads them ([`Kernel::arguments`]).
#[derive(Clone, Debug)]
pub struct Packed {
    pub(super) space: Vec<u8>,
}

impl Kernel {
    /// The arguments of a launch, of which each parameter's bytes are filled in. Nothing is checked but that they are there:
    /// for hosts that launch often.
    pub fn arguments(&self, mut fill: impl FnMut(usize, &Param, &mut [u8])) -> Packed {
        let mut space = vec![0; self.lowered.kernel.param_bytes as usize];
        for (nth, param) in self.params().iter().enumerate() {
            let start = param.offset as usize;
            if let Some(place) = space.get_mut(start..start + param.bytes as usize) {
                fill(nth, param, place);
            }
        }
        Packed { space }
    }

    /// Arguments as reports name them: what begins where a buffer of the device does is that buffer.
    pub fn named(&self, device: &Device, packed: &Packed) -> Vec<Arg> {
        let named = |param: &Param| {
            let start = param.offset as usize;
            let bytes = packed.space.get(start..start + param.bytes as usize).unwrap_or_default();
            let address = <[u8; ADDRESS_BYTES as usize]>::try_from(bytes).map(u64::from_le_bytes);
            let begins = address.ok().filter(|_| !is_float(&Place::of(param)));
            let region = begins.and_then(|address| device.memory.region(address));
            match region.filter(|region| Some(region.start) == begins) {
                Some(region) => Arg::Buffer(Buffer {
                    address: region.start,
                    bytes: region.end - region.start,
                    element: None,
                }),
                None => Arg::Bytes(bytes.to_vec()),
            }
        };
        self.params().iter().map(named).collect()
    }
}
