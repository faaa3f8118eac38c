//! Expressions: arithmetic, comparisons and logic over field values.

use super::{Parse, Parser, Reported};
use crate::ast::{BinaryOp, ExprNode, ExprTree, UnaryOp};
use crate::codes;
use crate::lexer::{self, Mode, Token};
use diag::{Diagnostic, Span};

/// Deepest nesting of an expression.
const DEEPEST: u32 = 64;

/// Operators by how tightly they bind, the loosest first.
const LEVELS: [&[(&str, BinaryOp)]; 6] = [
    &[("||", BinaryOp::Or)],
    &[("&&", BinaryOp::And)],
    &[("==", BinaryOp::Equal), ("!=", BinaryOp::NotEqual)],
    &[
        ("<", BinaryOp::Less),
        ("<=", BinaryOp::LessEqual),
        (">", BinaryOp::Greater),
        (">=", BinaryOp::GreaterEqual),
    ],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)],
    &[("*", BinaryOp::Multiply), ("/", BinaryOp::Divide), ("%", BinaryOp::Remainder)],
];

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<ExprTree> {
        self.level(0, 0)
    }

    fn level(&mut self, level: usize, depth: u32) -> Parse<ExprTree> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(depth) };
        let mut left = self.level(level + 1, depth)?;
        // A chain of operators nests to the left, so its length is a depth as well.
        let mut chain = depth;
        loop {
            let (token, _) = self.peek_expr();
            let Token::Mark(mark) = token else { return Ok(left) };
            let Some((_, op)) = operators.iter().find(|(text, _)| *text == mark) else {
                return Ok(left);
            };
            chain += 1;
            self.limit(chain, left.span)?;
            self.next_expr();
            let right = self.level(level + 1, depth + 1)?;
            let span = left.span.to(right.span);
            let node = ExprNode::Binary(*op, Box::new(left), Box::new(right));
            left = ExprTree { node, span };
        }
    }

    fn unary(&mut self, depth: u32) -> Parse<ExprTree> {
        let (token, start) = self.peek_expr();
        self.limit(depth, start)?;
        let op = match token {
            Token::Mark("-") => UnaryOp::Negate,
            Token::Mark("!") => UnaryOp::Not,
            _ => return self.primary(depth),
        };
        self.next_expr();
        let inner = self.unary(depth + 1)?;
        let span = start.to(inner.span);
        Ok(ExprTree { node: ExprNode::Unary(op, Box::new(inner)), span })
    }

    fn primary(&mut self, depth: u32) -> Parse<ExprTree> {
        let (token, span) = self.next_expr();
        let node = match token {
            Token::Int(Some(value)) => ExprNode::Int(value),
            Token::Text(Some(text)) => ExprNode::Text(text),
            Token::Ident(mut name) if !name.starts_with("__") => {
                let mut span = span;
                if self.accept(".") {
                    let attribute = self.name("the attribute of a field")?;
                    name = format!("{name}.{}", attribute.text);
                    span = span.to(attribute.span);
                }
                return Ok(ExprTree { node: ExprNode::Field(name), span });
            }
            Token::Mark("(") => {
                let inner = self.level(0, depth + 1)?;
                let end = self.mark(")")?;
                return Ok(ExprTree { node: inner.node, span: span.to(end) });
            }
            other => {
                self.at = span.start as usize;
                return self.expected("a value", &other, span);
            }
        };
        Ok(ExprTree { node, span })
    }

    fn limit(&mut self, depth: u32, span: Span) -> Parse<()> {
        if depth <= DEEPEST {
            return Ok(());
        }
        let message = format!("the expression nests deeper than {DEEPEST} levels");
        let mut diagnostic = Diagnostic::error(span, message).code(codes::LIMIT);
        diagnostic.class = diag::Class::Limit;
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn peek_expr(&self) -> (Token, Span) {
        lexer::token(self.file, self.text, self.at, Mode::Expression)
    }

    fn next_expr(&mut self) -> (Token, Span) {
        let (token, span) = self.peek_expr();
        self.at = span.end as usize;
        (token, span)
    }
}
