//! W001, W002, W003, W005, W006, W009 in words.

use super::{About, Say, Words, named, of_number};
use crate::code::Code;
use crate::detail::{
    Absence, FromActiveMask, MembermasksDiffer, NotAligned, NotConverged, NotNamed, Shown,
    SourceAbsent, SourcesLost, WithoutMask,
};
use lanes::LaneMask;

impl Say for NotNamed {
    fn say(&self, about: &About<'_>) -> Words {
        let NotNamed { membermask, lanes, executing } = self;
        let message = format!(
            "{} {} with the membermask {membermask}, which does not name {}",
            named(*lanes),
            of_number(*lanes, "executes it", "execute it"),
            of_number(*lanes, "it", "them"),
        );
        about
            .say(message)
            .label(format!("executed by {}", named(*executing)))
            .strip(about.strip("executes it and is named", "executes it and is not named"))
    }
}

impl Absence {
    pub(super) fn words(self) -> String {
        match self {
            Absence::NeverExisted => "the warp has fewer lanes".to_owned(),
            Absence::Exited => "it has exited".to_owned(),
            Absence::NotNamed(mask) => format!("the membermask {mask} does not name it"),
            Absence::OtherMembermask => "it gives another membermask".to_owned(),
            Absence::Elsewhere => "it does not execute the instruction now".to_owned(),
        }
    }
}

/// The meanings of marks where lanes read lanes that do not take part.
pub(super) const READS: [&str; 2] = ["takes part", "reads a lane that does not take part"];

impl Say for SourceAbsent {
    fn say(&self, about: &About<'_>) -> Words {
        let SourceAbsent { lane, source, why, lanes } = self;
        about
            .say(format!("lane {lane} reads lane {source}, which does not take part"))
            .label(format!("the result is undefined in {}", named(*lanes)))
            .fact(format!("lane {source} does not take part: {}", why.words()))
            .strip(about.strip(READS[0], READS[1]))
    }
}

impl Say for MembermasksDiffer {
    fn say(&self, about: &About<'_>) -> Words {
        let message = format!(
            "{} give the membermask {}, and {} {}",
            named(self.lanes),
            self.membermask,
            named(self.others),
            self.other_membermask
        );
        about
            .say(message)
            .label(format!("fires for {} alone", named(self.participants)))
            .strip(about.strip("takes part", "gave another membermask"))
    }
}

impl Say for WithoutMask {
    fn say(&self, about: &About<'_>) -> Words {
        let WithoutMask { participants, guarded_off, elsewhere, reads } = self;
        let message = match reads {
            None => format!(
                "only {} take part, and {}",
                named(*participants),
                whereabouts(*guarded_off, *elsewhere)
            ),
            Some(SourcesLost { lanes, sources }) => {
                let read = match (sources.intersects(*guarded_off), sources.is_subset(*guarded_off))
                {
                    (false, _) => "that are elsewhere in divergent code",
                    (true, true) => "whose guard is false",
                    (true, false) => {
                        "whose guard is false, or that are elsewhere in divergent code"
                    }
                };
                format!("{} read lanes {read}", named(*lanes))
            }
        };
        about
            .say(message)
            .label("the result depends on who is active here")
            .strip(about.strip(READS[0], READS[1]))
    }
}

/// The lanes that take no part: lanes whose guard is false, and lanes at other instructions.
fn whereabouts(idle: LaneMask, elsewhere: LaneMask) -> String {
    let guard = || format!("the guard of {} is false", named(idle));
    let away = || format!("{} {} elsewhere", named(elsewhere), of_number(elsewhere, "is", "are"));
    match (idle.is_empty(), elsewhere.is_empty()) {
        (true, _) => away(),
        (false, true) => guard(),
        (false, false) => format!("{}; {}", guard(), away()),
    }
}

impl Say for NotAligned {
    fn say(&self, about: &About<'_>) -> Words {
        let lanes = self.lanes;
        let groups = [
            (self.elsewhere, "does not", "do not"),
            (self.exited, "has exited", "have exited"),
            (self.never_existed, "never existed", "never existed"),
        ];
        let missing: Vec<String> = groups
            .into_iter()
            .filter(|(lanes, ..)| !lanes.is_empty())
            .map(|(lanes, one, many)| format!("{} {}", named(lanes), of_number(lanes, one, many)))
            .collect();
        let message = format!(
            "{} {} it and {}: it is .aligned, and {}",
            named(lanes),
            of_number(lanes, "executes", "execute"),
            missing.join(", "),
            match self.elsewhere.is_empty() {
                false => "all threads of a warp must execute the same one",
                true => "all 32 threads of the warp must be there",
            }
        );
        about
            .say(message)
            .label(format!("executed by {}", named(lanes)))
            .strip(about.strip("executes it", ""))
    }
}

impl Say for NotConverged {
    fn say(&self, about: &About<'_>) -> Words {
        let message = format!(
            "{} of the membermask {} do not execute it together with {}: targets below sm_70 need \
             the whole membermask in convergence",
            named(self.absent),
            self.membermask,
            named(self.lanes)
        );
        about
            .say(message)
            .label(format!("executed by {}", named(self.lanes)))
            .strip(about.strip("executes it", "is named and elsewhere"))
    }
}

impl Say for FromActiveMask {
    fn say(&self, about: &About<'_>) -> Words {
        let message = format!(
            "the membermask {} comes from activemask, which need not name all lanes that get here",
            self.membermask
        );
        let does = match self.fixed_pattern {
            true => "exchange values by a fixed pattern of lanes",
            false => "work with the lanes that it names",
        };
        let mut words = about
            .say(message)
            .label(format!("{} {does}", named(self.lanes)))
            .related("the mask comes from here")
            .strip(about.strip("executes it", ""));
        if let Some(Shown { schedule, finding }) = &self.shown {
            let shown = finding.words(about.places);
            let code = finding.code();
            words = if code == Code::W008 {
                shown.facts.into_iter().fold(words.fact(shown.message), Words::fact)
            } else {
                words.fact(format!("--schedule {schedule} shows {code}: {}", shown.message))
            };
            words = words.related(shown.label);
        }
        words
    }
}
