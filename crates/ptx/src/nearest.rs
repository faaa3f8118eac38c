//! The nearest name to a misspelled one.

/// Names that all the searches about one text may look at, which takes part of a second.
pub(crate) const COMPARISONS: usize = 500_000;

/// The candidate that differs from `name` in the fewest letters, if that is few enough to suggest.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.len() / 3).clamp(1, 3);
    candidates
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.len())
        .min()
        .map(|(_, candidate)| candidate)
}
