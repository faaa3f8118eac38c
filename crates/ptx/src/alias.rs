//! `.alias`: a second name for a function (PTX ISA 9.1, 11.9 Linking Directives).
//!
//! What the directive declares becomes a function with the body of the one that it means, so nothing behind this knows of it.

use crate::syntax::Linkage;
use crate::syntax::ast::{DirectiveArg, Function, Item, Module, Name};
use std::sync::Arc;

/// Puts functions in the place of the directives of a module that has been checked.
pub(crate) fn resolve(module: &mut Module) {
    let mut at = 0;
    while let Some(item) = module.items.get(at) {
        if let Item::Directive(directive) = item
            && directive.name == ".alias"
            && let [DirectiveArg::Name(alias), DirectiveArg::Name(meant)] =
                directive.args.as_slice()
        {
            let (alias, meant) = (alias.clone(), meant.clone());
            if let Some(function) = named(module, &alias, &meant) {
                module.items[at] = Item::Function(Arc::new(function));
                see(module, &alias);
            }
        }
        at += 1;
    }
}

/// The function by its second name.
fn named(module: &Module, alias: &Name, meant: &Name) -> Option<Function> {
    let functions = || {
        module.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Variable(_) | Item::Directive(_) => None,
        })
    };
    let has_body = |it: &&Arc<Function>| it.name == *meant && it.body.is_some();
    let definition = functions().find(has_body)?;
    let declared = functions().find(|it| it.name == *alias)?;
    let linkage = visible(declared.linkage);
    Some(Function { linkage, name: alias.clone(), ..Function::clone(definition) })
}

/// How other modules see an alias that is declared so: it is defined here.
fn visible(linkage: Linkage) -> Linkage {
    if linkage == Linkage::Extern { Linkage::Visible } else { linkage }
}

/// Declarations of an alias say that it is defined here.
fn see(module: &mut Module, alias: &Name) {
    for item in &mut module.items {
        if let Item::Function(function) = item
            && function.name == *alias
        {
            let linkage = visible(function.linkage);
            if linkage != function.linkage {
                *function = Arc::new(Function { linkage, ..Function::clone(function) });
            }
        }
    }
}
