//! No circle between the files of a crate.
//!
//! File A *uses* file B when A, outside of its tests, names an item that B defines: in a private `use`, or as
//! a path in code or in a macro. A path leads to the file that defines the item, through any re-export.
//! No use: `mod child;`, a re-export (`pub use`, `pub(crate) use`) that the file does not mention
//! otherwise, and methods, whose file a path does not tell. Files that use each other, directly or through others,
//! form a circle: what they share has no file of its own.

mod modules;
mod names;

use super::breach::Breach;
use modules::{Crate, FileId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What each file uses: the names that it takes from each other file.
type Uses = BTreeMap<FileId, BTreeMap<FileId, BTreeSet<String>>>;

/// Finds the circles of a crate, given its root file, such as `crates/ir/src/lib.rs`.
///
/// # Errors
/// A file of the crate cannot be read or is not Rust.
pub(super) fn check(
    root: &Path,
    name: &str,
    read: &dyn Fn(&Path) -> Option<String>,
    breaches: &mut Vec<Breach>,
) -> Result<(), String> {
    let source = Crate::read(root, read)?;
    let uses = uses(&source);
    for circle in circles(&uses) {
        let path = |file: &FileId| {
            let path = &source.files[*file];
            path.strip_prefix(root.parent().unwrap_or(root)).unwrap_or(path).display().to_string()
        };
        let mut rows = Vec::new();
        for file in &circle {
            for (used, names) in uses[file].iter().filter(|(used, _)| circle.contains(used)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let (file, used) = (path(file), path(used));
                rows.push(format!("\n    {file} uses {} of {used}", names.join(", ")));
            }
        }
        rows.sort();
        let rows = rows.concat();
        let what = format!("a circle of {} files; give what they share a file{rows}", circle.len());
        breaches.push(Breach { file: name.to_owned(), line: 0, what });
    }
    Ok(())
}

fn uses(source: &Crate) -> Uses {
    let mut uses = Uses::new();
    for module in &source.modules {
        let imports = module.imports.iter().filter(|import| !import.exported);
        let paths = imports.map(|import| &import.path).chain(&module.mentions);
        for path in paths {
            if let Some((file, name)) = source.item(module, path)
                && file != module.file
            {
                uses.entry(module.file).or_default().entry(file).or_default().insert(name);
            }
        }
    }
    uses
}

/// The largest sets of files of which each uses each, directly or through others.
fn circles(uses: &Uses) -> Vec<BTreeSet<FileId>> {
    let reached = |from: FileId| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            for used in uses.get(&file).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(*used) {
                    open.push(*used);
                }
            }
        }
        reached
    };
    let reach: BTreeMap<FileId, BTreeSet<FileId>> =
        uses.keys().map(|file| (*file, reached(*file))).collect();
    let mut circles: Vec<BTreeSet<FileId>> = Vec::new();
    for (file, beyond) in &reach {
        if beyond.contains(file) && !circles.iter().any(|circle| circle.contains(file)) {
            let back = |other: &&FileId| reach.get(other).is_some_and(|far| far.contains(file));
            circles.push(beyond.iter().filter(back).copied().collect());
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in a crate of these files.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let read = |path: &Path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path);
            file.map(|(_, text)| (*text).to_owned())
        };
        let mut breaches = Vec::new();
        check(Path::new("lib.rs"), "small", &read, &mut breaches).expect("it is a crate");
        breaches.into_iter().map(|breach| breach.what).collect()
    }

    /// A crate of two modules with these texts.
    fn pair(a: &str, b: &str) -> Vec<String> {
        found(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), ("b.rs", b)])
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
        let circle = "a circle of 2 files; give what they share a file\n    \
                      a.rs uses B of b.rs\n    b.rs uses A of a.rs";
        for (a, b) in [
            ("use crate::b::B; pub struct A;", "use crate::a::A; pub struct B;"),
            ("use super::b::{B as C, self}; struct A;", "struct B; fn f(_: super::a::A) {}"),
            ("struct A; impl crate::b::B for A {}", "trait B {} fn f() { use super::a::A; }"),
            ("use crate::b::B; struct A;", "struct B; macro_rules! m { () => { $crate::a::A } }"),
            ("use crate::b::B; struct A;", "struct B; fn f() { vec![crate::a::A; 1]; }"),
            ("use crate::b; struct A(b::B);", "use crate::a::*; made! { struct B; } type C = A;"),
            ("use crate::b::B; made! { A }", "struct B; mod inner { use super::super::a::A; }"),
        ] {
            assert_eq!(pair(a, b), [circle], "{a} | {b}");
        }
    }

    #[test]
    fn what_is_no_use_makes_no_circle() {
        for (a, b) in [
            ("use crate::b::B; pub struct A;", "pub struct B;"),
            ("use crate::b::B; pub struct A;", "struct B; #[cfg(test)] mod t { use crate::a::A; }"),
            ("use crate::b::B; pub struct A;", "struct B; pub(super) use crate::a::A;"),
            ("use crate::b; pub struct A; fn f() { b::f() }", "use crate::a; fn f() {}"),
            ("use crate::b::B; struct A;", "struct B; fn f(a: B) { a.a(); ::a::A(); x::a::A; }"),
        ] {
            assert_eq!(pair(a, b), [""; 0], "{a} | {b}");
        }
    }

    #[test]
    fn a_re_export_leads_to_the_file_that_defines() {
        let through = "a circle of 2 files; give what they share a file\n    \
                       a/one.rs uses Two of a/two.rs\n    a/two.rs uses One of a/one.rs";
        let files = [
            ("lib.rs", "mod a; pub use a::{One, Two};"),
            ("a/mod.rs", "mod one; mod two; pub(crate) use one::*; pub(crate) use two::Two;"),
            ("a/one.rs", "use crate::Two; pub struct One;"),
            ("a/two.rs", "use super::One; pub struct Two;"),
        ];
        assert_eq!(found(&files), [through]);
    }

    #[test]
    fn a_parent_is_in_a_circle_only_with_what_it_defines() {
        let child = ("a/one.rs", "use super::Shared; pub struct One;");
        let parent = |text| found(&[("lib.rs", "mod a;"), ("a.rs", text), child]);
        assert_eq!(parent("mod one; pub use one::One; pub struct Shared;"), [""; 0]);
        let used = "mod one; pub use one::One; pub struct Shared; fn f() -> One {}";
        assert_eq!(parent(used).len(), 1);
        assert_eq!(parent("mod one; pub struct Shared; fn f() { one::One::new() }").len(), 1);
    }

    #[test]
    fn longer_circles_are_found_whole() {
        let circle = found(&[
            ("lib.rs", "mod a; mod b; mod c; mod d; use d::D;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "use crate::c::C; pub struct B;"),
            ("c.rs", "use crate::a::A; pub struct C;"),
            ("d.rs", "use crate::a::A; pub struct D;"),
        ]);
        assert_eq!(circle.len(), 1);
        assert!(circle[0].starts_with("a circle of 3 files;"), "{circle:?}");
    }

    #[test]
    fn an_exported_macro_belongs_to_its_file() {
        let circle = pair(
            "use crate::b::B; #[macro_export] macro_rules! table { () => {} }",
            "struct B; crate::table! {}",
        );
        assert_eq!(circle.len(), 1);
    }

    #[test]
    fn a_file_that_is_missing_is_reported() {
        let missing = |path: &Path| (path == Path::new("lib.rs")).then(|| "mod a;".to_owned());
        let said = check(Path::new("lib.rs"), "small", &missing, &mut Vec::new());
        assert!(said.is_err_and(|why| why.contains("mod a")));
    }
}
