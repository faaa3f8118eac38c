//! Random kernels as PTX, for drivers other than Warpwise's.
//!
//! What PTX has no instruction for, or what a device may do in its own way, is replaced first: [`portable()`] makes a case that
//! the [reference](mod@crate::reference) and a device must agree about to the bit. [`print()`] is independent of the front end that
//! lowers PTX, on purpose: both must agree about every instruction.

mod cleared;
mod clusters;
mod forms;
mod objects;
mod places;
mod portable;
mod print;
mod printer;
mod specials;

pub use portable::portable;
pub use print::print;

/// The architectures that kernels are written for: the first has all that the generator cannot do without (`redux`), the
/// last has all that it uses, clusters among them.
pub const TARGETS: [u32; 4] = [80, 86, 89, 90];
