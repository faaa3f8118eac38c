//! Splitting an assembly file into labels, directives and instructions.

use super::data::{self, Data};
use super::operand::read_label;
use super::token::{AsmToken, TokenKind, tokens};
use crate::codes;
use diag::{Diagnostic, FileId, Span};

/// A statement of an assembly file.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    /// `name:`
    Label(String, Span),
    /// `.section name`: addresses count from 0 again. The name is for people.
    Section,
    /// `.word number`
    Word(u128, Span),
    /// An instruction, with the data comment that follows it on its line.
    Instruction { tokens: Vec<AsmToken<'a>>, span: Span, data: Option<Data> },
}

const BLOCK_OPEN: &str = "/*";
const BLOCK_CLOSE: &str = "*/";
const LINE_COMMENT: &str = "//";

/// The statements in order; what cannot be read is reported and left out.
pub(crate) fn statements<'a>(
    file: FileId,
    text: &'a str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Statement<'a>> {
    let mut reader =
        Reader { file, text, at: 0, statements: Vec::new(), takes_data: false, diagnostics };
    while reader.at < text.len() {
        reader.piece();
    }
    reader.statements
}

struct Reader<'a, 'd> {
    file: FileId,
    text: &'a str,
    at: usize,
    statements: Vec<Statement<'a>>,
    /// The last statement is an instruction on this line, so a data comment may follow.
    takes_data: bool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Reader<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn piece(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return };
        if c == '\n' {
            self.takes_data = false;
            self.at += 1;
        } else if c.is_whitespace() || c == ';' {
            self.at += c.len_utf8();
        } else if rest.starts_with(LINE_COMMENT) {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with(BLOCK_OPEN) {
            self.comment();
        } else {
            self.statement();
        }
    }

    fn comment(&mut self) {
        let rest = self.rest();
        let start = self.at;
        let inside = start + BLOCK_OPEN.len();
        let Some(length) = rest[BLOCK_OPEN.len()..].find(BLOCK_CLOSE) else {
            let span = Span::new(self.file, start, inside);
            let diagnostic = Diagnostic::error(span, "the comment is not closed")
                .help("close it with `*/`")
                .code(codes::ASM_SYNTAX);
            self.diagnostics.push(diagnostic);
            self.at = self.text.len();
            return;
        };
        let body = &self.text[inside..inside + length];
        self.at = inside + length + BLOCK_CLOSE.len();
        let read = match data::read(self.file, body, inside) {
            Some(Ok(read)) => read,
            Some(Err(diagnostic)) => {
                self.diagnostics.push(*diagnostic);
                return;
            }
            None => return,
        };
        match self.statements.last_mut().filter(|_| self.takes_data) {
            Some(Statement::Instruction { data, .. }) => *data = Some(read),
            // A word needs no data: it is all there.
            Some(Statement::Word(..)) => {}
            Some(Statement::Label(..) | Statement::Section) | None => {
                let span = Span::new(self.file, start, self.at);
                let diagnostic =
                    Diagnostic::error(span, "this data comment follows no instruction")
                        .help("it belongs on the line of its instruction, after the `;`")
                        .code(codes::ASM_DATA);
                self.diagnostics.push(diagnostic);
            }
        }
        self.takes_data = false;
    }

    /// A statement ends at `;`, at a comment, or at the end of the line.
    fn statement(&mut self) {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let ends = |at: usize| match bytes[at] {
            b'\n' | b';' => true,
            b'/' => matches!(bytes.get(at + 1), Some(b'/' | b'*')),
            _ => false,
        };
        let length = (0..bytes.len()).find(|at| ends(*at)).unwrap_or(bytes.len());
        let start = self.at;
        self.at += length;
        let body = &rest[..length];
        let mut all = tokens(self.file, body, start);
        let mut skip = 0;
        while let Some((name, span, count)) = label(&all[skip..]) {
            self.statements.push(Statement::Label(name, span));
            self.takes_data = false;
            skip += count;
        }
        all.drain(..skip);
        let (Some(first), Some(last)) = (all.first(), all.last()) else { return };
        let span = first.span.to(last.span);
        if first.is_mark('.') {
            self.directive(&all, span);
            return;
        }
        self.statements.push(Statement::Instruction { tokens: all, span, data: None });
        self.takes_data = true;
    }

    fn directive(&mut self, tokens: &[AsmToken<'_>], span: Span) {
        let is_section = tokens.get(1).map(|token| token.kind) == Some(TokenKind::Word("section"));
        if is_section && tokens.len() > 2 {
            self.statements.push(Statement::Section);
            self.takes_data = false;
            return;
        }
        let number = match tokens {
            [_, word, number] if word.kind == TokenKind::Word("word") => match number.kind {
                TokenKind::Word(text) => crate::lexer::parse_int(text),
                TokenKind::Mark(_) => None,
            },
            _ => None,
        };
        match number {
            Some(number) => {
                self.statements.push(Statement::Word(number, span));
                self.takes_data = true;
            }
            None => {
                let diagnostic = Diagnostic::error(span, "this is not a directive")
                    .help("the directives are `.word` with a number below 2^128, and `.section` with a name")
                    .code(codes::ASM_SYNTAX);
                self.diagnostics.push(diagnostic);
            }
        }
    }
}

/// A label at the start of the tokens: its name, its span, and how many tokens it takes.
fn label(tokens: &[AsmToken<'_>]) -> Option<(String, Span, usize)> {
    let (name, span, next) = read_label(tokens, 0)?;
    tokens.get(next)?.is_mark(':').then_some((name, span, next + 1))
}
