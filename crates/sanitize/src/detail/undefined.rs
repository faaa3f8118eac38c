//! M004, M005, W010: an undefined value decides something.

use super::collectives::Absence;
use super::facts::Facts;
use super::parts::At;
use crate::code::Code;
use ir::Place;
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::Serialize;
use vm::ThreadId;

/// Why a value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Born {
    /// The instruction reads a register that nothing wrote.
    Register,
    /// The instruction reads memory that nothing wrote.
    Memory(At),
    /// A shuffle reads a lane that does not take part.
    SourceAbsent {
        /// The lane that reads.
        lane: u32,
        /// The lane that it reads.
        source: u32,
        /// Why that does not take part.
        why: Absence,
    },
    /// A matrix transpose reads lanes that do not take part.
    SourcesAbsent,
    /// A lane executes a collective whose membermask does not name it.
    NotNamed,
}

/// What an undefined value decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Use {
    /// A branch.
    Branch,
    /// Whether an instruction is executed.
    Guard,
    /// An address.
    Address,
    /// A membermask.
    Membermask,
    /// A barrier's number or thread count.
    Barrier,
    /// What is stored to global memory.
    GlobalStore,
    /// What is combined into global memory.
    GlobalAtomic,
    /// What is printed.
    Print,
    /// What is written to a uniform register, in programs of a machine.
    UniformRegister,
    /// What is in a register when a program of a machine ends.
    FinalRegister,
}

/// An undefined value decides something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Undefined {
    /// Why it is undefined.
    pub born: Born,
    /// The instruction that made it, or read it first.
    pub born_at: Place,
    /// The first thread for which that instruction did.
    pub born_in: ThreadId,
    /// What it decides.
    pub used: Use,
    /// Where.
    pub used_at: Place,
    /// In which lanes of the warp.
    pub lanes: LaneMask,
}

impl Undefined {
    /// The instruction to report: for memory the read, which the source code chose, else the use. Registers and
    /// collectives are read and executed freely where nothing comes of it.
    pub(crate) fn place(&self) -> Place {
        match self.born {
            Born::Memory(_) => self.born_at,
            Born::Register | Born::SourceAbsent { .. } | Born::SourcesAbsent | Born::NotNamed => {
                match self.used {
                    Use::FinalRegister => self.born_at,
                    Use::Branch
                    | Use::Guard
                    | Use::Address
                    | Use::Membermask
                    | Use::Barrier
                    | Use::GlobalStore
                    | Use::GlobalAtomic
                    | Use::Print
                    | Use::UniformRegister => self.used_at,
                }
            }
        }
    }
}

impl Facts for Undefined {
    fn code(&self) -> Code {
        match self.born {
            Born::Register => Code::M005,
            Born::Memory(_) => Code::M004,
            Born::SourceAbsent { .. } | Born::SourcesAbsent | Born::NotNamed => Code::W010,
        }
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        match &mut self.born {
            Born::Memory(at) => vec![&mut at.address],
            Born::Register | Born::SourceAbsent { .. } | Born::SourcesAbsent | Born::NotNamed => {
                Vec::new()
            }
        }
    }

    fn related(&self) -> Vec<Place> {
        if self.used == Use::FinalRegister {
            return Vec::new();
        }
        let places = [self.born_at, self.used_at].into_iter();
        let other = places.filter(|place| *place != self.place());
        other.collect()
    }
}
