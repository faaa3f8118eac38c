//! Facts that findings of several kinds have.

use ir::Space;
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::Serialize;

/// What an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct At {
    /// The space that the address counts in. Generic addresses are device addresses, as global ones are.
    pub space: Space,
    /// The first byte.
    pub address: u64,
    /// How many bytes an element of the access has; 1 if it has no elements.
    pub bytes: u64,
}

/// What the lanes of the warp were doing. A lane may be in several masks; the later one of them says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarpLanes {
    /// The lanes that the warp began with: all, except in a partial last warp.
    pub existing: LaneMask,
    /// The lanes that have not exited.
    pub live: LaneMask,
    /// The live lanes that the membermask does not name.
    pub outside: LaneMask,
    /// The lanes that take part, or have arrived.
    pub taking_part: LaneMask,
    /// The lanes that the finding is about.
    pub wrong: LaneMask,
}

impl WarpLanes {
    /// The live and existing lanes of a warp, with no lane marked.
    pub(crate) fn new(live: LaneMask, existing: LaneMask) -> WarpLanes {
        let none = LaneMask::EMPTY;
        WarpLanes { existing, live, outside: none, taking_part: none, wrong: none }
    }

    /// Marks the lanes that take part, and those that the finding is about.
    pub(crate) fn with(self, taking_part: LaneMask, wrong: LaneMask) -> WarpLanes {
        WarpLanes { taking_part, wrong, ..self }
    }
}
