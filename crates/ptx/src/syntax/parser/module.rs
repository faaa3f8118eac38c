//! The module level: header directives, variables and functions.

use super::{Parse, Parser, literal};
use crate::syntax::ast::{
    AddressSize, Directive, DirectiveArg, FileDirective, Item, Linkage, Module, TargetDirective,
    VersionDirective,
};
use crate::syntax::lexer::TokenKind;
use diag::{Diagnostic, Span};
use std::sync::Arc;

impl Parser<'_> {
    /// The whole text.
    pub(super) fn module(&mut self) -> Module {
        let mut module = Module::default();
        self.header(&mut module);
        while !self.at(TokenKind::Eof) {
            let before = self.token.start;
            if self.item(&mut module).is_err() {
                self.recover_item(before);
            }
        }
        module
    }

    /// Reports a missing `.version` or `.target`. What stands there instead is parsed as usual.
    fn header(&mut self, module: &mut Module) {
        let head = Span::new(self.file, self.token.start, self.token.start);
        if self.at(TokenKind::Eof) {
            self.report(Diagnostic::error(head, "this file holds no PTX").help(HEADER_HELP));
            return;
        }
        if self.dot_word() != "version" {
            let diagnostic =
                self.expected_diagnostic("`.version` at the head of the module").help(HEADER_HELP);
            self.report(diagnostic);
            return;
        }
        if self.version(module).is_err() {
            self.recover_item(self.token.start);
        }
        if self.dot_word() != "target" {
            let diagnostic =
                self.expected_diagnostic("`.target` after `.version`").help(HEADER_HELP);
            self.report(diagnostic);
        }
    }

    /// One directive, variable declaration or function.
    fn item(&mut self, module: &mut Module) -> Parse<()> {
        let start = self.token.start;
        match self.dot_word() {
            "version" | "target" | "address_size" if !module.items.is_empty() => {
                let word = self.dot_word();
                let message = format!("`.{word}` stands at the head of a module");
                Err(self.report(Diagnostic::error(self.token_span(), message)))
            }
            "version" => self.version(module),
            "target" => self.target(module),
            "address_size" => self.address_size(module),
            "file" => {
                let file = self.file_directive()?;
                module.files.push(file);
                Ok(())
            }
            "section" => {
                let section = self.section()?;
                module.sections.push(section);
                Ok(())
            }
            "pragma" | "alias" => {
                let directive = self.directive()?;
                self.end_of_statement("`;` after the directive")?;
                module.items.push(Item::Directive(directive));
                Ok(())
            }
            _ => {
                let linkage = Linkage::from_word(self.dot_word()).unwrap_or_default();
                if linkage != Linkage::None {
                    self.bump();
                }
                match self.dot_word() {
                    "entry" | "func" => {
                        let function = self.function(linkage, start)?;
                        module.items.push(Item::Function(Arc::new(function)));
                    }
                    _ if self.space_word().is_some() => {
                        let variables = self.variables(linkage, start)?;
                        let items = variables.into_iter().map(|it| Item::Variable(Box::new(it)));
                        module.items.extend(items);
                    }
                    _ => return Err(self.unknown_item(linkage)),
                }
                Ok(())
            }
        }
    }

    fn unknown_item(&mut self, linkage: Linkage) -> super::Reported {
        let diagnostic = if linkage != Linkage::None {
            let what = format!("`.func`, `.entry` or a state space after `.{}`", linkage.word());
            self.expected_diagnostic(&what)
        } else if self.at(TokenKind::RBrace) {
            let span = self.token_span();
            Diagnostic::error(span, "this `}` closes nothing").help("remove it")
        } else if (matches!(self.token.kind, TokenKind::Word | TokenKind::At)
            || self.dot_word() == "loc")
            && let Some((opening, end)) = self.last_block.filter(|it| it.1 == self.previous_end)
            && !self.names_function()
        {
            let brace = Span::new(self.file, end - 1, end);
            Diagnostic::error(brace, "this `}` closes the function, but instructions follow")
                .label(self.token_span(), "outside of every function")
                .label(opening, "opened here")
                .help("instructions stand in a body: this `}` may be one too many, or a `{` is missing")
        } else if self.at(TokenKind::Word) || self.at(TokenKind::At) {
            self.expected_diagnostic("a function, a variable or a directive")
                .help("instructions stand in a body; a `}` above may be one too many")
        } else {
            self.expected_diagnostic("a function, a variable or a directive")
        };
        self.report(diagnostic)
    }

    /// Whether the line of the token goes on with `.entry` or `.func`.
    fn names_function(&self) -> bool {
        let line = self.text[self.token.start..].lines().next().unwrap_or("");
        line.contains(".entry") || line.contains(".func")
    }

    /// Skips to where the next entry of the module may begin. `before` is where the last one did.
    ///
    /// Bodies without a head and stray instructions are skipped whole, for one error each.
    fn recover_item(&mut self, before: usize) {
        let in_initializer = std::mem::take(&mut self.operand_braces) > 0;
        while !self.at(TokenKind::Eof) {
            if self.token.start > before && self.starts_item_or_variable() {
                return;
            }
            match self.token.kind {
                TokenKind::LBrace => {
                    if self.skip_braces().is_err() {
                        return;
                    }
                    if !in_initializer && !self.at(TokenKind::Word) {
                        return;
                    }
                }
                TokenKind::Semicolon => {
                    self.bump();
                    if self.at(TokenKind::Dot) {
                        return;
                    }
                }
                _ => self.bump(),
            }
        }
    }

    /// Whether the token begins a line and an entry of the module. `.param` and `.reg` may begin a
    /// line within one.
    fn starts_item_or_variable(&self) -> bool {
        self.token.first_of_line && self.is_item()
    }

    /// Whether the token begins an entry of the module.
    pub(super) fn is_item(&self) -> bool {
        matches!(
            self.dot_word(),
            "visible"
                | "extern"
                | "weak"
                | "common"
                | "entry"
                | "func"
                | "version"
                | "target"
                | "address_size"
                | "file"
                | "section"
                | "alias"
                | "global"
                | "const"
                | "shared"
        )
    }

    fn version(&mut self, module: &mut Module) -> Parse<()> {
        let start = self.token.start;
        self.bump();
        let numbers = self.token_text().split_once('.').and_then(|(major, minor)| {
            Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
        });
        let Some((major, minor)) = numbers else {
            return Err(self.expected_next("a version such as `8.0`"));
        };
        self.bump();
        let span = self.span_from(start);
        match module.version.replace(VersionDirective { major, minor, span }) {
            Some(first) => Err(self.second("`.version`", span, first.span)),
            None => Ok(()),
        }
    }

    fn target(&mut self, module: &mut Module) -> Parse<()> {
        let start = self.token.start;
        self.bump();
        let mut names = vec![self.identifier("a target such as `sm_90`")?];
        while self.eat(TokenKind::Comma) {
            names.push(self.identifier("a target or a platform option")?);
        }
        let span = self.span_from(start);
        match &mut module.target {
            Some(target) => {
                target.names.append(&mut names);
                target.span = target.span.to(span);
            }
            None => module.target = Some(TargetDirective { names, span }),
        }
        Ok(())
    }

    fn address_size(&mut self, module: &mut Module) -> Parse<()> {
        let start = self.token.start;
        self.bump();
        let at = self.token_span();
        let bits = self.number_u32("the address size in bits")?;
        if !matches!(bits, 32 | 64) {
            return Err(self.error(at, format!("addresses have 32 or 64 bits, not {bits}")));
        }
        let span = self.span_from(start);
        match module.address_size.replace(AddressSize { bits, span }) {
            Some(first) => Err(self.second("`.address_size`", span, first.span)),
            None => Ok(()),
        }
    }

    fn second(&mut self, what: &str, span: Span, first: Span) -> super::Reported {
        self.report(
            Diagnostic::error(span, format!("a module has one {what} directive"))
                .label(span, "the second")
                .label(first, "the first")
                .help("remove one; modules cannot be joined by joining their texts"),
        )
    }

    /// `.file 1 "name"[, time, size]`.
    fn file_directive(&mut self) -> Parse<FileDirective> {
        let start = self.token.start;
        self.bump();
        let index = self.number_u32("the number of the file")?;
        let name = self.string("the name of the file")?;
        let mut stamp = None;
        if self.eat(TokenKind::Comma) {
            let time = self.number_u64("the time of the file")?;
            self.expect(TokenKind::Comma, "`,` and the size of the file")?;
            stamp = Some((time, self.number_u64("the size of the file")?));
        }
        Ok(FileDirective { index, name, stamp, span: self.span_from(start) })
    }

    fn number_u64(&mut self, what: &str) -> Parse<u64> {
        let value = match self.token.kind {
            TokenKind::Number => literal::parse(self.token_text()).ok(),
            _ => None,
        };
        match value.and_then(|value| value.integer()).and_then(|it| u64::try_from(it).ok()) {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => Err(self.expected(what)),
        }
    }

    /// A string without its quotes.
    fn string(&mut self, what: &str) -> Parse<String> {
        if !self.at(TokenKind::String) {
            return Err(self.expected(what));
        }
        let text = self.token_text();
        self.bump();
        Ok(text[1..text.len() - 1].to_owned())
    }

    /// A directive and its arguments, without any `;`. The token is its name.
    pub(super) fn directive(&mut self) -> Parse<Directive> {
        let start = self.token.start;
        let name = self.take_name(0);
        let mut args = Vec::new();
        if let Some(arg) = self.directive_arg()? {
            args.push(arg);
            while self.eat(TokenKind::Comma) {
                match self.directive_arg()? {
                    Some(arg) => args.push(arg),
                    None => return Err(self.expected("another argument after `,`")),
                }
            }
        }
        Ok(Directive { name, args, span: self.span_from(start) })
    }

    fn directive_arg(&mut self) -> Parse<Option<DirectiveArg>> {
        Ok(match self.token.kind {
            TokenKind::String => Some(DirectiveArg::Text(self.string("a string")?)),
            TokenKind::Number => Some(DirectiveArg::Constant(self.plain_number()?)),
            TokenKind::Word => Some(DirectiveArg::Name(self.take_name(0))),
            _ => None,
        })
    }
}

const HEADER_HELP: &str = "a module begins with, for example, `.version 8.0` and `.target sm_90`";
