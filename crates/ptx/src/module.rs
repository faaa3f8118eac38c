//! A module from text to kernels.

use crate::alias;
use crate::check;
use crate::link::{self, Linked, Linking};
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
    /// The target that the text names.
    written: Target,
    image: Image,
    /// The modules that a program was linked from; empty for one module alone.
    modules: Vec<ast::Module>,
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
        let (mut ast, mut found) = syntax::parse(sources, file);
        if found.is_empty() {
            // Advice is `lint`'s; what is not implemented is reported where a kernel needs it.
            let checked = check::check(&ast, None);
            found.extend(checked.into_iter().filter(|it| it.severity == Severity::Error));
        }
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        if found.iter().any(is_error) {
            return Err(found);
        }
        alias::resolve(&mut ast);
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
        Ok((Module { ast, target, written: target, image, modules: Vec::new() }, found))
    }

    /// Links modules, each of which was read from a file of its own of `sources`. One module alone stays as it is, and kernels
    /// of it that need what is not there are refused when they are lowered. With the program come warnings.
    ///
    /// # Errors
    /// Symbols that are missing, defined twice, or declared in ways that differ; targets that do not go together. Each
    /// with its place in every file.
    pub fn link(
        modules: Vec<Module>,
        sources: &Sources,
        linking: Linking,
    ) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
        let modules = match <[Module; 1]>::try_from(modules) {
            Ok([module]) => return Ok((module, Vec::new())),
            Err(modules) => modules,
        };
        if modules.is_empty() {
            let message = "a program has at least one module";
            return Err(vec![Diagnostic::new(Severity::Error, Class::BadInput, message)]);
        }
        let modules = modules.into_iter().map(|module| (module.ast, module.target)).collect();
        let Linked { program, target, modules, warnings } = link::link(modules, sources, linking)?;
        let mut errors = Vec::new();
        let image = Image::of(&program, &mut errors);
        match errors.is_empty() {
            true => {
                Ok((Module { ast: program, target, written: target, image, modules }, warnings))
            }
            false => Err(errors),
        }
    }

    /// What the module runs as: what it is written for, unless [`Module::retarget`] says otherwise.
    pub fn target(&self) -> Target {
        self.target
    }

    /// What the module is written for; the highest of linked modules.
    pub fn written_for(&self) -> Target {
        self.written
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

    /// Bytes of the largest block of arguments that one of its kernels takes, as the CUDA ABI lays it out.
    pub fn largest_arguments(&self) -> u64 {
        let block = |kernel: &ast::Function| {
            kernel.params.iter().fold(0, |end, param| {
                let start = lower::layout::align_up(end, lower::layout::alignment(param));
                start.saturating_add(lower::layout::bytes(param).unwrap_or(0))
            })
        };
        lower::kernels(&self.ast).map(block).max().unwrap_or(0)
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
        if self.target != self.written {
            // The version is not the target's business here: the module runs as if it were new enough.
            let modules = match self.modules.as_slice() {
                [] => std::slice::from_ref(&self.ast),
                modules => modules,
            };
            let target = Some(self.target);
            let checked = modules.iter().flat_map(|module| check::check(module, target));
            let mut found: Vec<Diagnostic> = checked.collect();
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
