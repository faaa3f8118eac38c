//! What a run shows that the first run does not, in a form that other processes understand.

use super::subject::{Run, Subject};
use crate::code::Code;
use crate::finding::Finding;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

/// Findings of the first run that are looked for in others: each that is missing costs further runs.
const LOOKED_FOR: usize = 8;

/// Something in which a run differs from the first run. Findings are known by their codes and the numbers of their lines
/// ([`Subject::line`]); which of two racing accesses comes first is chance, so lines are in no order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// The run has a finding that the first has not.
    More(Code, Vec<u64>),
    /// The run came to its end without a finding that the first has.
    Fewer(Code, Vec<u64>),
    /// The run left something else in memory, or ended in another way.
    Different,
}

/// Schedules that a scout runs: of `count` from `seed`, every `of`th from the end, beginning with the `which`th from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Schedules of the exploration.
    pub count: u64,
    /// Where its random choices begin.
    pub seed: u64,
    /// Which scout this is.
    pub which: usize,
    /// How many scouts there are.
    pub of: NonZeroUsize,
}

/// What a scout tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scouted {
    /// What comes first: a number that equal first runs have in common, in any process of this program.
    First {
        /// Of memory before and after it, and what was found.
        fingerprint: u64,
    },
    /// What a schedule shows that the first run does not.
    Schedule {
        /// Its number.
        nth: u64,
        /// Nothing, if it shows the same.
        news: Vec<News>,
    },
}

/// Those who run schedules of the same exploration meanwhile. What they tell saves a run; nothing waits for them.
pub trait Scouts {
    /// Hears what the first run showed. Scouts who saw another one ran something else and are not believed.
    fn begin(&mut self, fingerprint: u64);

    /// What the schedule of this number shows; `None` if nobody has run it yet.
    fn news(&mut self, nth: u64) -> Option<Vec<News>>;
}

/// Nobody.
impl Scouts for () {
    fn begin(&mut self, _: u64) {}

    fn news(&mut self, _: u64) -> Option<Vec<News>> {
        None
    }
}

/// See [`Scouted::First`].
pub(super) fn fingerprint<S: Subject>(subject: &S, first: &Run) -> u64 {
    let mut hasher = DefaultHasher::new();
    subject.start().hash(&mut hasher);
    first.memory.hash(&mut hasher);
    for finding in &first.findings {
        key(subject, finding).hash(&mut hasher);
    }
    first.fault.as_ref().map(|fault| std::mem::discriminant(&fault.kind)).hash(&mut hasher);
    hasher.finish()
}

/// Everything in which a run differs from the first.
pub(super) fn of<S: Subject>(subject: &S, first: &Run, run: &Run) -> Vec<News> {
    let mut news = Vec::new();
    // What is harmless is told of the first run.
    let old: Vec<_> = harmful(first).map(|finding| key(subject, finding)).collect();
    for (code, lines) in harmful(run).map(|finding| key(subject, finding)) {
        if !old.contains(&(code, lines.clone())) {
            news.push(News::More(code, lines));
        }
    }
    let looked_for = harmful(first).take(LOOKED_FOR);
    for missing in looked_for.filter(|finding| lacks(subject, run, finding)) {
        let (code, lines) = key(subject, missing);
        news.push(News::Fewer(code, lines));
    }
    if differs(first, run) {
        news.push(News::Different);
    }
    news
}

/// The findings of a run that are more than warnings.
pub(super) fn harmful(run: &Run) -> impl Iterator<Item = &Finding> {
    run.findings.iter().filter(|finding| !finding.is_harmless())
}

/// What findings about the same thing at the same lines have in common.
pub(super) fn key<S: Subject>(subject: &S, finding: &Finding) -> (Code, Vec<u64>) {
    let mut lines: Vec<u64> = finding.places().map(|place| subject.line(place)).collect();
    lines.sort_unstable();
    lines.dedup();
    (finding.code(), lines)
}

/// Whether a run that came to its end has no finding about the same thing at one of the same lines. What a stopped run does
/// not show it might have shown.
pub(super) fn lacks<S: Subject>(subject: &S, run: &Run, finding: &Finding) -> bool {
    let (code, lines) = key(subject, finding);
    let alike = |found: &Finding| {
        let theirs = key(subject, found).1;
        found.code() == code && lines.iter().any(|line| theirs.contains(line))
    };
    run.fault.is_none() && !run.findings.iter().any(alike)
}

/// Whether two runs end differently. What a stopped kernel wrote so far is no result.
pub(super) fn differs(one: &Run, other: &Run) -> bool {
    match (&one.fault, &other.fault) {
        (None, None) => one.memory != other.memory,
        (Some(one), Some(other)) => {
            std::mem::discriminant(&one.kind) != std::mem::discriminant(&other.kind)
        }
        (Some(_), None) | (None, Some(_)) => true,
    }
}
