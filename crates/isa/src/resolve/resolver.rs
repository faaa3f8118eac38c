//! What resolving keeps at hand, and from whom a declaration inherits.

use super::collect::{DeclBuild, Decls, ROOT};
use super::types::Types;
use crate::ast::DeclKind;
use crate::codes;
use crate::names::nearest;
use crate::types::Type;
use diag::{Class, Diagnostic};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What is known while declarations are resolved.
pub(super) struct Resolver<'a> {
    pub(super) decls: &'a Decls,
    pub(super) types: &'a Types,
    /// Types as one lineage sees them, by type and by the lineage's innermost declaration.
    pub(super) views: HashMap<(String, String), Arc<Type>>,
    /// The opcode at hand lacks a parent, which has been reported; so it lacks fields.
    pub(super) incomplete: bool,
    /// Operands of the opcode at hand that have no field, which has been reported.
    pub(super) without_field: BTreeSet<String>,
    /// A cycle has been reported; its other members would say the same.
    pub(super) cycle: bool,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    /// The declarations that `build` inherits from, most general first, itself last. `None` when its
    /// parents are wrong; that has been reported.
    pub(super) fn lineage(&mut self, build: &DeclBuild) -> Option<Vec<String>> {
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

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// A diagnostic about an undeclared name, with the nearest declared one.
pub(super) fn undeclared(
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
