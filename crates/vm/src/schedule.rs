//! The one source of every free choice: which split runs next, and for how long.

use crate::plan::Pc;
use ir::{Place, Tells};
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Bits of a lane's number.
pub const LANE_BITS: u32 = 5;

/// How splits, warps and CTAs are chosen. A schedule prints as a string that [`FromStr`] reads back, and the
/// same string replays the same run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(with = "String")]
pub enum Schedule {
    /// The split that is earliest in reconvergence order goes first, and all that stand at its
    /// instruction go with it; a split that makes no progress yields to the others in turn.
    #[default]
    Fair,
    /// As [`Schedule::Fair`], but lanes that execute `activemask` together find only those whose numbers have the same
    /// bit here, 0 to 4: they part before it and meet behind it.
    Apart(u32),
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
    /// The lanes of it that are taken; [`LaneMask::FULL`] for all of them.
    pub lanes: LaneMask,
}

/// As it is written after `--schedule`.
impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Fair => write!(f, "fair"),
            Schedule::Apart(bit) => write!(f, "apart:{bit}"),
            Schedule::Seed(seed) => write!(f, "seed:{seed}"),
            Schedule::Switches(switches) => {
                write!(f, "switch:")?;
                for (nth, Switch { number, candidate, lanes }) in switches.iter().enumerate() {
                    let comma = if nth > 0 { "," } else { "" };
                    write!(f, "{comma}{number}={candidate}")?;
                    if *lanes != LaneMask::FULL {
                        write!(f, "/{:x}", lanes.0)?;
                    }
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
            let (number, taken) = text.split_once('=')?;
            let (candidate, lanes) = match taken.split_once('/') {
                Some((candidate, lanes)) => (candidate, u32::from_str_radix(lanes, 16).ok()?),
                None => (taken, LaneMask::FULL.0),
            };
            let (number, candidate) = (number.parse().ok()?, candidate.parse().ok()?);
            Some(Switch { number, candidate, lanes: LaneMask(lanes) })
        };
        let found = if text == "fair" {
            Some(Schedule::Fair)
        } else if let Some(bit) = text.strip_prefix("apart:") {
            bit.parse().ok().filter(|bit| *bit < LANE_BITS).map(Schedule::Apart)
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
                "`{text}` is not a schedule: write `fair`, `apart:BIT`, `seed:NUMBER` or `switch:CHOICE=CANDIDATE[/LANES],…`"
            )
        })
    }
}

impl Schedule {
    /// The lanes that part from the others at `activemask`.
    pub(crate) fn apart(&self) -> u32 {
        match self {
            Schedule::Apart(bit) => LaneMask::from_fn(|lane| lane >> bit & 1 != 0).0,
            Schedule::Fair | Schedule::Seed(_) | Schedule::Switches(_) => 0,
        }
    }

    /// Who chooses; `None` for the fair schedules, which run groups of splits.
    pub(crate) fn chooser(&self) -> Option<Box<dyn Chooser>> {
        match self {
            Schedule::Fair | Schedule::Apart(_) => None,
            Schedule::Seed(seed) => Some(Box::new(Random::new(*seed))),
            Schedule::Switches(switches) => Some(Box::new(Switching::new(switches))),
        }
    }
}

/// A split that can run, or some of its lanes, which then leave the others behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The CTA's number in the grid.
    pub cta: u64,
    /// The warp's index in its CTA.
    pub warp: u32,
    /// The lanes that would run.
    pub lanes: LaneMask,
    /// The split's lanes.
    pub split: LaneMask,
    /// The instruction at which it stands.
    pub place: Place,
    /// What it shows of the lanes that execute it together. If that is anything, some of them may run before the others.
    pub tells: Tells,
    /// The same instruction as the engine counts, in reconvergence order.
    pub(crate) at: Pc,
}

impl Candidate {
    /// Whether both stand at the same instruction.
    pub fn at_same_place(&self, other: &Candidate) -> bool {
        self.at == other.at
    }

    /// The instruction at which it stands, as a number: places can have several instructions.
    pub fn instruction(&self) -> usize {
        self.at.0 as usize
    }

    /// Whether not all lanes of the split would run.
    pub fn is_part(&self) -> bool {
        self.lanes != self.split
    }

    /// Whether a split is what it leaves behind.
    pub fn leaves(&self, split: &Candidate) -> bool {
        let place = |candidate: &Candidate| (candidate.cta, candidate.warp, candidate.at);
        self.is_part() && place(self) == place(split) && self.split - self.lanes == split.split
    }

    /// Whether this is a candidate of another choice: the same lanes at the same instruction.
    pub fn is_still(&self, other: &Candidate) -> bool {
        let stands =
            |candidate: &Candidate| (candidate.cta, candidate.warp, candidate.lanes, candidate.at);
        stands(self) == stands(other)
    }

    /// The same split, of which some of the lanes would run; all of it if they may not, or are none of it.
    #[must_use]
    pub fn with(&self, lanes: LaneMask) -> Candidate {
        let lanes = lanes & self.split;
        let may = self.tells != Tells::Nothing && lanes != LaneMask::EMPTY;
        Candidate { lanes: if may { lanes } else { self.split }, ..*self }
    }

    /// The split and the parts of it that random schedules let run before the rest of it ([`parts`]).
    pub fn divisions(&self, dividing: Dividing) -> impl Iterator<Item = LaneMask> + use<> {
        let divided = match (self.tells, dividing) {
            (Tells::Order | Tells::Presence, _) | (Tells::Access, Dividing::Accesses) => {
                parts(self.split)
            }
            (Tells::Access, Dividing::Results) | (Tells::Nothing | Tells::Participants, _) => {
                Vec::new()
            }
        };
        std::iter::once(self.split).chain(divided)
    }
}

/// Where random schedules let some lanes of a split run before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dividing {
    /// Where a result tells the lanes themselves: `activemask`, and atomics whose results depend on their order.
    Results,
    /// There, and at all other strong accesses, which only other threads can see apart.
    Accesses,
}

/// Splits of so many lanes can be divided in every way, larger ones only in some.
pub const ALL_DIVISIONS: u32 = 3;

/// Some parts of a split: all, or of a larger split those of every second lane, of every second pair of lanes, and so on,
/// without the first.
pub fn parts(split: LaneMask) -> Vec<LaneMask> {
    let count = split.count();
    let chosen = |test: &dyn Fn(u32) -> bool| {
        let numbered = split.iter().enumerate();
        let lanes =
            numbered.filter(|(nth, _)| test(*nth as u32)).map(|(_, lane)| LaneMask::single(lane));
        lanes.fold(LaneMask::EMPTY, |all, lane| all | lane)
    };
    match count {
        0 | 1 => Vec::new(),
        2..=ALL_DIVISIONS => {
            (1..(1 << count) - 1).map(|part: u32| chosen(&|nth| part >> nth & 1 != 0)).collect()
        }
        _ => (0..u32::BITS - (count - 1).leading_zeros())
            .map(|bit| chosen(&|nth| nth >> bit & 1 != 0))
            .collect(),
    }
}

/// A choice among splits. A step of the one chosen takes it to the next instruction that others can notice: an
/// access to memory that they see, a collective, a barrier, `activemask`. Where it shows which lanes execute together, or
/// in which order ([`Tells`]), and lanes need not run in lockstep, any of its lanes may run before the others.
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

impl Choice<'_> {
    /// What the usual choice is.
    pub fn by_default(&self) -> Chosen {
        Chosen::whole(self.usual)
    }

    /// The split, or the lanes of it, that were chosen. The usual one for an index beyond the last.
    pub fn taken(&self, chosen: Chosen) -> Candidate {
        let candidate = self.candidates.get(chosen.candidate);
        candidate.unwrap_or(&self.candidates[self.usual]).with(chosen.lanes)
    }
}

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chosen {
    /// The index of a candidate.
    pub candidate: usize,
    /// The lanes of it that run. All do if none of these is one of them, or if they may not part.
    pub lanes: LaneMask,
}

impl Chosen {
    /// All lanes of a candidate.
    pub fn whole(candidate: usize) -> Chosen {
        Chosen { candidate, lanes: LaneMask::FULL }
    }
}

/// Makes the choices of a run.
pub trait Chooser {
    /// What runs next ([`Choice::taken`]); `None` gives the run up, and it ends there.
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen>;
}

/// A random walk.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    dividing: Dividing,
}

impl Random {
    /// A walk from a seed, which divides splits at [`Dividing::Accesses`].
    pub fn new(seed: u64) -> Self {
        Random { state: seed, dividing: Dividing::Accesses }
    }

    /// The same, with splits divided elsewhere.
    #[must_use]
    pub fn dividing(self, dividing: Dividing) -> Self {
        Random { dividing, ..self }
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
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
        let divisions = |(candidate, split): (usize, &Candidate)| {
            split.divisions(self.dividing).map(move |lanes| Chosen { candidate, lanes })
        };
        let all: Vec<Chosen> = choice.candidates.iter().enumerate().flat_map(divisions).collect();
        Some(all[self.below(all.len() as u64) as usize])
    }
}

/// The usual choice, except where another is listed.
#[derive(Clone, Debug)]
pub struct Switching {
    switches: std::collections::HashMap<u64, Chosen>,
}

impl Switching {
    /// Takes the listed candidates.
    pub fn new(switches: &[Switch]) -> Self {
        let chosen = |switch: &Switch| {
            let (candidate, lanes) = (switch.candidate as usize, switch.lanes);
            (switch.number, Chosen { candidate, lanes })
        };
        Switching { switches: switches.iter().map(chosen).collect() }
    }
}

impl Chooser for Switching {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
        Some(self.switches.get(&choice.number).copied().unwrap_or(choice.by_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_splits_have_all_parts_and_large_ones_some() {
        let parts = |split| parts(LaneMask(split)).iter().map(|part| part.0).collect::<Vec<_>>();
        assert!(parts(0).is_empty());
        assert!(parts(0x40).is_empty());
        assert_eq!(parts(0x101), [1, 0x100]);
        assert_eq!(parts(0b1011), [1, 2, 3, 8, 9, 10]);
        assert_eq!(parts(0xf0), [0xa0, 0xc0]);
        assert_eq!(parts(0x1f), [0xa, 0xc, 0x10]);
        assert_eq!(parts(!0), [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00, 0xffff_0000]);
    }

    #[test]
    fn schedules_print_and_read_back() {
        let part = |number, candidate, lanes| Switch { number, candidate, lanes: LaneMask(lanes) };
        let switch = |number, candidate| part(number, candidate, u32::MAX);
        let switches = |list: &[Switch]| Schedule::Switches(list.to_vec());
        for schedule in [
            Schedule::Fair,
            Schedule::Apart(0),
            Schedule::Apart(4),
            Schedule::Seed(0),
            Schedule::Seed(u64::MAX),
            switches(&[]),
            switches(&[switch(3, 1)]),
            switches(&[switch(0, 7), switch(u64::MAX, u32::MAX)]),
            switches(&[part(2, 0, 4), switch(3, 1), part(5, 1, 0xf000_0001)]),
        ] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        for wrong in [
            "",
            "apart:5",
            "apart:-1",
            "seed:x",
            "switch:1",
            "switch:a=b",
            "switch:1=2/",
            "switch:1=2/100000000",
            "switch:1=2;3=4",
            "random",
        ] {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong}");
        }
    }
}
