//! Statements under `__Encoding`.

use super::{Parse, Parser, Reported};
use crate::ast::{
    BitsDecl, Constant, Decl, EncodingStatement, FieldDecl, FieldName, FieldValue, SectionKind,
};
use crate::bits::{BitRange, WORD_BITS};
use crate::codes;
use crate::lexer::Token;
use crate::names::nearest;
use diag::{Diagnostic, Span};

const STATEMENTS: [&str; 4] = ["field", "reserved", "ignored", "remove"];

/// The bits of a field as written.
struct Ranges {
    ranges: Vec<BitRange>,
    span: Span,
    /// Some of them do not exist; that has been reported.
    broken: bool,
}

/// The part of a range that lies inside the word, at least one bit.
fn clipped(position: u128, width: u128) -> BitRange {
    let last = u128::from(WORD_BITS - 1);
    let position = position.min(last);
    let width = width.clamp(1, last + 1 - position);
    BitRange { position: position as u32, width: width as u32 }
}

impl Parser<'_> {
    pub(super) fn encoding_section(&mut self, decl: &mut Decl, heading: Span) {
        loop {
            let (token, span) = self.peek();
            let word = match token {
                Token::End => return,
                Token::Ident(word) if word == super::PROVENANCE => {
                    self.provenance();
                    continue;
                }
                Token::Ident(word) if word.starts_with("__") => return,
                Token::Ident(word) => word,
                other => {
                    let _: Parse<()> = self.expected("`field<…>`", &other, span);
                    self.skip_statement();
                    continue;
                }
            };
            if super::operands::is_statement(&word) {
                let here = (super::ENCODING, heading);
                self.wrong_section(span, &word, here, SectionKind::OperandInfo.heading());
                self.operand_statement(decl);
                continue;
            }
            match self.encoding_statement(&word, span) {
                Ok(statement) => decl.encoding.push(statement),
                Err(Reported) => self.skip_statement(),
            }
        }
    }

    pub(super) fn wrong_section(
        &mut self,
        span: Span,
        word: &str,
        (here, heading): (&str, Span),
        there: &str,
    ) {
        let message = format!("`{word}<…>` stands under `{here}`");
        let diagnostic = Diagnostic::error(span, message)
            .label(heading, "the heading")
            .code(codes::WRONG_HEADING)
            .help(format!("move it under `{there}`"));
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn encoding_statement(
        &mut self,
        word: &str,
        span: Span,
    ) -> Parse<EncodingStatement> {
        match word {
            "field" => self.field(span).map(EncodingStatement::Field),
            "reserved" | "ignored" => {
                self.bits(span, word == "ignored").map(EncodingStatement::Bits)
            }
            "remove" => {
                self.next();
                let name = self.field_name()?;
                self.mark(";")?;
                Ok(EncodingStatement::Remove(name))
            }
            _ => {
                let message = format!("unknown statement `{word}` under `__Encoding`");
                let mut diagnostic = Diagnostic::error(span, message).code(codes::HEADING);
                if let Some(near) = nearest(word, STATEMENTS) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?")).fix(span, near);
                }
                self.diagnostics.push(diagnostic);
                Err(Reported)
            }
        }
    }

    fn field(&mut self, start: Span) -> Parse<FieldDecl> {
        self.next();
        let Ranges { ranges, span: ranges_span, broken } = self.ranges()?;
        let type_name = self.name("the type of the field")?;
        let Ok(name) = self.field_name() else {
            self.help_last("a field is `field<position, width> Type name;`");
            return Err(Reported);
        };
        let fixed = self.accept("==");
        let value = if fixed || self.accept("=") {
            let (constant, span) = self.constant()?;
            Some(FieldValue { fixed, constant, span })
        } else {
            None
        };
        let end = self.mark(";")?;
        let span = start.to(end);
        let source = self.source;
        Ok(FieldDecl { ranges, ranges_span, broken, type_name, name, value, span, source })
    }

    fn bits(&mut self, start: Span, ignored: bool) -> Parse<BitsDecl> {
        self.next();
        let Ranges { ranges, .. } = self.ranges()?;
        let value = if ignored && self.accept("=") {
            Some(self.int("the value that the assembler writes")?)
        } else {
            None
        };
        let end = self.mark(";")?;
        Ok(BitsDecl { ignored, ranges, value, span: start.to(end) })
    }

    /// `<position, width>`, or several such pairs for a split field, the lowest bits first.
    fn ranges(&mut self) -> Parse<Ranges> {
        let open = self.mark("<")?;
        let mut ranges: Vec<BitRange> = Vec::new();
        let mut broken = false;
        loop {
            let (position, first) = self.int("the position of the lowest bit")?;
            self.mark(",")?;
            let (width, last) = self.int("the number of bits")?;
            let span = first.to(last);
            let range = match (u32::try_from(position), u32::try_from(width)) {
                (Ok(position), Ok(width)) => BitRange::new(position, width),
                _ => None,
            };
            let Some(range) = range else {
                let message = if width == 0 {
                    "a field of no bits".to_owned()
                } else {
                    format!("{width} bits from bit {position} reach past bit {}", WORD_BITS - 1)
                };
                let diagnostic = Diagnostic::error(span, message).code(codes::FIT).help(
                    "a word has 128 bits: 0 <= position, 1 <= width, position + width <= 128",
                );
                self.diagnostics.push(diagnostic);
                // Goes on with the bits that exist, so that the field is not missed elsewhere.
                ranges.push(clipped(position, width));
                broken = true;
                if self.accept(">") {
                    return Ok(Ranges { ranges, span: open.to(last), broken });
                }
                self.mark(",")?;
                continue;
            };
            if let Some(twice) = ranges.iter().find(|other| other.mask() & range.mask() != 0) {
                let message = format!("the parts of the field share bits from {}", twice.position);
                let diagnostic = Diagnostic::error(span, message).code(codes::OVERLAP);
                self.diagnostics.push(diagnostic.help("give each part bits of its own"));
                broken = true;
            } else {
                ranges.push(range);
            }
            let (token, span) = self.peek();
            if token == Token::Mark(">") {
                self.next();
                return Ok(Ranges { ranges, span: open.to(span), broken });
            }
            self.mark(",")?;
        }
    }

    /// `name`, `name.attribute`, `$name` or `$name.attribute`.
    fn field_name(&mut self) -> Parse<FieldName> {
        let base = self.name("the name of the field")?;
        if !self.accept(".") {
            return Ok(FieldName { text: base.text, span: base.span });
        }
        let attribute = self.name("the attribute of the field")?;
        let text = format!("{}.{}", base.text, attribute.text);
        Ok(FieldName { text, span: base.span.to(attribute.span) })
    }

    fn constant(&mut self) -> Parse<(Constant, Span)> {
        match self.peek() {
            (Token::Ident(text), span) if !text.starts_with("__") => {
                self.next();
                Ok((Constant::Name(text), span))
            }
            (Token::Int(_) | Token::Mark("~"), _) => {
                let number = self.number()?;
                Ok((Constant::Number(number.value), number.span))
            }
            (other, span) => self.expected("a constant", &other, span),
        }
    }
}
