//! Deadlocks in words.

use super::{About, Say, Words, named, of_number};
use crate::detail::{Blocked, Deadlock, Meeting, Why};
use crate::report::Places;
use ir::{CollectiveKind, MatrixWork};
use lanes::{LaneMask, MinMax, ReduxOp, ShflMode, VoteMode};
use vm::{ThreadId, Waiting, WaitingFor};

/// At most this many waiting groups are listed.
const MAX_GROUPS: usize = 64;

const ENDLESS: &str = "an endless loop in which nothing changes";

impl Meeting {
    fn words(self) -> &'static str {
        match self {
            Meeting::Barrier => "a CTA barrier",
            Meeting::ClusterBarrier => "the barrier of the cluster",
            Meeting::Loop => "an instruction",
            Meeting::Collective(kind) => match kind {
                CollectiveKind::Shfl(ShflMode::Up) => "an upward shuffle",
                CollectiveKind::Shfl(ShflMode::Down) => "a downward shuffle",
                CollectiveKind::Shfl(ShflMode::Bfly) => "a butterfly shuffle",
                CollectiveKind::Shfl(ShflMode::Idx) => "an indexed shuffle",
                CollectiveKind::Vote(VoteMode::All) => "an `all` vote",
                CollectiveKind::Vote(VoteMode::Any) => "an `any` vote",
                CollectiveKind::Vote(VoteMode::Uni) => "a `uni` vote",
                CollectiveKind::Ballot => "a ballot",
                CollectiveKind::MatchAny { .. } => "an `any` match",
                CollectiveKind::MatchAll { .. } => "an `all` match",
                CollectiveKind::Redux(op) => match op {
                    ReduxOp::Add => "a sum over lanes",
                    ReduxOp::MinU32 | ReduxOp::MinS32 => "a minimum over lanes",
                    ReduxOp::MaxU32 | ReduxOp::MaxS32 => "a maximum over lanes",
                    ReduxOp::And | ReduxOp::Or | ReduxOp::Xor => "a bitwise reduction over lanes",
                },
                CollectiveKind::ReduxF32(mode) => match mode.op {
                    MinMax::Min => "a minimum over lanes",
                    MinMax::Max => "a maximum over lanes",
                },
                CollectiveKind::Elect => "an election",
                CollectiveKind::MovMatrix => "a matrix transpose",
                CollectiveKind::WarpSync => "a warp barrier",
                CollectiveKind::Matrix(form) => match form.work {
                    MatrixWork::Load => "a matrix load",
                    MatrixWork::Store => "a matrix store",
                    MatrixWork::Multiply => "a matrix multiplication",
                },
            },
        }
    }
}

impl Say for Deadlock {
    fn say(&self, about: &About<'_>) -> Words {
        let Some(first) = &self.first else { return about.say("no lane can go on") };
        let group = &first.waiting;
        let message = match self.why {
            Why::TooFewThreads => too_few(group, self.other.as_ref()),
            Why::Loop | Why::Silence | Why::Nobody => endless(first, self.other.as_ref()),
            Why::OtherMembermask | Why::ForEachOther | Why::AtCollective | Why::AtBarrier => {
                let why = self
                    .other
                    .as_ref()
                    .map_or(String::new(), |other| waits(self.why, first, other));
                format!("warp {}: {} {why}", group.warp, named(group.lanes))
            }
        };
        let (here, others) = match spins(group) {
            true => ("spins here", "waits elsewhere"),
            false => ("waits here", "is waited for and waits elsewhere"),
        };
        let mut words = about.say(message).label(does(group)).strip(about.strip(here, others));
        let other = self.other.iter().map(|other| &other.waiting);
        for other in other.filter(|other| other.place != group.place) {
            words = words.related(does(other));
        }
        words = words.fact(table(&self.waiting, about.thread(), about.places));
        match self.why {
            Why::Loop => words
                .fact("memory cannot change: all other lanes have exited, wait, or spin in such loops")
                .help("let a thread that still runs write what the loop waits for: not one that waits for it too, nor one that is past that write"),
            Why::Silence => words
                .fact("all other lanes have exited, wait, or spin in such loops, and for half a minute neither the program nor other work of the device has written what they wait for")
                .help("let the program write it while the kernel runs, or leave the kernel out of the check"),
            Why::OtherMembermask
            | Why::ForEachOther
            | Why::AtCollective
            | Why::AtBarrier
            | Why::TooFewThreads
            | Why::Nobody => words,
        }
    }
}

/// What lanes of a warp wait for, of which others know nothing.
fn waits(why: Why, first: &Blocked, other: &Blocked) -> String {
    let (group, there) = (&first.waiting, &other.waiting);
    let (mask, theirs) = (membermask(group), membermask(there));
    let (here, elsewhere) = (first.at.words(), other.at.words());
    let (one, two) = (third(group, "s"), third(there, "s"));
    let missing = named((mask - group.lanes) & there.lanes);
    match why {
        Why::OtherMembermask => {
            format!("give{one} the membermask {mask}, and {} {theirs}", named(there.lanes))
        }
        Why::ForEachOther => {
            let elsewhere = match here == elsewhere {
                true => "one with other qualifiers",
                false => elsewhere,
            };
            let lanes = named(there.lanes);
            format!("wait{one} at {here} for {lanes}, which wait{two} at {elsewhere} for them")
        }
        Why::AtCollective => format!(
            "wait{one} at {here} for {}, which wait{two} at {elsewhere} themselves",
            named(mask & there.lanes)
        ),
        Why::AtBarrier | Why::TooFewThreads | Why::Loop | Why::Silence | Why::Nobody => {
            format!("wait{one} at {here} for {missing}, which wait{two} at {elsewhere}")
        }
    }
}

/// The membermask that waiting lanes gave.
fn membermask(group: &Waiting) -> LaneMask {
    match group.waiting_for {
        WaitingFor::Lanes(mask) => mask,
        WaitingFor::Barrier { .. } | WaitingFor::Cluster { .. } | WaitingFor::EndlessLoop => {
            LaneMask::EMPTY
        }
    }
}

/// Everybody waits at barriers.
fn too_few(group: &Waiting, other: Option<&Blocked>) -> String {
    let (reached, arrived, expected) = match group.waiting_for {
        WaitingFor::Barrier { id, arrived, expected } => {
            (format!("have reached barrier {id}"), arrived, expected)
        }
        WaitingFor::Cluster { arrived, expected } => {
            ("of the cluster have arrived at its barrier".to_owned(), arrived, expected)
        }
        WaitingFor::Lanes(_) | WaitingFor::EndlessLoop => return String::new(),
    };
    let elsewhere = match other.map(|other| other.waiting.waiting_for) {
        Some(WaitingFor::Barrier { id, .. }) => format!(", and the others wait at barrier {id}"),
        Some(WaitingFor::Cluster { .. }) => {
            ", and the others wait at the barrier of the cluster".to_owned()
        }
        Some(WaitingFor::Lanes(_) | WaitingFor::EndlessLoop) | None => {
            ", and no thread is left that could arrive".to_owned()
        }
    };
    format!("{arrived} of {expected} threads {reached}{elsewhere}")
}

/// Lanes go round loops for ever, and the others, if there are any, wait at meetings.
fn endless(first: &Blocked, other: Option<&Blocked>) -> String {
    let group = &first.waiting;
    let (warp, who) = (group.warp, named(group.lanes));
    let other = other.map(|other| &other.waiting).filter(|_| !spins(group));
    let Some(other) = other else {
        return format!("warp {warp}: {who} spin{} in {ENDLESS}", third(group, "s"));
    };
    let elsewhere = match other.warp == warp {
        true => named(other.lanes),
        false => format!("{} of warp {}", named(other.lanes), other.warp),
    };
    format!(
        "warp {warp}: {who} wait{} at {} while {elsewhere} spin{} in {ENDLESS}",
        third(group, "s"),
        first.at.words(),
        third(other, "s"),
    )
}

/// Whether the lanes go round a loop for ever.
fn spins(group: &Waiting) -> bool {
    group.waiting_for == WaitingFor::EndlessLoop
}

/// The ending of a verb of which these lanes are the subject.
fn third(group: &Waiting, ending: &'static str) -> &'static str {
    of_number(group.lanes, ending, "")
}

/// Who does what at a place.
fn does(group: &Waiting) -> String {
    let what = match group.waiting_for {
        WaitingFor::Lanes(_) | WaitingFor::Barrier { .. } | WaitingFor::Cluster { .. } => {
            format!("wait{} here", third(group, "s"))
        }
        WaitingFor::EndlessLoop => format!("spin{} here", third(group, "s")),
    };
    format!("{} of warp {} {what}", named(group.lanes), group.warp)
}

/// The table of waiting lanes.
fn table(waiting: &[Waiting], thread: ThreadId, places: &dyn Places) -> String {
    let mut out = "who waits where for whom:".to_owned();
    let several = waiting.iter().any(|group| group.cta != thread.cta);
    for group in waiting.iter().take(MAX_GROUPS) {
        let mut lanes = format!("warp {} lanes {}", group.warp, group.lanes.ranges());
        if several {
            let [x, y, z] = group.cta;
            lanes.insert_str(0, &format!("CTA ({x},{y},{z}) "));
        }
        let what = match group.waiting_for {
            WaitingFor::Lanes(mask) => {
                // Exited lanes are named only if no other lane is missing.
                let missing = mask - group.lanes;
                let of_warp = |other: &&Waiting| (other.cta, other.warp) == (group.cta, group.warp);
                let alive = waiting.iter().filter(of_warp);
                let alive = alive.fold(LaneMask::EMPTY, |all, other| all | other.lanes);
                let waited_for = if missing.intersects(alive) { missing & alive } else { missing };
                match waited_for.is_empty() {
                    true => "a lane that cannot arrive".to_owned(),
                    false => format!("lanes {}", waited_for.ranges()),
                }
            }
            WaitingFor::Barrier { id, arrived, expected } => {
                format!("barrier {id}: {arrived} of {expected} threads are there")
            }
            WaitingFor::Cluster { arrived, expected } => {
                format!("the cluster: {arrived} of {expected} threads have arrived")
            }
            WaitingFor::EndlessLoop => "spins in an endless loop".to_owned(),
        };
        out.push_str(&format!("\n  {lanes:<24} {:<20} {what}", places.short(group.place)));
    }
    if waiting.len() > MAX_GROUPS {
        out.push_str(&format!("\n  and {} more", waiting.len() - MAX_GROUPS));
    }
    out
}
