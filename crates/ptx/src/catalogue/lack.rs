//! What a target lacks to have a form.

use super::availability::{Only, Since};
use super::entry::Form;
use crate::target::{Target, has_version};

/// Why a target lacks something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Its PTX version is older than this.
    Version((u32, u32)),
    /// Its architecture comes before this.
    Architecture(u32),
    /// It is none of these targets.
    Other(Only),
    /// The form is gone.
    Removed {
        /// From this PTX version on.
        ptx: (u32, u32),
        /// For architectures from this on.
        sm: u32,
        /// What to write instead.
        instead: &'static str,
    },
}

impl Target {
    /// What the target lacks of a requirement.
    pub(crate) fn lacks(self, since: Since) -> Option<Lack> {
        if self.sm < since.sm {
            return Some(Lack::Architecture(since.sm));
        }
        (!has_version(self.ptx, since.ptx)).then_some(Lack::Version(since.ptx))
    }

    /// Whether the target has a form, words of it that need more left aside.
    pub fn has_form(self, form: &Form) -> bool {
        self.lacks_form(form).is_none()
    }

    /// What the target lacks to have a form.
    pub(crate) fn lacks_form(self, form: &Form) -> Option<Lack> {
        if let Some(gone) = form.removed.filter(|gone| self.sm >= gone.sm && self.ptx >= gone.ptx) {
            return Some(Lack::Removed { ptx: gone.ptx, sm: gone.sm, instead: gone.instead });
        }
        self.lacks_one(form.only, form.since)
    }

    /// What the target lacks to be one of some, and new enough.
    pub(crate) fn lacks_one(self, only: Only, since: Since) -> Option<Lack> {
        if !only.has(self.sm, self.variant) {
            return Some(Lack::Other(only));
        }
        self.lacks(since)
    }
}
