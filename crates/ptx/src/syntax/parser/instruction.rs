//! Instructions and operands.

use super::{Parse, Parser, Reported};
use crate::catalogue::{CALL, is_opcode};
use crate::syntax::Space;
use crate::syntax::ast::{Address, Guard, Instruction, Name, Operand, OperandKind};
use crate::syntax::lexer::{Token, TokenKind};
use diag::{Diagnostic, Span};
use smallvec::SmallVec;

impl Parser<'_> {
    /// An instruction with its guard, without its semicolon.
    pub(super) fn instruction(&mut self) -> Parse<Instruction> {
        let start = self.token.start;
        let guard = if self.at(TokenKind::At) { Some(Box::new(self.guard()?)) } else { None };
        let opcode = match &guard {
            Some(guard) if self.at(TokenKind::Dot) => {
                let at = Span { end: guard.predicate.span.start, ..guard.predicate.span };
                let diagnostic = Diagnostic::error(at, "a predicate register is missing after `@`")
                    .label(guard.predicate.span, "this is the instruction");
                return Err(self.report(diagnostic));
            }
            Some(_) | None => self.identifier("an instruction")?,
        };
        // A module may have very many: what is kept has no room to spare.
        let mut suffixes = SmallVec::<[Name; 8]>::new();
        while self.at(TokenKind::Dot) && !self.starts_directive() {
            suffixes.push(self.take_name(1));
        }
        let mut operands = SmallVec::<[Operand; 8]>::new();
        if self.starts_operand() {
            // The one opcode that the grammar itself tells apart: in every other instruction `(5)` is a
            // constant in parentheses.
            let lists = &*opcode == CALL;
            operands.push(self.operand(lists)?);
            while self.eat(TokenKind::Comma) {
                operands.push(self.operand(lists)?);
            }
        }
        let is_operand = operands.is_empty()
            && suffixes.is_empty()
            && self.at(TokenKind::Comma)
            && !is_opcode(&opcode);
        if is_operand || opcode.starts_with('%') && !self.at(TokenKind::Semicolon) {
            return Err(self.operand_for_instruction(&opcode, guard.is_some()));
        }
        if operands.is_empty() && self.at(TokenKind::Comma) {
            return Err(self.expected("an operand"));
        }
        Ok(Instruction {
            guard,
            opcode,
            suffixes: suffixes.into_vec(),
            operands: operands.into_vec(),
            span: self.span_from(start),
        })
    }

    /// An operand stands where an instruction should.
    fn operand_for_instruction(&mut self, operand: &Name, is_guarded: bool) -> Reported {
        let message = format!("expected an instruction, found `{operand}`");
        let diagnostic = Diagnostic::error(operand.span, message);
        let help = match self.token.kind {
            TokenKind::Comma => "operands are separated by `,`, not `;`",
            _ if is_guarded => "one guard is all that an instruction has",
            _ => "a guard is `@p` or `@!p` with the name of a `.pred` register",
        };
        self.report(diagnostic.help(help))
    }

    /// `@p` or `@!p`.
    fn guard(&mut self) -> Parse<Guard> {
        let start = self.token.start;
        self.bump();
        let negated = self.eat(TokenKind::Bang);
        if !self.at(TokenKind::Word) {
            let diagnostic = self
                .expected_diagnostic("a predicate register")
                .help("a guard is `@p` or `@!p` with the name of a `.pred` register");
            return Err(self.report(diagnostic));
        }
        let predicate = self.take_name(0);
        Ok(Guard { negated, predicate, span: self.span_from(start) })
    }

    /// Whether the token begins a line and a directive or declaration, after a missing semicolon or colon.
    fn starts_directive(&self) -> bool {
        let is_space =
            self.space_word().is_some_and(|space| !matches!(space, Space::Global | Space::Shared));
        self.token.first_of_line && (is_space || matches!(self.dot_word(), "pragma" | "loc"))
    }

    /// Whether an operand can stand here. A word at the start of a line is the next instruction
    /// after a missing semicolon, unless a comma or semicolon shows that it is an operand.
    fn starts_operand(&self) -> bool {
        match self.token.kind {
            TokenKind::Word if self.token.first_of_line => match self.next.kind {
                TokenKind::Colon => false,
                TokenKind::Dot => self.is_register(self.token),
                _ => self.is_register(self.token) || !self.next_line_instruction(),
            },
            TokenKind::Word
            | TokenKind::Underscore
            | TokenKind::LBrace
            | TokenKind::LBracket
            | TokenKind::LParen => true,
            _ => self.starts_constant(),
        }
    }

    /// Whether a token is named as registers are, and no instruction is.
    pub(super) fn is_register(&self, token: Token) -> bool {
        self.text[token.start..token.end].starts_with('%')
    }

    fn next_line_instruction(&self) -> bool {
        self.next.kind == TokenKind::Word && !self.next.first_of_line
    }

    /// An operand, possibly `d|p`. `lists` allows `( ... )`.
    fn operand(&mut self, lists: bool) -> Parse<Operand> {
        let start = self.token.start;
        let kind = match self.token.kind {
            TokenKind::LParen if lists => self.nested(Self::list)?,
            TokenKind::LBrace => {
                let kind = self.nested(Self::vector)?;
                if self.at(TokenKind::Or) {
                    let first = Operand { kind, span: self.span_from(start) };
                    self.pair(first)?
                } else {
                    kind
                }
            }
            TokenKind::LBracket => self.nested(Self::address)?,
            TokenKind::Bang if self.prefixes_name() => {
                self.bump();
                OperandKind::Negated(Box::new(self.named_operand()?))
            }
            TokenKind::Minus if self.prefixes_name() => {
                self.bump();
                OperandKind::Minus(Box::new(self.named_operand()?))
            }
            TokenKind::Word | TokenKind::Underscore if !self.starts_constant() => {
                let first = self.named_operand()?;
                if !self.at(TokenKind::Or) {
                    return Ok(first);
                }
                self.pair(first)?
            }
            _ if self.starts_constant() => OperandKind::Constant(self.constant()?),
            _ => return Err(self.expected("an operand")),
        };
        Ok(Operand { kind, span: self.span_from(start) })
    }

    /// `|p` behind a result.
    fn pair(&mut self, first: Operand) -> Parse<OperandKind> {
        self.bump();
        let at = self.token_span();
        let second = self.named_operand()?;
        if matches!((&first.kind, &second.kind), (OperandKind::Sink, OperandKind::Sink)) {
            let diagnostic = Diagnostic::error(at, "`_|_` drops both results")
                .help("name a register for one of them");
            return Err(self.report(diagnostic));
        }
        Ok(OperandKind::Pair(Box::new(first), Box::new(second)))
    }

    /// Whether the token after the current one is a name, so that a sign belongs to an operand.
    fn prefixes_name(&self) -> bool {
        self.next.kind == TokenKind::Word && !self.next_starts_constant()
    }

    /// A name or `_`, with a component, an index or an offset.
    fn named_operand(&mut self) -> Parse<Operand> {
        let start = self.token.start;
        let kind = if self.eat(TokenKind::Underscore) {
            OperandKind::Sink
        } else {
            let name = self.identifier("an operand")?;
            self.name_tail(name)?
        };
        Ok(Operand { kind, span: self.span_from(start) })
    }

    fn name_tail(&mut self, name: Name) -> Parse<OperandKind> {
        Ok(match self.token.kind {
            TokenKind::Dot => OperandKind::Component(name, Box::new(self.take_name(1))),
            TokenKind::Plus | TokenKind::Minus => {
                OperandKind::NamePlus(name, self.integer_constant("an offset")?)
            }
            TokenKind::LBracket => {
                let opening = self.token_span();
                self.bump();
                if self.at(TokenKind::Word) && self.next.kind == TokenKind::Minus {
                    self.bump();
                    return Err(self.expected("`+` or `]` after the index"));
                }
                let index = self.nested(|parser| parser.operand(false))?;
                self.close(opening, TokenKind::RBracket, "`]` after the index")?;
                OperandKind::Element(name, Box::new(index))
            }
            _ => OperandKind::Name(name),
        })
    }

    /// `( operand, ... )`.
    fn list(&mut self) -> Parse<OperandKind> {
        let opening = self.token_span();
        self.bump();
        let mut operands = Vec::new();
        if !self.eat(TokenKind::RParen) {
            operands.push(self.operand(false)?);
            while self.eat(TokenKind::Comma) {
                operands.push(self.operand(false)?);
            }
            self.close(opening, TokenKind::RParen, "`,` or `)` after the operand")?;
        }
        Ok(OperandKind::List(operands))
    }

    /// `{ operand, ... }`.
    fn vector(&mut self) -> Parse<OperandKind> {
        let span = self.token_span();
        self.operand_braces += 1;
        self.bump();
        if self.at(TokenKind::RBrace) {
            let diagnostic = Diagnostic::error(span, "a vector operand has at least one element");
            return Err(self.report(diagnostic));
        }
        let mut operands = vec![self.operand(false)?];
        while self.eat(TokenKind::Comma) {
            operands.push(self.operand(false)?);
        }
        self.close(span, TokenKind::RBrace, "`,` or `}` after the element")?;
        self.operand_braces -= 1;
        Ok(OperandKind::Vector(operands))
    }

    /// `[ base + offset, more ]`, and the suffix after the bracket.
    fn address(&mut self) -> Parse<OperandKind> {
        let opening = self.token_span();
        self.bump();
        let start = self.token.start;
        let kind = match self.token.kind {
            TokenKind::Word if !self.starts_constant() => OperandKind::Name(self.take_name(0)),
            _ if self.starts_constant() => OperandKind::Constant(self.constant()?),
            _ => return Err(self.expected("an address")),
        };
        let base = Operand { kind, span: self.span_from(start) };
        let offset = match self.token.kind {
            TokenKind::Plus => self.integer_constant("an address offset")?,
            TokenKind::Minus => {
                let diagnostic = self
                    .expected_diagnostic("`+` or `]` after the address")
                    .help("write a negative offset as `[a+-8]`");
                return Err(self.report(diagnostic));
            }
            _ => 0,
        };
        let mut rest = Vec::new();
        while self.eat(TokenKind::Comma) {
            rest.push(self.operand(false)?);
        }
        self.close(opening, TokenKind::RBracket, "`]` after the address")?;
        let suffix = if self.at(TokenKind::Dot) { Some(self.take_name(1)) } else { None };
        Ok(OperandKind::Address(Box::new(Address { base: Box::new(base), offset, rest, suffix })))
    }
}
