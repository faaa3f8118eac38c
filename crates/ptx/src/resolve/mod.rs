//! Rules about declarations that hold whatever the instructions do: what may be declared where, and
//! that no scope declares a name twice (PTX ISA 9.1, identifiers, state spaces, linking directives).
//!
//! Kernels that are never run are checked too, so this needs no catalogue and no target.

pub(crate) mod redeclaration;
mod scope;

use crate::rules;
use crate::special;
use crate::syntax::ast::{
    Function, FunctionKind, Item, Module, Name, Statement, StatementKind, Variable,
};
use crate::syntax::{Linkage, MAX_ERRORS, Space};
use diag::{Diagnostic, Span};
use foldhash::{HashMap, HashMapExt};
use scope::Scope;

/// Everything that is wrong with the declarations of a module, at most [`MAX_ERRORS`] diagnostics.
pub fn check(module: &Module) -> Vec<Diagnostic> {
    let is_old = module.version.is_some_and(|version| version.major < 3);
    let mut checker = Checker { errors: Vec::new(), is_old };
    checker.module(module);
    checker.errors.truncate(MAX_ERRORS);
    checker.errors
}

/// What a name of the module stands for.
#[derive(Clone, Copy)]
enum Declared<'a> {
    Function(&'a Function),
    Variable(&'a Variable),
}

impl<'a> Declared<'a> {
    fn name(&self) -> &'a Name {
        match self {
            Declared::Function(function) => &function.name,
            Declared::Variable(variable) => &variable.name,
        }
    }

    /// False for prototypes and `.extern` variables, which may be repeated.
    fn is_definition(&self) -> bool {
        match self {
            Declared::Function(function) => function.body.is_some(),
            Declared::Variable(variable) => variable.linkage != Linkage::Extern,
        }
    }
}

struct Checker {
    errors: Vec<Diagnostic>,
    /// Whether the module is older than PTX 3.0.
    is_old: bool,
}

impl Checker {
    fn module(&mut self, module: &Module) {
        let mut names: HashMap<&str, Declared<'_>> = HashMap::new();
        for item in &module.items {
            let declared = match item {
                Item::Function(function) => {
                    self.function(function);
                    Declared::Function(function)
                }
                Item::Variable(variable) => {
                    self.module_variable(variable);
                    Declared::Variable(variable)
                }
                Item::Directive(_) => continue,
            };
            self.reserved(declared.name());
            if special::find(declared.name()).is_some() {
                let message = format!("`{}` is a special register", declared.name());
                self.errors.push(rules::DUPLICATE.at(declared.name().span, message));
            }
            match names.get_mut(declared.name().as_str()) {
                None => {
                    names.insert(declared.name(), declared);
                }
                Some(first) => {
                    self.again(*first, declared);
                    if declared.is_definition() {
                        *first = declared;
                    }
                }
            }
        }
    }

    /// The name of a constant is no other name.
    fn reserved(&mut self, name: &Name) {
        if *name == "WARP_SZ" {
            let message = "`WARP_SZ` is a constant and cannot be declared";
            self.errors.push(rules::DUPLICATE.at(name.span, message));
        }
    }

    /// A name is declared once more.
    fn again(&mut self, first: Declared<'_>, second: Declared<'_>) {
        let differs = match (first, second) {
            (Declared::Function(one), Declared::Function(two)) if one.kind == two.kind => {
                if one.body.is_some() {
                    return self.twice(&two.name, two.name.span, one.name.span);
                }
                redeclaration::function(one, two)
            }
            (Declared::Variable(one), Declared::Variable(two)) => {
                if first.is_definition() && second.is_definition() {
                    return self.twice(&two.name, two.name.span, one.name.span);
                }
                redeclaration::variable(one, two).map(|what| (what, &two.name))
            }
            _ => return self.twice(second.name(), second.name().span, first.name().span),
        };
        if let Some((what, at)) = differs {
            let message = format!("`{}` was declared otherwise: {what}", second.name());
            let error = rules::DUPLICATE.at(at.span, message);
            self.errors.push(error.label(first.name().span, "the first declaration"));
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
            // Before functions kept their variables on a stack, modules could hold them.
            Space::Reg | Space::Local if self.is_old => {}
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
            self.reserved(label);
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
        self.reserved(&variable.name);
        if let Err(clash) = scope.declare(variable) {
            self.twice(&clash.name, variable.name.span, clash.first);
        }
    }
}

#[cfg(test)]
mod tests;
