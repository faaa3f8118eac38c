//! Sections of debug information.

use super::{Parse, Parser, literal};
use crate::syntax::ast::{Relative, Section, SectionEntry};
use crate::syntax::lexer::TokenKind;
use diag::Diagnostic;

impl Parser<'_> {
    /// `.section .name { ... }`. The token is `.section`.
    pub(super) fn section(&mut self) -> Parse<Section> {
        self.bump();
        if !self.at(TokenKind::Dot) {
            return Err(self.expected_next("a name with a dot for the section"));
        }
        let name = self.take_name(0);
        let opening = self.token_span();
        self.expect(TokenKind::LBrace, "`{` and the contents of the section")?;
        let mut entries = Vec::new();
        while !self.eat(TokenKind::RBrace) {
            if self.at(TokenKind::Eof) {
                return Err(self.unclosed(opening));
            }
            match self.section_entry() {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    self.leave_section();
                    return Err(error);
                }
            }
        }
        Ok(Section { name, entries })
    }

    /// Skips the rest of a section after an error.
    fn leave_section(&mut self) {
        while !matches!(self.token.kind, TokenKind::RBrace | TokenKind::Eof) {
            self.bump();
        }
        self.eat(TokenKind::RBrace);
    }

    fn section_entry(&mut self) -> Parse<SectionEntry> {
        if self.at(TokenKind::Word) {
            let label = self.take_name(0);
            self.expect(TokenKind::Colon, "`:` after the label")?;
            return Ok(SectionEntry::Label(label));
        }
        let bits = match self.dot_word() {
            "b8" => 8,
            "b16" => 16,
            "b32" => 32,
            "b64" => 64,
            _ => {
                return Err(self.expected("a label, or data after `.b8`, `.b16`, `.b32` or `.b64`"));
            }
        };
        let width = self.token_span();
        self.bump();
        if self.at(TokenKind::Word) || self.at(TokenKind::Dot) {
            if bits < 32 {
                let error = Diagnostic::error(width, "an address has 32 or 64 bits");
                return Err(self.report(error.help("write `.b32` or `.b64`")));
            }
            let base = self.take_name(0);
            let relative = match self.token.kind {
                TokenKind::Plus => {
                    self.bump();
                    Relative::Plus(self.section_number()?)
                }
                TokenKind::Minus => {
                    self.bump();
                    Relative::Minus(self.identifier("the name of a label")?)
                }
                _ => Relative::Plus(0),
            };
            return Ok(SectionEntry::Address { bits, base, relative });
        }
        let mut values = vec![self.datum(bits)?];
        while self.eat(TokenKind::Comma) {
            values.push(self.datum(bits)?);
        }
        Ok(SectionEntry::Numbers { bits, values })
    }

    /// A number of so many bits, perhaps negative.
    fn datum(&mut self, bits: u32) -> Parse<u64> {
        let start = self.token.start;
        let negative = self.eat(TokenKind::Minus);
        let value = self.section_number()?;
        // Numbers of less than 32 bits are read as numbers of 32 bits.
        let value = if bits < 32 { value & 0xffff_ffff } else { value };
        let fits = match negative {
            _ if bits >= 32 => true,
            false => value < 1 << bits,
            true => value <= 1 << (bits - 1),
        };
        if !fits {
            let message = format!("this number does not fit `.b{bits}`");
            return Err(self.error(self.span_from(start), message));
        }
        let value = if negative { value.wrapping_neg() } else { value };
        Ok(if bits < 64 { value & ((1 << bits) - 1) } else { value })
    }

    fn section_number(&mut self) -> Parse<u64> {
        let value = match self.token.kind {
            TokenKind::Number => literal::parse(self.token_text()).ok(),
            _ => None,
        };
        match value.and_then(|value| value.integer()).and_then(|value| u64::try_from(value).ok()) {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => Err(self.expected_next("a whole number")),
        }
    }
}
