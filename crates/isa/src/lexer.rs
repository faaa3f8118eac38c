//! Tokens of the statement parts of a description. Prose is read line by line elsewhere.

use diag::{FileId, Span};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name; `$` may begin it.
    Ident(String),
    /// A number; `None` when it is malformed or above 2¹²⁸ - 1.
    Int(Option<u128>),
    /// A quoted text; `None` when the closing quote is missing on the line.
    Text(Option<String>),
    /// One mark, or two that belong together such as `==`.
    Mark(&'static str),
    /// A character that has no place in statements.
    Stray(char),
    /// The end of the file.
    End,
}

impl Token {
    /// The token as messages show it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Ident(name) => format!("`{name}`"),
            Token::Int(Some(value)) => format!("`{value}`"),
            Token::Int(None) => "a number out of range".into(),
            Token::Text(_) => "a quoted text".into(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::Stray(c) => format!("`{c}`"),
            Token::End => "the end of the file".into(),
        }
    }
}

/// Whether `>=` and `<=` are one token. They are in expressions; elsewhere `Bitwidth<rd>=32` has to
/// close the angle bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Statement,
    Expression,
}

const DOUBLE_MARKS: [&str; 4] = ["==", "!=", "&&", "||"];
const EXPRESSION_MARKS: [&str; 2] = ["<=", ">="];
const SINGLE_MARKS: [&str; 19] =
    ["<", ">", "[", "]", "(", ")", "{", "}", ",", ";", ":", "=", ".", "~", "!", "+", "-", "*", "/"];
const PERCENT: &str = "%";

/// Whether a byte can stand inside a name.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Skips white space and `//` comments from `at`.
pub(crate) fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if !trimmed.starts_with("//") {
            return at;
        }
        at += trimmed.find('\n').unwrap_or(trimmed.len());
    }
}

/// The token at or after `at`, and its place.
pub(crate) fn token(file: FileId, text: &str, at: usize, mode: Mode) -> (Token, Span) {
    let start = skip_blank(text, at);
    let rest = &text[start..];
    let (token, length) = scan(rest, mode);
    (token, Span::new(file, start, start + length))
}

fn scan(rest: &str, mode: Mode) -> (Token, usize) {
    let Some(first) = rest.chars().next() else { return (Token::End, 0) };
    let name_length =
        |skip: usize| skip + rest.bytes().skip(skip).take_while(|b| is_name_byte(*b)).count();
    if first.is_ascii_digit() {
        let length = name_length(0);
        return (Token::Int(parse_int(&rest[..length])), length);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = name_length(0);
        return (Token::Ident(rest[..length].to_owned()), length);
    }
    if first == '$' && name_length(1) > 1 {
        let length = name_length(1);
        return (Token::Ident(rest[..length].to_owned()), length);
    }
    if first == '"' {
        let body = &rest[1..];
        return match body.find(['"', '\n']) {
            Some(end) if body.as_bytes()[end] == b'"' => {
                (Token::Text(Some(body[..end].to_owned())), end + 2)
            }
            Some(end) => (Token::Text(None), end + 1),
            None => (Token::Text(None), rest.len()),
        };
    }
    let expression = EXPRESSION_MARKS.iter().filter(|_| mode == Mode::Expression);
    let marks = DOUBLE_MARKS.iter().chain(expression).chain(&SINGLE_MARKS).chain([&PERCENT]);
    match marks.into_iter().find(|mark| rest.starts_with(**mark)) {
        Some(mark) => (Token::Mark(mark), mark.len()),
        None => (Token::Stray(first), first.len_utf8()),
    }
}

/// A number: decimal, `0x…` or `0b…`, with `_` between digits.
pub(crate) fn parse_int(text: &str) -> Option<u128> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0b" | "0B") => (&text[2..], 2),
        _ => (text, 10),
    };
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    u128::from_str_radix(&digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diag::Sources;

    fn tokens(text: &str, mode: Mode) -> Vec<Token> {
        let file = Sources::new().add("t", text);
        let mut at = 0;
        let mut all = Vec::new();
        loop {
            let (token, span) = token(file, text, at, mode);
            if token == Token::End {
                return all;
            }
            at = span.end as usize;
            all.push(token);
        }
    }

    #[test]
    fn closing_bracket_and_equals_stay_apart_in_statements() {
        let marks = tokens(">=", Mode::Statement);
        assert_eq!(marks, [Token::Mark(">"), Token::Mark("=")]);
        assert_eq!(tokens(">=", Mode::Expression), [Token::Mark(">=")]);
        assert_eq!(tokens("==", Mode::Statement), [Token::Mark("==")]);
    }

    #[test]
    fn numbers_in_three_bases() {
        assert_eq!(parse_int("0x1F"), Some(31));
        assert_eq!(parse_int("0b1_01"), Some(5));
        assert_eq!(parse_int("4095"), Some(4095));
        assert_eq!(parse_int("0x"), None);
        assert_eq!(parse_int("12a"), None);
        assert_eq!(parse_int("999999999999999999999999999999999999999999"), None);
    }

    #[test]
    fn comments_and_unclosed_texts() {
        assert_eq!(
            tokens("a // b\n\"c\" \"d\n$e", Mode::Statement),
            [
                Token::Ident("a".into()),
                Token::Text(Some("c".into())),
                Token::Text(None),
                Token::Ident("$e".into()),
            ]
        );
    }
}
