//! Tokens of one assembly statement.

use diag::{FileId, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind<'a> {
    /// Letters, digits and `_`.
    Word(&'a str),
    /// Any other character.
    Mark(char),
}

/// A token of assembly text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AsmToken<'a> {
    pub kind: TokenKind<'a>,
    pub span: Span,
    /// No white space stands before it.
    pub glued: bool,
}

impl AsmToken<'_> {
    pub(crate) fn describe(&self) -> String {
        match self.kind {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Mark(mark) => format!("`{mark}`"),
        }
    }

    pub(crate) fn is_mark(&self, mark: char) -> bool {
        self.kind == TokenKind::Mark(mark)
    }
}

/// The tokens of a piece of one line; `start` is its offset in the file.
pub(crate) fn tokens(file: FileId, text: &str, start: usize) -> Vec<AsmToken<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut glued = false;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            glued = false;
            continue;
        }
        let length = match text[at..].bytes().take_while(|b| crate::lexer::is_name_byte(*b)).count()
        {
            0 => c.len_utf8(),
            length => length,
        };
        let slice = &text[at..at + length];
        let kind = if crate::lexer::is_name_byte(slice.as_bytes()[0]) {
            TokenKind::Word(slice)
        } else {
            TokenKind::Mark(c)
        };
        let span = Span::new(file, start + at, start + at + length);
        tokens.push(AsmToken { kind, span, glued });
        glued = true;
        at += length;
    }
    tokens
}
