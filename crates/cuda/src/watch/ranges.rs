//! Sets of addresses, as ranges that do not touch.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of addresses: where each range begins, and where it ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds a range.
    pub(super) fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (mut start, mut end) = (range.start, range.end);
        // Those that it touches become one with it.
        while let Some((&first, &last)) =
            self.0.range(..=end).next_back().filter(|(_, last)| **last >= start)
        {
            (start, end) = (start.min(first), end.max(last));
            self.0.remove(&first);
        }
        self.0.insert(start, end);
    }

    /// Takes a range away.
    pub(super) fn remove(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        while let Some((&first, &last)) =
            self.0.range(..range.end).next_back().filter(|(_, last)| **last > range.start)
        {
            self.0.remove(&first);
            if first < range.start {
                self.0.insert(first, range.start);
            }
            if last > range.end {
                self.0.insert(range.end, last);
            }
        }
    }

    /// What of a range is in the set.
    pub(super) fn within(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let before = self.0.range(..range.start).next_back();
        let inside = self.0.range(range.start..range.end);
        let parts = before.into_iter().chain(inside);
        let parts = parts.map(|(first, last)| range.start.max(*first)..range.end.min(*last));
        parts.filter(|part| !part.is_empty()).collect()
    }

    /// All of it, in ascending order.
    pub(super) fn all(&self) -> Vec<Range<u64>> {
        self.0.iter().map(|(start, end)| *start..*end).collect()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes that two lists of ranges have in common, and the first of them; both are in ascending order.
pub(super) fn common(one: &[Range<u64>], other: &[Range<u64>]) -> Option<(u64, u64)> {
    let (mut at, mut with) = (0, 0);
    let (mut first, mut bytes) = (None, 0);
    while let (Some(a), Some(b)) = (one.get(at), other.get(with)) {
        let (start, end) = (a.start.max(b.start), a.end.min(b.end));
        if start < end {
            first.get_or_insert(start);
            bytes += end - start;
        }
        if a.end <= b.end { at += 1 } else { with += 1 }
    }
    first.map(|first| (first, bytes))
}

/// Whether holes in `bytes` bytes lie as the padding of structures does: each ends where a member of a larger alignment, or the
/// next structure, begins, and they are equal and equally far apart.
pub(super) fn is_padding(holes: &[Range<u64>], bytes: u64) -> bool {
    /// No member is aligned to more.
    const ALIGNED: u64 = 16;
    let Some(first) = holes.first() else { return false };
    let length = first.end - first.start;
    // What follows is aligned to more than the hole is long, and so is the structure, which has more than one member.
    let aligned = (length + 1).next_power_of_two();
    let apart = holes.get(1).map_or(bytes, |next| next.start.saturating_sub(first.start));
    aligned <= ALIGNED
        && apart >= 2 * aligned
        && apart.is_multiple_of(aligned)
        && holes.iter().zip(0..).all(|(hole, nth)| {
            hole.start == first.start + nth * apart
                && hole.end == hole.start + length
                && hole.end.is_multiple_of(aligned)
        })
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges are meant")]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_part() {
        let mut set = Ranges::default();
        for range in [10..20, 30..40, 20..25, 50..50] {
            set.insert(range);
        }
        assert_eq!(set.all(), [10..25, 30..40]);
        set.insert(24..31);
        assert_eq!(set.all(), [10..40]);
        set.remove(15..20);
        assert_eq!((set.all(), set.within(12..22)), (vec![10..15, 20..40], vec![12..15, 20..22]));
        set.remove(0..100);
        assert!(set.is_empty() && set.within(0..100).is_empty());
    }

    #[test]
    fn what_lists_have_in_common_is_counted() {
        assert_eq!(common(&[0..4, 8..16], &[2..10, 15..20]), Some((2, 5)));
        assert_eq!(common(&[0..4], &[4..8]), None);
        assert_eq!(common(&[], &[4..8]), None);
    }

    #[test]
    fn padding_is_known_by_where_it_lies() {
        // struct { double d; int i; }, struct { char c; int i; }, struct { int i; double d; }, and one of the first.
        assert!(is_padding(&[12..16, 28..32, 44..48], 48));
        assert!(is_padding(&[1..4, 9..12], 16));
        assert!(is_padding(&[4..8, 20..24], 32));
        assert!(is_padding(&[12..16], 16));
        // The second half of an array, every second int, ints here and there, one of two ints, and ints that begin elsewhere.
        assert!(!is_padding(&[128..256], 256));
        assert!(!is_padding(&[4..8, 12..16], 16));
        assert!(!is_padding(&[12..16, 28..32, 36..40], 48));
        assert!(!is_padding(&[4..8], 8));
        assert!(!is_padding(&[0..4, 16..20], 32));
        assert!(!is_padding(&[], 32));
    }
}
