//! Syntax trees → opcodes: refinements, inheritance, constants, operands, syntax rules.

mod collect;
mod expr;
mod fields;
mod operands;
pub(crate) mod syntax;
mod types;

use crate::ast::{DeclKind, SectionKind};
use crate::codes;
use crate::load::Parsed;
use crate::model::{Declaration, Description, Opcode};
use crate::names::nearest;
use crate::types::Type;
use collect::{Collected, DeclBuild};
use diag::{Class, Diagnostic};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The root that every declaration may name as its parent without declaring it.
pub(crate) const ROOT: &str = "ALL";

const MOST_OPCODES: usize = 4096;
const MOST_FIELDS: usize = 256;

/// Resolves what was parsed. Errors are reported; what can be resolved in spite of them is returned, so
/// that later checks can say more in the same run.
pub(crate) fn resolve(
    name: &str,
    parsed: Parsed,
    diagnostics: &mut Vec<Diagnostic>,
) -> Description {
    let Collected { types, decls } = collect::collect(parsed.prelude, parsed.items, diagnostics);
    let types = types::resolve(types, diagnostics);
    let mut resolver = Resolver {
        decls: &decls,
        types: &types,
        views: HashMap::new(),
        incomplete: false,
        without_field: BTreeSet::new(),
        cycle: false,
        diagnostics,
    };
    let mut declarations = Vec::new();
    let mut opcodes: Vec<Opcode> = Vec::new();
    let mut references: Vec<Opcode> = Vec::new();
    for build in &decls.list {
        let Some(lineage) = resolver.lineage(build) else { continue };
        let kind = build.kind;
        if matches!(kind, DeclKind::Opcode | DeclKind::Reference) {
            if opcodes.len() + references.len() == MOST_OPCODES {
                let message = format!("more than {MOST_OPCODES} opcodes");
                let mut diagnostic = Diagnostic::error(build.decl.name.span, message);
                diagnostic.class = Class::Limit;
                resolver.diagnostics.push(diagnostic.code(codes::LIMIT));
                break;
            }
            match kind {
                DeclKind::Reference => references.extend(resolver.reference(build, &lineage)),
                DeclKind::Opcode | DeclKind::Group | DeclKind::Optype => {
                    opcodes.push(resolver.opcode(build, &lineage));
                }
            }
        }
        declarations.push(Declaration {
            name: build.decl.name.text.clone(),
            kind,
            span: build.decl.name.span,
            lineage,
            sections: sections(build),
            source: build.decl.source,
        });
    }
    if !crate::check::has_error(resolver.diagnostics) {
        syntax::check_placeholders(&opcodes, &resolver.decls.list, resolver.diagnostics);
    }
    let mut by_mnemonic: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, opcode) in opcodes.iter().enumerate() {
        if let Some(mnemonic) = opcode.mnemonic() {
            by_mnemonic.entry(mnemonic.to_owned()).or_default().push(index);
        }
    }
    Description {
        name: name.to_owned(),
        tree: crate::decode::DecodeTree::build(&opcodes),
        reference_tree: crate::decode::DecodeTree::build(&references),
        references,
        types: types.list.into_iter().collect(),
        decls: declarations,
        opcodes,
        sources: parsed.sources,
        by_mnemonic,
        warnings: Vec::new(),
    }
}

fn sections(build: &DeclBuild) -> BTreeMap<SectionKind, crate::ast::ProseSection> {
    build.decl.prose.iter().map(|section| (section.kind, section.clone())).collect()
}

struct Resolver<'a> {
    decls: &'a collect::Decls,
    types: &'a types::Types,
    /// Types as one lineage sees them, by type and by the lineage's innermost declaration.
    views: HashMap<(String, String), Arc<Type>>,
    /// The opcode at hand lacks a parent, which has been reported; so it lacks fields.
    incomplete: bool,
    /// Operands of the opcode at hand that have no field, which has been reported.
    without_field: BTreeSet<String>,
    /// A cycle has been reported; its other members would say the same.
    cycle: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    /// The declarations that `build` inherits from, most general first, itself last. `None` when its
    /// parents are wrong; that has been reported.
    fn lineage(&mut self, build: &DeclBuild) -> Option<Vec<String>> {
        let mut order = Vec::new();
        let mut open = Vec::new();
        self.incomplete = false;
        self.visit(build, &mut order, &mut open)?;
        Some(order)
    }

    fn visit(
        &mut self,
        build: &DeclBuild,
        order: &mut Vec<String>,
        open: &mut Vec<String>,
    ) -> Option<()> {
        let name = &build.decl.name;
        if order.contains(&name.text) {
            return Some(());
        }
        if open.contains(&name.text) {
            if std::mem::replace(&mut self.cycle, true) {
                return None;
            }
            let way = open.join("`, `");
            let message = format!("`{}` inherits from itself, by way of `{way}`", name.text);
            let last = open.last().and_then(|last| self.decls.get(last));
            let diagnostic = Diagnostic::error(name.span, message)
                .label(last.map_or(name.span, |last| last.decl.name.span), "whose parent it is")
                .help("remove one of the parents in the cycle")
                .code(codes::INHERITANCE);
            self.report(diagnostic);
            return None;
        }
        if open.len() > 64 {
            let message = format!("`{}` inherits through more than 64 levels", name.text);
            let mut diagnostic = Diagnostic::error(name.span, message).code(codes::LIMIT);
            diagnostic.class = Class::Limit;
            self.report(diagnostic);
            return None;
        }
        open.push(name.text.clone());
        for parent in build.decl.parents.iter().flatten() {
            match self.decls.get(&parent.text) {
                Some(found) if matches!(found.kind, DeclKind::Opcode | DeclKind::Reference) => {
                    let what = match found.kind {
                        DeclKind::Reference => "a reference",
                        DeclKind::Opcode | DeclKind::Group | DeclKind::Optype => "an opcode",
                    };
                    let message = format!("`{}` is {what} and cannot be a parent", parent.text);
                    let diagnostic = Diagnostic::error(parent.span, message)
                        .label(found.decl.name.span, "declared here")
                        .help("an opcode is one form; declare what forms share as `__DefOptype`")
                        .code(codes::INHERITANCE);
                    self.report(diagnostic);
                }
                Some(found) => self.visit(found, order, open)?,
                None if parent.text == ROOT => {}
                None => {
                    self.incomplete = true;
                    let names = self.decls.list.iter().map(|decl| decl.decl.name.text.as_str());
                    let near = nearest(&parent.text, names.chain([ROOT]));
                    let message = format!("parent `{}` is not declared", parent.text);
                    let mut diagnostic =
                        Diagnostic::error(parent.span, message).code(codes::UNDECLARED);
                    if let Some(found) = near.and_then(|near| self.decls.get(near)) {
                        let label = format!("`{}` is declared here", found.decl.name.text);
                        diagnostic = diagnostic.label(found.decl.name.span, label);
                    }
                    diagnostic = match near {
                        Some(near) => diagnostic
                            .help(format!("did you mean `{near}`?"))
                            .fix(parent.span, near),
                        None => diagnostic.help("declare it with `__DefGroup` or `__DefOptype`"),
                    };
                    self.report(diagnostic);
                }
            }
        }
        open.pop();
        order.push(name.text.clone());
        Some(())
    }

    fn opcode(&mut self, build: &DeclBuild, lineage: &[String]) -> Opcode {
        let family: Vec<&DeclBuild> =
            lineage.iter().filter_map(|name| self.decls.get(name)).collect();
        let mut opcode = self.encoding(build, &family, lineage);
        let mut sections = BTreeMap::new();
        for decl in &family {
            // A group has no text of its own to give: its sections describe the group.
            if decl.kind != DeclKind::Group {
                sections.extend(decl.decl.prose.iter().map(|s| (s.kind, s.clone())));
            }
        }
        opcode.sections = sections;
        let statements: Vec<_> = family.iter().flat_map(|decl| &decl.decl.operands).collect();
        if self.incomplete {
            return opcode;
        }
        let before = self.diagnostics.len();
        self.without_field.clear();
        let has_order = self.operands(&mut opcode, &statements);
        // A syntax line cannot be held against operands that are wrong themselves.
        if self.diagnostics.len() == before {
            self.syntax(&mut opcode, has_order);
        }
        opcode
    }

    /// Words that are no instructions: an encoding with a field that is an address, and nothing else.
    fn reference(&mut self, build: &DeclBuild, lineage: &[String]) -> Option<Opcode> {
        let family: Vec<&DeclBuild> =
            lineage.iter().filter_map(|name| self.decls.get(name)).collect();
        let reference = self.encoding(build, &family, lineage);
        let addresses = reference.fields.iter().filter(|field| field.relative().is_some()).count();
        if addresses == 1 || self.incomplete {
            return Some(reference);
        }
        let message = format!("`{}` has {addresses} fields that are addresses", reference.name);
        let diagnostic = Diagnostic::error(reference.span, message)
            .help("give it one field whose type is `Relative<…>`, or describe it as `__DefOpcode`")
            .code(codes::MISSING);
        self.report(diagnostic);
        None
    }

    fn encoding(&mut self, build: &DeclBuild, family: &[&DeclBuild], lineage: &[String]) -> Opcode {
        let optype = family.iter().rev().find(|decl| decl.kind == DeclKind::Optype);
        let layout = self.layout(build, family, lineage);
        Opcode {
            name: build.decl.name.text.clone(),
            span: build.decl.name.span,
            optype: optype.map(|decl| decl.decl.name.text.clone()),
            lineage: lineage.to_vec(),
            fields: layout.fields,
            fixed: layout.fixed,
            reserved: layout.reserved,
            ignored: layout.ignored,
            inputs: Vec::new(),
            outputs: Vec::new(),
            order: Vec::new(),
            guard: None,
            widths: Vec::new(),
            requirements: Vec::new(),
            syntax: None,
            sections: BTreeMap::new(),
            source: build.decl.source,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// A diagnostic about an undeclared name, with the nearest declared one.
fn undeclared(
    span: diag::Span,
    message: String,
    name: &str,
    candidates: &[&str],
    otherwise: &str,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, message).code(codes::UNDECLARED);
    match nearest(name, candidates.iter().copied()) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")).fix(span, near),
        None => diagnostic.help(otherwise),
    }
}
