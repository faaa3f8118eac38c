//! The static shared memory that a kernel needs: its own variables, and those of the module that it or
//! functions that it calls name.

use super::Checker;
use super::names::Symbol;
use crate::lower::layout;
use crate::rules;
use crate::syntax::ast::{Function, FunctionKind, Item, Module, Name, Variable};
use crate::syntax::{Linkage, Space};
use diag::Span;
use foldhash::HashSet;

/// Bytes of static shared memory that a kernel has.
const MOST: u64 = 48 << 10;

impl<'a> Checker<'a> {
    /// Notes a name that the function uses.
    pub(super) fn uses(&mut self, name: &'a Name) {
        match self.names.find(name) {
            Some(Symbol::Variable(variable)) => self.needs_shared(variable),
            Some(Symbol::Function(_)) => _ = self.current.functions.insert(name),
            _ => {}
        }
    }

    /// Notes a variable that takes shared memory of its function.
    pub(super) fn needs_shared(&mut self, variable: &'a Variable) {
        if variable.space == Space::Shared && variable.linkage != Linkage::Extern {
            self.current.variables.insert(&variable.name, variable);
        }
    }

    /// Adds up what each kernel needs.
    pub(super) fn shared_memory(&mut self, module: &'a Module) {
        let of_module = module.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable.name.span),
            Item::Function(_) | Item::Directive(_) => None,
        });
        let of_module: HashSet<Span> = of_module.collect();
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            if function.kind != FunctionKind::Entry || function.body.is_none() {
                continue;
            }
            let bytes = self.shared_bytes(function, &of_module);
            if bytes > MOST {
                let message = format!(
                    "kernel `{}` needs {bytes} bytes of static shared memory; it has {MOST}",
                    function.name
                );
                let help =
                    "declare the largest array `.extern .shared` and give its size at the launch";
                self.report(rules::SHARED_SIZE.at(function.name.span, message).help(help));
            }
        }
    }

    /// `of_module` are the places where the module declares variables.
    fn shared_bytes(&self, kernel: &'a Function, of_module: &HashSet<Span>) -> u64 {
        let mut open = vec![kernel.name.as_str()];
        let mut seen: HashSet<&str> = open.iter().copied().collect();
        let mut counted: HashSet<*const Variable> = HashSet::default();
        let mut variables: Vec<&Variable> = Vec::new();
        while let Some(function) = open.pop() {
            let Some(uses) = self.uses.get(function) else { continue };
            let fresh =
                uses.variables.values().filter(|it| counted.insert(std::ptr::from_ref(**it)));
            variables.extend(fresh);
            open.extend(uses.functions.iter().filter(|name| seen.insert(name)));
        }
        // The assembler asks before it lays them out; where it puts them in the end, the kernel's own come first.
        variables
            .sort_by_key(|variable| (!of_module.contains(&variable.name.span), variable.name.span));
        let size = |it: &&Variable| (layout::bytes(it).unwrap_or(0), layout::alignment(it));
        layout::packed(variables.iter().map(size))
    }
}
