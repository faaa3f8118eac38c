//! Sections of prose: text in any language with fenced code, read line by line.

use super::{Parser, Reported, operands};
use crate::ast::{Block, Decl, Fence, ProseSection, SectionKind, Text};
use crate::codes;
use crate::lexer::is_name_byte;
use crate::names::nearest;
use diag::Diagnostic;

const FENCE: &str = "```";

impl<'a> Parser<'a> {
    pub(super) fn prose_section(
        &mut self,
        decl: &mut Decl,
        kind: SectionKind,
        heading: diag::Span,
    ) {
        let statements = decl.operands.len() + decl.encoding.len();
        let mut section = ProseSection {
            kind,
            heading,
            blocks: Vec::new(),
            source: self.source,
            owner: decl.name.text.clone(),
        };
        // What follows the heading on its own line is a comment or white space.
        self.rest_of_heading_line();
        while self.at < self.text.len() {
            let line = self.line();
            let trimmed = line.trim();
            if let Some(word) = heading_word(trimmed) {
                if word != super::PROVENANCE {
                    break;
                }
                self.provenance();
                self.finish_line();
                continue;
            }
            if trimmed.starts_with(FENCE) {
                let fence = self.fence(trimmed);
                section.blocks.push(Block::Fence(fence));
            } else if trimmed.starts_with("//") {
                self.at += line.len();
            } else if self.statement_line(decl, (kind, heading), trimmed) {
                continue;
            } else {
                self.almost_heading(trimmed);
                self.text_line(&mut section, line.len());
            }
        }
        let only_statements =
            decl.operands.len() + decl.encoding.len() > statements && section.is_blank();
        if !(kind == SectionKind::OperandInfo && only_statements) {
            decl.prose.push(section);
        }
    }

    fn rest_of_heading_line(&mut self) {
        let line = self.line();
        let rest = line.trim();
        if rest.is_empty() || rest.starts_with("//") {
            self.at += line.len();
        }
    }

    /// The text from here to the end of the line, the line end included.
    fn line(&self) -> &'a str {
        let rest = &self.text[self.at..];
        &rest[..rest.find('\n').map_or(rest.len(), |newline| newline + 1)]
    }

    fn finish_line(&mut self) {
        let line = self.line();
        if line.trim().is_empty() {
            self.at += line.len();
        }
    }

    /// Reports a line that consists of a heading and marks, or of what looks like a heading.
    fn almost_heading(&mut self, trimmed: &str) {
        let word = first_word(trimmed);
        let rest = &trimmed[word.len()..];
        if !word.starts_with('_') || rest.contains(char::is_alphanumeric) {
            return;
        }
        let headings = SectionKind::ALL.iter().map(|kind| kind.heading());
        let Some(near) = nearest(word, headings.chain([super::ENCODING])) else { return };
        let (_, span) = self.peek();
        let (message, help) = match word == near {
            true => (
                format!("`{word}` does not stand alone on its line"),
                "remove what follows it".into(),
            ),
            false => (format!("unknown heading `{word}`"), format!("did you mean `{near}`?")),
        };
        self.diagnostics.push(Diagnostic::error(span, message).help(help).code(codes::HEADING));
    }

    fn text_line(&mut self, section: &mut ProseSection, length: usize) {
        let (start, end) = (self.at, self.at + length);
        let line = &self.text[start..end];
        let span = self.span(start, end);
        self.at = end;
        match section.blocks.last_mut() {
            Some(Block::Text(text))
                if text.span.end == span.start && text.source == self.source =>
            {
                text.text.push_str(line);
                text.span = text.span.to(span);
            }
            _ => {
                let text = Text { text: line.to_owned(), span, source: self.source };
                section.blocks.push(Block::Text(text));
            }
        }
    }

    fn fence(&mut self, opening: &str) -> Fence {
        let info = opening.trim_start_matches('`').trim().to_owned();
        let open = self.at;
        self.at += self.line().len();
        let start = self.at;
        loop {
            let line = self.line();
            let ends_here = line.trim() == FENCE;
            let heading = heading_word(line.trim()).is_some_and(super::is_heading);
            if self.at >= self.text.len() || heading {
                let span = self.span(open, open + opening.len());
                self.error(span, "the code block is not closed")
                    .help_last("close it with a line of three backquotes");
                break;
            }
            if ends_here {
                break;
            }
            self.at += line.len();
        }
        let body = Text {
            text: self.text[start..self.at].to_owned(),
            span: self.span(start, self.at),
            source: self.source,
        };
        if self.line().trim() == FENCE {
            self.at += self.line().len();
        }
        Fence { info, body }
    }

    /// Reads the line as a statement when it is one. Statements belong under `__OperandInfo`; under
    /// another heading they are reported and read all the same.
    fn statement_line(
        &mut self,
        decl: &mut Decl,
        (kind, heading): (SectionKind, diag::Span),
        trimmed: &str,
    ) -> bool {
        let word = match statement_word(trimmed) {
            Some(word) => word.to_owned(),
            // One with other marks than `<…>`: the parser says so.
            None => match first_word(trimmed) {
                word if kind == SectionKind::OperandInfo
                    && operands::is_statement(word)
                    && trimmed.ends_with(';') =>
                {
                    word.to_owned()
                }
                _ => return false,
            },
        };
        let (_, span) = self.peek();
        if operands::is_statement(&word) {
            if kind != SectionKind::OperandInfo {
                let there = SectionKind::OperandInfo.heading();
                self.wrong_section(span, &word, (kind.heading(), heading), there);
            }
            self.operand_statement(decl);
            self.finish_line();
            return true;
        }
        if matches!(word.as_str(), "field" | "reserved" | "ignored") {
            let here = (kind.heading(), heading);
            self.wrong_section(span, &word, here, super::ENCODING);
            match self.encoding_statement(&word, span) {
                Ok(statement) => decl.encoding.push(statement),
                Err(Reported) => self.skip_statement(),
            }
            self.finish_line();
            return true;
        }
        if kind != SectionKind::OperandInfo || !trimmed.ends_with(';') {
            return false;
        }
        let Some(near) = nearest(&word, operands::STATEMENTS) else { return false };
        let diagnostic =
            Diagnostic::error(span, format!("unknown statement `{word}` under `__OperandInfo`"))
                .code(codes::HEADING)
                .help(format!("did you mean `{near}`?"))
                .fix(span, near);
        self.diagnostics.push(diagnostic);
        self.skip_statement();
        self.finish_line();
        true
    }
}

/// The heading that a line consists of, if it does. A comment may follow it.
fn heading_word(trimmed: &str) -> Option<&str> {
    if !trimmed.starts_with("__") {
        return None;
    }
    let word = first_word(trimmed);
    let rest = trimmed[word.len()..].trim_start();
    let alone = rest.is_empty() || rest.starts_with("//");
    let declares = super::is_item_heading(word) || word == super::PROVENANCE;
    (alone || declares).then_some(word)
}

/// The name at the start of a line; nothing where none stands there.
fn first_word(trimmed: &str) -> &str {
    let length = trimmed.bytes().take_while(|byte| is_name_byte(*byte)).count();
    &trimmed[..length]
}

/// The word before `<` when the line looks like `Word<…`.
fn statement_word(trimmed: &str) -> Option<&str> {
    let word = first_word(trimmed);
    let rest = &trimmed[word.len()..];
    (!word.is_empty() && rest.trim_start().starts_with('<')).then_some(word)
}
