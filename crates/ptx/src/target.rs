//! What `.version` and `.target` allow.

use crate::syntax::ast::Module;
use diag::Diagnostic;

/// How much of an architecture a target asks for (PTX ISA 9.1, `.target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// `sm_90`: what this and all later architectures have.
    Base,
    /// `sm_100f`: also what its family has.
    Family,
    /// `sm_90a`: also what this architecture alone has.
    Architecture,
}

/// The PTX ISA version and the architecture that a module is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// `.version`, major and minor.
    pub ptx: (u32, u32),
    /// The number of `sm_XX`.
    pub sm: u32,
    /// What the name ends in.
    pub variant: Variant,
}

/// Every architecture that `.target` may name: its number, the PTX version that brought it, and that of
/// its `a` and `f` variants (PTX ISA 9.1, `.target`; NVIDIA's assembler 13.5).
type Row = (u32, (u32, u32), Option<(u32, u32)>, Option<(u32, u32)>);

const ARCHITECTURES: &[Row] = &[
    (10, (1, 0), None, None),
    (11, (1, 0), None, None),
    (12, (1, 2), None, None),
    (13, (1, 2), None, None),
    (20, (2, 0), None, None),
    (21, (2, 0), None, None),
    (30, (3, 0), None, None),
    (32, (4, 0), None, None),
    (35, (3, 1), None, None),
    (37, (4, 1), None, None),
    (50, (4, 0), None, None),
    (52, (4, 1), None, None),
    (53, (4, 2), None, None),
    (60, (5, 0), None, None),
    (61, (5, 0), None, None),
    (62, (5, 0), None, None),
    (70, (6, 0), None, None),
    (72, (6, 1), None, None),
    (75, (6, 3), None, None),
    (80, (7, 0), None, None),
    (82, (6, 2), None, None),
    (86, (7, 1), None, None),
    (87, (7, 4), None, None),
    (88, (9, 0), None, None),
    (89, (7, 8), None, None),
    (90, (7, 8), Some((8, 0)), None),
    (100, (8, 6), Some((8, 6)), Some((8, 8))),
    (101, (8, 6), Some((8, 6)), Some((8, 8))),
    (103, (8, 8), Some((8, 8)), Some((8, 8))),
    (107, (9, 4), Some((9, 4)), Some((9, 4))),
    (110, (9, 0), Some((9, 0)), Some((9, 0))),
    (120, (8, 7), Some((8, 7)), Some((8, 8))),
    (121, (8, 8), Some((8, 8)), Some((8, 8))),
];

/// The PTX versions there are: major, and the last minor of each.
const VERSIONS: &[(u32, u32)] =
    &[(1, 5), (2, 3), (3, 2), (4, 3), (5, 1), (6, 5), (7, 8), (8, 8), (9, 5)];

/// Whether there is such a PTX ISA version.
pub fn is_version(ptx: (u32, u32)) -> bool {
    VERSIONS.iter().any(|(major, last)| ptx.0 == *major && ptx.1 <= *last)
}

/// Every PTX ISA version, oldest first.
pub fn versions() -> impl Iterator<Item = (u32, u32)> {
    VERSIONS.iter().flat_map(|(major, last)| (0..=*last).map(|minor| (*major, minor)))
}

/// Every target by its name, with the PTX version that brought it; in the order of their numbers.
pub fn targets() -> impl Iterator<Item = (String, (u32, u32))> {
    ARCHITECTURES.iter().flat_map(|(sm, base, architecture, family)| {
        let variants = [("", Some(*base)), ("a", *architecture), ("f", *family)];
        variants.into_iter().filter_map(move |(end, since)| Some((format!("sm_{sm}{end}"), since?)))
    })
}

/// Whether a version satisfies a requirement. What the manual dates to 6.0 works from 5.1 on: that was its
/// number while it was being made.
pub(crate) fn has_version(ptx: (u32, u32), wanted: (u32, u32)) -> bool {
    ptx >= wanted || wanted == (6, 0) && ptx >= (5, 1)
}

/// Checks the name of a target that somebody asks for.
///
/// # Errors
/// There is no such target: the message says so, and which are near.
pub fn check_name(name: &str) -> Result<(), String> {
    if introduced(name).is_some() {
        return Ok(());
    }
    let number = split(name).map(|(sm, _)| sm).or_else(|| name.parse().ok());
    let numbers = || ARCHITECTURES.iter().map(|row| row.0);
    let (below, above) = match number {
        Some(sm) => (numbers().rfind(|known| *known <= sm), numbers().find(|known| *known >= sm)),
        None => (None, None),
    };
    let instead = match (below, above) {
        (Some(below), Some(above)) if below == above => format!("did you mean `sm_{below}`?"),
        (Some(below), Some(above)) => format!("next to it are sm_{below} and sm_{above}"),
        (Some(_), None) | (None, Some(_)) | (None, None) => {
            "write sm_75, sm_90a or the like".to_owned()
        }
    };
    Err(format!("`{name}` is not an architecture: {instead}"))
}

/// A target's name taken apart: `sm_100f` is 100 and [`Variant::Family`].
fn split(name: &str) -> Option<(u32, Variant)> {
    let rest = name.strip_prefix("sm_")?;
    let (digits, variant) = match (rest.strip_suffix('a'), rest.strip_suffix('f')) {
        (Some(digits), _) => (digits, Variant::Architecture),
        (None, Some(digits)) => (digits, Variant::Family),
        (None, None) => (rest, Variant::Base),
    };
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten().map(|sm| (sm, variant))
}

/// The PTX version that brought a target; `None` if there is no such target.
pub(crate) fn introduced(name: &str) -> Option<(u32, u32)> {
    let (sm, variant) = split(name)?;
    let (_, base, architecture, family) = ARCHITECTURES.iter().find(|row| row.0 == sm)?;
    match variant {
        Variant::Base => Some(*base),
        Variant::Architecture => *architecture,
        Variant::Family => *family,
    }
}

/// The number of `sm_90`, `sm_90a` or `sm_100f`.
pub fn sm_number(name: &str) -> Option<u32> {
    split(name).map(|(sm, _)| sm)
}

impl Target {
    /// The target of a module.
    ///
    /// # Errors
    /// `.version` or `.target` is missing or names no architecture.
    pub fn of(module: &Module) -> Result<Target, Box<Diagnostic>> {
        use diag::{Class, Severity};
        let missing = |what: &str| {
            let message = format!("the module has no `{what}` directive");
            Box::new(Diagnostic::new(Severity::Error, Class::BadInput, message))
        };
        let version = module.version.ok_or_else(|| missing(".version"))?;
        let target = module.target.as_ref().ok_or_else(|| missing(".target"))?;
        let ptx = (version.major, version.minor);
        target.names.iter().find_map(|name| Target::named(ptx, name)).ok_or_else(|| {
            Box::new(Diagnostic::error(target.span, "`.target` names no `sm_` architecture"))
        })
    }

    /// The target of that name, such as `sm_90a`, at a PTX version.
    pub fn named(ptx: (u32, u32), name: &str) -> Option<Target> {
        let (sm, variant) = split(name)?;
        Some(Target { ptx, sm, variant })
    }

    /// Its name.
    pub fn name(&self) -> String {
        let end = match self.variant {
            Variant::Base => "",
            Variant::Family => "f",
            Variant::Architecture => "a",
        };
        format!("sm_{}{end}", self.sm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_targets() {
        for (name, sm) in [("sm_75", Some(75)), ("sm_90a", Some(90)), ("sm_100f", Some(100))] {
            assert_eq!(sm_number(name), sm);
        }
        for name in ["sm_", "sm_a", "sm_90af", "sm_90b", "90", "SM_90", "sm_+90", "compute_90"] {
            assert_eq!(sm_number(name), None, "{name}");
        }
        for name in ["sm_73", "sm_90f", "sm_102", "sm_80a"] {
            assert_eq!(introduced(name), None, "{name}");
        }
        for (name, since) in targets() {
            let target = Target::named(since, &name).expect("it is a name");
            assert_eq!(target.name(), name);
            assert!(is_version(since));
        }
    }
}
