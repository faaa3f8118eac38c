//! Which functions of a program can be reached. As NVIDIA's linker, we leave out the others before we ask what is not defined.

use super::names;
use crate::syntax::ast::{FunctionKind, Item};
use diag::Span;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What an item of a module names.
#[derive(Debug)]
pub(super) struct Mentions {
    /// The function's name; `None` of kernels and variables, which are always there.
    function: Option<String>,
    /// Symbols of the module, each with the first place where it is named.
    symbols: HashMap<String, Span>,
}

/// The names of symbols in an item, if it is a definition. What a function declares itself is not taken for a symbol of that name.
pub(super) fn mentions(item: &mut Item, symbols: &HashSet<String>) -> Option<Mentions> {
    let mut found = HashMap::new();
    let mut note = |name: &str, span: Span| {
        if symbols.contains(name) {
            found.entry(name.to_owned()).or_insert(span);
        }
    };
    // The item's own name comes first.
    let mut at_own_name = true;
    let function = match item {
        Item::Function(function) if function.body.is_some() => {
            let declared = names::declared(function);
            names::of_function(Arc::make_mut(function), &mut |name| {
                let is_own = std::mem::take(&mut at_own_name);
                if !is_own && !declared.names.contains(name.as_str()) {
                    note(name.as_str(), name.span);
                }
            });
            (function.kind != FunctionKind::Entry).then(|| function.name.to_string())
        }
        Item::Function(_) | Item::Directive(_) => return None,
        Item::Variable(variable) => {
            names::of_variable(variable, &mut |name| {
                if !std::mem::take(&mut at_own_name) {
                    note(name.as_str(), name.span);
                }
            });
            None
        }
    };
    Some(Mentions { function, symbols: found })
}

/// Per module, the symbols that what can be reached of it names, each with the first such place. `definition` says in which module
/// the symbol is defined that a module means by a name.
pub(super) fn used(
    modules: &[Vec<Mentions>],
    definition: impl Fn(usize, &str) -> Option<usize>,
) -> Vec<HashMap<&str, Span>> {
    let all = || {
        let modules = modules.iter().enumerate();
        modules.flat_map(|(module, mentions)| mentions.iter().map(move |it| (module, it)))
    };
    let mut functions: HashMap<(usize, &str), &Mentions> = HashMap::new();
    for (module, mentions) in all() {
        functions.extend(mentions.function.as_deref().map(|name| ((module, name), mentions)));
    }
    let mut used: Vec<HashMap<&str, Span>> = modules.iter().map(|_| HashMap::new()).collect();
    let mut open: Vec<(usize, &Mentions)> = all().filter(|(_, it)| it.function.is_none()).collect();
    while let Some((module, mentions)) = open.pop() {
        for (name, span) in &mentions.symbols {
            let first = used[module].entry(name.as_str()).or_insert(*span);
            *first = (*first).min(*span);
            let Some(definition) = definition(module, name) else { continue };
            // A function is looked at once.
            open.extend(functions.remove(&(definition, name.as_str())).map(|it| (definition, it)));
        }
    }
    used
}
