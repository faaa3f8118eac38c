//! The instruction catalogue: one [`Entry`] per instruction, in one file per family.
//!
//! An entry states everything about an instruction that is not common to all: its forms as the manual
//! prints them, what PTX version and target each needs, what it does (its lowering to warp IR), how exact
//! that is, and where the manual describes it. Opcode names stand nowhere else.

mod matching;
mod miss;
pub mod pattern;
mod step;
mod words;

pub use matching::{Matched, find};
pub(crate) use matching::{candidates, foreign_word, unknown};
pub(crate) use miss::Miss;

pub(crate) use memory::access;

use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ast::Instruction;
use crate::target::Variant;
use foldhash::HashMap;
use pattern::Pattern;
use std::sync::OnceLock;

/// How close results are to what the ISA specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// The ISA defines every bit, and so it comes out.
    Exact,
    /// The ISA allows an error, stated here; Warpwise computes the correctly rounded result.
    Approximate(&'static str),
}

/// The PTX version and target that a form needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// Major and minor PTX ISA version.
    pub ptx: (u32, u32),
    /// Lowest `sm_` number.
    pub sm: u32,
}

/// When a form went away: from this PTX version on, for targets from this `sm_` number on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// First PTX ISA version without it.
    pub ptx: (u32, u32),
    /// First PTX ISA version that calls it deprecated; it has what is to be written instead.
    pub deprecated: (u32, u32),
    /// Lowest `sm_` number without it.
    pub sm: u32,
    /// What to write instead.
    pub instead: &'static str,
}

/// Which targets have a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// All that are new enough.
    All,
    /// The `a` and `f` targets of these architectures.
    Family(&'static [u32]),
    /// The `a` targets of these architectures.
    Architecture(&'static [u32]),
    /// The `a` and `f` targets of the first architectures, and the `a` targets of the others.
    FamilyOrArchitecture(&'static [u32], &'static [u32]),
}

impl Only {
    /// Whether a target is among them.
    pub fn has(self, sm: u32, variant: Variant) -> bool {
        match self {
            Only::All => true,
            Only::Family(all) => variant != Variant::Base && all.contains(&sm),
            Only::Architecture(all) => variant == Variant::Architecture && all.contains(&sm),
            Only::FamilyOrArchitecture(families, others) => {
                Only::Family(families).has(sm, variant)
                    || Only::Architecture(others).has(sm, variant)
            }
        }
    }
}

/// What a form is to code that looks after warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It gives the mask of active lanes.
    ActiveMask,
    /// It reads another lane's register; `b` and `c` say which.
    Shuffle,
    /// It copies a register.
    Copy,
    /// It takes the carry flag, sets it with `.cc`, or both.
    Carry {
        /// Whether the flag is that of a subtraction: no borrow.
        subtracts: bool,
        /// Whether it takes the flag.
        takes: bool,
    },
    /// None of these.
    Other,
}

/// What a word of a form needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The word without its dot.
    pub word: &'static str,
    /// What it needs.
    pub since: Since,
    /// Which targets have it, of those from `since.sm` on.
    pub only: Only,
}

impl Need {
    /// `word` needs PTX `ptx` and target `sm`.
    pub const fn new(word: &'static str, ptx: (u32, u32), sm: u32) -> Self {
        Need { word, since: Since { ptx, sm }, only: Only::All }
    }

    /// The same, for the `a` and `f` targets of these architectures alone.
    pub const fn family(mut self, architectures: &'static [u32]) -> Self {
        self.only = Only::Family(architectures);
        self
    }

    /// The same, for the `a` targets of these architectures alone.
    pub const fn architecture(mut self, architectures: &'static [u32]) -> Self {
        self.only = Only::Architecture(architectures);
        self
    }
}

/// One form of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The syntax, in the notation of [`pattern`].
    pub syntax: &'static str,
    /// What it needs.
    pub since: Since,
    /// When it went away.
    pub removed: Option<Removed>,
    /// Which targets have it, of those from `since.sm` on.
    pub only: Only,
    /// What single words of it need beyond that.
    pub needs: &'static [Need],
    /// Lowest `sm_` number for which `name+constant` may be an operand. The assembler makes the instruction
    /// a call for the targets below, and such a sum cannot be passed.
    pub sums: u32,
    /// How exact it is.
    pub fidelity: Fidelity,
    /// What advice about masks and shuffles must know of it.
    pub role: Role,
    /// What it does.
    pub lower: fn(&mut Lowering, &Inst<'_>) -> Result,
}

impl Form {
    /// An exact form that needs PTX `ptx` and target `sm`, and is still there.
    pub const fn new(
        syntax: &'static str,
        ptx: (u32, u32),
        sm: u32,
        lower: fn(&mut Lowering, &Inst<'_>) -> Result,
    ) -> Self {
        Form {
            syntax,
            since: Since { ptx, sm },
            removed: None,
            only: Only::All,
            needs: &[],
            sums: 0,
            fidelity: Fidelity::Exact,
            role: Role::Other,
            lower,
        }
    }

    /// A form that Warpwise knows and does not run. Giving it a lowering makes it one that runs.
    pub const fn legal(syntax: &'static str, ptx: (u32, u32), sm: u32) -> Self {
        Form::new(syntax, ptx, sm, not_implemented)
    }

    /// The same form, which needs PTX `ptx` and target `sm` instead.
    pub const fn since(mut self, ptx: (u32, u32), sm: u32) -> Self {
        self.since = Since { ptx, sm };
        self
    }

    /// The same form, for the `a` and `f` targets of these architectures alone.
    pub const fn family(mut self, architectures: &'static [u32]) -> Self {
        self.only = Only::Family(architectures);
        self
    }

    /// The same form, for the `a` targets of these architectures alone.
    pub const fn architecture(mut self, architectures: &'static [u32]) -> Self {
        self.only = Only::Architecture(architectures);
        self
    }

    /// The same form in that role.
    pub const fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// The same form, some words of which need more.
    pub const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    /// The same form, operands of which may be `name+constant` from target `sm` on.
    pub const fn sums_from(mut self, sm: u32) -> Self {
        self.sums = sm;
        self
    }

    /// The same form, gone from PTX `ptx` on for targets from `sm` on. `instead` says what to write.
    pub const fn removed(mut self, ptx: (u32, u32), sm: u32, instead: &'static str) -> Self {
        self.removed = Some(Removed { ptx, deprecated: ptx, sm, instead });
        self
    }

    /// The same form, which is removed at some time, and deprecated before that from PTX `ptx` on.
    pub const fn deprecated(mut self, ptx: (u32, u32)) -> Self {
        if let Some(removed) = &mut self.removed {
            removed.deprecated = ptx;
        }
        self
    }

    /// The same form, for which the ISA allows the error `bound`.
    pub const fn approximate(mut self, bound: &'static str) -> Self {
        self.fidelity = Fidelity::Approximate(bound);
        self
    }
}

fn not_implemented(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.unsupported(inst, format!("`{}` is legal PTX that is not implemented", inst.in_order()))
}

/// The lowering of instructions that change nothing a kernel could see.
fn hint(_: &mut Lowering, _: &Inst<'_>) -> Result {
    Ok(())
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The mnemonic up to the first dot; with words behind it where they make it another instruction
    /// (`st.async`).
    pub name: &'static str,
    /// The section of the manual, "PTX ISA 9.1, " left out.
    pub section: &'static str,
    /// Its forms; a call has none, since its operands are those of the function.
    pub forms: &'static [Form],
}

impl Entry {
    /// The mnemonic up to the first dot.
    pub fn opcode(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(opcode, _)| opcode)
    }

    /// Whether its operands are a function, and lists of what it is passed and returns.
    pub fn is_call(&self) -> bool {
        self.name == CALL
    }
}

/// The instruction whose operands may be lists.
pub(crate) const CALL: &str = "call";

macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(mod $family;)*
        const FAMILIES: &[&[Entry]] = &[$($family::ENTRIES),*];
    };
}

families! {
    arithmetic, asynchronous, atomics, barrier_objects, bits, calls, cluster, compare, control, convert, extended, fabric,
    functions, logic, matrix, memory, moves, multimem, tensor, textures, video, warp, warpgroup,
}

/// A form with its compiled syntax.
#[derive(Debug)]
pub struct CompiledForm {
    /// The form.
    pub form: &'static Form,
    /// Its syntax.
    pub pattern: Pattern,
}

/// An entry with its compiled forms.
#[derive(Debug)]
pub struct CompiledEntry {
    /// The entry.
    pub entry: &'static Entry,
    /// Its forms.
    pub forms: Vec<CompiledForm>,
}

/// Every entry, in catalogue order.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// Whether an instruction's mnemonic is or begins with a word.
pub(crate) fn is_opcode(word: &str) -> bool {
    let compiled = compiled();
    compiled.entries.contains_key(word) || compiled.longer.iter().any(|it| it.opcode == word)
}

/// The entry of an instruction.
pub fn entry(instruction: &Instruction) -> Option<&'static CompiledEntry> {
    let compiled = compiled();
    let opcode = instruction.opcode.as_str();
    let is_there = |word: &str| instruction.suffixes.iter().any(|suffix| suffix == word);
    let mut longer = compiled.longer.iter().filter(|entry| entry.opcode == opcode);
    // Where only longer names begin with the opcode, one of them says which word is wrong.
    let nearest = longer.clone().next();
    longer
        .find(|entry| entry.words.iter().all(|word| is_there(word)))
        .and_then(|entry| compiled.entries.get(entry.name))
        .or_else(|| compiled.entries.get(opcode))
        .or_else(|| compiled.entries.get(nearest?.name))
}

/// The name of an entry that has several parts.
struct LongName {
    name: &'static str,
    opcode: &'static str,
    words: Vec<&'static str>,
}

/// The catalogue, compiled.
struct Compiled {
    entries: HashMap<&'static str, CompiledEntry>,
    /// The names of several parts, those with most of them first.
    longer: Vec<LongName>,
}

fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    let compiled = |form: &'static Form| {
        // A line that does not compile is found by the test below; here its form is left out.
        let pattern = Pattern::compile(form.syntax).ok()?;
        Some(CompiledForm { form, pattern })
    };
    let build = || {
        let compile = |entry: &'static Entry| {
            let forms = entry.forms.iter().filter_map(compiled).collect();
            (entry.name, CompiledEntry { entry, forms })
        };
        let long_name = |entry: &'static Entry| {
            let (opcode, words) = entry.name.split_once('.')?;
            Some(LongName { name: entry.name, opcode, words: words.split('.').collect() })
        };
        let mut longer: Vec<LongName> = entries().filter_map(long_name).collect();
        longer.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
        Compiled { entries: entries().map(compile).collect(), longer }
    };
    COMPILED.get_or_init(build)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_syntax_line_compiles_and_starts_with_its_entrys_name() {
        for entry in entries() {
            for form in entry.forms {
                let pattern = Pattern::compile(form.syntax);
                assert!(pattern.is_ok(), "{}: {}", form.syntax, pattern.unwrap_err());
                let opcode = form.syntax.split(['.', ' ', '{']).next();
                assert_eq!(opcode, Some(entry.opcode()), "{}", form.syntax);
            }
        }
    }

    #[test]
    fn no_instruction_has_two_entries() {
        let mut names: Vec<_> = entries().map(|entry| entry.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
