//! Everything that can be said about a PTX file without running it.

use crate::check;
use crate::rules;
use crate::syntax;
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
        return check::check(&module, target);
    }
    let unread = found.iter().filter_map(Diagnostic::span).map(|span| sources.location(span).line);
    let unread: BTreeSet<u32> = unread.collect();
    let mut others = check::check(&module, target);
    others.retain(|other| stands_alone(other, sources, &unread));
    found.extend(others);
    found.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
    found
}

/// Whether an error of a module that could not be read whole has nothing to do with what was not read:
/// it speaks of the words and operands of an instruction on other lines.
fn stands_alone(other: &Diagnostic, sources: &Sources, unread: &BTreeSet<u32>) -> bool {
    let Some(span) = other.span() else { return false };
    let line = sources.location(span).line;
    let near = unread.range(line.saturating_sub(1)..=line.saturating_add(1)).next();
    other.severity == Severity::Error && rules::is_of_instruction(other.code) && near.is_none()
}
