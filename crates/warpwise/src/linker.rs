//! Reading modules, and linking them.

use crate::device_runtime;
use crate::error::{Error, Stage};
use crate::module::Module;
use crate::ptx_files::{PtxText, ptx_of_file};
use diag::{Class, Diagnostic, Sources};
use ptx::Linking;
use std::path::Path;
use std::sync::Arc;
use vm::FloatEnvironment;

/// Makes one program of several modules, as `nvlink` does of what `nvcc -rdc=true` compiles: functions and variables that are
/// `.extern` in one are those that are `.visible`, `.weak` or `.common` in another.
///
/// ```
/// use warpwise::{Arg, Device, LaunchConfig, Linker};
///
/// let head = ".version 7.0\n.target sm_75\n.address_size 64\n";
/// let mut linker = Linker::new();
/// linker.add_ptx("table.ptx", format!("{head}.visible .const .u32 answer = 42;"))?;
/// linker.add_ptx("kernel.ptx", format!("{head}
///     .extern .const .u32 answer;
///     .visible .entry ask(.param .u64 out) {{
///         .reg .b32 %r;
///         .reg .b64 %rd;
///         ld.param.u64 %rd, [out];
///         ld.const.u32 %r, [answer];
///         st.global.u32 [%rd], %r;
///         ret;
///     }}"))?;
/// let program = linker.link()?;
/// let device = Device::new()?;
/// let out = device.allocate(4)?;
/// program.kernel("ask")?.launch(&device, &LaunchConfig::new(1, 1), &[Arg::Buffer(out)])?;
/// assert_eq!(device.download::<u32>(out)?, [42]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Linker {
    sources: Sources,
    modules: Vec<ptx::Module>,
    warnings: Vec<Diagnostic>,
    linking: Linking,
}

/// The largest source file, so that every offset fits a span.
const MAX_SOURCE: usize = 1 << 30;

impl Linker {
    /// A linker without modules.
    pub fn new() -> Linker {
        Linker::default()
    }

    /// The same for the time when modules are linked.
    pub fn at(linking: Linking) -> Linker {
        Linker { linking, ..Linker::default() }
    }

    /// Parses a module and adds it. `name` is what diagnostics call the text.
    ///
    /// # Errors
    /// The text is not PTX, or its variables make no sense. The module is not added then.
    pub fn add_ptx(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<(), Error> {
        let text = text.into();
        if text.len() > MAX_SOURCE {
            let message = format!("{} is larger than {MAX_SOURCE} bytes", name.into());
            return Err(Error::message(Stage::Module, Class::Limit, message));
        }
        let file = self.sources.add(name, text);
        let _environment = FloatEnvironment::enter();
        match ptx::Module::parse(&self.sources, file) {
            Ok((module, warnings)) => {
                self.modules.push(module);
                self.warnings.extend(warnings);
                Ok(())
            }
            Err(found) => Err(Error::new(Stage::Module, Arc::new(self.sources.clone()), found)),
        }
    }

    /// Reads a file, parses it, and adds it: PTX text, or the modules that a fat binary or a program has inside ([`ptx_of_file`]).
    ///
    /// # Errors
    /// As for [`ptx_of_file`] and [`Linker::add_ptx`].
    pub fn add_ptx_file(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        let texts = ptx_of_file(path)?;
        texts.into_iter().try_for_each(|PtxText { name, text, .. }| self.add_ptx(name, text))
    }

    /// Makes one program of the modules, in the order in which they were added. A module alone stays as it is: kernels that
    /// need what it does not define are refused ([`Module::kernel`]), and others run. Names that are a module's own, and
    /// that another module has, too, are called `name@file` in the program. What modules declare of CUDA's device runtime library for
    /// cooperative groups and for launches by kernels, and none defines, is added.
    ///
    /// # Errors
    /// Symbols that no module defines, or several, or that modules declare in ways that differ; targets that do not
    /// go together: in the words of `nvlink`, with a place in every file concerned. There is no module.
    pub fn link(mut self) -> Result<Module, Error> {
        let parts = device_runtime::PARTS.iter();
        let wanted: Vec<_> = parts.filter(|part| part.is_wanted(&self.modules)).collect();
        let largest = self.modules.iter().map(ptx::Module::largest_arguments).max().unwrap_or(0);
        for part in wanted {
            self.add_ptx(part.name, part.text(largest))?;
        }
        let Linker { sources, modules, mut warnings, linking } = self;
        let sources = Arc::new(sources);
        match ptx::Module::link(modules, &sources, linking) {
            Ok((program, found)) => {
                warnings.extend(found);
                Ok(Module::new(sources, program, warnings))
            }
            Err(found) => Err(Error::new(Stage::Module, sources, found)),
        }
    }
}

impl Module {
    /// Parses a module. `name` is what diagnostics call the text.
    ///
    /// # Errors
    /// The text is not PTX, or its variables make no sense.
    pub fn from_ptx(name: impl Into<String>, text: impl Into<String>) -> Result<Module, Error> {
        let mut linker = Linker::new();
        linker.add_ptx(name, text)?;
        linker.link()
    }

    /// Reads and parses a file.
    ///
    /// # Errors
    /// The file cannot be read, or as for [`Module::from_ptx`].
    pub fn from_ptx_file(path: impl AsRef<Path>) -> Result<Module, Error> {
        Module::from_ptx_files(&[path])
    }

    /// Reads files and links them ([`Linker`]); one alone is a module as it is.
    ///
    /// # Errors
    /// A file cannot be read, or as for [`Linker::add_ptx`] and [`Linker::link`].
    pub fn from_ptx_files(paths: &[impl AsRef<Path>]) -> Result<Module, Error> {
        let mut linker = Linker::new();
        paths.iter().try_for_each(|path| linker.add_ptx_file(path))?;
        linker.link()
    }
}
