//! W008 in words.

use super::{About, Say, Words};
use crate::detail::{Ending, EndsDiffer, PresenceDiffers, ResultsDiffer};

impl Say for ResultsDiffer {
    fn say(&self, about: &About<'_>) -> Words {
        let ResultsDiffer { at, first, other } = self;
        let what = about.places.element(*at);
        let values = format!(
            "{} under {}, {} under {}",
            first.value, first.schedule, other.value, other.schedule
        );
        about
            .say(format!("the result depends on the schedule: {what} has different values"))
            .label("the last write to it")
            .fact(values)
    }
}

impl Ending {
    fn words(&self) -> String {
        match self {
            Ending::Ends => "the kernel runs to its end".to_owned(),
            Ending::Limit(limit) => {
                format!("the kernel does not end within {limit} warp instructions")
            }
            Ending::Stopped(by) => format!("the kernel is stopped ({by})"),
        }
    }
}

impl Say for EndsDiffer {
    fn say(&self, about: &About<'_>) -> Words {
        let EndsDiffer { first, other } = self;
        about
            .say("whether the kernel runs to its end depends on the schedule")
            .label("stopped here under one of them")
            .fact(format!("under {} {}", first.schedule, first.ending.words()))
            .fact(format!("under {} {}", other.schedule, other.ending.words()))
    }
}

impl Say for PresenceDiffers {
    fn say(&self, about: &About<'_>) -> Words {
        let PresenceDiffers { finding, with, without } = self;
        let (code, shown) = (finding.code(), finding.words(about.places));
        let words = about
            .say(format!("whether {code} happens here depends on the schedule"))
            .label(format!("{code} under one of two schedules"))
            .fact(format!("--schedule {with} shows: {}", shown.message))
            .fact(format!("--schedule {without} does not show it here"));
        Words { related: shown.related, ..words }
    }
}
