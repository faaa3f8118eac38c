//! The head of a module: `.version`, `.target`, `.address_size`.

use crate::nearest::nearest;
use crate::rules;
use crate::syntax::ast::{Module, Name};
use crate::target::{self, Target};
use diag::Diagnostic;

/// What may stand in `.target` behind an architecture, and the PTX version that brought it (PTX ISA 9.1,
/// `.target`).
const OPTIONS: &[(&str, (u32, u32))] =
    &[(UNIFIED, (1, 0)), (INDEPENDENT, (1, 5)), (DEBUG, (3, 0)), (NO_DOUBLES, (1, 0))];

const UNIFIED: &str = "texmode_unified";
const INDEPENDENT: &str = "texmode_independent";
const DEBUG: &str = "debug";
const NO_DOUBLES: &str = "map_f64_to_f32";

/// The first architecture with doubles.
const DOUBLES: u32 = 13;

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
    options(module, names, architecture, found);
    for name in names.iter().filter(|name| option(name).is_none()) {
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
    } else if let Some(size) = module.address_size.filter(|size| size.bits == 32) {
        let message = "NVIDIA's assembler no longer takes addresses of 32 bits";
        found.push(rules::ADDRESS_SIZE.at(size.span, message).help("write `.address_size 64`"));
    }
    Target::named(ptx, architecture?)
}

/// Whether samplers are variables of their own, which textures do not contain.
pub(super) fn has_independent_samplers(module: &Module) -> bool {
    module.target.iter().flat_map(|target| &target.names).any(|name| *name == INDEPENDENT)
}

/// The PTX version that brought an option of `.target`.
fn option(name: &str) -> Option<(u32, u32)> {
    OPTIONS.iter().find(|(option, _)| *option == name).map(|(_, since)| *since)
}

/// Checks what stands in `.target` beside the architecture.
fn options(
    module: &Module,
    names: &[Name],
    architecture: Option<&Name>,
    found: &mut Vec<Diagnostic>,
) {
    let ptx = module.version.map(|version| (version.major, version.minor)).unwrap_or_default();
    let mut mode: Option<&Name> = None;
    for (at, name) in names.iter().enumerate() {
        let Some((major, minor)) = option(name) else { continue };
        let refuse = |message: String| rules::TARGET_OPTION.at(name.span, message);
        let lacks_doubles = |name: &Name| target::sm_number(name).is_some_and(|sm| sm < DOUBLES);
        if at == 0 && architecture.is_some() {
            found.push(refuse("the architecture stands first in `.target`".to_owned()));
        } else if ptx < (major, minor) {
            let message = format!("`{name}` needs PTX {major}.{minor}");
            found.push(rules::FEATURE.at(name.span, message));
        } else if *name == NO_DOUBLES && !architecture.is_some_and(lacks_doubles) {
            let message = format!("sm_{DOUBLES} and later have doubles: `{name}` is not for them");
            found.push(refuse(message));
        } else if *name == DEBUG && module.sections.is_empty() {
            let message = "`debug` says that there is debug information, but no `.section` has any";
            found.push(refuse(message.to_owned()));
        } else if *name == UNIFIED || *name == INDEPENDENT {
            match mode.filter(|mode| *mode != name) {
                Some(first) => {
                    let message = format!("`{name}` contradicts `{first}`");
                    found.push(refuse(message).label(first.span, "the other mode"));
                }
                None => mode = Some(name),
            }
        }
    }
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
    let known = names.iter().map(String::as_str).chain(OPTIONS.iter().map(|(name, _)| *name));
    match nearest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}
