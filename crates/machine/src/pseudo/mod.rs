//! Pseudo-code under `__Semantics`: what it means is what the instruction does.
//!
//! The code is compiled to IR by if-conversion: both sides of a condition are emitted, each under the
//! predicate of the lanes that take it, so an instruction has no control flow of its own. Modifiers are
//! constants of the instruction; what depends on them alone is decided here.

mod ast;
mod compiler;
mod expr;
mod functions;
mod lexer;
mod parser;
mod statement;
mod value;

use crate::operand::{Lane, Lowered};
use ast::Statement;
use diag::Diagnostic;
use isa::{Opcode, SectionKind};

pub use functions::signatures;

/// The pseudo-code of an opcode.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    statements: Vec<Statement>,
}

impl Code {
    /// The code under the opcode's `__Semantics`; `None` when there is no code block. Several blocks are
    /// one code.
    ///
    /// # Errors
    /// The first place where it breaks the grammar.
    pub(crate) fn of(opcode: &Opcode) -> Option<Result<Code, Box<Diagnostic>>> {
        let section = opcode.sections.get(&SectionKind::Semantics)?;
        section.fences().next()?;
        let mut statements = Vec::new();
        for fence in section.fences() {
            match parser::parse(&fence.body, opcode.mnemonic()) {
                Ok(parsed) => statements.extend(parsed),
                Err(why) => return Some(Err(why)),
            }
        }
        Some(Ok(Code { statements }))
    }

    /// Emits what the code does.
    pub(crate) fn lower(&self, lane: &mut Lane<'_, '_>) -> Lowered {
        compiler::Compiler::new(lane).run(&self.statements)
    }
}
