//! Several modules as one program (PTX ISA 9.1, 11.9 Linking Directives).
//!
//! The program is one syntax tree with the items of all modules, so what stands behind it knows of no linking. Of
//! each symbol that modules share, the definition stays that all of them mean; names that are a module's own get the module's
//! name behind them where another module uses the same.

mod lines;
mod live;
mod names;
mod symbols;
mod target;
mod time;

use crate::syntax::ast::{Item, Module, Name, Variable, VersionDirective};
use crate::target::Target;
use diag::{Diagnostic, Severity, Sources};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use symbols::{Binding, Node, Symbols, file};
pub use time::Linking;

/// A linked program.
pub(crate) struct Linked {
    /// All of it.
    pub(crate) program: Module,
    /// What it runs on.
    pub(crate) target: Target,
    /// The modules, with the names that they have in the program.
    pub(crate) modules: Vec<Module>,
    /// What was found that is no error.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Links modules that have been checked one by one. The spans of each lie in a file of its own.
///
/// # Errors
/// Symbols that are missing, or defined twice, or declared in ways that differ; targets that no device runs together.
pub(crate) fn link(
    mut modules: Vec<(Module, Target)>,
    sources: &Sources,
    linking: Linking,
) -> Result<Linked, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let target = target::common(&modules, sources, &mut errors);
    let mut symbols = Symbols::default();
    for (module, _) in &mut modules {
        refuse(module, &mut errors);
        symbols.add(module);
    }
    let found = symbols.mistakes(sources, linking);
    let (mistakes, warnings): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|it| it.severity == Severity::Error);
    errors.extend(mistakes);
    let mut modules: Vec<Module> = modules.into_iter().map(|(module, _)| module).collect();
    set_apart(&mut modules, &symbols, sources, &mut errors);
    let Some(target) = target.filter(|_| errors.is_empty()) else { return Err(errors) };
    let mut program = Module::default();
    let mut first_file = 0;
    for (nth, module) in modules.iter_mut().enumerate() {
        first_file = lines::set_apart(module, nth, first_file);
        program.files.extend(module.files.iter().cloned());
        program.sections.extend(module.sections.iter().cloned());
        let newer = |it: &VersionDirective| (it.major, it.minor);
        if program.version.as_ref().map(newer) < module.version.as_ref().map(newer) {
            program.version = module.version;
        }
        program.address_size = module.address_size;
        program.target = program.target.take().or_else(|| module.target.clone());
        let kept = module.items.iter().filter_map(|item| kept(item, nth, &symbols));
        program.items.extend(kept);
    }
    Ok(Linked { program, target, modules, warnings })
}

/// The first version whose modules can be linked; the assembler says so.
const LINKED_SINCE: (u32, u32) = (3, 1);

/// Reports a module from before there was linking, which may have registers outside of functions.
fn refuse(module: &Module, errors: &mut Vec<Diagnostic>) {
    let Some(version) = &module.version else { return };
    let (wanted, least) = LINKED_SINCE;
    if (version.major, version.minor) < LINKED_SINCE {
        let message = format!(
            "modules that are linked need PTX {wanted}.{least} or later; this one is PTX {}.{}",
            version.major, version.minor
        );
        let help = format!("write `.version {wanted}.{least}` or later");
        errors.push(Diagnostic::error(version.span, message).help(help));
    }
}

/// Renames what is a module's own where another module has the same name, too.
fn set_apart(
    modules: &mut [Module],
    symbols: &Symbols,
    sources: &Sources,
    errors: &mut Vec<Diagnostic>,
) {
    let mut taken: HashSet<String> = symbols.shared.keys().cloned().collect();
    let own = symbols.own.iter().flatten().map(Name::to_string);
    let all: HashSet<String> = taken.iter().cloned().chain(own).collect();
    for (module, own) in modules.iter_mut().zip(&symbols.own) {
        let mut renamed: HashMap<String, Arc<str>> = HashMap::new();
        for name in own {
            if taken.insert(name.to_string()) {
                continue;
            }
            let plain = format!("{name}@{}", file(sources, name.span));
            let numbered = (2_usize..).map(|nth| format!("{plain}.{nth}"));
            let is_free = |new: &String| !taken.contains(new) && !all.contains(new);
            let new = std::iter::once(plain.clone()).chain(numbered).find(is_free);
            if let Some(new) = new {
                taken.insert(new.clone());
                renamed.insert(name.to_string(), Arc::from(new));
            }
        }
        if !renamed.is_empty() {
            rename(module, &renamed, errors);
        }
    }
}

/// Renames every occurrence: what a body declares by the same name keeps hiding it.
fn rename(module: &mut Module, renamed: &HashMap<String, Arc<str>>, errors: &mut Vec<Diagnostic>) {
    let mut visit = |name: &mut Name| {
        if let Some(new) = renamed.get(name.as_str()) {
            *name = Name::new(Arc::clone(new), name.span);
        }
    };
    for item in &mut module.items {
        match item {
            Item::Function(function) => {
                let prefixes = names::declared(function).ranges;
                let is_register = |name: &&String| {
                    let number = |prefix: &String| name.strip_prefix(prefix.as_str());
                    let is_number = |end: &str| end.bytes().all(|byte| byte.is_ascii_digit());
                    prefixes.iter().filter_map(number).any(is_number)
                };
                if let Some(name) = renamed.keys().find(is_register) {
                    let message = format!(
                        "`{name}` is a register here and a symbol of several modules: that is not implemented"
                    );
                    errors.push(Diagnostic::unsupported(function.name.span, message));
                    continue;
                }
                names::of_function(Arc::make_mut(function), &mut visit);
            }
            Item::Variable(variable) => names::of_variable(variable, &mut visit),
            Item::Directive(_) => {}
        }
    }
}

/// An item as it stands in the program; `None` if what another module says replaces it.
fn kept(item: &Item, module: usize, symbols: &Symbols) -> Option<Item> {
    let name = match item {
        Item::Function(function) => &function.name,
        Item::Variable(variable) => &variable.name,
        Item::Directive(_) => return Some(item.clone()),
    };
    let Some(shared) = symbols.shared.get(name.as_str()) else { return Some(item.clone()) };
    let Some(definition) = Symbols::definition(shared) else {
        // What none defines is declared once.
        return shared.first().filter(|it| it.module == module).map(|_| item.clone());
    };
    if definition.module != module {
        return None;
    }
    match (item, definition.binding) {
        (Item::Variable(variable), Binding::Common) => {
            let aligned = shared.iter().filter_map(|it| match &it.node {
                Node::Variable(other) => u32::try_from(crate::lower::layout::alignment(other)).ok(),
                Node::Function(_) => None,
            });
            let align = aligned.max();
            Some(Item::Variable(Box::new(Variable { align, ..(**variable).clone() })))
        }
        _ => Some(item.clone()),
    }
}
