//! One instruction of the machine, before its registers are known.

use super::wanted::Candidate;
use ir::{Pred, Reg};

/// A stand-in for the register that holds a constant on its way.
pub(super) const SCRATCH: Reg = Reg(u32::MAX);

/// One instruction of the machine: what may do it, and its guard.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) candidates: Vec<Candidate>,
    pub(super) guard: Option<Pred>,
}

impl Step {
    /// Whether from here on lanes take part with those of their membermask only; `None` for what does not change that.
    pub(super) fn keeps_apart(&self) -> Option<bool> {
        let candidate = self.candidates.first().filter(|candidate| candidate.is_warpsync())?;
        Some(!candidate.modifiers.is_empty())
    }
}
