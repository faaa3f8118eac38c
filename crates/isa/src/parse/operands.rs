//! Statements under `__OperandInfo`.

use super::{Parse, Parser, Reported};
use crate::ast::{Decl, Name, NameList, OperandStatement};
use crate::lexer::Token;

pub(super) const STATEMENTS: [&str; 5] = ["InList", "OutList", "Order", "Bitwidth", "Require"];

pub(super) fn is_statement(word: &str) -> bool {
    STATEMENTS.contains(&word)
}

impl Parser<'_> {
    /// One statement at the current position, whose keyword is known.
    pub(super) fn operand_statement(&mut self, decl: &mut Decl) {
        match self.one_operand_statement() {
            Ok(statement) => decl.operands.push(statement),
            Err(Reported) => self.skip_statement(),
        }
    }

    fn one_operand_statement(&mut self) -> Parse<OperandStatement> {
        let keyword = self.name("a statement")?;
        match keyword.text.as_str() {
            "InList" => self.name_list(&keyword).map(OperandStatement::In),
            "OutList" => self.name_list(&keyword).map(OperandStatement::Out),
            "Order" => self.name_list(&keyword).map(OperandStatement::Order),
            "Bitwidth" => {
                let (operand, expr) = self.subject_and_expr()?;
                let end = self.mark(";")?;
                Ok(OperandStatement::Bitwidth { operand, expr, span: keyword.span.to(end) })
            }
            "Require" => {
                let (subject, expr) = self.subject_and_expr()?;
                let reason = if self.accept(":") {
                    match self.next() {
                        (Token::Text(Some(text)), _) => Some(text),
                        (other, span) => return self.expected("a quoted reason", &other, span),
                    }
                } else {
                    None
                };
                self.mark(";")?;
                Ok(OperandStatement::Require { subject, expr, reason })
            }
            other => {
                let message = format!("unknown statement `{other}` under `__OperandInfo`");
                self.error(keyword.span, message);
                Err(Reported)
            }
        }
    }

    fn subject_and_expr(&mut self) -> Parse<(Name, crate::ast::ExprTree)> {
        self.mark("<")?;
        let mut name = self.name("the name of a field")?;
        if self.accept(".") {
            let attribute = self.name("the attribute of the field")?;
            let text = format!("{}.{}", name.text, attribute.text);
            name = Name { text, span: name.span.to(attribute.span) };
        }
        self.mark(">")?;
        self.mark("=")?;
        let expr = self.expr()?;
        Ok((name, expr))
    }

    fn name_list(&mut self, keyword: &Name) -> Parse<NameList> {
        self.mark("<")?;
        let mut names = Vec::new();
        if !self.accept(">") {
            loop {
                names.push(self.name("the name of a field")?);
                if self.accept(">") {
                    break;
                }
                self.mark(",")?;
            }
        }
        let end = self.mark(";")?;
        Ok(NameList { names, span: keyword.span.to(end) })
    }
}
