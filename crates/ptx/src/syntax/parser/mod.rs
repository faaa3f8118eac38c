//! Recursive-descent parser: text to [`Module`].
//!
//! This file holds what every part of the grammar uses: the token window, errors, recovery and the
//! limits that keep hostile input harmless.

mod constant;
mod declaration;
mod function;
mod instruction;
mod module;
mod section;
mod statement;

use super::ast::{Module, Name};
use super::lexer::{Lexer, Token, TokenKind};
use super::literal;
use crate::rules;
use arcstr::ArcStr;
use diag::{Class, Diagnostic, FileId, Severity, Sources, Span};
use foldhash::HashMap;

/// Errors reported before the parser gives up on a file.
pub const MAX_ERRORS: usize = 50;

/// How deep braces, parentheses and operators may nest, all together.
pub const MAX_DEPTH: u32 = 256;

/// The longest text that is parsed, in bytes.
pub const MAX_TEXT: usize = 512 << 20;

/// Parses one file of `sources` as a PTX module.
///
/// The module is rejected if there is any diagnostic; it then holds what could be understood.
/// Several errors are reported in one run, at most [`MAX_ERRORS`]. Text longer than [`MAX_TEXT`]
/// and nesting deeper than [`MAX_DEPTH`] are refused with [`Class::Limit`].
pub fn parse(sources: &Sources, file: FileId) -> (Module, Vec<Diagnostic>) {
    let text = sources.file(file).text();
    if text.len() > MAX_TEXT {
        let message =
            format!("this file has {} bytes; PTX files may have at most {MAX_TEXT}", text.len());
        let diagnostic = Diagnostic::new(Severity::Error, Class::Limit, message)
            .label(Span::new(file, 0, 0), "");
        return (Module::default(), vec![diagnostic]);
    }
    let mut parser = Parser::new(text, file);
    let module = parser.module();
    (module, parser.diagnostics)
}

/// An error was reported; the caller skips to a place where parsing can go on.
struct Reported;

/// The result of parsing a piece of text.
type Parse<T> = Result<T, Reported>;

struct Parser<'s> {
    text: &'s str,
    file: FileId,
    lexer: Lexer<'s>,
    /// The token under consideration.
    token: Token,
    /// The one after it.
    next: Token,
    /// End of the token before `token`.
    previous_end: usize,
    /// One shared string per different word of the text.
    names: HashMap<&'s str, ArcStr>,
    diagnostics: Vec<Diagnostic>,
    /// Levels of nesting around `token`.
    depth: u32,
    /// Braces of operands around `token`, which recovery must not take for the end of a block.
    operand_braces: u32,
    /// Where the last body without a closing brace ended, so that it is reported once.
    unclosed_at: Option<usize>,
    /// The opening brace of the block that was closed last, and the end of its closing brace.
    last_block: Option<(Span, usize)>,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, file: FileId) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next_token();
        let next = lexer.next_token();
        Parser {
            text,
            file,
            lexer,
            token,
            next,
            previous_end: 0,
            names: HashMap::default(),
            diagnostics: Vec::new(),
            depth: 0,
            operand_braces: 0,
            unclosed_at: None,
            last_block: None,
        }
    }

    fn bump(&mut self) {
        self.previous_end = self.token.end;
        self.token = self.next;
        self.next = self.lexer.next_token();
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Takes the token if it is of this kind.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a token of this kind or reports that `what` was expected.
    fn expect(&mut self, kind: TokenKind, what: &str) -> Parse<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.expected_next(what)) }
    }

    /// Takes the bracket that closes the one at `opening`.
    fn close(&mut self, opening: Span, kind: TokenKind, what: &str) -> Parse<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let mut diagnostic = self.expected_diagnostic(what);
        self.end_of_line_before(&mut diagnostic);
        let is_element = self.at(TokenKind::Word) || self.space_word().is_some();
        if kind == TokenKind::RParen && self.ends_line(opening) && !is_element {
            self.line_after(&mut diagnostic);
        }
        Err(self.report(diagnostic.label(opening, "opened here")))
    }

    fn token_text(&self) -> &'s str {
        &self.text[self.token.start..self.token.end]
    }

    /// The word of a [`TokenKind::Dot`] token without its dot; empty for every other token.
    fn dot_word(&self) -> &'s str {
        if self.at(TokenKind::Dot) { &self.text[self.token.start + 1..self.token.end] } else { "" }
    }

    fn token_span(&self) -> Span {
        Span::new(self.file, self.token.start, self.token.end)
    }

    /// From byte `start` to the end of the last token taken.
    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, start, self.previous_end)
    }

    fn intern(&mut self, text: &'s str) -> ArcStr {
        self.names.entry(text).or_insert_with(|| ArcStr::from(text)).clone()
    }

    /// Takes the token as a name, without its first `skip` bytes.
    fn take_name(&mut self, skip: usize) -> Name {
        let text = self.intern(&self.token_text()[skip..]);
        let name = Name::new(text, self.token_span());
        self.bump();
        name
    }

    /// Takes an identifier or reports that `what` was expected.
    fn identifier(&mut self, what: &str) -> Parse<Name> {
        if self.at(TokenKind::Word) { Ok(self.take_name(0)) } else { Err(self.expected_next(what)) }
    }

    /// Goes one level deeper for the time of `inside`.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Reported {
        let message = format!("nesting is deeper than {MAX_DEPTH} levels");
        self.report(
            Diagnostic::new(Severity::Error, Class::Limit, message)
                .label(self.token_span(), "this level is one too many")
                .help("split the code: compilers nest a handful of levels"),
        )
    }

    /// Whether enough errors have been reported; the rest of the text then reads as empty.
    fn gave_up(&self) -> bool {
        self.diagnostics.len() > MAX_ERRORS
    }

    /// Records an error, unless the last one is about the same place. After the last one allowed, a
    /// note closes the list and the text ends.
    fn report(&mut self, mut diagnostic: Diagnostic) -> Reported {
        if diagnostic.class == Class::BadInput && diagnostic.code.is_empty() {
            rules::SYNTAX.broken_by(&mut diagnostic);
        }
        let repeated = self.diagnostics.last().is_some_and(|last| last.span() == diagnostic.span());
        if self.gave_up() || repeated {
            return Reported;
        }
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() == MAX_ERRORS {
            let note = format!("parsing stopped here after {MAX_ERRORS} errors");
            self.diagnostics.push(
                Diagnostic::new(Severity::Note, Class::BadInput, note)
                    .label(self.token_span(), "")
                    .help("mend the first errors; those after them often have the same cause"),
            );
            let end = self.text.len();
            let eof = Token {
                kind: TokenKind::Eof,
                start: end,
                end,
                first_of_line: true,
                in_inline_asm: false,
            };
            self.lexer = Lexer::new("");
            self.token = eof;
            self.next = eof;
        }
        Reported
    }

    /// Reports `message` at `span`.
    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(span, message))
    }

    /// Reports that the token is not `what` the grammar wants here.
    fn expected(&mut self, what: &str) -> Reported {
        let diagnostic = self.expected_diagnostic(what);
        self.report(diagnostic)
    }

    /// Reports that something goes on with `what`. If the token begins a line, what it should go on with is
    /// missing at the end of the line before.
    fn expected_next(&mut self, what: &str) -> Reported {
        let mut diagnostic = self.expected_diagnostic(what);
        self.end_of_line_before(&mut diagnostic);
        self.report(diagnostic)
    }

    /// Moves a diagnostic about what is missing from the first token of a line to the end of the line before,
    /// unless nothing could begin with the token.
    fn end_of_line_before(&self, diagnostic: &mut Diagnostic) {
        let begins_line = self.token.first_of_line || self.at(TokenKind::Eof);
        let is_misplaced =
            matches!(self.token.kind, TokenKind::Number | TokenKind::String | TokenKind::Unknown);
        if begins_line
            && !is_misplaced
            && let Some(label) = diagnostic.labels.first_mut()
        {
            label.span = Span::new(self.file, self.previous_end, self.previous_end);
        }
    }

    /// Whether nothing but a comment follows a token on its line.
    fn ends_line(&self, token: Span) -> bool {
        let rest = self.text[token.end as usize..].lines().next().unwrap_or("").trim_start();
        rest.is_empty() || rest.starts_with("//")
    }

    /// Whether only blanks precede a place on its line.
    fn begins_line(&self, at: usize) -> bool {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        self.text[line..at].trim().is_empty()
    }

    /// The blanks before the first token of the line of a place.
    fn indentation(&self, at: usize) -> &'s str {
        let line = &self.text[self.text[..at].rfind('\n').map_or(0, |end| end + 1)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The beginning of the line after the last token.
    fn next_line(&self) -> usize {
        let rest = &self.text[self.previous_end..];
        rest.find('\n').map_or(self.text.len(), |end| self.previous_end + end + 1)
    }

    /// Moves a diagnostic about a missing bracket that stands on a line of its own to the line after the last
    /// token, where the bracket should be.
    fn line_after(&self, diagnostic: &mut Diagnostic) {
        let is_missing = self.token.first_of_line || self.at(TokenKind::Eof);
        if is_missing && let Some(label) = diagnostic.labels.first_mut() {
            let at = self.next_line();
            label.span = Span::new(self.file, at, at);
        }
    }

    /// The same as a diagnostic, for callers that add to it.
    fn expected_diagnostic(&self, what: &str) -> Diagnostic {
        let span = self.token_span();
        let text = self.token_text();
        match self.token.kind {
            TokenKind::UnterminatedString => Diagnostic::error(span, "this string is never closed")
                .help("close it with `\"` on the same line"),
            TokenKind::UnterminatedComment => {
                let opening = Span::new(self.file, self.token.start, self.token.start + 2);
                Diagnostic::error(opening, "this comment is never closed")
                    .help("close it with `*/`; comments do not nest")
            }
            TokenKind::Unknown => {
                let message = format!("PTX has no use for the character {}", self.found());
                Diagnostic::error(span, message).label(span, format!("expected {what}"))
            }
            // `7%2`: the percent sign has become part of a name.
            TokenKind::Word
                if text[1..].starts_with(|char: char| char.is_ascii_digit())
                    && text.starts_with('%')
                    && self.previous_end == self.token.start =>
            {
                Diagnostic::error(span, format!("expected {what}, found the name `{text}`"))
                    .help("for the remainder of a division, put a blank after `%`")
            }
            _ => Diagnostic::error(span, format!("expected {what}, found {}", self.found())),
        }
    }

    /// The token as an error message shows it.
    fn found(&self) -> String {
        const LONGEST: usize = 40;
        let text = self.token_text();
        match self.token.kind {
            TokenKind::Eof => "the end of the file".to_owned(),
            TokenKind::String => "a string".to_owned(),
            TokenKind::Unknown => format!("`{}`", text.escape_debug()),
            _ => match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("`{}...`", &text[..end]),
                None => format!("`{text}`"),
            },
        }
    }

    /// Skips the rest of a statement after an error: through the next `;`, or up to a `}` that
    /// closes the block around it, a `{` on a line of its own, or the next entry of the module.
    fn recover(&mut self) {
        let mut braces = std::mem::take(&mut self.operand_braces);
        loop {
            match self.token.kind {
                TokenKind::Eof => return,
                TokenKind::Semicolon => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace if self.token.first_of_line => return,
                TokenKind::LBrace => braces += 1,
                TokenKind::RBrace if braces == 0 => return,
                TokenKind::RBrace => braces -= 1,
                _ if self.starts_item() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether the token begins a line and can only begin an entry of the module.
    fn starts_item(&self) -> bool {
        self.token.first_of_line
            && matches!(
                self.dot_word(),
                "visible" | "extern" | "weak" | "common" | "entry" | "func" | "file" | "section"
            )
    }

    /// Skips `{ ... }`, whatever stands in it. The token is the `{`.
    fn skip_braces(&mut self) -> Parse<()> {
        let opening = self.token_span();
        let mut open = 0u64;
        loop {
            match self.token.kind {
                TokenKind::LBrace => open += 1,
                TokenKind::RBrace => open -= 1,
                TokenKind::Eof => return Err(self.unclosed(opening)),
                _ => {}
            }
            self.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Reports that the text or the function ends inside the brace at `opening`. Of several open
    /// braces the innermost is reported, once.
    fn unclosed(&mut self, opening: Span) -> Reported {
        if self.unclosed_at.replace(self.token.start) == Some(self.token.start) {
            return Reported;
        }
        let at = self.token_span();
        let (end, help) = match self.token.kind {
            TokenKind::Eof => {
                ("the file ends here", "add `}`; if the file was cut short, produce it again")
            }
            _ => ("the next function begins here", "add `}` before it"),
        };
        if let Some((inner, brace)) = self.inner_unclosed(opening) {
            let body = "closes it instead of the body";
            let diagnostic = match self.blank_line_in(inner) {
                Some(blank) => {
                    Diagnostic::error(blank, "`}` is missing here").label(inner, "of this")
                }
                None => Diagnostic::error(inner, "this `{` is never closed"),
            };
            return self.report(diagnostic.label(brace, body).label(opening, "the body"));
        }
        let is_one_line = !self.text[opening.start as usize..self.previous_end].contains('\n');
        if is_one_line {
            let diagnostic = Diagnostic::error(opening, "this `{` is never closed");
            return self.report(diagnostic.label(at, end).help(help));
        }
        let missing = self.missing_brace();
        let missing = Span::new(self.file, missing, missing);
        let diagnostic = Diagnostic::error(missing, "`}` is missing here");
        self.report(diagnostic.label(opening, "this `{` is never closed").label(at, end).help(help))
    }

    /// Where the brace that closes a body is missing: as far behind the last token as in other bodies.
    fn missing_brace(&self) -> usize {
        let lines = |text: &str| text.len() - text.replace('\n', "").len();
        let others = self.text.match_indices("\n}").find_map(|(at, _)| {
            let before = self.text[..=at].trim_end();
            before.ends_with("ret;").then(|| lines(&self.text[before.len()..=at]))
        });
        let rest = &self.text[self.previous_end..];
        let blank =
            || lines(rest[..rest.len() - rest.trim_start().len()].trim_matches(' ')).clamp(1, 2);
        let skipped = others.unwrap_or_else(blank);
        let ends = rest.match_indices('\n').map(|(end, _)| self.previous_end + end + 1);
        ends.take(skipped).last().unwrap_or(self.text.len())
    }

    /// The blank line after the first line of a block that begins with a statement.
    fn blank_line_in(&self, opening: Span) -> Option<Span> {
        let start = opening.end as usize;
        let next = start + self.text[start..].find('\n')? + 1;
        let is_blank = self.text[next..].lines().next().is_some_and(|line| line.trim().is_empty());
        (is_blank && !self.ends_line(opening)).then(|| Span::new(self.file, next, next))
    }

    /// If the last token closed a block inside the one at `opening` but looks as if it were to close that one:
    /// the inner opening brace and the closing one.
    fn inner_unclosed(&self, opening: Span) -> Option<(Span, Span)> {
        let (inner, end) = self.last_block.filter(|(_, end)| *end == self.previous_end)?;
        let brace = Span::new(self.file, end - 1, end);
        let closing = self.indentation(end - 1);
        let is_inners = self.begins_line(end - 1)
            && closing == self.indentation(inner.start as usize)
            && closing != self.indentation(opening.start as usize);
        (inner != opening && !is_inners).then_some((inner, brace))
    }
}
