//! Reading a description with everything it includes.

use crate::ast::{Item, Name, Parsed, Source};
use crate::check;
use crate::codes;
use crate::diagnostics::{has_error, in_order, without_consequences};
use crate::model::Description;
use crate::parse;
use crate::resolve;
use diag::{Class, Diagnostic, Severity, Sources};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The operand types that every description may use without declaring them, as a description file. A
/// description that declares a type of the same name replaces it.
pub const PRELUDE: &str = include_str!("prelude.isa");
/// The name under which diagnostics show the prelude.
pub const PRELUDE_NAME: &str = "prelude.isa";

const MOST_FILES: usize = 64;
const DEEPEST_INCLUDE: usize = 16;
const MOST_BYTES: usize = 8 << 20;

/// A file as a [`Loader`] found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// A name that is the same whenever the same file is found; shown in diagnostics.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// Finds description files. Closures of the same shape are loaders, so tests need no file system.
pub trait Loader {
    /// Finds the file that `path` means inside the file named `from`, or from outside any file.
    /// The error is one sentence for the user.
    fn load(&mut self, path: &str, from: Option<&str>) -> Result<Loaded, String>;
}

impl<F: FnMut(&str, Option<&str>) -> Result<Loaded, String>> Loader for F {
    fn load(&mut self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        self(path, from)
    }
}

/// Finds files in the file system; included paths are relative to the file that includes them.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileLoader;

impl Loader for FileLoader {
    fn load(&mut self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        let folder = from.map(Path::new).and_then(Path::parent).unwrap_or(Path::new(""));
        let full: PathBuf = folder.join(path);
        let file = std::fs::File::open(&full).map_err(|error| error.to_string())?;
        let size = file.metadata().map_err(|error| error.to_string())?.len();
        if size > MOST_BYTES as u64 {
            return Err(format!("the file has {size} bytes, more than {MOST_BYTES}"));
        }
        // Devices and pipes may have no end.
        let mut bytes = Vec::new();
        let mut file = file.take(MOST_BYTES as u64 + 1);
        file.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() > MOST_BYTES {
            return Err(format!("the file has more than {MOST_BYTES} bytes"));
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| format!("not UTF-8 from byte {}", error.utf8_error().valid_up_to()))?;
        Ok(Loaded { name: full.to_string_lossy().into_owned(), text })
    }
}

impl Description {
    /// Loads the file `path` with everything it includes, and checks it. Files are added to `sources`,
    /// so that diagnostics can point into them.
    ///
    /// # Errors
    /// All diagnostics, warnings included, when one of them is an error.
    pub fn load(
        path: &str,
        loader: &mut dyn Loader,
        sources: &mut Sources,
    ) -> Result<Description, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        let Some(parsed) = load(path, loader, sources, &mut diagnostics) else {
            return Err(diagnostics);
        };
        let mut description = resolve::resolve(path, parsed, &mut diagnostics);
        let broken = has_error(&diagnostics);
        diagnostics.extend(check::all(&description, broken));
        without_consequences(&mut diagnostics);
        let diagnostics = in_order(diagnostics);
        if has_error(&diagnostics) {
            return Err(diagnostics);
        }
        description.warnings = diagnostics;
        Ok(description)
    }

    /// Warnings and remarks about the description, in the order of the files. What would be an error is
    /// reported by [`Description::load`] already.
    pub fn check(&self) -> Vec<Diagnostic> {
        self.warnings.clone()
    }
}

/// Loads `path`, the prelude and all includes.
pub(crate) fn load(
    path: &str,
    loader: &mut dyn Loader,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Parsed> {
    let mut table = Vec::new();
    let file = sources.add(PRELUDE_NAME, PRELUDE);
    let prelude = parse::file(file, PRELUDE_NAME, PRELUDE, &mut table, diagnostics);
    let mut reader = Reader {
        loader,
        sources,
        table,
        items: Vec::new(),
        seen: Vec::new(),
        bytes: 0,
        diagnostics,
    };
    let loaded = match reader.loader.load(path, None) {
        Ok(loaded) => loaded,
        Err(error) => {
            let message = format!("cannot read `{path}`: {error}");
            let diagnostic = Diagnostic::new(Severity::Error, Class::BadInput, message);
            diagnostics.push(diagnostic.code(codes::INCLUDE));
            return None;
        }
    };
    reader.file(loaded, &mut Vec::new(), None);
    Some(Parsed { prelude, items: reader.items, sources: reader.table })
}

struct Reader<'a> {
    loader: &'a mut dyn Loader,
    sources: &'a mut Sources,
    table: Vec<Source>,
    items: Vec<Item>,
    seen: Vec<String>,
    bytes: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn file(&mut self, loaded: Loaded, open: &mut Vec<String>, from: Option<&Name>) {
        self.bytes = self.bytes.saturating_add(loaded.text.len());
        if self.bytes > MOST_BYTES {
            let message = format!("the description has more than {MOST_BYTES} bytes");
            let mut diagnostic = Diagnostic::new(Severity::Error, Class::Limit, message);
            diagnostic
                .labels
                .extend(from.map(|n| diag::Label { span: n.span, text: String::new() }));
            self.diagnostics.push(diagnostic.code(codes::LIMIT));
            return;
        }
        let id = self.sources.add(loaded.name.clone(), loaded.text.clone());
        let shown = Path::new(&loaded.name).file_name().map(|n| n.to_string_lossy());
        let shown = shown.unwrap_or_default();
        let file = parse::file(id, &shown, &loaded.text, &mut self.table, self.diagnostics);
        self.seen.push(loaded.name.clone());
        open.push(loaded.name);
        for item in file.items {
            match item {
                Item::Include { path } => self.include(&path, open),
                Item::Type(_) | Item::Decl(_) => self.items.push(item),
            }
        }
        open.pop();
    }

    /// A file that has been included before is not read again, unless it is still being read: then the
    /// includes form a cycle.
    fn include(&mut self, path: &Name, open: &mut Vec<String>) {
        let loaded = match self.loader.load(&path.text, open.last().map(String::as_str)) {
            Ok(loaded) => loaded,
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.text);
                self.refuse(path, message, "paths are relative to the file that includes them");
                return;
            }
        };
        if open.contains(&loaded.name) {
            let message = format!("`{}` includes itself", path.text);
            self.refuse(path, message, "remove one of the includes");
        } else if self.seen.contains(&loaded.name) {
        } else if open.len() >= DEEPEST_INCLUDE || self.seen.len() >= MOST_FILES {
            let message = format!(
                "more than {MOST_FILES} files, or includes deeper than {DEEPEST_INCLUDE} levels"
            );
            self.refuse(path, message, "put declarations that belong together into one file");
        } else {
            self.file(loaded, open, Some(path));
        }
    }

    fn refuse(&mut self, path: &Name, message: String, help: &str) {
        let diagnostic = Diagnostic::error(path.span, message).code(codes::INCLUDE).help(help);
        self.diagnostics.push(diagnostic);
    }
}
