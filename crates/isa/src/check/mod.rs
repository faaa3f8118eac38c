//! Checks of a resolved description. Each works on the resolved model and reports what it finds; none
//! changes anything.

mod ambiguity;
mod attributes;
mod combinations;
mod examples;
mod family;
mod headings;
mod lists;
mod open;
mod prose;
mod text;

use crate::diagnostics::has_error;
use crate::model::Description;
use diag::Diagnostic;
pub(crate) use examples::lines as example_lines;
use family::Family;

/// Everything that is wrong or odd about a resolved description. When it is `broken` already, checks
/// that would only repeat this in other words are left out.
pub(crate) fn all(description: &Description, broken: bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let families = family::families(description);
    let terms = prose::Terms::new(description);
    ambiguity::check(description, &mut found);
    if !broken {
        text::check(description, &mut found);
    }
    let broken = broken || has_error(&found);
    for family in &families {
        let misplaced = headings::check(description, family, &mut found);
        prose::check(&terms, family, &mut found);
        if !broken {
            headings::missing(family, &misplaced, &mut found);
            lists::check(family, &mut found);
            combinations::check(family, &mut found);
            attributes::check(family, &mut found);
            examples::check(description, family, &mut found);
        }
    }
    if !broken {
        open::check(description, &mut found);
    }
    found
}
