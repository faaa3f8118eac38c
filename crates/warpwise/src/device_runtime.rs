//! The parts of CUDA's device runtime library (`libcudadevrt`) that programs are linked with: for cooperative groups, for kernels that
//! launch kernels, and for the conditions of graphs.

use ptx::syntax::ast::Item;

/// A part of the library.
pub(crate) struct Part {
    /// What it is called in diagnostics.
    pub(crate) name: &'static str,
    text: &'static str,
    /// How the names of its functions begin.
    functions: &'static str,
}

/// The parts. Barriers are those of a grid that is all there at once, as that of a cooperative launch is.
pub(crate) const PARTS: [Part; 3] = [
    Part {
        name: "libcudadevrt.ptx",
        text: include_str!("device_runtime.ptx"),
        functions: "cudaCG",
    },
    Part {
        name: "libcudadevrt-launches.ptx",
        text: include_str!("device_launches.ptx"),
        functions: "__cudaCDP2",
    },
    Part {
        name: "libcudadevrt-conditions.ptx",
        text: include_str!("device_conditions.ptx"),
        functions: "cudaGraphSetConditional",
    },
];

/// Bytes before the arguments of a launch in their block.
const HEAD: u64 = 64;

impl Part {
    /// Its text, for modules whose kernels take so many bytes of arguments at most.
    pub(crate) fn text(&self, largest_arguments: u64) -> String {
        let block = HEAD + largest_arguments;
        self.text.replace("WARPWISE_BLOCK_BYTES", &block.to_string())
    }

    /// Whether modules declare its functions, and none defines them.
    pub(crate) fn is_wanted(&self, modules: &[ptx::Module]) -> bool {
        let items = || modules.iter().flat_map(|module| &module.ast().items);
        let mut functions = items().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Variable(_) | Item::Directive(_) => None,
        });
        let mut declared = false;
        let defined = functions.any(|function| {
            let ours = function.name.starts_with(self.functions);
            declared |= ours;
            ours && function.body.is_some()
        });
        declared && !defined
    }
}

/// Whether a module is that library as NVIDIA ships it, with which `nvcc -rdc=true` links every program that has PTX alone. It
/// is written over entry points of NVIDIA's driver that no PTX defines.
pub fn is_nvidias(text: &str) -> bool {
    text.contains("__cuda_syscall_")
}
