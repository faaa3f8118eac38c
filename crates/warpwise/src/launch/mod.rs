//! One launch: its extents, what the kernel is given, and what stops it.

mod arg;
mod block;
mod extents;
mod fault;
mod follow;
mod launched;
mod limits;
mod packed;
mod packing;
mod run;
mod signature;
mod uses;

pub use arg::Arg;
pub use extents::Extents;
pub use launched::{DeviceLaunch, DeviceWork, in_order};
pub use packed::Packed;
pub use run::{LaunchConfig, Report};

pub(crate) use fault::{count_bytes, headline};
pub(crate) use packing::{Misfit, Place, bytes_of, shown};
pub(crate) use run::refusal;
pub(crate) use signature::parameters;
pub(crate) use uses::{Tracked, of as uses_of};
