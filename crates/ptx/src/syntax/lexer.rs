//! Text to tokens, one at a time and without allocation.

/// The kinds of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or opcode, also `%tid` and `WARP_SZ`.
    Word,
    /// A dot and the word after it: `.sync`, `.L2::128B`.
    Dot,
    /// Anything that starts like a number, well formed or not.
    Number,
    /// A string with its quotes.
    String,
    Underscore,
    Comma,
    Semicolon,
    Colon,
    At,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Bang,
    Tilde,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    EqualEqual,
    BangEqual,
    Shl,
    Shr,
    And,
    AndAnd,
    Or,
    OrOr,
    Caret,
    Question,
    /// A `"` without its partner.
    UnterminatedString,
    /// A `/*` without its partner.
    UnterminatedComment,
    /// A character that begins no token.
    Unknown,
    /// The end of the text.
    Eof,
}

/// A token and the bytes it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether a line end lies between this token and the one before.
    pub(super) first_of_line: bool,
    /// Whether it stands between the comments by which LLVM and nvcc set off inline assembly.
    pub(super) in_inline_asm: bool,
}

/// The comment with which LLVM and nvcc begin the text of an inline assembly statement.
pub(super) const INLINE_ASM_BEGINS: &str = "// begin inline asm";
/// The comment behind that text.
pub(super) const INLINE_ASM_ENDS: &str = "// end inline asm";

/// Cuts a text into tokens.
pub(super) struct Lexer<'s> {
    text: &'s str,
    at: usize,
    in_inline_asm: bool,
}

/// Characters that may follow the first one of an identifier.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let char = byte as u8;
        table[byte] = char.is_ascii_alphanumeric() || char == b'_' || char == b'$';
        byte += 1;
    }
    table
};

pub(super) fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

impl<'s> Lexer<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        // A byte order mark is no token and no reason to refuse a file.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        // Programs hand modules over as C strings, and some files hold the NUL at the end.
        let is_padding = |char: char| char == '\0' || char.is_ascii_whitespace();
        let ends_in_nul = text.trim_end().ends_with('\0');
        let text = if ends_in_nul { text.trim_end_matches(is_padding) } else { text };
        Lexer { text, at: at.min(text.len()), in_inline_asm: false }
    }

    /// The byte at an offset; 0 past the end, which starts no token either.
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The first offset from `at` whose byte is no word character.
    fn word_end(&self, mut at: usize) -> usize {
        while is_word(self.byte(at)) {
            at += 1;
        }
        at
    }

    /// The next token; [`TokenKind::Eof`] again and again at the end.
    pub(super) fn next_token(&mut self) -> Token {
        let mut first_of_line = self.at == 0;
        if let Err(start) = self.skip_blanks(&mut first_of_line) {
            let end = self.text.len();
            self.at = end;
            return self.token(TokenKind::UnterminatedComment, (start, end), first_of_line);
        }
        let start = self.at;
        let (kind, end) = self.token_at(start);
        self.at = end;
        self.token(kind, (start, end), first_of_line)
    }

    fn token(&self, kind: TokenKind, (start, end): (usize, usize), first_of_line: bool) -> Token {
        Token { kind, start, end, first_of_line, in_inline_asm: self.in_inline_asm }
    }

    /// Skips blanks, comments and lines of the C preprocessor. `Err` is where an unclosed comment
    /// begins.
    fn skip_blanks(&mut self, first_of_line: &mut bool) -> Result<(), usize> {
        loop {
            match self.byte(self.at) {
                b'\n' => {
                    *first_of_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => self.at += 1,
                b'/' if self.byte(self.at + 1) == b'/' => {
                    let start = self.at;
                    self.skip_line();
                    match self.text[start..self.at].trim_end() {
                        INLINE_ASM_BEGINS => self.in_inline_asm = true,
                        INLINE_ASM_ENDS => self.in_inline_asm = false,
                        _ => {}
                    }
                }
                b'#' if *first_of_line => self.skip_line(),
                b'/' if self.byte(self.at + 1) == b'*' => {
                    let body = &self.text[self.at + 2..];
                    let Some(length) = body.find("*/") else {
                        return Err(self.at);
                    };
                    *first_of_line |= body[..length].contains('\n');
                    self.at += length + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// The token that starts at `start`, and its end.
    fn token_at(&self, start: usize) -> (TokenKind, usize) {
        use TokenKind as T;
        let next = self.byte(start + 1);
        let one = |kind| (kind, start + 1);
        let two = |kind| (kind, start + 2);
        match self.byte(start) {
            b'a'..=b'z' | b'A'..=b'Z' => (T::Word, self.word_end(start + 1)),
            b'_' | b'$' | b'%' if is_word(next) => (T::Word, self.word_end(start + 2)),
            b'0'..=b'9' => (T::Number, self.number_end(start)),
            b'.' if next.is_ascii_digit() && self.is_fraction(start + 1) => {
                (T::Number, self.number_end(start))
            }
            b'.' if is_word(next) => (T::Dot, self.suffix_end(start + 2)),
            b'"' => match self.text[start + 1..].find(['"', '\n']) {
                Some(length) if self.byte(start + 1 + length) == b'"' => {
                    (T::String, start + length + 2)
                }
                Some(length) => (T::UnterminatedString, start + 1 + length),
                None => (T::UnterminatedString, self.text.len()),
            },
            b'_' => one(T::Underscore),
            b',' => one(T::Comma),
            b';' => one(T::Semicolon),
            b':' => one(T::Colon),
            b'@' => one(T::At),
            b'(' => one(T::LParen),
            b')' => one(T::RParen),
            b'[' => one(T::LBracket),
            b']' => one(T::RBracket),
            b'{' => one(T::LBrace),
            b'}' => one(T::RBrace),
            b'+' => one(T::Plus),
            b'-' => one(T::Minus),
            b'*' => one(T::Star),
            b'/' => one(T::Slash),
            b'%' => one(T::Percent),
            b'~' => one(T::Tilde),
            b'^' => one(T::Caret),
            b'?' => one(T::Question),
            b'!' if next == b'=' => two(T::BangEqual),
            b'!' => one(T::Bang),
            b'<' if next == b'<' => two(T::Shl),
            b'<' if next == b'=' => two(T::LessEqual),
            b'<' => one(T::Less),
            b'>' if next == b'>' => two(T::Shr),
            b'>' if next == b'=' => two(T::GreaterEqual),
            b'>' => one(T::Greater),
            b'=' if next == b'=' => two(T::EqualEqual),
            b'=' => one(T::Equal),
            b'&' if next == b'&' => two(T::AndAnd),
            b'&' => one(T::And),
            b'|' if next == b'|' => two(T::OrOr),
            b'|' => one(T::Or),
            _ => match self.text[start..].chars().next() {
                Some(char) => (T::Unknown, start + char.len_utf8()),
                None => (T::Eof, start),
            },
        }
    }

    /// Whether the digits at `at`, which follow a dot, are a fraction (`.5`, `.5e3`) and not a
    /// suffix (`.2d`, `.16x64b`).
    fn is_fraction(&self, at: usize) -> bool {
        let digits = self.digits_end(at);
        !is_word(self.byte(digits)) || self.exponent_end(digits).is_some()
    }

    fn digits_end(&self, mut at: usize) -> usize {
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    }

    /// The end of `e5`, `e+5` or `e-5` at `at`, if there is one.
    fn exponent_end(&self, at: usize) -> Option<usize> {
        if !matches!(self.byte(at), b'e' | b'E') {
            return None;
        }
        let digits = at + 1 + usize::from(matches!(self.byte(at + 1), b'+' | b'-'));
        self.byte(digits).is_ascii_digit().then(|| self.digits_end(digits))
    }

    /// The end of a number. Letters that do not belong to it are taken in too: `0f3F8` or `12abc`
    /// is one bad literal, not two tokens.
    fn number_end(&self, start: usize) -> usize {
        let mut at = self.digits_end(start);
        if self.byte(at) == b'.' {
            let after = self.byte(at + 1);
            if after.is_ascii_digit() || !is_word(after) {
                at = self.digits_end(at + 1);
            }
        }
        if let Some(end) = self.exponent_end(at) {
            at = end;
        }
        self.word_end(at)
    }

    /// The end of a suffix from its second character on, with its `::` parts.
    fn suffix_end(&self, at: usize) -> usize {
        let mut end = self.word_end(at);
        while self.byte(end) == b':' && self.byte(end + 1) == b':' && is_word(self.byte(end + 2)) {
            end = self.word_end(end + 2);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(TokenKind, &str)> {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::Eof {
                return out;
            }
            out.push((token.kind, &text[token.start..token.end]));
        }
    }

    #[test]
    fn suffixes_keep_their_colons_and_labels_do_not() {
        use TokenKind as T;
        assert_eq!(
            words("tcgen05.wait::ld .L2::128B L: $L__BB0_1:%tid.x"),
            [
                (T::Word, "tcgen05"),
                (T::Dot, ".wait::ld"),
                (T::Dot, ".L2::128B"),
                (T::Word, "L"),
                (T::Colon, ":"),
                (T::Word, "$L__BB0_1"),
                (T::Colon, ":"),
                (T::Word, "%tid"),
                (T::Dot, ".x"),
            ]
        );
    }

    #[test]
    fn numbers_and_suffixes_that_start_with_digits_are_told_apart() {
        use TokenKind as T;
        let number = [".5", ".5e3", ".5e-3", "1.", "1.5e+3", "1e5", "0x1fU", "0f3F800000", "8.0"];
        for text in number {
            assert_eq!(words(text), [(T::Number, text)]);
        }
        for text in [".2d", ".16x64b", ".1d", ".m8n8", ".5ex"] {
            assert_eq!(words(text), [(T::Dot, text)]);
        }
        assert_eq!(words("1.x"), [(T::Number, "1"), (T::Dot, ".x")]);
    }

    #[test]
    fn comments_and_preprocessor_lines_are_blanks() {
        let text = "a // b\n# 1 \"x.cu\"\n/* c\n */ d /*/ e */ f\u{c}g";
        let kinds: Vec<_> = words(text).into_iter().map(|(_, word)| word).collect();
        assert_eq!(kinds, ["a", "d", "f", "g"]);
        assert_eq!(words("a # b")[1].0, TokenKind::Unknown);
    }

    #[test]
    fn open_comments_and_strings_end_with_the_text() {
        use TokenKind as T;
        assert_eq!(words("a /* b"), [(T::Word, "a"), (T::UnterminatedComment, "/* b")]);
        assert_eq!(words("\"a\nb"), [(T::UnterminatedString, "\"a"), (T::Word, "b")]);
        assert_eq!(words("\"a\\\" b"), [(T::String, "\"a\\\""), (T::Word, "b")]);
    }

    #[test]
    fn characters_outside_the_language_are_one_token_each() {
        use TokenKind as T;
        assert_eq!(words("é\0ü"), [(T::Unknown, "é"), (T::Unknown, "\0"), (T::Unknown, "ü")]);
    }
}
