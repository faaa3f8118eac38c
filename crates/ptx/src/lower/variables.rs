//! The global and constant variables that a module declares, outside of its functions and in them, and which of them
//! cannot be used.

use super::opaque;
use crate::syntax::ast::{
    Init, InitAddress, InitKind, Item, Module, Statement, StatementKind, Variable,
};
use crate::syntax::{Linkage, Space};
use diag::Span;
use std::collections::HashMap;

/// Why a variable cannot be used. Kernels that do not need it run.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    /// What is wrong, in one sentence.
    pub(super) message: String,
    /// What to blame: a declaration, or an initial value.
    pub(super) span: Span,
    /// What stands there.
    pub(super) what: &'static str,
}

/// A variable with the scope that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Declared<'a> {
    pub(super) variable: &'a Variable,
    scope: usize,
}

/// The variables of one scope that may be named.
#[derive(Default)]
struct Scope<'a> {
    /// The scope around it; the module's is its own.
    parent: usize,
    names: HashMap<&'a str, usize>,
}

/// The variables of a module in `.global` and `.const` space, those of its functions' bodies included.
pub(super) struct Variables<'a> {
    all: Vec<Declared<'a>>,
    /// The first is the module's.
    scopes: Vec<Scope<'a>>,
}

impl<'a> Variables<'a> {
    pub(super) fn of(module: &'a Module) -> Self {
        let mut variables = Variables { all: Vec::new(), scopes: vec![Scope::default()] };
        for item in &module.items {
            match item {
                Item::Variable(variable) => variables.declare(variable, 0),
                Item::Function(function) => {
                    variables.body(function.body.as_deref().unwrap_or_default(), 0);
                }
                Item::Directive(_) => {}
            }
        }
        variables
    }

    fn body(&mut self, statements: &'a [Statement], parent: usize) {
        let scope = self.scopes.len();
        self.scopes.push(Scope { parent, names: HashMap::new() });
        for statement in statements {
            match &statement.kind {
                StatementKind::Block(inner) => self.body(inner, scope),
                StatementKind::Variable(variable) => self.declare(variable, scope),
                _ => {}
            }
        }
    }

    fn declare(&mut self, variable: &'a Variable, scope: usize) {
        if !matches!(variable.space, Space::Global | Space::Const) {
            return;
        }
        let nth = self.all.len();
        self.all.push(Declared { variable, scope });
        let names = &mut self.scopes[scope].names;
        // What is declared `.extern` stands where it is defined.
        if !is_extern(variable) || !names.contains_key(variable.name.as_str()) {
            names.insert(&variable.name, nth);
        }
    }

    /// All of them, in the order of the text, but for those of other modules.
    pub(super) fn defined(&self) -> impl Iterator<Item = Declared<'a>> {
        self.all.iter().copied().filter(|declared| !is_extern(declared.variable))
    }

    /// Whether a variable belongs to the module and not to a body.
    pub(super) fn is_of_module(&self, declared: Declared<'a>) -> bool {
        declared.scope == 0
    }

    /// The variable whose address an initial value is.
    pub(super) fn named(&self, address: &InitAddress, by: Declared<'a>) -> Option<&'a Variable> {
        self.find(&address.name, by.scope).map(|nth| self.all[nth].variable)
    }

    fn find(&self, name: &str, mut scope: usize) -> Option<usize> {
        loop {
            let found = self.scopes[scope].names.get(name);
            if found.is_some() || scope == 0 {
                return found.copied();
            }
            scope = self.scopes[scope].parent;
        }
    }

    /// The variables that cannot be used, by the places of their names: those of other modules, those whose initial
    /// values are not implemented, and those that hold addresses of such.
    pub(super) fn missing(&self) -> HashMap<Span, Missing> {
        let mut missing = HashMap::new();
        // By the variable whose address it is: who holds it, and where that is written.
        let mut holders: HashMap<usize, Vec<(usize, Span)>> = HashMap::new();
        let mut open = Vec::new();
        for (nth, declared) in self.all.iter().enumerate() {
            let Declared { variable, scope } = *declared;
            let name = &variable.name;
            let mut is_missing = None;
            if is_extern(variable) && self.find(name, scope) == Some(nth) {
                let message = format!("`{name}` is defined in another module, which is not linked");
                is_missing = Some((message, name.span, "declared here"));
            }
            let mut elements: Vec<&Init> = variable.init.iter().collect();
            while let Some(init) = elements.pop() {
                match &init.kind {
                    InitKind::List(inner) => elements.extend(inner),
                    InitKind::Address(address) => {
                        let target = self.find(&address.name, scope);
                        if let Some(target) = target {
                            holders.entry(target).or_default().push((nth, init.span));
                        }
                    }
                    InitKind::Field(field) => {
                        if let Some(message) = opaque::lacks(variable, field) {
                            is_missing = Some((message, init.span, "this field"));
                        }
                    }
                    InitKind::Constant(_) => {}
                }
            }
            if let Some((message, span, what)) = is_missing {
                open.push((nth, message.clone()));
                missing.insert(name.span, Missing { message, span, what });
            }
        }
        while let Some((nth, root)) = open.pop() {
            for (holder, span) in holders.remove(&nth).unwrap_or_default() {
                let name = &self.all[holder].variable.name;
                if missing.contains_key(&name.span) {
                    continue;
                }
                let message = format!("`{name}` holds an address that is not known: {root}");
                missing.insert(name.span, Missing { message, span, what: "this address" });
                open.push((holder, root.clone()));
            }
        }
        missing
    }
}

fn is_extern(variable: &Variable) -> bool {
    variable.linkage == Linkage::Extern
}
