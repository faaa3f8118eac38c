//! What is zero when a CTA begins.

use crate::Input;

/// What is zero when a CTA begins.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    /// Bytes of shared memory, which consists of lines of 64.
    pub(super) shared: u64,
    /// Where rows begin in the register file, and how many bytes they have.
    pub(super) rows: Vec<(u64, u64)>,
}

impl Cleared {
    pub(super) fn of(input: &Input<'_>) -> Cleared {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        let mut all: Vec<_> = input.zeros.iter().filter(|range| !range.is_empty()).collect();
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
