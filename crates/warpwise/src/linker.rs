//! Reading modules, and linking them.

use crate::error::{Error, Stage};
use crate::files::read_file;
use crate::module::Module;
use diag::{Class, Diagnostic, Severity, Sources};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

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
}

/// The largest source file, so that every offset fits a span.
const MAX_SOURCE: usize = 1 << 30;

impl Linker {
    /// A linker without modules.
    pub fn new() -> Linker {
        Linker::default()
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
        match ptx::Module::parse(&self.sources, file) {
            Ok((module, warnings)) => {
                self.modules.push(module);
                self.warnings.extend(warnings);
                Ok(())
            }
            Err(found) => Err(Error::new(Stage::Module, Arc::new(self.sources.clone()), found)),
        }
    }

    /// Reads a file, parses it, and adds it.
    ///
    /// # Errors
    /// The file cannot be read, or as for [`Linker::add_ptx`].
    pub fn add_ptx_file(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        self.add_ptx(path.display().to_string(), text_of(path)?)
    }

    /// Makes one program of the modules, in the order in which they were added. A module alone stays as it is: kernels that
    /// need what it does not define are refused ([`Module::kernel`]), and others run. Names that are a module's own, and
    /// that another module has, too, are called `name@file` in the program.
    ///
    /// # Errors
    /// Symbols that no module defines, or several, or that modules declare in ways that differ; targets that do not
    /// go together: in the words of `nvlink`, with a place in every file concerned. There is no module.
    pub fn link(self) -> Result<Module, Error> {
        let Linker { sources, modules, warnings } = self;
        let sources = Arc::new(sources);
        match ptx::Module::link(modules, &sources) {
            Ok(program) => Ok(Module::new(sources, program, warnings)),
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

/// The text of a file.
fn text_of(path: &Path) -> Result<String, Error> {
    let fail = |class, why: &dyn std::fmt::Display| {
        let message = format!("cannot read {}: {why}", path.display());
        Error::message(Stage::Module, class, message)
    };
    let bytes = read_file(path).map_err(|why| match why.kind() {
        ErrorKind::FileTooLarge => fail(Class::Limit, &why),
        _ => fail(Class::BadInput, &why),
    })?;
    if let Some((what, help)) = machine_code(&bytes) {
        let message = format!("cannot read {}: it is {what}, and not PTX text", path.display());
        let error = Diagnostic::new(Severity::Error, Class::BadInput, message);
        return Err(Error::new(Stage::Module, Arc::default(), vec![error.help(help)]));
    }
    String::from_utf8(bytes).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        let line = 1 + why.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        fail(
            Class::BadInput,
            &format_args!("it is not PTX text: byte {at}, on line {line}, is not UTF-8"),
        )
    })
}

/// What compilers make beside PTX, and how to get PTX from it.
fn machine_code(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const FAT_BINARY: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
    let help = "`cuobjdump -ptx FILE` prints the PTX in it, if it has some; `nvcc -ptx` makes PTX";
    match bytes {
        _ if ::machine::cubin::is_elf(bytes) => Some((
            "machine code (a cubin, an object file or a program)",
            "`cuobjdump -ptx FILE` prints the PTX in it, if it has some; `nvcc -ptx` makes PTX; `warpwise disasm` shows the code of a cubin",
        )),
        _ if bytes.starts_with(&FAT_BINARY) => Some(("a fat binary", help)),
        _ => None,
    }
}
