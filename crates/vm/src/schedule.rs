//! The one source of every free choice: which split runs next, and for how long.

use std::fmt;
use std::str::FromStr;

/// How splits, warps and CTAs are chosen. A schedule prints as a string that [`FromStr`] reads back, and the
/// same string replays the same run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The split that is earliest in reconvergence order goes first, and all that stand at its
    /// instruction go with it; a split that makes no progress yields to the others in turn.
    #[default]
    Fair,
    /// Pseudo-random choices from this seed, one split at a time, CTAs one after another.
    Seed(u64),
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Fair => write!(f, "fair"),
            Schedule::Seed(seed) => write!(f, "seed:{seed}"),
        }
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "fair" {
            return Ok(Schedule::Fair);
        }
        let seed = text.strip_prefix("seed:").and_then(|seed| seed.parse().ok());
        seed.map(Schedule::Seed)
            .ok_or_else(|| format!("`{text}` is not a schedule: write `fair` or `seed:NUMBER`"))
    }
}

/// The stream of choices of one CTA.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    state: Option<u64>,
}

impl Choices {
    /// The choices that a schedule makes for a CTA.
    pub(crate) fn new(schedule: Schedule, cta: u64) -> Self {
        let state = match schedule {
            Schedule::Fair => None,
            Schedule::Seed(seed) => Some(seed ^ cta.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        };
        Choices { state }
    }

    /// Whether choices are random rather than fair.
    pub(crate) fn is_random(&self) -> bool {
        self.state.is_some()
    }

    /// A choice among `count` possibilities; 0 under the fair schedule.
    pub(crate) fn choose(&mut self, count: usize) -> usize {
        let Some(state) = &mut self.state else { return 0 };
        // SplitMix64.
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z % count.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_print_and_read_back() {
        for schedule in [Schedule::Fair, Schedule::Seed(0), Schedule::Seed(u64::MAX)] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        assert!("seed:x".parse::<Schedule>().is_err());
    }
}
