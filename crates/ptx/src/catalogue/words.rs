//! What single words need wherever they stand.

use super::Need;

/// State spaces, cache and eviction words, and memory order (PTX ISA 9.1, 9.7.9 and 8 "Memory Consistency
/// Model"). What a word needs in one form only stands with that form.
pub(super) const NEEDS: &[Need] = &[
    Need::new("shared::cta", (7, 8), 10),
    Need::new("shared::cluster", (7, 8), 90),
    Need::new("cluster", (7, 8), 90),
    Need::new("param::entry", (8, 3), 10),
    Need::new("param::func", (8, 3), 10),
    Need::new("weak", (6, 0), 70),
    Need::new("relaxed", (6, 0), 70),
    Need::new("acquire", (6, 0), 70),
    Need::new("release", (6, 0), 70),
    Need::new("acq_rel", (6, 0), 70),
    Need::new("mmio", (8, 2), 70),
    Need::new("L1::evict_normal", (7, 4), 70),
    Need::new("L1::evict_unchanged", (7, 4), 70),
    Need::new("L1::evict_first", (7, 4), 70),
    Need::new("L1::evict_last", (7, 4), 70),
    Need::new("L1::no_allocate", (7, 4), 70),
    Need::new("L2::64B", (7, 4), 75),
    Need::new("L2::128B", (7, 4), 75),
    Need::new("L2::256B", (7, 4), 80),
    Need::new("L2::cache_hint", (7, 4), 80),
];
