//! The tokens of a text, a position among them, and what is said where they are not as they should be.

use std::fmt;

/// Why a text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// What the grammar has there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError { line, column, expected, found } = self;
        write!(f, "{line}:{column}: expected {expected}, found {found}")
    }
}

impl std::error::Error for ParseError {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter or `_`, and what follows of letters, digits, `_` and `.`.
    Word,
    /// A digit, and what follows of letters, digits and `_`.
    Number,
    /// `"…"`, quotes included.
    Quoted,
    /// One character, or `..`.
    Mark,
    Newline,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    line: u32,
    column: u32,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }

    /// The error that something else should stand `past` characters into it.
    pub(super) fn unexpected(&self, past: usize, expected: impl Into<String>) -> ParseError {
        let found = match self.kind {
            Kind::Word | Kind::Number | Kind::Mark => format!("`{}`", self.text),
            Kind::Quoted => "a quoted text".to_owned(),
            Kind::Newline => "the end of the line".to_owned(),
            Kind::End => "the end of the text".to_owned(),
        };
        let column = self.column.saturating_add(u32::try_from(past).unwrap_or(u32::MAX));
        ParseError { line: self.line, column, expected: expected.into(), found }
    }
}

/// A position in a text.
pub(super) struct Cursor<'t> {
    rest: &'t str,
    line: u32,
    column: u32,
    token: Token<'t>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let token = Token { kind: Kind::Newline, text: "", line: 1, column: 1 };
        let mut cursor = Cursor { rest: text, line: 1, column: 1, token };
        cursor.advance();
        cursor
    }

    /// The next token.
    pub(super) fn peek(&self) -> Token<'t> {
        self.token
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Token<'t> {
        let token = self.token;
        self.advance();
        token
    }

    /// Takes the next token if it is this word or mark.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.token.is(text);
        if found {
            self.advance();
        }
        found
    }

    /// Takes this word or mark.
    pub(super) fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.eat(text) { Ok(()) } else { self.fail(format!("`{text}`")) }
    }

    /// The error that something else should stand here.
    pub(super) fn fail<T>(&self, expected: impl Into<String>) -> Result<T, ParseError> {
        Err(self.token.unexpected(0, expected))
    }

    /// Takes the end of the line, and empty lines behind it.
    pub(super) fn end_line(&mut self) -> Result<(), ParseError> {
        match self.token.kind {
            Kind::Newline | Kind::End => {
                self.skip_lines();
                Ok(())
            }
            Kind::Word | Kind::Number | Kind::Quoted | Kind::Mark => {
                self.fail("the end of the line")
            }
        }
    }

    /// Goes to the first line that is not empty.
    pub(super) fn skip_lines(&mut self) {
        while self.token.kind == Kind::Newline {
            self.advance();
        }
    }

    /// Takes a number that fits 64 bits.
    pub(super) fn number(&mut self, what: &str) -> Result<u64, ParseError> {
        let token = self.token;
        let value = if token.kind == Kind::Number { number(token.text) } else { None };
        let Some(value) = value else { return self.fail(what) };
        self.advance();
        Ok(value)
    }

    /// Takes a number that fits 32 bits.
    pub(super) fn word32(&mut self, what: &str) -> Result<u32, ParseError> {
        let token = self.token;
        let value = self.number(what)?;
        u32::try_from(value).map_err(|_| token.unexpected(0, format!("{what} of 32 bits")))
    }

    /// Takes a word with a number behind it, such as `v12`.
    pub(super) fn numbered(&mut self, prefix: &str, what: &str) -> Result<u32, ParseError> {
        let token = self.token;
        let digits = match token.kind {
            Kind::Word => token.text.strip_prefix(prefix),
            Kind::Number | Kind::Quoted | Kind::Mark | Kind::Newline | Kind::End => None,
        };
        let plain = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(value) = plain.and_then(|digits| digits.parse().ok()) else {
            return self.fail(what);
        };
        self.advance();
        Ok(value)
    }

    fn advance(&mut self) {
        let blank = self.rest.trim_start_matches([' ', '\t', '\r']);
        let blank = match blank.strip_prefix(';') {
            Some(comment) => comment.find('\n').map_or("", |end| comment.split_at(end).1),
            None => blank,
        };
        let skipped = self.rest.len() - blank.len();
        self.pass(skipped);
        let (kind, length) = measure(self.rest);
        let (text, _) = self.rest.split_at(length);
        self.token = Token { kind, text, line: self.line, column: self.column };
        self.pass(length);
        if kind == Kind::Newline {
            (self.line, self.column) = (self.line.saturating_add(1), 1);
        }
    }

    fn pass(&mut self, length: usize) {
        let (passed, rest) = self.rest.split_at(length);
        let characters = u32::try_from(passed.chars().count()).unwrap_or(u32::MAX);
        self.column = self.column.saturating_add(characters);
        self.rest = rest;
    }
}

/// Kind and bytes of the token that a text begins with.
fn measure(text: &str) -> (Kind, usize) {
    let Some(first) = text.chars().next() else { return (Kind::End, 0) };
    let while_all = |test: fn(char) -> bool| text.find(|c| !test(c)).unwrap_or(text.len());
    match first {
        '\n' => (Kind::Newline, 1),
        '"' => {
            let mut escaped = true;
            let end = text.char_indices().find(|(_, c)| {
                let ends = *c == '\n' || (*c == '"' && !escaped);
                // The first quote is one of those that end nothing.
                escaped = *c == '\\' && !escaped;
                ends
            });
            match end {
                Some((at, '"')) => (Kind::Quoted, at + 1),
                Some(_) | None => (Kind::Mark, 1),
            }
        }
        '0'..='9' => (Kind::Number, while_all(|c| c.is_ascii_alphanumeric() || c == '_')),
        'a'..='z' | 'A'..='Z' | '_' => {
            (Kind::Word, while_all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.'))
        }
        '.' if text.starts_with("..") => (Kind::Mark, 2),
        other => (Kind::Mark, other.len_utf8()),
    }
}

/// The value of a decimal, hexadecimal or binary number.
pub(super) fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match (text.strip_prefix("0x"), text.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) => (digits, 2),
        (None, None) => (text, 10),
    };
    // The standard library takes a sign.
    digits.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(())?;
    u64::from_str_radix(digits, radix).ok()
}
