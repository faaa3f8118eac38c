//! All files' declarations by name, with `__Refine` applied.

use crate::ast::{
    Decl, DeclKind, EncodingStatement, File, Item, Name, OperandStatement, TypeDecl, TypeStatement,
};
use crate::codes;
use crate::names::nearest;
use diag::{Diagnostic, Span};
use std::collections::HashMap;

/// The root that every declaration may name as its parent without declaring it.
pub(super) const ROOT: &str = "ALL";

/// A type declaration with the statements that refine it.
pub(crate) struct TypeBuild {
    pub decl: TypeDecl,
    pub refinements: Vec<TypeStatement>,
    /// From the prelude: a description may declare it anew.
    pub builtin: bool,
}

/// A group, optype or opcode with its refinements merged in.
pub(crate) struct DeclBuild {
    pub decl: Decl,
    pub kind: DeclKind,
    /// By field name, the statements that a refinement replaced.
    pub corrected: HashMap<String, Vec<Span>>,
}

/// Declarations in order, and by name.
#[derive(Default)]
pub(crate) struct Decls {
    pub list: Vec<DeclBuild>,
    by_name: HashMap<String, usize>,
}

impl Decls {
    pub(crate) fn get(&self, name: &str) -> Option<&DeclBuild> {
        self.by_name.get(name).map(|index| &self.list[*index])
    }

    fn add(&mut self, build: DeclBuild) {
        self.by_name.insert(build.decl.name.text.clone(), self.list.len());
        self.list.push(build);
    }
}

pub(crate) struct Collected {
    pub types: Vec<TypeBuild>,
    pub decls: Decls,
}

pub(crate) fn collect(
    prelude: File,
    items: Vec<Item>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Collected {
    let mut types: Vec<TypeBuild> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut decls = Decls::default();
    let mut refinements: Vec<Decl> = Vec::new();
    let builtin = prelude.items.into_iter().map(|item| (item, true));
    for (item, builtin) in builtin.chain(items.into_iter().map(|item| (item, false))) {
        match item {
            Item::Include { .. } => {}
            Item::Type(decl) => {
                let name = decl.name.clone();
                let build = TypeBuild { decl, refinements: Vec::new(), builtin };
                match by_name.get(&name.text) {
                    Some(index) if types[*index].builtin => types[*index] = build,
                    Some(index) => {
                        diagnostics.push(twice("type", &name, types[*index].decl.name.span));
                    }
                    None => {
                        by_name.insert(name.text, types.len());
                        types.push(build);
                    }
                }
            }
            Item::Decl(decl) => match decl.kind {
                None => refinements.push(decl),
                Some(kind) => match decls.get(&decl.name.text) {
                    Some(first) => {
                        diagnostics.push(twice("name", &decl.name, first.decl.name.span));
                    }
                    None => decls.add(new_decl(decl, kind, diagnostics)),
                },
            },
        }
    }
    for refinement in refinements {
        let name = refinement.name.text.clone();
        if let Some(index) = by_name.get(&name) {
            refine_type(&mut types[*index], refinement, diagnostics);
        } else {
            refine_decl(&mut decls, refinement, diagnostics);
        }
    }
    Collected { types, decls }
}

fn twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(name.span, format!("{what} `{}` is declared twice", name.text))
        .label(first, "first declared here")
        .help(format!("to add to or correct the first, write `__Refine {}`", name.text))
        .code(codes::DUPLICATE)
}

fn new_decl(mut decl: Decl, kind: DeclKind, diagnostics: &mut Vec<Diagnostic>) -> DeclBuild {
    let mut kept: Vec<crate::ast::ProseSection> = Vec::new();
    for section in std::mem::take(&mut decl.prose) {
        match kept.iter_mut().find(|other| other.kind == section.kind) {
            // Statements and prose under two `__OperandInfo` headings are one section.
            Some(other) if other.is_blank() => *other = section,
            Some(_) if section.is_blank() => {}
            Some(other) => {
                let heading = section.kind.heading();
                let message = format!("`{}` has two sections `{heading}`", decl.name.text);
                let diagnostic = Diagnostic::error(section.heading, message)
                    .label(other.heading, "the first one")
                    .help("put both under one heading, or give the second its right heading")
                    .code(codes::DUPLICATE);
                diagnostics.push(diagnostic);
            }
            None => kept.push(section),
        }
    }
    decl.prose = kept;
    DeclBuild { decl, kind, corrected: HashMap::new() }
}

fn refine_type(build: &mut TypeBuild, refinement: Decl, diagnostics: &mut Vec<Diagnostic>) {
    build.refinements.extend(refinement.type_statements);
    let sections = refinement.encoding.len() + refinement.operands.len() + refinement.prose.len();
    if sections > 0 {
        let message = format!("`{}` is a type and has no sections", refinement.name.text);
        let diagnostic = Diagnostic::error(refinement.name.span, message)
            .label(build.decl.name.span, "declared here")
            .help("a refined type takes values: `NAME = number;`")
            .code(codes::WRONG_HEADING);
        diagnostics.push(diagnostic);
    }
}

fn refine_decl(decls: &mut Decls, mut refinement: Decl, diagnostics: &mut Vec<Diagnostic>) {
    let name = refinement.name.clone();
    if let Some(TypeStatement::Value(value)) = refinement.type_statements.first() {
        let message = format!("a value of a type stands in the refinement of `{}`", name.text);
        let diagnostic = Diagnostic::error(value.name.span, message)
            .help("begin with a heading such as `__Encoding`, or refine a declared type")
            .code(codes::SYNTAX);
        diagnostics.push(diagnostic);
    }
    let Some(index) = decls.by_name.get(&name.text).copied() else {
        if name.text == ROOT {
            refinement.parents = None;
            decls.add(new_decl(refinement, DeclKind::Group, diagnostics));
            return;
        }
        let names = decls.list.iter().map(|decl| decl.decl.name.text.as_str());
        let message = format!("`{}` is refined but not declared", name.text);
        let mut diagnostic = Diagnostic::error(name.span, message).code(codes::UNDECLARED);
        diagnostic = match nearest(&name.text, names) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")).fix(name.span, near),
            None => diagnostic.help("include the file that declares it"),
        };
        diagnostics.push(diagnostic);
        return;
    };
    let build = &mut decls.list[index];
    if let Some(parents) = refinement.parents {
        build.decl.parents = Some(parents);
    }
    for statement in refinement.encoding {
        refine_encoding(build, statement, diagnostics);
    }
    refine_operands(&mut build.decl.operands, refinement.operands);
    for mut section in refinement.prose {
        section.owner.clone_from(&build.decl.name.text);
        build.decl.prose.retain(|other| other.kind != section.kind);
        build.decl.prose.push(section);
    }
}

fn refine_encoding(
    build: &mut DeclBuild,
    statement: EncodingStatement,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let find = |encoding: &[EncodingStatement], name: &str| {
        encoding.iter().position(
            |other| matches!(other, EncodingStatement::Field(field) if field.name.text == name),
        )
    };
    match statement {
        EncodingStatement::Field(field) => {
            let name = field.name.text.clone();
            match find(&build.decl.encoding, &name) {
                Some(at) => {
                    let new = EncodingStatement::Field(field);
                    let old = std::mem::replace(&mut build.decl.encoding[at], new);
                    if let EncodingStatement::Field(old) = old {
                        build.corrected.entry(name).or_default().push(old.span);
                    }
                }
                None => build.decl.encoding.push(EncodingStatement::Field(field)),
            }
        }
        EncodingStatement::Remove(name) => match find(&build.decl.encoding, &name.text) {
            Some(at) => {
                build.decl.encoding.remove(at);
            }
            None => {
                let message = format!("`{}` has no field `{}`", build.decl.name.text, name.text);
                let diagnostic = Diagnostic::error(name.span, message)
                    .label(build.decl.name.span, "declared here")
                    .help("a refinement removes a field where that field is declared")
                    .code(codes::UNDECLARED);
                diagnostics.push(diagnostic);
            }
        },
        EncodingStatement::Bits(bits) => build.decl.encoding.push(EncodingStatement::Bits(bits)),
    }
}

/// Lists and bit widths of a refinement replace those before; requirements add up.
fn refine_operands(into: &mut Vec<OperandStatement>, from: Vec<OperandStatement>) {
    for statement in from {
        let replaced = into.iter().position(|old| match (old, &statement) {
            (OperandStatement::In(_), OperandStatement::In(_))
            | (OperandStatement::Out(_), OperandStatement::Out(_))
            | (OperandStatement::Order(_), OperandStatement::Order(_)) => true,
            (
                OperandStatement::Bitwidth { operand: old, .. },
                OperandStatement::Bitwidth { operand: new, .. },
            ) => old.text == new.text,
            _ => false,
        });
        match replaced {
            Some(at) => into[at] = statement,
            None => into.push(statement),
        }
    }
}
