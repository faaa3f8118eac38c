//! Bodies and statements.

use super::{Parse, Parser, Reported};
use crate::syntax::ast::{
    Inlined, Linkage, Loc, Name, NameTable, SourcePosition, Statement, StatementKind, TableEntry,
};
use crate::syntax::lexer::TokenKind;
use diag::Diagnostic;

impl Parser<'_> {
    /// `{ ... }` as the body of a function or as a scope. The token is the opening brace.
    ///
    /// A body that is never closed is reported and ends where the text or the function does.
    pub(super) fn body(&mut self) -> Parse<Vec<Statement>> {
        let opening = self.token_span();
        if self.depth >= super::MAX_DEPTH {
            let error = self.too_deep();
            self.skip_braces()?;
            return Err(error);
        }
        self.bump();
        self.depth += 1;
        let statements = self.statements();
        self.depth -= 1;
        if self.eat(TokenKind::RBrace) {
            self.last_block = Some((opening, self.previous_end));
        } else {
            self.unclosed(opening);
        }
        Ok(statements)
    }

    /// Statements up to the closing brace, the end of the text or the next function.
    fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !matches!(self.token.kind, TokenKind::RBrace | TokenKind::Eof) && !self.starts_item()
        {
            if self.statement(&mut statements).is_err() {
                self.recover();
            }
        }
        statements
    }

    /// One statement; a declaration of several names adds several.
    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let start = self.token.start;
        let kind = match self.token.kind {
            TokenKind::LBrace => StatementKind::Block(self.body()?),
            TokenKind::Word if self.next.kind == TokenKind::Colon => {
                let label = self.take_name(0);
                self.bump();
                self.labelled(label)?
            }
            TokenKind::Word | TokenKind::At => {
                let instruction = self.instruction()?;
                self.end_of_statement("`,` or `;` after the operand")?;
                StatementKind::Instruction(instruction)
            }
            TokenKind::Dot if self.space_word().is_some() => {
                for variable in self.variables(Linkage::None, start)? {
                    let span = variable.span;
                    let kind = StatementKind::Variable(Box::new(variable));
                    statements.push(Statement { kind, span });
                }
                return Ok(());
            }
            TokenKind::Dot => match self.dot_word() {
                "loc" => StatementKind::Loc(Box::new(self.loc()?)),
                "pragma" => {
                    let pragma = self.directive()?;
                    self.end_of_statement("`;` after the pragma")?;
                    StatementKind::Pragma(pragma)
                }
                _ => return Err(self.unknown_directive()),
            },
            TokenKind::Semicolon => {
                let span = self.token_span();
                let diagnostic =
                    Diagnostic::error(span, "this `;` ends no statement").help("remove it");
                return Err(self.report(diagnostic));
            }
            _ => return Err(self.expected("a statement")),
        };
        statements.push(Statement { kind, span: self.span_from(start) });
        Ok(())
    }

    fn unknown_directive(&mut self) -> Reported {
        let diagnostic = match self.dot_word() {
            "branchtargets" | "calltargets" | "callprototype" => self
                .expected_diagnostic("a label before this directive")
                .help("give the table a name: `table: .branchtargets L0, L1;`"),
            _ => self
                .expected_diagnostic("an instruction, a declaration or a directive")
                .help("the directives of a body are `.loc` and `.pragma`"),
        };
        self.report(diagnostic)
    }

    /// What follows a label and its colon: a table, a prototype, or nothing that belongs to it.
    fn labelled(&mut self, label: Name) -> Parse<StatementKind> {
        Ok(match self.dot_word() {
            "callprototype" => StatementKind::CallPrototype(Box::new(self.call_prototype(label)?)),
            "branchtargets" => StatementKind::BranchTargets(Box::new(self.name_table(label)?)),
            "calltargets" => StatementKind::CallTargets(Box::new(self.name_table(label)?)),
            _ => StatementKind::Label(label),
        })
    }

    /// The names of `.branchtargets` or `.calltargets`. The token is the directive.
    fn name_table(&mut self, label: Name) -> Parse<NameTable> {
        self.bump();
        let mut entries = Vec::new();
        loop {
            let name = self.identifier("a name")?;
            let mut range = None;
            if self.eat(TokenKind::Less) {
                range = Some(self.number_u32("the number of labels")?);
                self.expect(TokenKind::Greater, "`>` after the number of labels")?;
            }
            entries.push(TableEntry { name, range });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.end_of_statement("`,` or `;` after the name")?;
        Ok(NameTable { label, entries })
    }

    /// `.loc`, which no semicolon ends.
    fn loc(&mut self) -> Parse<Loc> {
        let in_inline_asm = self.token.in_inline_asm;
        self.bump();
        let position = self.source_position()?;
        let mut inlined = None;
        if self.eat(TokenKind::Comma) {
            self.keyword("function_name")?;
            let function_name = self.identifier("the label of the function's name")?;
            let offset = match self.token.kind {
                TokenKind::Plus => self.integer_constant("an offset")?,
                _ => 0,
            };
            self.expect(TokenKind::Comma, "`,` and `inlined_at`")?;
            self.keyword("inlined_at")?;
            let start = self.token.start;
            let at = self.source_position()?;
            inlined = Some(Inlined { function_name, offset, at, at_span: self.span_from(start) });
        }
        Ok(Loc { position, inlined, in_inline_asm })
    }

    fn keyword(&mut self, word: &str) -> Parse<()> {
        if self.token_text() == word {
            self.bump();
            return Ok(());
        }
        Err(self.expected(&format!("`{word}`")))
    }

    fn source_position(&mut self) -> Parse<SourcePosition> {
        Ok(SourcePosition {
            file: self.number_u32("the number of a `.file`")?,
            line: self.number_u32("a line number")?,
            column: self.number_u32("a column number")?,
        })
    }
}
