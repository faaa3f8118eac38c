//! Modules that NVIDIA's assembler compiles without its calling convention: functions may have parameters of all types, and
//! there is no stack, so that nothing calls itself, a register, or another module.

use super::Checker;
use crate::rules;
use crate::syntax::ast::{Function, FunctionKind, Item, Module};
use crate::syntax::{Linkage, Space};
use diag::{Diagnostic, Span};
use foldhash::{HashMap, HashSet};

/// Whether the assembler leaves its calling convention: for a function with several results, and before PTX 3.0 for registers or
/// local variables of the module.
pub(super) fn is_left(module: &Module) -> bool {
    let is_old = module.version.is_some_and(|version| version.major < 3);
    module.items.iter().any(|item| match item {
        Item::Variable(variable) => is_old && matches!(variable.space, Space::Reg | Space::Local),
        Item::Function(function) => function.returns.len() > 1,
        Item::Directive(_) => false,
    })
}

impl<'a> Checker<'a> {
    /// A call that needs a stack, in a module without; `function` is `None` for a call through a register.
    pub(super) fn needs_stack(
        &self,
        function: Option<&Function>,
        callee: Span,
    ) -> Result<(), Box<Diagnostic>> {
        let what = match function {
            None => "calls through registers",
            Some(function) if function.linkage == Linkage::Extern && function.body.is_none() => {
                "calls of other modules' functions"
            }
            Some(_) => return Ok(()),
        };
        if !self.without_abi {
            return Ok(());
        }
        let message = format!("{what} need the calling convention, which this module does without");
        Err(Box::new(rules::CALL.at(callee, message).note(WHY)))
    }

    /// Reports functions that can call themselves, among those that kernels reach.
    pub(super) fn recursion(&mut self, module: &'a Module) {
        let mut done: HashSet<&str> = HashSet::default();
        let mut found: Vec<&str> = Vec::new();
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            if function.kind != FunctionKind::Entry {
                continue;
            }
            // What is being looked at, outermost first, with the functions that it names and that are left.
            let mut open = vec![(function.name.as_str(), self.named(&function.name))];
            let mut around: HashSet<&str> = HashSet::default();
            if !done.insert(&function.name) {
                continue;
            }
            around.insert(&function.name);
            while let Some((name, left)) = open.last_mut() {
                match left.pop() {
                    Some(next) if around.contains(next) => found.push(next),
                    Some(next) if done.insert(next) => {
                        around.insert(next);
                        let named = self.named(next);
                        open.push((next, named));
                    }
                    Some(_) => {}
                    None => {
                        around.remove(*name);
                        open.pop();
                    }
                }
            }
        }
        let places: HashMap<&str, Span> = module
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Function(function) => Some((function.name.as_str(), function.name.span)),
                Item::Variable(_) | Item::Directive(_) => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        for name in found {
            let message = format!("`{name}` calls itself, and this module has no stack");
            if let Some(span) = places.get(name) {
                self.report(rules::CALL.at(*span, message).note(WHY));
            }
        }
    }

    /// The functions that a function names.
    fn named(&self, function: &str) -> Vec<&'a str> {
        let uses = self.uses.get(function);
        let mut named: Vec<&str> =
            uses.into_iter().flat_map(|uses| uses.functions.iter().copied()).collect();
        named.sort_unstable();
        named
    }
}

/// Why there is no stack.
const WHY: &str = "NVIDIA's assembler compiles a module without its calling convention if a function has several results, or \
    before PTX 3.0 if the module has registers or local variables";
