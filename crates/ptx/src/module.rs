//! A module from text to kernels.

use crate::check;
use crate::lint::name_functions;
use crate::lower::{self, Image, LoweredKernel};
use crate::nearest::nearest;
use crate::rules;
use crate::syntax::{self, ast};
use crate::target::{self, Target, Variant};
use diag::{Class, Diagnostic, FileId, Severity, Sources};

/// A parsed module with the layout of its variables.
#[derive(Clone, Debug)]
pub struct Module {
    ast: ast::Module,
    target: Target,
    /// Whether the target is another than the module's own.
    retargeted: bool,
    image: Image,
}

impl Module {
    /// Parses a file and lays out its variables. Also returns warnings.
    ///
    /// # Errors
    /// Everything that is wrong with the module as a whole, warnings included.
    pub fn parse(
        sources: &Sources,
        file: FileId,
    ) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (ast, mut found) = syntax::parse(sources, file);
        if found.is_empty() {
            // Advice is `lint`'s; what is not implemented is reported where a kernel needs it.
            let checked = check::check(&ast, None);
            found.extend(checked.into_iter().filter(|it| it.severity == Severity::Error));
        }
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        if found.iter().any(is_error) {
            return Err(found);
        }
        let target = match Target::of(&ast) {
            Ok(target) => target,
            Err(error) => {
                found.push(*error);
                return Err(found);
            }
        };
        let image = Image::of(&ast, &mut found);
        name_functions(&ast, &mut found);
        if found.iter().any(is_error) {
            return Err(found);
        }
        Ok((Module { ast, target, retargeted: false, image }, found))
    }

    /// What the module is written for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The same module as if it were written for another architecture, such as `sm_90a`. `sm_90` alone stands for all
    /// variants of it.
    ///
    /// # Errors
    /// There is no such architecture; the message says so.
    pub fn retarget(&mut self, name: &str) -> Result<(), String> {
        target::check_name(name)?;
        let Some(named) = Target::named(self.target.ptx, name) else { return Ok(()) };
        let target = match named.variant {
            Variant::Base if named.sm == self.target.sm => self.target,
            Variant::Base => Target { variant: Variant::Architecture, ..named },
            Variant::Family | Variant::Architecture => named,
        };
        self.retargeted |= target != self.target;
        self.target = target;
        Ok(())
    }

    /// The module's global and constant variables.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The syntax tree.
    pub fn ast(&self) -> &ast::Module {
        &self.ast
    }

    /// The names of its kernels, in source order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        lower::kernels(&self.ast).map(|function| function.name.as_str())
    }

    /// Lowers a kernel to warp IR.
    ///
    /// # Errors
    /// There is no such kernel, or something in it is wrong or not implemented.
    pub fn lower(&self, name: &str) -> Result<LoweredKernel, Vec<Diagnostic>> {
        let Some(function) = lower::kernels(&self.ast).find(|function| function.name == name)
        else {
            let message = format!("the module has no kernel `{name}`");
            let error = Diagnostic::new(Severity::Error, Class::BadInput, message);
            let help = match nearest(name, self.kernels()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    format!("its kernels are {}", self.kernels().collect::<Vec<_>>().join(", "))
                }
            };
            return Err(vec![error.help(help)]);
        };
        if self.retargeted {
            // The version is not the target's business here: the module runs as if it were new enough.
            let mut found = check::check(&self.ast, Some(self.target));
            let is_breach = |it: &Diagnostic| {
                it.severity == Severity::Error && it.code != rules::TARGET_VERSION.code
            };
            found.retain(is_breach);
            if !found.is_empty() {
                return Err(found);
            }
        }
        lower::lower_kernel(&self.ast, &self.image, self.target, function)
    }
}
