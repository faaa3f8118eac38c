//! A Rust file as tokens: comments are gone, macro bodies are there.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A token with its line and whether it belongs to tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The line, from 1.
    pub(super) line: usize,
    /// The token as written; a delimiter for each end of a group.
    pub(super) text: String,
    /// Whether it stands in an item under `#[cfg(test)]` or `#[test]`.
    pub(super) in_test: bool,
    /// Whether it is the text of a documentation comment.
    pub(super) is_doc: bool,
}

/// The tokens of a file in order.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) tokens: Vec<Token>,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// It does not consist of Rust tokens: where, and why.
    pub(super) fn read(text: &str) -> Result<Source, (usize, String)> {
        let stream: TokenStream = text
            .parse()
            .map_err(|why: proc_macro2::LexError| (why.span().start().line, why.to_string()))?;
        let mut source = Source { tokens: Vec::new() };
        source.stream(stream, false);
        Ok(source)
    }

    fn push(&mut self, line: usize, text: impl Into<String>, in_test: bool, is_doc: bool) {
        self.tokens.push(Token { line, text: text.into(), in_test, is_doc });
    }

    fn stream(&mut self, stream: TokenStream, in_test: bool) {
        let mut test_item = false;
        let mut doc = false;
        let mut hash = false;
        for tree in stream {
            let line = tree.span().start().line;
            let here = in_test || test_item;
            let after_hash = std::mem::take(&mut hash);
            match tree {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    let is_attribute = after_hash && group.delimiter() == Delimiter::Bracket;
                    if is_attribute && marks_test(&group.stream().to_string()) {
                        test_item = true;
                    }
                    self.push(line, open, here, false);
                    self.stream(group.stream(), here);
                    self.push(group.span_close().start().line, close, here, false);
                    // The item under the attribute ends with its body.
                    if !is_attribute && group.delimiter() == Delimiter::Brace {
                        test_item = false;
                    }
                }
                TokenTree::Punct(punct) => {
                    hash = punct.as_char() == '#' || (after_hash && punct.as_char() == '!');
                    self.push(line, punct.to_string(), here, false);
                    if punct.as_char() == ';' {
                        test_item = false;
                    }
                    doc &= punct.as_char() == '=';
                    continue;
                }
                TokenTree::Ident(ident) => {
                    let text = ident.to_string();
                    doc = text == "doc";
                    self.push(line, text, here, false);
                    continue;
                }
                TokenTree::Literal(literal) => self.push(line, literal.to_string(), here, doc),
            }
            doc = false;
        }
    }

    /// The indices at which a sequence of tokens begins.
    pub(super) fn find<'a>(&'a self, wanted: &'a [&str]) -> impl Iterator<Item = &'a Token> {
        let matches = move |window: &&[Token]| {
            window.iter().zip(wanted).all(|(token, wanted)| token.text == *wanted)
        };
        self.tokens.windows(wanted.len()).filter(matches).map(|window| &window[0])
    }
}

/// Whether an attribute makes its item part of tests only.
pub(super) fn marks_test(attribute: &str) -> bool {
    let text = attribute.replace(' ', "");
    text == "test" || text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

impl Token {
    /// The contents of a string literal without escapes; `None` for other tokens.
    pub(super) fn string(&self) -> Option<&str> {
        self.text.strip_prefix('"')?.strip_suffix('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_gone_and_tests_are_marked() {
        let source = Source::read(
            "/// \"x\" todo!()\nfn a() { b!(\"s\"); }\n#[cfg(test)]\nmod t { fn c() {} }\nfn d() {}",
        )
        .expect("it is Rust");
        let of = |text: &str| source.tokens.iter().find(|token| token.text == text).cloned();
        assert_eq!(of("todo"), None);
        assert_eq!(of("\"s\"").map(|token| (token.line, token.in_test)), Some((2, false)));
        assert_eq!(of("c").map(|token| (token.line, token.in_test)), Some((4, true)));
        assert_eq!(of("d").map(|token| (token.line, token.in_test)), Some((5, false)));
        assert_eq!(source.tokens.iter().filter(|token| token.is_doc).count(), 1);
        assert_eq!(source.find(&["b", "!"]).count(), 1);
    }

    #[test]
    fn a_file_that_is_not_rust_is_reported() {
        assert!(Source::read("fn a() {").is_err());
    }
}
