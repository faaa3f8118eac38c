//! What a program of several modules runs on.

use crate::syntax::ast::Module;
use crate::target::{Target, Variant};
use diag::{Diagnostic, Sources, Span};

/// The target of a program: the highest of its modules, as every other module can be assembled for it. `None` if one
/// cannot: that is reported.
pub(super) fn common(
    modules: &[(Module, Target)],
    sources: &Sources,
    errors: &mut Vec<Diagnostic>,
) -> Option<Target> {
    let rank = |target: &Target| {
        let variant = match target.variant {
            Variant::Base => 0,
            Variant::Family => 1,
            Variant::Architecture => 2,
        };
        (target.sm, variant)
    };
    let highest = modules.iter().max_by_key(|(_, target)| rank(target))?;
    let ptx = modules.iter().map(|(_, target)| target.ptx).max()?;
    let chosen = Target { ptx, ..highest.1 };
    let span = |module: &Module| module.target.as_ref().map(|it| it.span);
    let known = errors.len();
    for (module, target) in modules {
        let runs = match target.variant {
            Variant::Base => true,
            Variant::Family => target.sm / 10 == chosen.sm / 10,
            Variant::Architecture => target.sm == chosen.sm,
        };
        if !runs {
            let message = format!(
                "SM Arch mismatch: code for {} does not run on {}",
                target.name(),
                chosen.name()
            );
            errors.extend(at(message, span(module), span(&highest.0), sources));
        }
        let bits = |module: &Module| module.address_size.map_or(32, |size| size.bits);
        let size = |module: &Module| module.address_size.map(|it| it.span).or(span(module));
        if bits(module) != bits(&highest.0) {
            let (one, other) = (bits(module), bits(&highest.0));
            let message = format!("addresses of {one} bits are linked with addresses of {other}");
            errors.extend(at(message, size(module), size(&highest.0), sources));
        }
    }
    (errors.len() == known).then_some(chosen)
}

/// A module that does not go with another one.
fn at(
    message: String,
    span: Option<Span>,
    other: Option<Span>,
    sources: &Sources,
) -> Option<Diagnostic> {
    let (span, other) = (span?, other?);
    let first = sources.file(other.file).name();
    Some(Diagnostic::error(span, message).label(other, format!("because of `{first}`")))
}
