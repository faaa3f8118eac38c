//! Type declarations: bit fields, open types, registers, immediates.

use super::{Parse, Parser, Reported};
use crate::ast::{
    Argument, Name, Number, NumberValue, Property, TypeDecl, TypeForm, TypeStatement, ValueDecl,
};
use crate::codes;
use crate::lexer::Token;
use crate::names::nearest;
use diag::Diagnostic;

/// The properties of register and immediate types.
pub(crate) const PROPERTIES: [&str; 9] =
    ["Prefix", "File", "Pair", "Signed", "Radix", "Scale", "Relative", "Label", "IndirectLabel"];

impl Parser<'_> {
    pub(super) fn type_decl(&mut self, form: TypeForm) -> Parse<TypeDecl> {
        let name = self.name("the name of the type")?;
        let width = if self.accept("<") {
            let (bits, span) = self.int("the number of bits")?;
            self.mark(">")?;
            Some((u32::try_from(bits).unwrap_or(u32::MAX), span))
        } else {
            None
        };
        if width.is_none() && matches!(form, TypeForm::BitField | TypeForm::Immediate) {
            let message = format!("type `{}` has no width", name.text);
            let help = format!("write `{}<bits>`", name.text);
            self.error(name.span, message).help_last(&help);
            if !matches!(self.peek().0, Token::Ident(_)) {
                self.skip_statement();
            }
        }
        let mut decl = TypeDecl { form, name, width, statements: Vec::new(), source: self.source };
        loop {
            let (token, _) = self.peek();
            match token {
                Token::End => return Ok(decl),
                Token::Ident(word) if word.starts_with("__") => {
                    if word != super::PROVENANCE {
                        return Ok(decl);
                    }
                    self.provenance();
                }
                _ => self.type_statement(&mut decl.statements),
            }
        }
    }

    pub(super) fn type_statement(&mut self, into: &mut Vec<TypeStatement>) {
        match self.one_type_statement() {
            Ok(statement) => into.push(statement),
            Err(Reported) => self.skip_statement(),
        }
    }

    fn one_type_statement(&mut self) -> Parse<TypeStatement> {
        let first = self.name("the name of a value")?;
        if self.accept("<") {
            let argument = self.argument()?;
            self.mark(">")?;
            self.mark(";")?;
            if !PROPERTIES.contains(&first.text.as_str()) {
                return self.unknown_property(&first);
            }
            return Ok(TypeStatement::Property(Property {
                keyword: first,
                argument: Some(argument),
            }));
        }
        if first.text == "Signed" && self.accept(";") {
            return Ok(TypeStatement::Property(Property { keyword: first, argument: None }));
        }
        let (owner, name) = if self.accept(".") {
            (Some(first), self.name("the name of a value")?)
        } else {
            (None, first)
        };
        let number = if self.accept("=") { Some(self.number()?) } else { None };
        let spelling = if self.accept(":") {
            let (token, span) = self.next();
            let Token::Text(Some(text)) = token else {
                return self.expected("a quoted spelling", &token, span);
            };
            Some((text, span))
        } else {
            None
        };
        self.mark(";")?;
        Ok(TypeStatement::Value(ValueDecl { owner, name, number, spelling, source: self.source }))
    }

    fn unknown_property<T>(&mut self, keyword: &Name) -> Parse<T> {
        let message = format!("unknown property `{}`", keyword.text);
        let mut diagnostic = Diagnostic::error(keyword.span, message).code(codes::HEADING);
        if let Some(near) = nearest(&keyword.text, PROPERTIES) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).fix(keyword.span, near);
        }
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn argument(&mut self) -> Parse<Argument> {
        match self.peek() {
            (Token::Int(Some(value)), span) => {
                self.next();
                Ok(Argument::Number(value, span))
            }
            (Token::Text(Some(text)), span) => {
                self.next();
                Ok(Argument::Text(text, span))
            }
            _ => self.name("a name or a number").map(Argument::Name),
        }
    }

    /// A number, or `~0` for all ones.
    pub(super) fn number(&mut self) -> Parse<Number> {
        let (token, start) = self.peek();
        if token == Token::Mark("~") {
            self.next();
            let (value, end) = self.int("`0`")?;
            if value != 0 {
                self.error(end, "only `~0`, all ones, can be written");
                return Err(Reported);
            }
            return Ok(Number { value: NumberValue::AllOnes, span: start.to(end) });
        }
        let (value, span) = self.int("a number")?;
        Ok(Number { value: NumberValue::Plain(value), span })
    }
}
