//! The part of CUDA's device runtime library (`libcudadevrt`) that programs are linked with for cooperative groups.

use ptx::syntax::ast::Item;

/// Its functions, for a grid that is all there at once, as that of a cooperative launch is.
pub(crate) const PTX: &str = include_str!("device_runtime.ptx");
/// What it is called in diagnostics.
pub(crate) const NAME: &str = "libcudadevrt.ptx";
/// Its functions that programs declare.
const FUNCTIONS: [&str; 2] = ["cudaCGSynchronize", "cudaCGGetIntrinsicHandle"];

/// Whether modules declare its functions, and none defines them.
pub(crate) fn is_wanted(modules: &[ptx::Module]) -> bool {
    let items = || modules.iter().flat_map(|module| &module.ast().items);
    let mut functions = items().filter_map(|item| match item {
        Item::Function(function) => Some(function),
        Item::Variable(_) | Item::Directive(_) => None,
    });
    let mut declared = false;
    let defined = functions.any(|function| {
        let ours = FUNCTIONS.contains(&function.name.as_str());
        declared |= ours;
        ours && function.body.is_some()
    });
    declared && !defined
}

/// Whether a module is that library as NVIDIA ships it, with which `nvcc -rdc=true` links every program that has PTX alone. It
/// is written over entry points of NVIDIA's driver that no PTX defines.
pub fn is_nvidias(text: &str) -> bool {
    text.contains("__cuda_syscall_")
}
