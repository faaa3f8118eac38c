//! What `.version` and `.target` allow.

use crate::catalogue::Form;
use crate::syntax::ast::{Instruction, Module};
use diag::Diagnostic;

/// The PTX ISA version and the architecture that a module is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// `.version`, major and minor.
    pub ptx: (u32, u32),
    /// The number of `sm_XX`.
    pub sm: u32,
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
        let sm = target.names.iter().find_map(|name| sm_number(name)).ok_or_else(|| {
            Box::new(Diagnostic::error(target.span, "`.target` names no `sm_` architecture"))
        })?;
        Ok(Target { ptx: (version.major, version.minor), sm })
    }

    /// Checks that the target has a form.
    pub(crate) fn check(self, form: &Form, at: &Instruction) -> Result<(), Box<Diagnostic>> {
        let Target { ptx, sm } = self;
        let name = &at.opcode;
        let older = |what: String| {
            let error = Diagnostic::error(name.span, what);
            Err(Box::new(error.note(format!("the form is `{}`", form.syntax))))
        };
        if let Some(removed) = form.removed.filter(|gone| sm >= gone.sm && ptx >= gone.ptx) {
            let (major, minor) = removed.ptx;
            let message = format!(
                "this form of `{name}` is gone for sm_{} and later from PTX {major}.{minor} on",
                removed.sm
            );
            let error = Diagnostic::error(name.span, message);
            return Err(Box::new(error.help("use the form with `.sync` and a membermask")));
        }
        if sm < form.since.sm {
            return older(format!(
                "this form of `{name}` needs sm_{} or later, the module is for sm_{sm}",
                form.since.sm
            ));
        }
        if ptx < form.since.ptx {
            let (major, minor) = form.since.ptx;
            return older(format!(
                "this form of `{name}` needs PTX {major}.{minor} or later, the module is PTX {}.{}",
                ptx.0, ptx.1
            ));
        }
        Ok(())
    }
}

/// The number of `sm_90`, `sm_90a` or `sm_100f`.
pub fn sm_number(name: &str) -> Option<u32> {
    name.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse().ok()
}
