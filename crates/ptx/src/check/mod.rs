//! What is legal PTX: the rules that hold for a module as a whole, and for each instruction in it.
//!
//! [`check`] decides like NVIDIA's assembler and says why. What the assembler accepts against the manual is a
//! warning. Everything about single instructions comes from the catalogue's forms; this module knows no
//! opcode.

mod abi;
mod address;
mod advice;
mod alias;
mod blame;
mod branch;
mod call;
mod checker;
mod debug;
mod debug_labels;
mod declaration;
mod feature;
mod function;
mod header;
mod initial;
mod instruction;
mod misspelt;
mod names;
mod operand;
mod parameter;
mod pragma;
mod shared;
mod texture;
mod uses;
mod vector;
mod wanted;

use crate::resolve;
use crate::rules;
use crate::syntax::MAX_ERRORS;
use crate::syntax::ast::{Function, FunctionKind, Item, Module, Statement, StatementKind};
use crate::target::Target;
use advice::Advice;
use blame::Blame;
use checker::Checker;
use debug_labels::Debug;
use declaration::Role;
use diag::{Diagnostic, Severity};
use foldhash::{HashMap, HashSet};
use misspelt::Misspelt;
use names::Names;
use pragma::Place;
use uses::Uses;

/// Everything that is wrong with a parsed module, and what deserves a look, in source order. With `target`,
/// as if `.target` named it.
pub fn check(module: &Module, target: Option<Target>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let declared = header::check(module, &mut found);
    if let Some(target) = target {
        found.retain(|error| error.code != rules::TARGET_VERSION.code);
        found.extend(header::too_old(module, target));
    }
    let Some(target) = target.or(declared) else { return found };
    let mut checker = Checker {
        names: Names::new(),
        target,
        wide_addresses: module.address_size.is_none_or(|size| size.bits == 64),
        in_kernel: false,
        without_abi: abi::is_left(module),
        independent_samplers: header::has_independent_samplers(module),
        aliases: HashMap::default(),
        reordered: HashSet::default(),
        advice: Advice::default(),
        outputs: HashSet::default(),
        received: HashSet::default(),
        constant_bytes: 0,
        current: Uses::default(),
        blame: Blame::default(),
        debug: Debug::default(),
        unknown: HashSet::default(),
        undeclared: Vec::new(),
        misspelt: Misspelt::default(),
        uses: HashMap::default(),
        found,
    };
    checker.module(module);
    let mut found = checker.finish();
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

impl<'a> Checker<'a> {
    /// What was found, without what follows from it: a label without its colon reads as an unknown
    /// instruction, and branches do not find it; a wrong declaration makes every use wrong.
    fn finish(self) -> Vec<Diagnostic> {
        let (mut found, mut replaced) = self.blame.resolve();
        let is_label = |(name, _): &&(&str, usize)| self.unknown.contains(name);
        replaced.extend(self.undeclared.iter().filter(is_label).map(|(_, nth)| nth));
        let (at_declarations, blamed) = self.misspelt.resolve(&self.undeclared);
        found.extend(at_declarations);
        replaced.extend(blamed);
        let numbered = self.found.into_iter().enumerate();
        found.extend(numbered.filter(|(nth, _)| !replaced.contains(nth)).map(|(_, error)| error));
        found
    }

    fn module(&mut self, module: &'a Module) {
        for item in &module.items {
            if let Item::Function(function) = item {
                self.names.remember_labels(function.body.as_deref().unwrap_or_default());
                self.misspelt.declare(function);
            }
        }
        self.debug_information(module);
        for item in &module.items {
            match item {
                Item::Function(function) => {
                    self.names.declare_function(function);
                    self.function(function);
                }
                Item::Variable(variable) => {
                    // The initial value may be the variable's own address.
                    self.names.declare(variable);
                    self.declaration(variable, Role::Module);
                    self.constant_memory(variable);
                }
                Item::Directive(directive) if directive.name == ".pragma" => {
                    self.pragma(directive, Place::Module)
                }
                Item::Directive(directive) => self.alias(directive),
            }
        }
        self.shared_memory(module);
        if self.without_abi {
            self.recursion(module);
        }
        self.definitions(module);
    }

    fn function(&mut self, function: &'a Function) {
        self.in_kernel = function.kind == FunctionKind::Entry;
        self.function_head(function);
        let Some(body) = &function.body else { return };
        self.outputs = function.returns.iter().map(|it| it.name.as_str()).collect();
        self.advice = Advice::new(function);
        self.names.open(body);
        for parameter in function.returns.iter().chain(&function.params) {
            self.names.declare_parameter(parameter);
        }
        self.statements(body);
        self.names.close();
        let uses = std::mem::take(&mut self.current);
        self.uses.insert(&function.name, uses);
    }

    fn statements(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Block(inner) => {
                    self.names.open(inner);
                    self.statements(inner);
                    self.names.close();
                }
                StatementKind::Variable(variable) => {
                    self.declaration(variable, Role::Body);
                    self.needs_shared(variable);
                    self.names.declare(variable);
                }
                StatementKind::Instruction(instruction) => self.instruction(instruction),
                StatementKind::BranchTargets(table) => {
                    self.names.declare_table(&table.label, &statement.kind);
                    if self.has(feature::BRANCH_TARGETS, table.label.span) {
                        self.branch_targets(table);
                    }
                }
                StatementKind::CallTargets(table) => {
                    self.names.declare_table(&table.label, &statement.kind);
                    self.has(feature::CALL_TARGETS, table.label.span);
                    for entry in &table.entries {
                        if self.names.find(&entry.name).is_none() {
                            self.undeclared(&entry.name, "the target");
                        }
                    }
                }
                StatementKind::Label(_) => self.advice.label(),
                StatementKind::CallPrototype(prototype) => {
                    self.names.declare_table(&prototype.label, &statement.kind);
                    self.call_prototype(prototype);
                }
                StatementKind::Loc(loc) => self.loc(loc),
                StatementKind::Pragma(pragma) => self.pragma(pragma, Place::Body),
            }
        }
    }
}
