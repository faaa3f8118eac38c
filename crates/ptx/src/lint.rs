//! Everything that can be said about a PTX file without running it.

use crate::check;
use crate::rules;
use crate::syntax;
use crate::target::Target;
use diag::{Class, Diagnostic, FileId, Severity, Sources};

/// Errors, warnings and remarks about a file of `sources`, in source order. With `target`, such as `sm_90`,
/// as if `.target` named it.
pub fn lint(sources: &Sources, file: FileId, target: Option<&str>) -> Vec<Diagnostic> {
    let (module, mut found) = syntax::parse(sources, file);
    for diagnostic in &mut found {
        let is_syntax = diagnostic.class == Class::BadInput && diagnostic.code.is_empty();
        if is_syntax && diagnostic.severity == Severity::Error {
            diagnostic.code = rules::SYNTAX.code;
        }
    }
    // What follows from a syntax error says nothing new.
    if found.is_empty() {
        let version = module.version.map(|version| (version.major, version.minor));
        let target = version.zip(target).and_then(|(ptx, name)| Target::named(ptx, name));
        found = check::check(&module, target);
    }
    found
}
