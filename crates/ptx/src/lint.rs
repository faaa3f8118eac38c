//! Everything that can be said about a PTX file without running it.

use crate::check;
use crate::rules;
use crate::syntax;
use crate::syntax::ast::{self, Function, Item};
use crate::target::Target;
use diag::{Diagnostic, FileId, Severity, Sources};
use std::collections::BTreeSet;

/// Errors, warnings and remarks about a file of `sources`, in source order. With `target`, such as `sm_90`,
/// as if `.target` named it.
pub fn lint(sources: &Sources, file: FileId, target: Option<&str>) -> Vec<Diagnostic> {
    let (module, mut found) = syntax::parse(sources, file);
    let version = module.version.map(|version| (version.major, version.minor));
    let target = version.zip(target).and_then(|(ptx, name)| Target::named(ptx, name));
    if found.is_empty() {
        let mut found = check::check(&module, target);
        name_functions(&module, &mut found);
        return found;
    }
    let unread = found.iter().filter_map(Diagnostic::span).map(|span| sources.location(span).line);
    let unread: BTreeSet<u32> = unread.collect();
    let mut others = check::check(&module, target);
    others.retain(|other| stands_alone(other, sources, &unread));
    found.extend(others);
    found.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
    name_functions(&module, &mut found);
    found
}

/// Says of each diagnostic which function holds its primary place.
pub(crate) fn name_functions(module: &ast::Module, found: &mut [Diagnostic]) {
    let functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(&**function),
        Item::Variable(_) | Item::Directive(_) => None,
    });
    let functions: Vec<&Function> = functions.collect();
    for diagnostic in found {
        let Some(span) = diagnostic.span() else { continue };
        // They stand one behind the other.
        let next = functions.partition_point(|function| function.span.start <= span.start);
        let before = next.checked_sub(1).map(|at| functions[at]);
        if let Some(function) = before.filter(|function| span.start < function.span.end) {
            diagnostic.functions = vec![function.name.to_string()];
        }
    }
}

/// Whether an error of a module that could not be read whole has nothing to do with what was not read:
/// it speaks of the words and operands of an instruction on other lines.
fn stands_alone(other: &Diagnostic, sources: &Sources, unread: &BTreeSet<u32>) -> bool {
    let Some(span) = other.span() else { return false };
    let line = sources.location(span).line;
    let near = unread.range(line.saturating_sub(1)..=line.saturating_add(1)).next();
    other.severity == Severity::Error && rules::is_of_instruction(other.code) && near.is_none()
}
