//! M004, M005, W010 in words.

use super::collectives::READS;
use super::{About, Say, Words, named};
use crate::detail::{Born, Undefined, Use};
use ir::Space;

impl Use {
    fn words(self) -> &'static str {
        match self {
            Use::Branch => "decides a branch",
            Use::Guard => "decides whether an instruction is executed",
            Use::Address => "is used as an address",
            Use::Membermask => "is used as a membermask",
            Use::Barrier => "is used as a barrier's number or thread count",
            Use::GlobalStore => "is stored to global memory",
            Use::GlobalAtomic => "is combined into global memory",
            Use::Print => "is printed",
            Use::UniformRegister => "is written to a uniform register",
            Use::FinalRegister => "is in a register when the program ends",
        }
    }
}

impl Born {
    /// The subject of a sentence about the value.
    fn subject(self) -> &'static str {
        match self {
            Born::Register => "the value of a register that nothing wrote",
            Born::Memory(at) => match at.space {
                Space::Shared => "a value of shared memory that nothing wrote",
                Space::Local => "a value of local memory that nothing wrote",
                Space::Global | Space::Generic | Space::Param => {
                    "a value of memory that nothing wrote"
                }
            },
            Born::SourceAbsent { .. } | Born::SourcesAbsent | Born::NotNamed => {
                "the undefined result of a collective"
            }
        }
    }

    /// What the instruction does.
    fn does(self, about: &About<'_>) -> String {
        match self {
            Born::Register => "reads a register that nothing wrote".to_owned(),
            Born::Memory(at) => {
                let word = match at.space {
                    Space::Shared => "shared",
                    Space::Local => "local",
                    Space::Global | Space::Generic | Space::Param => "global",
                };
                format!("reads {word} memory at {}, which nothing wrote", about.at(at))
            }
            Born::SourceAbsent { lane, source, why } => {
                let why = why.words();
                format!("lane {lane} reads lane {source}, which does not take part: {why}")
            }
            Born::SourcesAbsent => "reads lanes that do not take part".to_owned(),
            Born::NotNamed => "is executed by a lane that its membermask does not name".to_owned(),
        }
    }
}

impl Say for Undefined {
    fn say(&self, about: &About<'_>) -> Words {
        let birth = self.born.does(about);
        let used = format!("it is used here, in {}", named(self.lanes));
        let words = about.say(format!("{} {}", self.born.subject(), self.used.words()));
        let mut words = if self.used == Use::FinalRegister {
            words.label(birth)
        } else if self.born_at == self.used_at {
            words.label(used).fact(format!("the instruction itself {birth}"))
        } else if self.place() == self.born_at {
            words.label(birth).related(used)
        } else {
            words.label(used).related(birth)
        };
        if self.born_in != about.thread() {
            words = words.fact(format!("the value first became undefined in {}", self.born_in));
        }
        words.strip(about.strip(READS[0], READS[1]))
    }
}
