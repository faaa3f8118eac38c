//! The modules of a crate, and which file defines what a path names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The index of a file in [`Crate::files`].
pub(super) type FileId = usize;
/// The index of a module in [`Crate::modules`].
pub(super) type ModuleId = usize;

/// The words of a path: `crate::a::B` has three.
pub(super) type Words = Vec<String>;

/// A name that a `use` brings into a module.
#[derive(Debug)]
pub(super) struct Import {
    /// The name; `None` for `*`.
    pub(super) name: Option<String>,
    /// What it stands for.
    pub(super) path: Words,
    /// Whether others may use the name: a re-export.
    pub(super) exported: bool,
}

/// A module without its tests.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) file: FileId,
    parent: Option<ModuleId>,
    id: ModuleId,
    pub(super) children: BTreeMap<String, ModuleId>,
    /// The items that it defines.
    pub(super) defines: BTreeSet<String>,
    pub(super) imports: Vec<Import>,
    /// The paths that its code names.
    pub(super) mentions: BTreeSet<Words>,
}

/// A crate.
#[derive(Debug, Default)]
pub(super) struct Crate {
    pub(super) files: Vec<PathBuf>,
    pub(super) modules: Vec<Module>,
    /// Macros under `#[macro_export]`, which are named as items of the root.
    pub(super) exported_macros: BTreeMap<String, FileId>,
}

/// What a path names.
#[derive(Clone, Debug)]
enum Place {
    Module(ModuleId),
    /// An item with the file that defines it.
    Item(FileId, String),
}

/// The names that are being looked up: imports that lead back to one of them are not followed.
type Open = BTreeSet<(ModuleId, String, bool)>;

impl Crate {
    /// Adds a module.
    pub(super) fn add(&mut self, parent: Option<ModuleId>, file: FileId) -> ModuleId {
        let id = self.modules.len();
        self.modules.push(Module { file, parent, id, ..Module::default() });
        id
    }

    /// The item that a path names, and the file that defines it. `None` for modules and for what is not of this crate.
    pub(super) fn item(&self, from: &Module, path: &[String]) -> Option<(FileId, String)> {
        match self.resolve(from, path, &mut Open::new())? {
            Place::Item(file, name) => Some((file, name)),
            Place::Module(_) => None,
        }
    }

    fn resolve(&self, from: &Module, path: &[String], open: &mut Open) -> Option<Place> {
        let (first, mut rest) = path.split_first()?;
        let mut here = match first.as_str() {
            "crate" => Place::Module(0),
            "self" => Place::Module(from.id),
            "super" => Place::Module(from.parent?),
            name => self.look_up(from, name, !rest.is_empty(), open)?,
        };
        while let Some((word, more)) = rest.split_first() {
            rest = more;
            let Place::Module(module) = here else { return Some(here) };
            let module = &self.modules[module];
            here = match word.as_str() {
                "super" => Place::Module(module.parent?),
                "self" => here,
                // What is not seen is made by a macro.
                name => self
                    .look_up(module, name, !rest.is_empty(), open)
                    .unwrap_or_else(|| Place::Item(module.file, name.to_owned())),
            };
        }
        Some(here)
    }

    /// What a name means in a module; a module rather than an item where the path goes on.
    fn look_up(
        &self,
        module: &Module,
        name: &str,
        goes_on: bool,
        open: &mut Open,
    ) -> Option<Place> {
        if !open.insert((module.id, name.to_owned(), goes_on)) {
            return None;
        }
        let child = module.children.get(name).map(|child| Place::Module(*child));
        if goes_on && child.is_some() {
            return child;
        }
        if module.defines.contains(name) {
            return Some(Place::Item(module.file, name.to_owned()));
        }
        if let Some(file) = self.exported_macros.get(name).filter(|_| module.id == 0) {
            return Some(Place::Item(*file, name.to_owned()));
        }
        let named = |import: &&Import| import.name.as_deref() == Some(name);
        let imported = module.imports.iter().filter(named);
        // An import that names itself is of another crate: `use half::half`.
        let mut places = imported.filter_map(|import| self.resolve(module, &import.path, open));
        if let Some(place) = places.next() {
            return Some(place);
        }
        if child.is_some() {
            return child;
        }
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        let mut found = globs.filter_map(|glob| match self.resolve(module, &glob.path, open)? {
            Place::Module(other) => self.look_up(&self.modules[other], name, goes_on, open),
            Place::Item(..) => None,
        });
        found.next()
    }
}
