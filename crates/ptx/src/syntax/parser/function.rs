//! Functions and call prototypes: everything before the body.

use super::{Parse, Parser};
use crate::directive;
use crate::nearest::nearest;
use crate::syntax::ast::{
    CallPrototype, Function, FunctionDirective, FunctionKind, Linkage, Name, Variable,
};
use crate::syntax::lexer::TokenKind;
use diag::Diagnostic;

impl Parser<'_> {
    /// A function. The token is `.entry` or `.func`; its text begins at `start`.
    pub(super) fn function(&mut self, linkage: Linkage, start: usize) -> Parse<Function> {
        let entry = self.dot_word() == "entry";
        let kind = if entry { FunctionKind::Entry } else { FunctionKind::Func };
        let keyword = self.token_span();
        self.bump();
        let mut attributes = Vec::new();
        while self.dot_word() == "attribute" {
            attributes.append(&mut self.attributes()?);
        }
        let returns = self.returns(kind)?;
        if !self.at(TokenKind::Word) && !returns.is_empty() {
            let error = Diagnostic::error(keyword, "this function has no name");
            return Err(
                self.report(error.label(self.token_span(), "a name must stand before this"))
            );
        }
        let name = self.identifier("the name of the function")?;
        let params = self.optional_parameters()?;
        let directives = self.function_directives()?;
        let body = match self.token.kind {
            TokenKind::LBrace => Some(self.body()?),
            TokenKind::Semicolon => {
                self.bump();
                None
            }
            // The assembler does without the semicolon of a declaration.
            TokenKind::Eof if kind == FunctionKind::Func => None,
            TokenKind::Dot if kind == FunctionKind::Func && self.is_item() => None,
            _ => return Err(self.bad_function_end(&name)),
        };
        let span = self.span_from(start);
        Ok(Function { linkage, kind, attributes, name, returns, params, directives, body, span })
    }

    fn bad_function_end(&mut self, name: &Name) -> super::Reported {
        let begins_body =
            self.space_word().is_some() || matches!(self.dot_word(), "pragma" | "loc");
        let diagnostic = if self.at(TokenKind::Dot) && !self.starts_item() && !begins_body {
            let help = match nearest(self.dot_word(), directive::words()) {
                Some(near) => format!("did you mean `.{near}`?"),
                None => "such directives are `.maxntid`, `.reqntid` or `.noreturn`".to_owned(),
            };
            self.expected_diagnostic("a function directive or `{`").help(help)
        } else if begins_body {
            let is_parameter =
                self.dot_word() == "param" && name.span.end as usize == self.previous_end;
            let (what, bracket) = match is_parameter {
                true => ("`(` before the parameters", "\n("),
                false => ("`{` before the body", "\n{"),
            };
            let mut diagnostic = self.expected_diagnostic(what);
            self.end_of_line_before(&mut diagnostic);
            if self.text.contains(bracket) || self.ends_head() {
                self.line_after(&mut diagnostic);
            }
            diagnostic.label(name.span, "of this function")
        } else {
            self.expected_diagnostic("`{` and the body, or `;`")
                .label(name.span, "of this function")
        };
        self.report(diagnostic)
    }

    /// Whether the last line is the end of a head that stands on several lines.
    fn ends_head(&self) -> bool {
        let before = &self.text[..self.previous_end];
        let line = before.lines().next_back().unwrap_or("").trim_start();
        let directive = line.strip_prefix('.').and_then(|it| it.split_whitespace().next());
        line.starts_with(')') || directive.is_some_and(|word| directive::find(word).is_some())
    }

    fn returns(&mut self, kind: FunctionKind) -> Parse<Vec<Variable>> {
        if kind == FunctionKind::Entry && self.at(TokenKind::LParen) {
            let span = self.token_span();
            let diagnostic = Diagnostic::error(span, "a kernel returns nothing")
                .help("write the name of the kernel after `.entry`");
            return Err(self.report(diagnostic));
        }
        self.optional_parameters()
    }

    fn optional_parameters(&mut self) -> Parse<Vec<Variable>> {
        if self.at(TokenKind::LParen) { self.parameters() } else { Ok(Vec::new()) }
    }

    fn function_directives(&mut self) -> Parse<Vec<FunctionDirective>> {
        let mut directives = Vec::new();
        while directive::find(self.dot_word()).is_some() {
            let pragma = self.dot_word() == "pragma";
            directives.push(self.directive()?);
            if pragma {
                self.expect(TokenKind::Semicolon, "`;` after the pragma")?;
            }
        }
        Ok(directives)
    }

    /// `.callprototype (returns) _ (parameters) directives;`. The token is `.callprototype`.
    pub(super) fn call_prototype(&mut self, label: Name) -> Parse<CallPrototype> {
        self.bump();
        let returns = self.optional_parameters()?;
        self.expect(TokenKind::Underscore, "`_` in place of the function's name")?;
        let params = self.optional_parameters()?;
        let directives = self.function_directives()?;
        self.end_of_statement("`;` after the prototype")?;
        Ok(CallPrototype { label, returns, params, directives })
    }
}
