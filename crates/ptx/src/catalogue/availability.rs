//! Which PTX versions and targets have a form, or a word of one.

use crate::target::Variant;

/// The PTX version and target that a form needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// Major and minor PTX ISA version.
    pub ptx: (u32, u32),
    /// Lowest `sm_` number.
    pub sm: u32,
}

/// When a form went away: from this PTX version on, for targets from this `sm_` number on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// First PTX ISA version without it.
    pub ptx: (u32, u32),
    /// First PTX ISA version that calls it deprecated; it has what is to be written instead.
    pub deprecated: (u32, u32),
    /// Lowest `sm_` number without it.
    pub sm: u32,
    /// What to write instead.
    pub instead: &'static str,
}

/// Which targets have a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// All that are new enough.
    All,
    /// The `a` and `f` targets of these architectures.
    Family(&'static [u32]),
    /// The `a` targets of these architectures.
    Architecture(&'static [u32]),
    /// The `a` and `f` targets of the first architectures, and the `a` targets of the others.
    FamilyOrArchitecture(&'static [u32], &'static [u32]),
}

impl Only {
    /// Whether a target is among them.
    pub fn has(self, sm: u32, variant: Variant) -> bool {
        match self {
            Only::All => true,
            Only::Family(all) => variant != Variant::Base && all.contains(&sm),
            Only::Architecture(all) => variant == Variant::Architecture && all.contains(&sm),
            Only::FamilyOrArchitecture(families, others) => {
                Only::Family(families).has(sm, variant)
                    || Only::Architecture(others).has(sm, variant)
            }
        }
    }
}

/// What a word of a form needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The word without its dot.
    pub word: &'static str,
    /// What it needs.
    pub since: Since,
    /// Which targets have it, of those from `since.sm` on.
    pub only: Only,
}

impl Need {
    /// `word` needs PTX `ptx` and target `sm`.
    pub const fn new(word: &'static str, ptx: (u32, u32), sm: u32) -> Self {
        Need { word, since: Since { ptx, sm }, only: Only::All }
    }

    /// The same, for the `a` and `f` targets of these architectures alone.
    pub const fn family(mut self, architectures: &'static [u32]) -> Self {
        self.only = Only::Family(architectures);
        self
    }

    /// The same, for the `a` targets of these architectures alone.
    pub const fn architecture(mut self, architectures: &'static [u32]) -> Self {
        self.only = Only::Architecture(architectures);
        self
    }
}
