//! Runs PTX kernels on the CPU.
//!
//! A [`Module`] is parsed PTX, a [`Device`] is the memory that its kernels work on, and a [`Kernel`] is
//! launched on a device with arguments in the order of its parameters:
//!
//! ```
//! use warpwise::{Arg, Device, LaunchConfig, Module};
//!
//! let ptx = "
//!     .version 7.0
//!     .target sm_75
//!     .address_size 64
//!     .visible .entry lane_ids(.param .u64 out) {
//!         .reg .b32 %r<2>;
//!         .reg .b64 %rd<4>;
//!         ld.param.u64 %rd1, [out];
//!         mov.u32 %r1, %tid.x;
//!         mul.wide.u32 %rd2, %r1, 4;
//!         add.s64 %rd3, %rd1, %rd2;
//!         st.global.u32 [%rd3], %r1;
//!         ret;
//!     }";
//! let module = Module::from_ptx("lane_ids.ptx", ptx)?;
//! let kernel = module.kernel("lane_ids")?;
//! let device = Device::new()?;
//! let out = device.allocate(32 * 4)?;
//! kernel.launch(&device, &LaunchConfig::new(1, 32), &[Arg::Buffer(out)])?;
//! assert_eq!(device.download::<u32>(out)?, (0..32).collect::<Vec<_>>());
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! [`Kernel::check`] runs it and hands out what is wrong as [`Finding`]s, [`Kernel::observe`] shows every step to an
//! observer. This one prints what shuffles give to each lane:
//!
//! ```
//! use warpwise::ir::{Collective, Op};
//! use warpwise::observe::{Firing, Observer, View};
//! use warpwise::{Arg, Device, Kernel, LaunchConfig, Module};
//!
//! struct Shuffles<'k>(&'k Kernel);
//!
//! impl Observer for Shuffles<'_> {
//!     const EFFECTS: bool = true;
//!
//!     fn after_fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
//!         for part in firing.parts {
//!             let Op::Collective { what: Collective::Shfl { d, .. }, .. } = part.inst.op else { continue };
//!             let (name, values) = (self.0.register_name(d), view.w32(d.into(), firing.warp));
//!             for lane in part.lanes {
//!                 println!("{}: {} in lane {lane}", name.unwrap_or("?"), values[lane as usize]);
//!             }
//!         }
//!     }
//! }
//!
//! # let ptx = "
//! #     .version 7.0
//! #     .target sm_75
//! #     .address_size 64
//! #     .visible .entry rotate(.param .u64 out) {
//! #         .reg .b32 %r<4>;
//! #         mov.u32 %r1, %laneid;
//! #         add.u32 %r2, %r1, 1;
//! #         shfl.sync.idx.b32 %r3, %r1, %r2, 31, -1;
//! #         ret;
//! #     }";
//! let kernel = Module::from_ptx("rotate.ptx", ptx)?.kernel("rotate")?;
//! let device = Device::new()?;
//! let out = device.allocate(32 * 4)?;
//! kernel.observe(&device, &LaunchConfig::new(1, 32), &[Arg::Buffer(out)], &mut Shuffles(&kernel))?;
//! # Ok::<(), warpwise::Error>(())
//! ```

mod attributes;
mod check;
mod compare;
mod demangle;
mod device;
pub mod device_runtime;
mod element;
mod error;
pub mod explain;
mod files;
mod finding;
mod info;
mod launch;
mod linker;
pub mod machine;
mod module;
mod names;
pub mod observe;
mod owner;
mod properties;
mod ptx_files;
mod saved;
mod session;
mod source;
mod texture_objects;
mod variable;

pub use attributes::Attributes;
pub use check::{Among, Checked, Coverage, Exploration};
pub use compare::{Comparison, Difference, Tolerance, compare};
pub use demangle::{demangled, is_called, plain_name};
pub use device::{Buffer, Device};
pub use element::{ElementType, Kind, Scalar};
pub use error::{Error, Failure, Stage};
pub use files::{MAX_FILE, read_file};
pub use finding::{Finding, Location, Position};
pub use info::{KernelInfo, ModuleInfo, Needs, ParamInfo, Usage};
pub use launch::{Arg, DeviceLaunch, DeviceWork, Extents, LaunchConfig, Packed, Report, in_order};
pub use linker::Linker;
pub use module::{Kernel, Module};
pub use properties::Properties;
pub use ptx_files::{PtxText, ptx_of_bytes, ptx_of_file};
pub use saved::{SavedBytes, SavedLaunch, SavedMemory, SavedParameter, SavedPointer, Saving};
pub use session::{Event, Point, Session, Stream, order};
pub use texture_objects::TextureArray;
pub use variable::Variable;

pub use ::machine::{fatbin, shim};
pub use diag;
pub use ir;
pub use ir::tensor_map;
pub use lanes::LaneMask;
pub use ptx::{Linking, Param, lint, nearest, rules, target};
pub use sanitize::explore::{End as ExploreEnd, News, Scouted, Scouts, Share};
pub use sanitize::{Code, Detail, Options as CheckOptions, Others, Traffic, WarpLanes, detail};
pub use vm::memory::{Memory, Quarantine};
pub use vm::texture;
pub use vm::{
    CodeCache, DEFAULT_STACK, EngineChoice, Fault, FaultKind, HEAP_LIMIT, LaunchError, Printed,
    Schedule, Stats, cache_folder, clusters, pool,
};
