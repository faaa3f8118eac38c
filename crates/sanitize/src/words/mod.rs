//! Findings in words: the only place where sentences about them are made.

mod barriers;
mod clusters;
mod collectives;
mod deadlock;
mod memory;
mod races;
mod schedules;
mod undefined;

use crate::detail::{At, Finding, with_facts};
use crate::report::Places;
use crate::strip::Strip;
use lanes::LaneMask;
use vm::ThreadId;

/// What a report says of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Words {
    /// One sentence with the values of the first time.
    pub message: String,
    /// What the instruction did, in a few words.
    pub label: String,
    /// What the other instructions did, in the order of [`crate::Detail::related`].
    pub related: Vec<String>,
    /// Further facts, one line or paragraph each.
    pub facts: Vec<String>,
    /// The lanes of the warp.
    pub strip: Option<Strip>,
    /// What to do.
    pub help: &'static str,
}

/// What a sentence may need to know of a finding beside its own facts.
pub(crate) struct About<'a> {
    pub(crate) finding: &'a Finding,
    pub(crate) places: &'a dyn Places,
}

impl About<'_> {
    pub(crate) fn thread(&self) -> ThreadId {
        self.finding.thread
    }

    /// An address with the name of what lies there.
    pub(crate) fn at(&self, at: At) -> String {
        self.places.address(at)
    }

    /// The picture of the warp, with what its marks mean here.
    pub(crate) fn strip(&self, taking_part: &'static str, wrong: &'static str) -> Option<Strip> {
        self.finding.lanes.map(|lanes| Strip::new(&lanes, taking_part, wrong))
    }

    /// Words that begin with a message; what to do is what the code's findings usually need.
    pub(crate) fn say(&self, message: impl Into<String>) -> Words {
        Words { message: message.into(), help: self.finding.code().help(), ..Words::default() }
    }
}

impl Words {
    pub(crate) fn label(mut self, text: impl Into<String>) -> Words {
        self.label = text.into();
        self
    }

    pub(crate) fn related(mut self, text: impl Into<String>) -> Words {
        self.related.push(text.into());
        self
    }

    pub(crate) fn fact(mut self, text: impl Into<String>) -> Words {
        self.facts.push(text.into());
        self
    }

    pub(crate) fn strip(mut self, strip: Option<Strip>) -> Words {
        self.strip = strip;
        self
    }

    pub(crate) fn help(mut self, text: &'static str) -> Words {
        self.help = text;
        self
    }
}

/// Has sentences.
pub(crate) trait Say {
    fn say(&self, about: &About<'_>) -> Words;
}

impl Finding {
    /// What a report says of it.
    pub fn words(&self, places: &dyn Places) -> Words {
        let about = About { finding: self, places };
        let words = with_facts!(&self.detail, facts => facts.say(&about));
        debug_assert_eq!(words.related.len(), self.detail.related().len(), "{words:?}");
        words
    }
}

/// `lane 3`, `lanes 0-15`.
pub(crate) fn named(lanes: LaneMask) -> String {
    match lanes.count() {
        1 => format!("lane {}", lanes.ranges()),
        _ => format!("lanes {}", lanes.ranges()),
    }
}

/// The one word for one lane, the other for more.
pub(crate) fn of_number<'w>(lanes: LaneMask, one: &'w str, more: &'w str) -> &'w str {
    if lanes.count() == 1 { one } else { more }
}
