//! What is zero when a CTA begins.

use crate::Input;
use std::ops::Range;

/// What is zero when a CTA begins.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    /// Bytes of shared memory, which consists of lines of 64.
    pub(super) shared: u64,
    /// Where rows begin in the register file, and how many bytes they have.
    pub(super) rows: Vec<(u64, u64)>,
}

impl Cleared {
    /// `zeros` are words of the register file.
    pub(super) fn of(input: &Input<'_>, zeros: &[Range<usize>]) -> Cleared {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        let mut all: Vec<_> = zeros.iter().filter(|range| !range.is_empty()).collect();
        all.sort_by_key(|range| range.start);
        for range in all {
            let (from, to) = (4 * range.start as u64, 4 * range.end as u64);
            match rows.last_mut() {
                Some((start, bytes)) if *start + *bytes >= from => {
                    *bytes = (*bytes).max(to - *start)
                }
                _ => rows.push((from, to - from)),
            }
        }
        Cleared { shared: input.shared_bytes.next_multiple_of(64), rows }
    }
}
