//! The part of CUDA's device runtime library (`libcudadevrt`) that programs are linked with for cooperative groups.

/// Its functions, for a grid that is all there at once, as that of a cooperative launch is.
pub(crate) const PTX: &str = include_str!("device_runtime.ptx");
/// What it is called in diagnostics.
pub(crate) const NAME: &str = "libcudadevrt.ptx";
/// What a file of it is called.
const LIBRARY: &str = "cudadevrt";
/// Its functions that programs declare.
const FUNCTIONS: [&str; 2] = ["cudaCGSynchronize", "cudaCGGetIntrinsicHandle"];

/// Whether modules declare its functions, and none defines them.
pub(crate) fn is_wanted(texts: &[String]) -> bool {
    let declares = |text: &String| {
        text.contains(".extern .func") && FUNCTIONS.iter().any(|name| text.contains(name))
    };
    let defines = |text: &String| text == PTX;
    texts.iter().any(declares) && !texts.iter().any(defines)
}

/// Whether a module is that library as NVIDIA ships it, with which `nvcc -rdc=true` links every program that has PTX alone. It
/// is written over entry points of NVIDIA's driver that no PTX defines.
pub(crate) fn is_nvidias(text: &str) -> bool {
    text.contains("__cuda_syscall_")
}

/// Whether a file of a linker's is the library itself.
pub(crate) fn is_library(path: &str) -> bool {
    path.contains(LIBRARY)
}
