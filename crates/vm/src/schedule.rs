//! The one source of every free choice: which split runs next, and for how long.

use ir::Place;
use lanes::LaneMask;
use std::fmt;
use std::str::FromStr;

/// How splits, warps and CTAs are chosen. A schedule prints as a string that [`FromStr`] reads back, and the
/// same string replays the same run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The split that is earliest in reconvergence order goes first, and all that stand at its
    /// instruction go with it; a split that makes no progress yields to the others in turn.
    #[default]
    Fair,
    /// Pseudo-random choices from this seed, one split and one step at a time.
    Seed(u64),
    /// One split and one step at a time: the usual choice ([`Choice::usual`]), except where it is listed.
    Switches(Vec<Switch>),
}

/// A choice that is not the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Switch {
    /// Which choice of the run, from 0.
    pub number: u64,
    /// The candidate taken, in the order of [`Choice::candidates`].
    pub candidate: u32,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Fair => write!(f, "fair"),
            Schedule::Seed(seed) => write!(f, "seed:{seed}"),
            Schedule::Switches(switches) => {
                write!(f, "switch:")?;
                for (nth, Switch { number, candidate }) in switches.iter().enumerate() {
                    let comma = if nth > 0 { "," } else { "" };
                    write!(f, "{comma}{number}={candidate}")?;
                }
                Ok(())
            }
        }
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let switch = |text: &str| {
            let (number, candidate) = text.split_once('=')?;
            Some(Switch { number: number.parse().ok()?, candidate: candidate.parse().ok()? })
        };
        let found = if text == "fair" {
            Some(Schedule::Fair)
        } else if let Some(seed) = text.strip_prefix("seed:") {
            seed.parse().ok().map(Schedule::Seed)
        } else if let Some(list) = text.strip_prefix("switch:") {
            let parts = list.split(',').filter(|part| !part.is_empty());
            parts.map(switch).collect::<Option<_>>().map(Schedule::Switches)
        } else {
            None
        };
        found.ok_or_else(|| {
            format!(
                "`{text}` is not a schedule: write `fair`, `seed:NUMBER` or `switch:CHOICE=CANDIDATE,…`"
            )
        })
    }
}

impl Schedule {
    /// Who chooses; `None` for the fair schedule, which runs groups of splits.
    pub(crate) fn chooser(&self) -> Option<Box<dyn Chooser>> {
        match self {
            Schedule::Fair => None,
            Schedule::Seed(seed) => Some(Box::new(Random::new(*seed))),
            Schedule::Switches(switches) => Some(Box::new(Switching::new(switches))),
        }
    }
}

/// A split that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The CTA's number in the grid.
    pub cta: u64,
    /// The warp's index in its CTA.
    pub warp: u32,
    /// The split's lanes.
    pub lanes: LaneMask,
    /// The instruction at which it stands.
    pub place: Place,
    /// The same instruction as the engine counts, in reconvergence order.
    pub(crate) at: usize,
    /// When it last ran.
    pub(crate) ran: u64,
}

impl Candidate {
    /// Whether both stand at the same instruction.
    pub fn at_same_place(&self, other: &Candidate) -> bool {
        self.at == other.at
    }

    /// Whether this split has not moved since another choice: the same lanes stand at the same instruction.
    pub fn is_still(&self, other: &Candidate) -> bool {
        let stands = |split: &Candidate| (split.cta, split.warp, split.lanes, split.at);
        stands(self) == stands(other)
    }
}

/// A choice among splits. A step of the one chosen takes it to the next instruction that others can notice: an
/// access to memory that they see, a collective, a barrier, `activemask`.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Which choice of the run it is, from 0.
    pub number: u64,
    /// The splits that can run, at least one.
    pub candidates: &'a [Candidate],
    /// What is chosen unless there is a reason for another: the warp that ran last goes on, its earliest split
    /// first; but not for ever while others wait.
    pub usual: usize,
}

/// Makes the choices of a run.
pub trait Chooser {
    /// The index of a candidate. The usual one is taken for an index beyond the last; `None` gives the run up, and it
    /// ends there.
    fn choose(&mut self, choice: &Choice<'_>) -> Option<usize>;
}

/// A random walk.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A walk from a seed.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// A pseudo-random number below `count`, which is at least 1 (SplitMix64).
    pub fn below(&mut self, count: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % count.max(1)
    }
}

impl Chooser for Random {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<usize> {
        Some(self.below(choice.candidates.len() as u64) as usize)
    }
}

/// The usual choice, except where another is listed.
#[derive(Clone, Debug)]
pub struct Switching {
    switches: std::collections::HashMap<u64, u32>,
}

impl Switching {
    /// Takes the listed candidates.
    pub fn new(switches: &[Switch]) -> Self {
        let switches = switches.iter().map(|switch| (switch.number, switch.candidate));
        Switching { switches: switches.collect() }
    }
}

impl Chooser for Switching {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<usize> {
        let listed = self.switches.get(&choice.number);
        Some(listed.map_or(choice.usual, |candidate| *candidate as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_print_and_read_back() {
        let switch = |number, candidate| Switch { number, candidate };
        let switches = |list: &[Switch]| Schedule::Switches(list.to_vec());
        for schedule in [
            Schedule::Fair,
            Schedule::Seed(0),
            Schedule::Seed(u64::MAX),
            switches(&[]),
            switches(&[switch(3, 1)]),
            switches(&[switch(0, 7), switch(u64::MAX, u32::MAX)]),
        ] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        for wrong in ["", "seed:x", "switch:1", "switch:a=b", "switch:1=2;3=4", "random"] {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong}");
        }
    }
}
