//! The PTX in a file: the file itself, or what fat binaries, executables, libraries and objects have inside.

use crate::error::{Error, Stage};
use crate::files::read_file;
use ::machine::cubin::is_elf;
use ::machine::fatbin::{self, Embedded, Entry, Fatbin, FatbinError, Kind};
use diag::{Class, Diagnostic, Severity};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// A module of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxText {
    /// What diagnostics call it: the file, and which module of it if there are several.
    pub name: String,
    /// The text.
    pub text: String,
    /// Whether it is inside something else: the file is not the text.
    pub packed: bool,
}

/// The modules in a file: the text of a PTX file; of a fat binary, and of each in an executable, a library or an object, the
/// PTX for the newest architecture.
///
/// # Errors
/// The file cannot be read, is neither text nor one of these, or has machine code alone.
pub fn ptx_of_file(path: impl AsRef<Path>) -> Result<Vec<PtxText>, Error> {
    let path = path.as_ref();
    let fail = |class, why: &dyn std::fmt::Display| {
        let message = format!("cannot read {}: {why}", path.display());
        Error::message(Stage::Module, class, message)
    };
    let bytes = read_file(path).map_err(|why| match why.kind() {
        ErrorKind::FileTooLarge => fail(Class::Limit, &why),
        _ => fail(Class::BadInput, &why),
    })?;
    let packed = match () {
        () if fatbin::is_fatbin(&bytes) => Some(Fatbin::parse(&bytes).map(|fatbin| vec![fatbin])),
        () if is_elf(&bytes) => Some(
            fatbin::embedded(&bytes).map(|Embedded { modules, parts }| [modules, parts].concat()),
        ),
        () => None,
    };
    if let Some(fatbins) = packed {
        let texts = fatbins.and_then(|fatbins| texts(path, &fatbins));
        let texts = texts.map_err(|why| fail(Class::BadInput, &why))?;
        return if texts.is_empty() { Err(machine_code_alone(path)) } else { Ok(texts) };
    }
    let text = String::from_utf8(bytes).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        let line = 1 + why.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        fail(
            Class::BadInput,
            &format_args!("it is not PTX text: byte {at}, on line {line}, is not UTF-8"),
        )
    })?;
    Ok(vec![PtxText { name: path.display().to_string(), text, packed: false }])
}

/// The newest PTX of each fat binary that has some. What a program links for a device has none: its parts do.
fn texts(path: &Path, fatbins: &[Fatbin<'_>]) -> Result<Vec<PtxText>, FatbinError> {
    let newest = |fatbin: &'_ Fatbin<'_>| -> Option<Result<String, FatbinError>> {
        let entries = fatbin.entries.iter().filter(|entry| entry.kind == Kind::Ptx);
        entries.max_by_key(|entry| (entry.sm, entry.reach)).map(Entry::text)
    };
    let texts: Vec<String> = fatbins.iter().filter_map(newest).collect::<Result<_, _>>()?;
    let several = texts.len() > 1;
    let name = |nth: usize| match several {
        true => format!("{}#{}", path.display(), nth + 1),
        false => path.display().to_string(),
    };
    let module = |(nth, text)| PtxText { name: name(nth), text, packed: true };
    Ok(texts.into_iter().enumerate().map(module).collect())
}

fn machine_code_alone(path: &Path) -> Error {
    let message = format!(
        "{} has no PTX: what it has for GPUs, if anything, is machine code",
        path.display()
    );
    let error = Diagnostic::new(Severity::Error, Class::BadInput, message).help(
        "`nvcc -arch=sm_XX` puts PTX into programs, `-gencode arch=compute_XX,code=compute_XX` does so beside other code, and `nvcc -ptx` makes a PTX file; `warpwise disasm` shows the code of a cubin",
    );
    Error::new(Stage::Module, Arc::default(), vec![error])
}
