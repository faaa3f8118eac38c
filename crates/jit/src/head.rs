//! Where code is entered with lanes that are apart.

use ir::Reg;
use ir::analysis::Shape;
use serde::{Deserialize, Serialize};

/// The head of a loop in which lanes may be apart from others of their gang, which wait at later places.
///
/// The first words of [`Context::given`](crate::Context::given) are sets of lanes, a bit each: those that go on at the head, then those
/// of each waiting place in turn. Behind them come the values of [`Head::given`]. All other values are in home rows, of each register
/// in the lanes whose place needs it ([`crate::Code::waiting`]). Every lane of the gang that has not exited is in one of the sets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    /// The place of its first instruction, as the input counts them.
    pub place: u32,
    /// The number of that place among those where lanes may wait.
    pub number: u32,
    /// Where others may wait.
    pub waiting: Vec<Station>,
    /// Registers of which code wants the first lane's value, or that of the first lane of each slice, from which those of other lanes
    /// follow: in a word each. Of a predicate it is the bit of every lane.
    pub given: Vec<(Reg, Shape)>,
    /// Registers of which code reads just that in the home row.
    pub homed: Vec<(Reg, Shape)>,
    /// Registers that shuffles read in whatever lane they name.
    pub offered: Vec<Reg>,
    /// Whether the loop, or one around it, may come to its end by what others do.
    pub depends: Depends,
}

/// A place at which lanes wait while others execute a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Station {
    /// Its number among those where lanes may wait ([`crate::Code::waiting`]).
    pub number: u32,
    /// The lanes that code takes to wait there, if it looks for no others.
    pub known: Option<u64>,
}

/// What a loop sees of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Depends {
    /// Nothing: they cannot make it end.
    Never,
    /// What they write without telling so.
    Plainly,
    /// It may wait for them: for what they tell by strong accesses, or for a time.
    Waits,
}
