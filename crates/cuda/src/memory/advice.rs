//! What programs have said of ranges of managed memory: advice, and where it was prefetched to. It is kept to be asked for alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place where memory can be: the kind of a `CUmemLocation`, and its number.
pub(super) type Place = (u32, i32);

/// What is said of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// That it is read mostly.
    ReadMostly,
    /// Where it is best.
    Preferred,
    /// Who accesses it.
    Accessed(Place),
    /// Where it was prefetched to last.
    Prefetched,
}

/// Something that was said, or taken back.
#[derive(Clone, Debug)]
struct Said {
    range: Range<u64>,
    subject: Subject,
    place: Option<Place>,
}

/// What was said of each allocation, by its number, in order: what is said later counts.
static SAID: Mutex<BTreeMap<u64, Vec<Said>>> = Mutex::new(BTreeMap::new());

fn said() -> MutexGuard<'static, BTreeMap<u64, Vec<Said>>> {
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what is said of a range of an allocation; `None` takes it back.
pub(super) fn say(allocation: u64, range: Range<u64>, subject: Subject, place: Option<Place>) {
    let mut all = said();
    let list = all.entry(allocation).or_default();
    let inside = |it: &Said| range.start <= it.range.start && it.range.end <= range.end;
    list.retain(|it| it.subject != subject || !inside(it));
    list.push(Said { range, subject, place });
}

/// Forgets an allocation that is gone.
pub(super) fn forget(allocation: u64) {
    said().remove(&allocation);
}

/// What holds for all of a range: nothing where parts of it differ.
pub(super) fn of(allocation: u64, range: &Range<u64>, subject: Subject) -> Option<Place> {
    let all = said();
    let list: Vec<&Said> =
        all.get(&allocation)?.iter().filter(|it| it.subject == subject).collect();
    let ends = list.iter().flat_map(|it| [it.range.start, it.range.end]);
    let mut starts: BTreeSet<u64> = ends.filter(|at| range.contains(at)).collect();
    starts.insert(range.start);
    let at = |at: u64| list.iter().rev().find(|it| it.range.contains(&at))?.place;
    let mut places = starts.into_iter().map(at);
    let first = places.next()?;
    first.filter(|_| places.all(|place| place == first))
}

/// Who is said to access all of a range.
pub(super) fn accessed_by(allocation: u64, range: &Range<u64>) -> Vec<Place> {
    let mut places: Vec<Place> = said()
        .get(&allocation)
        .into_iter()
        .flatten()
        .filter_map(|it| match it.subject {
            Subject::Accessed(place) => Some(place),
            Subject::ReadMostly | Subject::Preferred | Subject::Prefetched => None,
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    places.retain(|place| of(allocation, range, Subject::Accessed(*place)).is_some());
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_later_counts_for_the_range_that_it_is_said_of() {
        let (here, there) = ((1, 0), (2, 0));
        let ask = |range: Range<u64>| of(u64::MAX, &range, Subject::Preferred);
        assert_eq!(ask(0..100), None);
        say(u64::MAX, 0..100, Subject::Preferred, Some(here));
        assert_eq!(ask(0..100), Some(here));
        assert_eq!(ask(50..101), None);
        say(u64::MAX, 40..60, Subject::Preferred, Some(there));
        assert_eq!([ask(0..100), ask(0..40), ask(45..60)], [None, Some(here), Some(there)]);
        say(u64::MAX, 40..60, Subject::Preferred, None);
        assert_eq!([ask(0..100), ask(60..100), ask(40..41)], [None, Some(here), None]);
        say(u64::MAX, 0..100, Subject::Accessed(here), Some(here));
        say(u64::MAX, 0..50, Subject::Accessed(there), Some(there));
        assert_eq!(accessed_by(u64::MAX, &(0..50)), [here, there]);
        assert_eq!(accessed_by(u64::MAX, &(0..51)), [here]);
        forget(u64::MAX);
        assert_eq!(accessed_by(u64::MAX, &(0..50)), []);
    }
}
