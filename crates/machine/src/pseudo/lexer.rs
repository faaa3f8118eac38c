//! Tokens of pseudo-code.

use crate::codes;
use diag::{Diagnostic, Span};
use isa::Text;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name.
    Name(String),
    /// `.name`: a modifier or one of its values.
    Dot(String),
    /// A number.
    Number(i64),
    /// A mark of one to three characters.
    Mark(&'static str),
}

impl Token {
    /// The token as messages show it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Dot(name) => format!("`.{name}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Mark(mark) => format!("`{mark}`"),
        }
    }
}

/// The marks, longer ones before those that they begin with.
const MARKS: [&str; 41] = [
    "<<=", ">>=", "++", "--", "+=", "-=", "*=", "&=", "|=", "^=", "==", "!=", "<=", ">=", "<<",
    ">>", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "(", ")",
    "{", "}", "[", "]", ":", ";", ",", "?",
];

/// Longest code of one instruction. It bounds how deep expressions nest.
const MOST_TOKENS: usize = 2048;

/// The tokens of a text with their places. Comments run from `//` to the end of the line.
pub(crate) fn tokens(text: &Text) -> Result<Vec<(Token, Span)>, Box<Diagnostic>> {
    let source = text.text.as_str();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        if found.len() >= MOST_TOKENS {
            let message = format!("the pseudo-code has more than {MOST_TOKENS} words and marks");
            return Err(Box::new(Diagnostic::error(text.span, message).code(codes::LIMIT)));
        }
        let rest = &source[at..];
        let span = |length: usize| {
            let start = text.span.start as usize + at;
            Span::new(text.span.file, start, start + length)
        };
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if c.is_ascii_digit() {
            let length = name_length(rest);
            let number = number(&rest[..length]).ok_or_else(|| {
                let message = format!("`{}` is not a number of 64 bits", &rest[..length]);
                error(span(length), message, "write 12, 0x1f or 0b101")
            })?;
            found.push((Token::Number(number), span(length)));
            at += length;
        } else if c.is_ascii_alphabetic() || c == '_' {
            let length = name_length(rest);
            found.push((Token::Name(rest[..length].to_owned()), span(length)));
            at += length;
        } else if c == '.' && name_length(&rest[1..]) > 0 {
            let length = 1 + name_length(&rest[1..]);
            found.push((Token::Dot(rest[1..length].to_owned()), span(length)));
            at += length;
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            found.push((Token::Mark(mark), span(mark.len())));
            at += mark.len();
        } else {
            let message = format!("`{}` does not belong in pseudo-code", c.escape_debug());
            let help = "comments begin with `//`; a description in words needs no code block";
            return Err(error(span(c.len_utf8()), message, help));
        }
    }
    Ok(found)
}

fn error(span: Span, message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(span, message).help(help).code(codes::GRAMMAR))
}

fn name_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// A number in decimal, `0x…` or `0b…`, with `_` between digits if you like. Numbers above the signed
/// range are the negative ones with the same bits.
fn number(text: &str) -> Option<i64> {
    let digits = text.replace('_', "");
    let parsed = match digits.get(..2) {
        Some("0x") => u64::from_str_radix(&digits[2..], 16),
        Some("0b") => u64::from_str_radix(&digits[2..], 2),
        _ => digits.parse(),
    };
    parsed.ok().map(u64::cast_signed)
}
