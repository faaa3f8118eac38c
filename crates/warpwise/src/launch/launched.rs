//! What kernels launch (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): it is done when they have ended, in the order in which
//! they launched it. No thread can wait for it, so nobody sees that it did not begin earlier.

use super::extents::Extents;
use super::packed::Packed;
use crate::device::Device;
use crate::error::Error;
use crate::module::Kernel;
use vm::{Enqueued, Outcome};

/// Work that a kernel has launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLaunch {
    /// What is to be done.
    pub work: DeviceWork,
    /// Whether it comes behind everything else that the kernel has launched, and what that launches (`cudaStreamTailLaunch`).
    pub is_tail: bool,
    /// Where the arguments lie: a block of the kernels' heap.
    arguments: u64,
}

/// What a kernel can launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceWork {
    /// A kernel of the same program.
    Kernel {
        /// Its name in the module.
        name: String,
        /// The grid's extents in CTAs.
        grid: Extents,
        /// The CTA's extents in threads.
        block: Extents,
        /// Bytes of dynamic shared memory of a CTA.
        dynamic_shared: u32,
    },
    /// A copy within the device.
    Copy {
        /// The first address that is read.
        from: u64,
        /// The first address that is written.
        to: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// A fill.
    Fill {
        /// The first address.
        to: u64,
        /// What every byte becomes.
        value: u8,
        /// How many bytes.
        bytes: u64,
    },
    /// What is no kernel of the program, by its address.
    Unknown(u64),
}

/// Copies and fills, where kernels have their addresses, which are larger: as `device_launches.ptx` says.
const COPY: u64 = 1;
const FILL: u64 = 2;

/// Bytes before the arguments in their block, and the handle of the stream whose work comes last: the same.
const HEAD: u64 = 64;
const TAIL: u64 = 3;

impl DeviceLaunch {
    /// What a launch of a kernel has left to be done.
    pub(crate) fn of(kernel: &Kernel, device: &Device, outcome: &Outcome) -> Vec<DeviceLaunch> {
        outcome.launched.all().map(|enqueued| DeviceLaunch::one(kernel, device, enqueued)).collect()
    }

    fn one(kernel: &Kernel, device: &Device, enqueued: &Enqueued) -> DeviceLaunch {
        let Enqueued { kernel: address, arguments, stream, grid, block, dynamic_shared } =
            *enqueued;
        let number = |nth: u64| {
            let mut bytes = [0; 8];
            // Memory that is not there holds nothing.
            let _ = device.memory.read(arguments + 8 * nth, &mut bytes);
            u64::from_le_bytes(bytes)
        };
        let work = match (address, kernel.image.function_at(address)) {
            (COPY, _) => DeviceWork::Copy { to: number(0), from: number(1), bytes: number(2) },
            (FILL, _) => {
                DeviceWork::Fill { to: number(0), value: number(1) as u8, bytes: number(2) }
            }
            (_, Some(name)) => {
                let (name, grid, block) = (name.to_owned(), Extents(grid), Extents(block));
                DeviceWork::Kernel { name, grid, block, dynamic_shared }
            }
            (address, None) => DeviceWork::Unknown(address),
        };
        DeviceLaunch { work, is_tail: stream == TAIL, arguments }
    }

    /// The arguments of the kernel that is launched.
    ///
    /// # Errors
    /// They are not there.
    pub fn arguments(&self, kernel: &Kernel, device: &Device) -> Result<Packed, Error> {
        let mut failed = None;
        let packed = kernel.arguments(|_, param, place| {
            let from = self.arguments + u64::from(param.block_offset);
            failed = device.memory.read(from, place).err().or(failed.take());
        });
        match failed {
            Some(why) => Err(why.into()),
            None => Ok(packed),
        }
    }

    /// Where its arguments lie, as the CUDA ABI lays them out.
    pub fn block_address(&self) -> u64 {
        self.arguments
    }

    /// Gives the memory of the arguments back: they have been read.
    pub fn release(&self, device: &Device) {
        // The program may have freed it, too, and is told of that.
        let _ = device.memory.free_block(self.arguments - HEAD);
    }
}

/// Work in the order in which it is done: what comes last behind the rest.
pub fn in_order(launched: &[DeviceLaunch]) -> impl Iterator<Item = &DeviceLaunch> {
    let (first, last) = (launched.iter(), launched.iter());
    first.filter(|launch| !launch.is_tail).chain(last.filter(|launch| launch.is_tail))
}
