//! Match: which participants hold the same value.
//!
//! Source: PTX ISA 9.1, `match.sync`. The functions take any type that has equality: use `u32` for
//! `.b32` and `u64` for `.b64`, so that floats are compared as bits.

use crate::{LaneMask, Lanes, select, splat};

/// Per participant, the mask of participants whose value equals its own (`match.any`).
///
/// Each element is a register value, ready to be merged. Lanes that do not take part get 0.
#[inline]
pub fn match_any<T: Copy + Eq>(a: &Lanes<T>, participants: LaneMask) -> Lanes<u32> {
    let none = splat(0);
    if match_all(a, participants).1 {
        return select(participants, &splat(participants.0), &none);
    }
    // Lane `source` is in the result of every lane that holds the same value: one 32-lane compare
    // per participant, with no transfer from vectors to masks in between.
    let mut result = none;
    for source in participants {
        let (value, bit) = (a[source as usize], 1 << source);
        for (slot, &other) in result.iter_mut().zip(a) {
            *slot |= if other == value { bit } else { 0 };
        }
    }
    select(participants, &result, &none)
}

/// The participants and `true` if all of them hold the same value, otherwise the empty mask and
/// `false` (`match.all`: operands `d` and `p`).
///
/// If nobody takes part the result is the empty mask and `true`.
#[inline]
pub fn match_all<T: Copy + Eq>(a: &Lanes<T>, participants: LaneMask) -> (LaneMask, bool) {
    let Some(leader) = participants.lowest() else { return (LaneMask::EMPTY, true) };
    let value = a[leader as usize];
    let equal = LaneMask::from_fn(|lane| a[lane] == value);
    if participants.is_subset(equal) { (participants, true) } else { (LaneMask::EMPTY, false) }
}
