//! Which of the diagnostics of a description are shown, and in which order.

use crate::codes;
use diag::{Diagnostic, Severity, Span};
use std::collections::HashSet;

/// So many diagnostics of one description are kept.
const MOST: usize = 500;

/// Removes what only follows from another mistake. What is missing may stand in a statement that cannot be
/// read, or come from a parent that is none; and opcodes may differ in a value that does not fit.
pub(crate) fn without_consequences(diagnostics: &mut Vec<Diagnostic>) {
    const MISSING: [&str; 8] = [
        codes::UNDECLARED,
        codes::OPERAND,
        codes::ORDER,
        codes::SYNTAX_OPERAND,
        codes::MODIFIER,
        codes::MODIFIER_LIST,
        codes::CONTROL,
        codes::AMBIGUOUS,
    ];
    /// What an unknown type, or one with wrong values, leaves unknown.
    const UNKNOWN: [&str; 3] = [codes::MODIFIER, codes::MODIFIER_LIST, codes::AMBIGUOUS];
    const CAUSES: [(&[&str], &[&str]); 3] = [
        (&[codes::SYNTAX, codes::HEADING, codes::INHERITANCE], &MISSING),
        (&[codes::UNDECLARED, codes::DUPLICATE], &UNKNOWN),
        (&[codes::FIT], &[codes::AMBIGUOUS]),
    ];
    for (causes, consequences) in CAUSES {
        let caused =
            |found: &Diagnostic| found.severity == Severity::Error && causes.contains(&found.code);
        if diagnostics.iter().any(caused) {
            diagnostics.retain(|found| !consequences.contains(&found.code));
        }
    }
}

/// Sorts diagnostics by place, and drops repetitions: what is inherited is checked once an opcode.
pub(crate) fn in_order(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen: HashSet<(&str, Vec<Span>)> = HashSet::new();
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        // These name an opcode that uses the line; one report a line is enough.
        let of_a_line =
            [codes::SYNTAX_OPERAND, codes::MODIFIER, codes::OPTIONAL].contains(&diagnostic.code);
        let spans: Vec<Span> = diagnostic.labels.iter().map(|label| label.span).collect();
        let key = if of_a_line { spans.iter().take(1).copied().collect() } else { spans.clone() };
        if spans.is_empty() || seen.insert((diagnostic.code, key)) {
            kept.push(diagnostic);
        }
    }
    // Errors first when there are too many to keep.
    if kept.len() > MOST {
        kept.sort_by_key(|diagnostic| diagnostic.severity);
        kept.truncate(MOST);
    }
    kept.sort_by_key(|diagnostic| diagnostic.span());
    kept
}

/// Whether one of them rejects the description.
pub(crate) fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
