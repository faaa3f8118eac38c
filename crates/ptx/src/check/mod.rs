//! What is legal PTX: the rules that hold for a module as a whole, and for each instruction in it.
//!
//! [`check`] decides like NVIDIA's assembler and says why. What the assembler accepts against the manual is a
//! warning. Everything about single instructions comes from the catalogue's forms; this module knows no
//! opcode.

mod address;
mod advice;
mod call;
mod header;
mod instruction;
mod names;
mod operand;
mod vector;

use crate::resolve;
use crate::syntax::MAX_ERRORS;
use crate::syntax::ast::{Function, FunctionKind, Item, Module, Statement, StatementKind};
use crate::target::Target;
use advice::Advice;
use diag::{Diagnostic, Severity};
use foldhash::HashSet;
use names::Names;

/// Everything that is wrong with a parsed module, and what deserves a look, in source order. With `target`,
/// as if `.target` named it.
pub fn check(module: &Module, target: Option<Target>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let declared = header::check(module, &mut found);
    let Some(target) = target.or(declared) else { return found };
    let mut checker = Checker {
        names: Names::new(),
        target,
        wide_addresses: module.address_size.is_none_or(|size| size.bits == 64),
        in_kernel: false,
        unchecked: HashSet::default(),
        advice: Advice::default(),
        found,
    };
    checker.module(module);
    let mut found = checker.found;
    found.extend(resolve::check(module));
    found.sort_by_key(|diagnostic| diagnostic.span());
    limit(found)
}

/// At most [`MAX_ERRORS`] errors, and as many remarks of other kinds.
fn limit(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (mut errors, mut others) = (0, 0);
    let within = |diagnostic: &Diagnostic| {
        let count = match diagnostic.severity {
            Severity::Error => &mut errors,
            Severity::Warning | Severity::Note => &mut others,
        };
        *count += 1;
        *count <= MAX_ERRORS
    };
    let mut found = found;
    found.retain(within);
    found
}

struct Checker<'a> {
    names: Names<'a>,
    target: Target,
    /// Whether addresses have 64 bits.
    wide_addresses: bool,
    /// Whether the function is a kernel.
    in_kernel: bool,
    /// Mnemonics without forms that have been remarked on.
    unchecked: HashSet<&'a str>,
    advice: Advice<'a>,
    found: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    fn module(&mut self, module: &'a Module) {
        for item in &module.items {
            if let Item::Function(function) = item {
                self.names.remember_labels(function.body.as_deref().unwrap_or_default());
            }
        }
        for item in &module.items {
            match item {
                Item::Function(function) => {
                    self.names.declare_function(function);
                    self.function(function);
                }
                Item::Variable(variable) => self.names.declare(variable),
                Item::Directive(_) => {}
            }
        }
    }

    fn function(&mut self, function: &'a Function) {
        let Some(body) = &function.body else { return };
        self.in_kernel = function.kind == FunctionKind::Entry;
        self.advice = Advice::new(function);
        self.names.open(body);
        for parameter in function.returns.iter().chain(&function.params) {
            self.names.declare(parameter);
        }
        self.statements(body);
        self.names.close();
    }

    fn statements(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Block(inner) => {
                    self.names.open(inner);
                    self.statements(inner);
                    self.names.close();
                }
                StatementKind::Variable(variable) => self.names.declare(variable),
                StatementKind::Instruction(instruction) => self.instruction(instruction),
                StatementKind::BranchTargets(table) | StatementKind::CallTargets(table) => {
                    for entry in table.entries.iter().filter(|entry| entry.range.is_none()) {
                        if self.names.find(&entry.name).is_none() {
                            let found = self.names.undeclared(&entry.name, "the target");
                            self.found.extend(found);
                        }
                    }
                }
                StatementKind::Label(_) => self.advice.label(),
                StatementKind::Loc(_)
                | StatementKind::Pragma(_)
                | StatementKind::CallPrototype(_) => {}
            }
        }
    }
}
