//! Program counters.

/// A place in a plan where lanes can stand: an instruction of its kernel that is about to be executed, or the terminator of a
/// block. Places are numbered block after block, so that an earlier place is earlier in reconvergence order, too. No
/// engine's own code is counted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Pc(pub(crate) u32);

impl Pc {
    /// Where a kernel begins.
    pub(crate) const START: Pc = Pc(0);
    /// Behind every place.
    pub(crate) const NEVER: Pc = Pc(u32::MAX);

    /// The place behind an instruction.
    pub(crate) fn next(self) -> Pc {
        Pc(self.0.saturating_add(1))
    }
}
