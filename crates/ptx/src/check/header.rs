//! The head of a module: `.version`, `.target`, `.address_size`.

use crate::nearest::nearest;
use crate::rules;
use crate::syntax::ast::{Module, Name};
use crate::target::{self, Target};
use diag::Diagnostic;

/// What may stand in `.target` beside an architecture (PTX ISA 9.1, `.target`).
const OPTIONS: &[&str] = &["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];

/// Checks the head and returns the target, as far as there is one.
pub(super) fn check(module: &Module, found: &mut Vec<Diagnostic>) -> Option<Target> {
    let version = module.version?;
    let ptx = (version.major, version.minor);
    let (major, minor) = ptx;
    if !target::is_version(ptx) {
        let message = format!("there is no PTX ISA version {major}.{minor}");
        let (last_major, last_minor) = target::versions().last().unwrap_or(ptx);
        let newest = format!("the newest that is known here is {last_major}.{last_minor}");
        found.push(rules::VERSION.at(version.span, message).note(newest));
        return None;
    }
    let names = &module.target.as_ref()?.names;
    let architecture = names.iter().find(|name| name.starts_with("sm_"));
    for name in names.iter().filter(|name| !OPTIONS.contains(&name.as_str())) {
        match target::introduced(name) {
            None => found.push(unknown(name)),
            Some((wanted, least)) if !target::has_version(ptx, (wanted, least)) => {
                let message = format!(
                    "{name} came with PTX {wanted}.{least}; the module is PTX {major}.{minor}"
                );
                let help = format!("write `.version {wanted}.{least}` or later");
                let error = rules::TARGET_VERSION.at(name.span, message);
                found.push(error.label(version.span, "the version").help(help));
            }
            Some(_) => {}
        }
    }
    if let Some(size) = module.address_size.filter(|_| ptx < (2, 3)) {
        let message = format!("`.address_size` needs PTX 2.3; the module is PTX {major}.{minor}");
        found.push(rules::FEATURE.at(size.span, message));
    }
    Target::named(ptx, architecture?)
}

/// The module's version is too old for a target that it is checked for.
pub(super) fn too_old(module: &Module, target: Target) -> Option<Diagnostic> {
    let version = module.version?;
    let (wanted, least) = target::introduced(&target.name())?;
    let (major, minor) = (version.major, version.minor);
    if target::has_version((major, minor), (wanted, least)) {
        return None;
    }
    let name = target.name();
    let message =
        format!("{name} came with PTX {wanted}.{least}; the module is PTX {major}.{minor}");
    let help = format!("write `.version {wanted}.{least}` or later");
    Some(rules::TARGET_VERSION.at(version.span, message).help(help))
}

fn unknown(name: &Name) -> Diagnostic {
    let error = rules::TARGET.at(name.span, format!("there is no target `{name}`"));
    let names: Vec<String> = target::targets().map(|(name, _)| name).collect();
    let known = names.iter().map(String::as_str).chain(OPTIONS.iter().copied());
    match nearest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}
