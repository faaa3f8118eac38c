//! Expressions with field names → expressions over field indices.

use super::resolver::{Resolver, undeclared};
use crate::ast::{BinaryOp, ExprNode, ExprTree};
use crate::codes;
use crate::expr::Expr;
use crate::model::Field;
use crate::types::{Type, TypeKind};
use diag::Diagnostic;

impl Resolver<'_> {
    /// Resolves names to fields, and quoted names to the numbers of the fields they are compared with.
    pub(super) fn expression(&mut self, tree: &ExprTree, fields: &[Field]) -> Option<Expr> {
        match &tree.node {
            ExprNode::Int(value) => match i128::try_from(*value) {
                Ok(value) => Some(Expr::Int(value)),
                Err(_) => {
                    let diagnostic = Diagnostic::error(tree.span, format!("{value} is too large"))
                        .help("numbers in expressions are below 2^127")
                        .code(codes::FIT);
                    self.report(diagnostic);
                    None
                }
            },
            ExprNode::Text(text) => {
                let message = format!("\"{text}\" is compared with no field");
                let diagnostic = Diagnostic::error(tree.span, message)
                    .help("write the name of a value beside the field: `dtype == \"U64\"`")
                    .code(codes::EXPRESSION);
                self.report(diagnostic);
                None
            }
            ExprNode::Field(name) => self.expression_field(name, tree, fields).map(Expr::Field),
            ExprNode::Unary(op, inner) => {
                Some(Expr::Unary(*op, Box::new(self.expression(inner, fields)?)))
            }
            ExprNode::Binary(op, left, right) => {
                let compares = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
                if compares
                    && let (ExprNode::Field(name), ExprNode::Text(text))
                    | (ExprNode::Text(text), ExprNode::Field(name)) = (&left.node, &right.node)
                {
                    let (field, quoted) = match &left.node {
                        ExprNode::Field(_) => (left, right),
                        _ => (right, left),
                    };
                    let index = self.expression_field(name, field, fields)?;
                    let number = self.quoted(text, quoted, &fields[index].ty)?;
                    let (field, number) = (Expr::Field(index), Expr::Int(number));
                    return Some(Expr::Binary(*op, Box::new(field), Box::new(number)));
                }
                let left = self.expression(left, fields);
                let right = self.expression(right, fields);
                Some(Expr::Binary(*op, Box::new(left?), Box::new(right?)))
            }
        }
    }

    fn expression_field(&mut self, name: &str, tree: &ExprTree, fields: &[Field]) -> Option<usize> {
        let found = fields.iter().position(|field| field.name.text == name);
        if found.is_none() {
            let names: Vec<&str> = fields.iter().map(|field| field.name.text.as_str()).collect();
            let message = format!("`{name}` is not a field of the opcode");
            let otherwise = "expressions use the fields of the opcode";
            self.report(undeclared(tree.span, message, name, &names, otherwise));
        }
        found
    }

    fn quoted(&mut self, text: &str, tree: &ExprTree, ty: &Type) -> Option<i128> {
        let names = match &ty.kind {
            TypeKind::Enumeration(names) => {
                let number = names.by_name(text).and_then(|value| value.number);
                if let Some(number) = number {
                    return i128::try_from(number).ok();
                }
                names.values.iter().map(|value| value.name.as_str()).collect()
            }
            TypeKind::Register(_) | TypeKind::Immediate(_) => Vec::new(),
        };
        let message = format!("\"{text}\" is not a value of type `{}`", ty.name);
        let otherwise = "compare with a value that the type names";
        let diagnostic = undeclared(tree.span, message, text, &names, otherwise)
            .label(ty.span, "the type is declared here");
        self.report(diagnostic);
        None
    }
}
