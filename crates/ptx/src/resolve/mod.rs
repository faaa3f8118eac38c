//! Rules about declarations that hold whatever the instructions do: what may be declared where, and
//! that no scope declares a name twice (PTX ISA 9.1, identifiers, state spaces, linking directives).
//!
//! Kernels that are never run are checked too, so this needs no catalogue and no target.

mod scope;

use crate::rules;
use crate::syntax::ast::{
    Function, FunctionKind, Item, Module, Statement, StatementKind, Variable,
};
use crate::syntax::{Linkage, MAX_ERRORS, Space};
use diag::{Diagnostic, Span};
use foldhash::{HashMap, HashMapExt};
use scope::Scope;

/// Everything that is wrong with the declarations of a module, at most [`MAX_ERRORS`] diagnostics.
pub fn check(module: &Module) -> Vec<Diagnostic> {
    let mut checker = Checker { errors: Vec::new() };
    checker.module(module);
    checker.errors.truncate(MAX_ERRORS);
    checker.errors
}

/// What a name of the module stands for, as far as a second declaration must agree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Kernel,
    DeviceFunction,
    Variable,
}

/// A declaration of the module.
#[derive(Clone, Copy)]
struct Declared {
    kind: Kind,
    /// False for prototypes and `.extern` variables, which may be repeated.
    is_definition: bool,
    span: Span,
}

struct Checker {
    errors: Vec<Diagnostic>,
}

impl Checker {
    fn module(&mut self, module: &Module) {
        let mut names: HashMap<&str, Declared> = HashMap::new();
        for item in &module.items {
            let (name, declared) = match item {
                Item::Function(function) => {
                    self.function(function);
                    let kind = match function.kind {
                        FunctionKind::Entry => Kind::Kernel,
                        FunctionKind::Func => Kind::DeviceFunction,
                    };
                    let is_definition = function.body.is_some();
                    (&function.name, Declared { kind, is_definition, span: function.name.span })
                }
                Item::Variable(variable) => {
                    self.module_variable(variable);
                    let is_definition = variable.linkage != Linkage::Extern;
                    let span = variable.name.span;
                    (&variable.name, Declared { kind: Kind::Variable, is_definition, span })
                }
                Item::Directive(_) => continue,
            };
            match names.get_mut(name.as_str()) {
                None => {
                    names.insert(name, declared);
                }
                Some(first) if first.kind != declared.kind => {
                    self.twice(name, declared.span, first.span);
                }
                Some(first) if first.is_definition && declared.is_definition => {
                    self.twice(name, declared.span, first.span);
                }
                Some(first) if declared.is_definition => *first = declared,
                Some(_) => {}
            }
        }
    }

    fn twice(&mut self, name: &str, second: Span, first: Span) {
        let message = format!("`{name}` is declared twice");
        self.errors.push(
            rules::DUPLICATE
                .at(second, message)
                .label(second, "the second declaration")
                .label(first, "the first declaration")
                .help("rename one of them"),
        );
    }

    fn module_variable(&mut self, variable: &Variable) {
        let word = variable.space.word();
        match variable.space {
            Space::Global | Space::Const | Space::Shared | Space::Tex => {}
            Space::Param => {
                let message = "parameters belong to functions, not to the module";
                self.errors.push(rules::DECLARATION.at(variable.span, message));
            }
            Space::Reg | Space::Local | Space::Sreg => {
                let message = format!("`.{word}` variables belong to functions, not to the module");
                self.errors.push(
                    rules::DECLARATION
                        .at(variable.span, message)
                        .help("declare the variable in the function that uses it"),
                );
            }
        }
        self.initial_value(variable);
    }

    fn initial_value(&mut self, variable: &Variable) {
        if matches!(variable.space, Space::Global | Space::Const) {
            return;
        }
        if let Some(init) = &variable.init {
            let message = format!("`.{}` variables have no initial value", variable.space.word());
            self.errors.push(
                rules::DECLARATION
                    .at(init.span, message)
                    .help("only `.global` and `.const` variables can have one"),
            );
        }
    }

    fn function(&mut self, function: &Function) {
        let mut scope = Scope::default();
        for parameter in &function.params {
            if function.kind == FunctionKind::Entry && parameter.space != Space::Param {
                let message = "the parameters of a kernel are in `.param` space";
                self.errors.push(rules::DECLARATION.at(parameter.span, message));
            }
        }
        for parameter in function.returns.iter().chain(&function.params) {
            self.variable(&mut scope, parameter);
        }
        self.statements(&mut scope, function.body.as_deref().unwrap_or_default());
    }

    fn statements<'a>(&mut self, scope: &mut Scope<'a>, statements: &'a [Statement]) {
        for statement in statements {
            let label = match &statement.kind {
                StatementKind::Block(inner) => {
                    self.statements(&mut Scope::default(), inner);
                    continue;
                }
                StatementKind::Variable(variable) => {
                    self.variable(scope, variable);
                    self.initial_value(variable);
                    continue;
                }
                StatementKind::Label(name) => name,
                StatementKind::CallPrototype(prototype) => &prototype.label,
                StatementKind::BranchTargets(table) | StatementKind::CallTargets(table) => {
                    &table.label
                }
                StatementKind::Instruction(_)
                | StatementKind::Loc(_)
                | StatementKind::Pragma(_) => {
                    continue;
                }
            };
            if let Err(first) = scope.declare_label(label) {
                self.twice(label, label.span, first);
            }
        }
    }

    fn variable<'a>(&mut self, scope: &mut Scope<'a>, variable: &'a Variable) {
        if variable.space == Space::Sreg {
            let message = "special registers are predefined and cannot be declared";
            self.errors.push(rules::DECLARATION.at(variable.span, message));
        }
        if let Err(clash) = scope.declare(variable) {
            self.twice(&clash.name, variable.name.span, clash.first);
        }
    }
}

#[cfg(test)]
mod tests;
