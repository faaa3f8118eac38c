//! When modules are linked.

/// When modules are linked. NVIDIA's linkers differ in what is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linking {
    /// Before the program runs, as by `nvlink`.
    #[default]
    Before,
    /// While the program runs, as by the driver and nvJitLink 13.5: that a function has no result, and others expect one, is told,
    /// and they get an undefined one.
    WhileRunning,
}
