//! The state of a barrier object, `mbarrier` (PTX ISA 9.1, 9.7.13.15).
//!
//! The ISA says what a state counts and leaves its 64 bits opaque. Here they are, from the lowest: 20 bits of arrivals
//! that a phase expects, 20 bits of arrivals that are pending, 21 bits of transfers that are to come (a signed count of bytes), and
//! at the top whether the phase is odd.
//!
//! A *step* changes the counts, in the same places: 20 bits of arrivals, 20 bits of arrivals that later phases
//! expect no more, and 21 bits that are added to the transfers.

/// Where the pending arrivals begin; in a step, those that are dropped.
pub const PENDING: u32 = 20;
/// Where the transfers begin.
pub const TRANSFERS: u32 = 40;
/// The bit that tells odd phases.
pub const PHASE: u32 = 63;
/// What a count of arrivals is multiplied with to make the state of a new object.
pub const NEW: u64 = 1 | 1 << PENDING;
/// What a count is multiplied with to make a step: of arrivals.
pub const ARRIVE: u64 = 1;
/// The same, where the arrivals are expected no more, either.
pub const DROP: u64 = 1 | 1 << PENDING;

/// The highest count of arrivals, which is the mask of a count, too.
pub const ARRIVALS: u64 = (1 << 20) - 1;
const BYTES: u64 = (1 << 21) - 1;

/// The arrivals that a phase still waits for.
pub const fn pending(state: u64) -> u32 {
    (state >> PENDING & ARRIVALS) as u32
}

/// The arrivals of a step.
pub const fn arrivals(step: u64) -> u32 {
    (step & ARRIVALS) as u32
}

/// The state after a step. The phase is complete when no arrivals and no transfers are left; then the next one begins.
pub const fn step(state: u64, step: u64) -> u64 {
    let expected = state.wrapping_sub(step >> PENDING) & ARRIVALS;
    let pending = (state >> PENDING).wrapping_sub(step) & ARRIVALS;
    let transfers = (state >> TRANSFERS).wrapping_add(step >> TRANSFERS) & BYTES;
    let phase = state & 1 << PHASE;
    match pending == 0 && transfers == 0 {
        true => expected | expected << PENDING | phase ^ 1 << PHASE,
        false => expected | pending << PENDING | transfers << TRANSFERS | phase,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(state: u64) -> bool {
        state >> PHASE != 0
    }

    #[test]
    fn a_phase_ends_with_its_last_arrival() {
        let mut state = 3 * NEW;
        for phase in 0..4 {
            for left in (1..=3).rev() {
                assert_eq!((pending(state), odd(state)), (left, phase % 2 == 1));
                state = step(state, ARRIVE);
            }
        }
        assert_eq!(step(3 * NEW, 3 * ARRIVE), (3 * NEW) | (1 << PHASE));
    }

    #[test]
    fn who_drops_out_is_expected_no_more() {
        let dropped = step(3 * NEW, 2 * DROP);
        assert_eq!((pending(dropped), odd(dropped)), (1, false));
        assert_eq!(step(dropped, ARRIVE), NEW | 1 << PHASE);
    }

    #[test]
    fn a_phase_waits_for_transfers_that_may_come_early() {
        let bytes = |count: i64| (count as u64) << TRANSFERS & !(1 << 63 | 1 << 62 | 1 << 61);
        let early = step(NEW, bytes(-64));
        assert!(!odd(step(early, ARRIVE)));
        assert!(odd(step(early, ARRIVE | bytes(64))));
        let expects = step(NEW, ARRIVE | bytes(64));
        assert_eq!((pending(expects), odd(expects)), (0, false));
        assert!(!odd(step(expects, bytes(-32))));
        assert_eq!(step(step(expects, bytes(-32)), bytes(-32)), NEW | 1 << PHASE);
    }
}
