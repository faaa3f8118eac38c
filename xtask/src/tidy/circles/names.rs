//! Reads a crate: the names that each file defines, imports and mentions.

use super::modules::{Crate, Import, ModuleId, Words};
use crate::tidy::tokens::marks_test;
use proc_macro2::{TokenStream, TokenTree};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

impl Crate {
    /// Reads a crate from its root file on.
    ///
    /// # Errors
    /// A file is missing or is not Rust.
    pub(super) fn read(
        root: &Path,
        read: &dyn Fn(&Path) -> Option<String>,
    ) -> Result<Crate, String> {
        let mut source = Crate::default();
        let folder = root.parent().unwrap_or(root).to_owned();
        let mut open = vec![(source.add(None, 0), root.to_owned(), folder)];
        while let Some((module, path, folder)) = open.pop() {
            let text = read(&path).ok_or_else(|| format!("{}: no such file", path.display()))?;
            let file =
                syn::parse_file(&text).map_err(|why| format!("{}: {why}", path.display()))?;
            source.modules[module].file = source.files.len();
            source.files.push(path);
            for (child, name, folder) in Names::of(&file, module, folder, &mut source) {
                let candidates = [format!("{name}.rs"), format!("{name}/mod.rs")];
                let mut paths = candidates.iter().map(|file| folder.join(file));
                let path = paths.find(|path| read(path).is_some());
                let path = path
                    .ok_or_else(|| format!("mod {name}: no file for it in {}", folder.display()))?;
                open.push((child, path, folder.join(name)));
            }
        }
        Ok(source)
    }
}

/// A module in a file of its own: its index, its name, and the folder where the file lies.
type Child = (ModuleId, String, PathBuf);

/// Fills the modules of one file.
struct Names<'a> {
    source: &'a mut Crate,
    module: ModuleId,
    /// Where the files of child modules lie.
    folder: PathBuf,
    /// Blocks around the place that is visited: items in them belong to no module.
    blocks: usize,
    children: Vec<Child>,
}

impl Names<'_> {
    /// Reads a file into its module; which modules lie in other files.
    fn of(file: &syn::File, module: ModuleId, folder: PathBuf, source: &mut Crate) -> Vec<Child> {
        let mut names = Names { source, module, folder, blocks: 0, children: Vec::new() };
        names.visit_file(file);
        names.children
    }

    fn define(&mut self, name: &syn::Ident) {
        if self.blocks == 0 {
            self.source.modules[self.module].defines.insert(name.to_string());
        }
    }

    fn mention(&mut self, path: Words) {
        self.source.modules[self.module].mentions.insert(path);
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String], exported: bool) {
        let with = |name: &syn::Ident| {
            let mut path = before.to_vec();
            path.push(name.to_string());
            path
        };
        let (name, path) = match tree {
            syn::UseTree::Path(path) => {
                return self.import(&path.tree, &with(&path.ident), exported);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, before, exported));
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned(), before.to_vec())
            }
            syn::UseTree::Name(name) => (Some(name.ident.to_string()), with(&name.ident)),
            syn::UseTree::Rename(renamed) => {
                (Some(renamed.rename.to_string()), with(&renamed.ident))
            }
            syn::UseTree::Glob(_) => (None, before.to_vec()),
        };
        self.source.modules[self.module].imports.push(Import { name, path, exported });
    }

    /// The paths in a macro, which is tokens only; and what an item macro defines.
    fn tokens(&mut self, stream: TokenStream, is_item: bool) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let punct = |nth: usize, wanted: char| matches!(trees.get(nth), Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
        let ident = |nth: usize| match trees.get(nth) {
            Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
            _ => None,
        };
        let mut at = 0;
        while at < trees.len() {
            if let TokenTree::Group(group) = &trees[at] {
                self.tokens(group.stream(), is_item);
            }
            let Some(first) = ident(at) else {
                at += 1;
                continue;
            };
            let inside = at > 0
                && (punct(at - 1, '.') || punct(at - 1, ':') && at > 1 && punct(at - 2, ':'));
            let keyword = ["struct", "enum", "union", "fn", "trait", "type", "const", "static"];
            if is_item
                && keyword.contains(&first.as_str())
                && let Some(TokenTree::Ident(name)) = trees.get(at + 1)
            {
                self.define(name);
            }
            let mut path = vec![first];
            at += 1;
            while punct(at, ':') && punct(at + 1, ':') {
                let Some(next) = ident(at + 2) else { break };
                path.push(next);
                at += 3;
            }
            // A single word may be anything; a type, a function or a macro looks like one.
            let is_path = path.len() > 1
                || path[0].starts_with(|letter: char| letter.is_uppercase())
                || punct(at, '!')
                || matches!(trees.get(at), Some(TokenTree::Group(_)));
            if is_path && !inside {
                self.mention(path);
            }
        }
    }
}

/// Whether attributes make an item part of tests only.
fn in_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            marks_test(&format!("cfg({})", list.tokens))
        }
        _ => false,
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if in_test(attributes(item)) {
            return;
        }
        match item {
            syn::Item::Const(item) => self.define(&item.ident),
            syn::Item::Enum(item) => self.define(&item.ident),
            syn::Item::Fn(item) => self.define(&item.sig.ident),
            syn::Item::Static(item) => self.define(&item.ident),
            syn::Item::Struct(item) => self.define(&item.ident),
            syn::Item::Trait(item) => self.define(&item.ident),
            syn::Item::Type(item) => self.define(&item.ident),
            syn::Item::Union(item) => self.define(&item.ident),
            syn::Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    self.define(name);
                    if item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
                    {
                        let file = self.source.modules[self.module].file;
                        self.source.exported_macros.insert(name.to_string(), file);
                    }
                }
                let made = item.ident.is_none();
                self.tokens(item.mac.tokens.clone(), made);
                return self.visit_path(&item.mac.path);
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let file = self.source.modules[self.module].file;
        let child = self.source.add(Some(self.module), file);
        let name = item.ident.to_string();
        self.source.modules[self.module].children.insert(name.clone(), child);
        let Some((_, items)) = &item.content else {
            return self.children.push((child, name, self.folder.clone()));
        };
        let outside = std::mem::replace(&mut self.module, child);
        self.folder.push(name);
        items.iter().for_each(|item| self.visit_item(item));
        self.folder.pop();
        self.module = outside;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exported = !matches!(item.vis, syn::Visibility::Inherited);
        if item.leading_colon.is_none() {
            self.import(&item.tree, &[], exported);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !in_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.blocks += 1;
        visit::visit_block(self, block);
        self.blocks -= 1;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.mention(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone(), false);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
