//! Lanes that execute while others of their gang do not, or are not there.

use super::value::Vectors;
use regalloc2::VReg;

/// So many lanes are few.
const FEW: u32 = 4;

/// The lanes that execute, and where.
#[derive(Clone, Debug)]
pub(super) struct Masked {
    /// The part in which they stay until they meet the others, and the block there; `None` if the others are not there at all.
    pub(super) at: Option<(usize, usize)>,
    pub(super) lanes: VReg,
    /// Which these are, if they are the same whenever the code comes here.
    pub(super) known: Option<u64>,
    /// The lanes that wait for their turn at later blocks of the part, by their place in it.
    pub(super) waiting: Vec<(usize, VReg)>,
    /// The lanes as masks, once somebody needed them.
    pub(super) masks: Option<Vectors>,
    pub(super) wide: Option<Vectors>,
}

impl Masked {
    /// Whether others execute elsewhere, and not only lanes that are not there do not.
    pub(super) fn is_apart(&self) -> bool {
        self.at.is_some()
    }

    /// The lanes that execute, if they are few and always the same.
    pub(super) fn few(&self) -> Option<u64> {
        self.known.filter(|lanes| lanes.count_ones() <= FEW)
    }
}
