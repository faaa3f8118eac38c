//! The PTX in a file: the file itself, or what fat binaries, executables, libraries and objects have inside.

use crate::device_runtime;
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
/// PTX for the newest architecture. NVIDIA's device runtime library, with which `nvcc -rdc=true` links programs, is none of them
/// ([`Linker::link`](crate::Linker::link) adds what is needed of it).
///
/// # Errors
/// The file cannot be read, is neither text nor one of these, or has machine code alone.
pub fn ptx_of_file(path: impl AsRef<Path>) -> Result<Vec<PtxText>, Error> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let bytes = read_file(path).map_err(|why| match why.kind() {
        ErrorKind::FileTooLarge => unreadable(&name, Class::Limit, &why),
        _ => unreadable(&name, Class::BadInput, &why),
    })?;
    ptx_of_bytes(name, bytes)
}

/// The modules in what a file would hold, as [`ptx_of_file`] has them; text may end in NUL, as drivers take it. `name` is what
/// diagnostics call it.
///
/// # Errors
/// As for [`ptx_of_file`].
pub fn ptx_of_bytes(name: impl Into<String>, mut bytes: Vec<u8>) -> Result<Vec<PtxText>, Error> {
    let name = name.into();
    let packed = match () {
        () if fatbin::is_fatbin(&bytes) => Some(Fatbin::parse(&bytes).map(|fatbin| vec![fatbin])),
        () if is_elf(&bytes) => Some(
            fatbin::embedded(&bytes).map(|Embedded { modules, parts }| [modules, parts].concat()),
        ),
        () => None,
    };
    if let Some(fatbins) = packed {
        let texts = fatbins.and_then(|fatbins| texts(&name, &fatbins));
        let texts = texts.map_err(|why| unreadable(&name, Class::BadInput, &why))?;
        return if texts.is_empty() { Err(machine_code_alone(&name)) } else { Ok(texts) };
    }
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    let text = String::from_utf8(bytes).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        let line = 1 + why.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        let why = format_args!("it is not PTX text: byte {at}, on line {line}, is not UTF-8");
        unreadable(&name, Class::BadInput, &why)
    })?;
    Ok(vec![PtxText { name, text, packed: false }])
}

fn unreadable(name: &str, class: Class, why: &dyn std::fmt::Display) -> Error {
    Error::message(Stage::Module, class, format!("cannot read {name}: {why}"))
}

/// The newest PTX of each fat binary that has some. What a program links for a device has none: its parts do.
fn texts(file: &str, fatbins: &[Fatbin<'_>]) -> Result<Vec<PtxText>, FatbinError> {
    let newest = |fatbin: &'_ Fatbin<'_>| -> Option<Result<String, FatbinError>> {
        let entries = fatbin.entries.iter().filter(|entry| entry.kind == Kind::Ptx);
        entries.max_by_key(|entry| (entry.sm, entry.reach)).map(Entry::text)
    };
    let mut texts: Vec<String> = fatbins.iter().filter_map(newest).collect::<Result<_, _>>()?;
    texts.retain(|text| !device_runtime::is_nvidias(text));
    let several = texts.len() > 1;
    let name = |nth: usize| match several {
        true => format!("{file}#{}", nth + 1),
        false => file.to_owned(),
    };
    let module = |(nth, text)| PtxText { name: name(nth), text, packed: true };
    Ok(texts.into_iter().enumerate().map(module).collect())
}

fn machine_code_alone(name: &str) -> Error {
    let message = format!("{name} has no PTX: what it has for GPUs, if anything, is machine code");
    let error = Diagnostic::new(Severity::Error, Class::BadInput, message).help(
        "`nvcc -arch=sm_XX` puts PTX into programs, `-gencode arch=compute_XX,code=compute_XX` does so beside other code, and `nvcc -ptx` makes a PTX file; `warpwise disasm` shows the code of a cubin",
    );
    Error::new(Stage::Module, Arc::default(), vec![error])
}
