//! Text to tokens.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Name(String),
    /// `.name`: a modifier or one of its values.
    Dotted(String),
    Number(i64),
    /// An operator or a punctuation mark.
    Mark(&'static str),
}

/// Longer marks first, so that `<=` is not read as `<` and `=`.
const MARKS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "=", "&", "|", "^", "~", "!", "+", "-", "(", ")",
    "[", "]", "{", "}", ";", ":",
];

pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line.split("//").next().unwrap_or_default().trim_start();
        while !rest.is_empty() {
            let (token, after) =
                token(rest).ok_or_else(|| format!("line {}: cannot read `{rest}`", number + 1))?;
            found.push(token);
            rest = after.trim_start();
        }
    }
    Ok(found)
}

fn token(text: &str) -> Option<(Token, &str)> {
    let word = |text: &str| {
        text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
    };
    let first = text.chars().next()?;
    if first.is_ascii_digit() {
        let (digits, after) = text.split_at(word(text));
        return Some((Token::Number(digits.parse().ok()?), after));
    }
    if first.is_ascii_alphabetic() {
        let (name, after) = text.split_at(word(text));
        return Some((Token::Name(name.to_owned()), after));
    }
    if let Some(dotted) = text.strip_prefix('.') {
        let (name, after) = dotted.split_at(word(dotted));
        return (!name.is_empty()).then(|| (Token::Dotted(name.to_owned()), after));
    }
    let mark = MARKS.into_iter().find(|mark| text.starts_with(mark))?;
    Some((Token::Mark(mark), &text[mark.len()..]))
}
