//! CUDA's runtime interface (`libcudart`) over the public interface of a driver (`libcuda.so.1`).
//!
//! A program gets it in one of two ways. One that `nvcc -cudart shared` linked asks for it by the name of the library. One
//! with a static runtime inside, which is what `nvcc` makes, has it preloaded: before the constructors of the program run,
//! module `replace` puts a jump to our function at the entry of each function of that runtime, by its name.
//!
//! Every function of the public headers is in one [table](functions): it works, or it returns the documented error for what
//! is not supported and says so once. No private interface is used, of the driver or of the runtime.

mod api;
mod arrays;
mod context;
mod copies;
mod devices;
mod driver;
mod errors;
mod generation;
mod graphs;
mod kernels;
mod lacking;
mod launch;
mod libraries;
mod memory;
mod properties;
mod register;
mod registry;
mod replace;
mod said;
mod status;
mod streams;
mod table;
mod types;

/// The functions of the interface by their names, each with whether it works.
pub fn functions() -> impl Iterator<Item = (&'static str, bool)> {
    table::rows().map(|row| (row.name, row.works))
}
