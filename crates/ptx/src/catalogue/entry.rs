//! What an entry says of an instruction, and an instruction with its form.

use super::availability::{Need, Only, Removed, Since};
use super::opcode::CALL;
use super::pattern::Pattern;
use crate::lower::{Lowering, Result};
use crate::syntax::ast::{Instruction, Name};

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

/// One form of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The syntax, in the notation of [`pattern`](super::pattern).
    pub syntax: &'static str,
    /// What it needs.
    pub since: Since,
    /// When it went away.
    pub removed: Option<Removed>,
    /// Which targets have it, of those from `since.sm` on.
    pub only: Only,
    /// In which modules it is, by where their samplers are.
    pub samplers: Samplers,
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
    pub lower: fn(&mut Lowering, &Matched<'_>) -> Result,
}

impl Form {
    /// An exact form that needs PTX `ptx` and target `sm`, and is still there.
    pub const fn new(
        syntax: &'static str,
        ptx: (u32, u32),
        sm: u32,
        lower: fn(&mut Lowering, &Matched<'_>) -> Result,
    ) -> Self {
        Form {
            syntax,
            since: Since { ptx, sm },
            removed: None,
            only: Only::All,
            samplers: Samplers::Any,
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

    /// The same form, which does this.
    pub const fn lowered(mut self, lower: fn(&mut Lowering, &Matched<'_>) -> Result) -> Self {
        self.lower = lower;
        self
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

/// Where the samplers of a module are that has a form (PTX ISA 9.1, 5.3 "Texture Sampler and Surface Types").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samplers {
    /// Anywhere.
    Any,
    /// In its textures (`texmode_unified`).
    Unified,
    /// Apart from them (`texmode_independent`).
    Apart,
}

/// How close results are to what the ISA specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// The ISA defines every bit, and so it comes out.
    Exact,
    /// The ISA allows an error, stated here. Warpwise computes what a GPU does, as far as it is known.
    Approximate(&'static str),
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

/// The lowering of instructions that are legal and do not run.
pub(super) fn not_implemented(lo: &mut Lowering, inst: &Matched<'_>) -> Result {
    lo.unsupported(inst, format!("`{}` is legal PTX that is not implemented", inst.in_order()))
}

/// The lowering of instructions that change nothing a kernel could see.
pub(crate) fn hint(_: &mut Lowering, _: &Matched<'_>) -> Result {
    Ok(())
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

/// What fills a slot of a form.
pub(super) type Word = Option<&'static str>;

/// An instruction together with the form that it is written in.
#[derive(Debug)]
pub struct Matched<'a> {
    /// The form.
    pub form: &'static CompiledForm,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// A word that repeats another one.
    pub(crate) repeated: Option<&'a Name>,
    pub(super) words: Vec<Word>,
}
