//! Syntax trees → opcodes: refinements, inheritance, constants, operands, syntax rules.

mod collect;
mod expr;
mod fields;
mod operands;
mod resolver;
mod syntax;
mod types;

use crate::ast::{DeclKind, Parsed, SectionKind};
use crate::codes;
use crate::decode_tree::DecodeTree;
use crate::diagnostics::has_error;
use crate::model::{Declaration, Description, Opcode};
use collect::{Collected, DeclBuild};
use diag::{Class, Diagnostic};
use resolver::Resolver;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const MOST_OPCODES: usize = 4096;

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
    if !has_error(resolver.diagnostics) {
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
        tree: DecodeTree::build(opcodes.iter().map(Opcode::decoded_by)),
        reference_tree: DecodeTree::build(references.iter().map(Opcode::decoded_by)),
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

impl Resolver<'_> {
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
}
