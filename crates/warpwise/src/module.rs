//! Modules and kernels.

use crate::demangle::{demangled, plain_name};
use crate::error::{Error, Stage};
use crate::finding::Position;
use crate::names::{self, Found};
use diag::{Class, Diagnostic, Severity, Sources};
use ir::{Op, Place, Reg, Service};
use ptx::{Image, LoweredKernel, Param};
use std::sync::Arc;
use vm::{CodeCache, Executable, FloatEnvironment};

/// A parsed PTX module, or several that were linked ([`crate::Linker`]).
#[derive(Clone, Debug)]
pub struct Module {
    sources: Arc<Sources>,
    pub(crate) ptx: Arc<ptx::Module>,
    image: Arc<Image>,
    warnings: Vec<Diagnostic>,
    cache: Option<CodeCache>,
}

/// A kernel, ready to be launched. It does not borrow from its module. What a launch makes of it (see
/// [`vm::Executable`]) is kept for the launches that follow.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) sources: Arc<Sources>,
    pub(crate) image: Arc<Image>,
    pub(crate) target: ptx::Target,
    pub(crate) written_for: ptx::Target,
    pub(crate) lowered: LoweredKernel,
    /// The kernel with what its launches have made of it: clones share that.
    pub(crate) executable: Arc<Executable>,
    /// Where the kernels are that it launches, if it does.
    pub(crate) program: Option<Arc<Module>>,
}

impl Module {
    /// A module, or program, that has been read; its kernels' diagnostics point into `sources`.
    pub(crate) fn new(
        sources: Arc<Sources>,
        ptx: ptx::Module,
        warnings: Vec<Diagnostic>,
    ) -> Module {
        let image = Arc::new(ptx.image().clone());
        Module { sources, ptx: Arc::new(ptx), image, warnings, cache: None }
    }

    /// The same module with variables of its own: a device that loads both has two of each. Kernels of one become those of the
    /// other by [`Kernel::of_instance`].
    pub fn instance(&self) -> Module {
        Module { image: Arc::new(Image::clone(&self.image)), ..self.clone() }
    }

    /// Lets the module's kernels run as if it were written for another architecture, such as `sm_90`, which stands for all
    /// its variants, or `sm_90a`.
    ///
    /// # Errors
    /// There is no such architecture.
    pub fn retarget(&mut self, name: &str) -> Result<(), Error> {
        let unknown = |why| Error::message(Stage::Launch, Class::BadInput, why);
        Arc::make_mut(&mut self.ptx).retarget(name).map_err(unknown)
    }

    /// The architecture that its kernels run as: that of `.target`, or of [`Module::retarget`].
    pub fn target(&self) -> String {
        self.ptx.target().name()
    }

    /// Where machine code of its kernels is kept for other processes, from now on: nowhere at first.
    pub fn set_code_cache(&mut self, cache: Option<CodeCache>) {
        self.cache = cache;
    }

    /// The names of its kernels in source order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.ptx.kernels()
    }

    /// The names of its kernels for people, in source order: each is what C++ calls the kernel, as short as it may be without
    /// meaning another one, too.
    pub fn kernel_names(&self) -> Vec<String> {
        let symbols: Vec<&str> = self.kernels().collect();
        let short = |(nth, symbol): (usize, &&str)| {
            let readings = [Some(plain_name(symbol)), demangled(symbol)];
            let means = |name: &String| names::find(name, &symbols, true) == Found::One(nth);
            readings.into_iter().flatten().find(means).unwrap_or_else(|| (*symbol).to_owned())
        };
        symbols.iter().enumerate().map(short).collect()
    }

    /// The symbol of the kernel that a name means: the symbol itself, or what C++ calls it, if that is one kernel only:
    /// `ns::scan<int>(int*)`, `ns::scan<int>`, `scan<int>`, `scan`, or how that begins.
    ///
    /// # Errors
    /// There is no such kernel, or there are several: they are named.
    pub fn kernel_symbol(&self, name: &str) -> Result<&str, Error> {
        let symbols: Vec<&str> = self.kernels().collect();
        let (message, help) = match names::find(name, &symbols, true) {
            Found::One(nth) => return Ok(symbols[nth]),
            Found::Several(several) => {
                (format!("the module has several kernels `{name}`"), say_which(&several))
            }
            Found::None => {
                let plain = self.kernel_names();
                let all = symbols.iter().copied().chain(plain.iter().map(String::as_str));
                let help = match (ptx::nearest(name, all), plain.is_empty()) {
                    (_, true) => "it has no kernel".to_owned(),
                    (Some(near), _) => format!("did you mean `{near}`?"),
                    (None, _) => format!("it has {}", quoted(&plain)),
                };
                (format!("the module has no kernel `{name}`"), help)
            }
        };
        let error = Diagnostic::new(Severity::Error, Class::BadInput, message).help(help);
        Err(Error::new(Stage::Launch, Arc::clone(&self.sources), vec![error]))
    }

    /// A kernel by its name, as [`Module::kernel_symbol`] reads it.
    ///
    /// # Errors
    /// There is no such kernel, or something in it is wrong or not implemented.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        let sources = Arc::clone(&self.sources);
        let _environment = FloatEnvironment::enter();
        match self.ptx.lower(self.kernel_symbol(name)?) {
            Ok(lowered) => {
                let executable = Executable::new(Arc::clone(&lowered.kernel));
                let executable = Arc::new(executable.with_cache(self.cache.clone()));
                let image = Arc::clone(&self.image);
                let (target, written_for) = (self.ptx.target(), self.ptx.written_for());
                let program = launches(&lowered.kernel).then(|| Arc::new(self.clone()));
                Ok(Kernel { sources, image, target, written_for, lowered, executable, program })
            }
            Err(found) => Err(Error::new(Stage::Module, sources, found)),
        }
    }

    /// What deserves a look in the module.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The text that diagnostics point into.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    pub(crate) fn image(&self) -> &Arc<Image> {
        &self.image
    }
}

/// Whether a kernel launches others.
fn launches(kernel: &ir::Kernel) -> bool {
    let mut insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| matches!(inst.op, Op::Host { service: Service::Launch, .. }))
}

/// The names that are left to choose from.
pub(crate) fn say_which(symbols: &[&str]) -> String {
    let both = |symbol: &&str| match demangled(symbol) {
        Some(full) => format!("{full} (`{symbol}`)"),
        None => format!("`{symbol}`"),
    };
    format!("say which:\n{}", symbols.iter().map(both).collect::<Vec<_>>().join("\n"))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Kernel {
    /// Its name in the module, mangled if it is one of C++.
    pub fn name(&self) -> &str {
        &self.lowered.kernel.name
    }

    /// The same kernel with the variables of another instance of its module ([`Module::instance`]). They share what launches make
    /// of it.
    pub fn of_instance(&self, module: &Module) -> Kernel {
        let program = self.program.as_ref().map(|_| Arc::new(module.clone()));
        Kernel { image: Arc::clone(&module.image), program, ..self.clone() }
    }

    /// Its name for people: that of C++, without the parameters.
    pub fn plain_name(&self) -> String {
        plain_name(self.name())
    }

    /// Whether it launches other kernels.
    pub fn launches(&self) -> bool {
        self.program.is_some()
    }

    /// What a register is called in the PTX; `None` for those that Warpwise made. Functions are part of the kernels that call
    /// them, so several registers may have one name.
    pub fn register_name(&self, reg: Reg) -> Option<&str> {
        self.lowered.register_names.of(reg)
    }

    /// The registers that the PTX names, with their names.
    pub fn registers(&self) -> impl Iterator<Item = (Reg, &str)> {
        self.lowered.register_names.iter()
    }

    /// Where an instruction stands in the PTX, and the text of it.
    pub fn instruction(&self, place: Place) -> Option<(Position, &str)> {
        let span = *self.lowered.places.get(place.0 as usize)?;
        let text = self.sources.file(span.file).slice(span);
        Some((Position::of(&self.sources, span), text))
    }

    /// What it was lowered to; its `Display` is a text that [`ir::text::parse`] reads.
    pub fn ir(&self) -> &ir::Kernel {
        &self.lowered.kernel
    }

    /// Its parameters in order.
    pub fn params(&self) -> &[Param] {
        &self.lowered.params
    }

    /// The text that diagnostics point into.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }
}
