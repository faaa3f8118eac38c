//! Text of a description file → syntax tree. Errors are collected; parsing goes on after each.

mod encoding;
mod expr;
mod operands;
mod prose;
mod types;

use crate::ast::{Decl, DeclKind, File, Item, Name, Provenance, Source, SourceId, TypeForm};
use crate::codes;
use crate::lexer::{self, Mode, Token};
use crate::names::nearest;
use diag::{Diagnostic, FileId, Span};

const TYPE_HEADINGS: [(&str, TypeForm); 4] = [
    ("__DefBitFieldType", TypeForm::BitField),
    ("__DefOpenType", TypeForm::Open),
    ("__DefRegisterType", TypeForm::Register),
    ("__DefImmediateType", TypeForm::Immediate),
];
const DECL_HEADINGS: [(&str, Option<DeclKind>); 5] = [
    ("__DefGroup", Some(DeclKind::Group)),
    ("__DefOptype", Some(DeclKind::Optype)),
    ("__DefOpcode", Some(DeclKind::Opcode)),
    ("__DefReference", Some(DeclKind::Reference)),
    ("__Refine", None),
];
const INCLUDE: &str = "__Include";
const PROVENANCE: &str = "__Provenance";
const ENCODING: &str = "__Encoding";

/// Reads one file. `sources` is the table of provenances of the whole description. What a file says is
/// `document`, the file itself, until the file says otherwise.
pub(crate) fn file(
    file: FileId,
    name: &str,
    text: &str,
    sources: &mut Vec<Source>,
    diagnostics: &mut Vec<Diagnostic>,
) -> File {
    // A byte order mark is not text.
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let source = SourceId(sources.len());
    sources.push(Source { provenance: Provenance::Document, text: name.to_owned() });
    let mut parser = Parser { file, text, at, source, sources, diagnostics };
    parser.items()
}

/// A syntax error has been reported; the caller skips to a place where it can go on.
struct Reported;

type Parse<T> = Result<T, Reported>;

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    source: SourceId,
    sources: &'a mut Vec<Source>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn items(&mut self) -> File {
        let mut file = File::default();
        loop {
            let (token, span) = self.peek();
            match token {
                Token::End => return file,
                Token::Ident(word) if word.starts_with("__") => self.item(&word, span, &mut file),
                other => {
                    self.error(span, format!("expected a declaration, found {}", other.describe()))
                        .help_last("declarations begin with `__Def…`, `__Refine` or `__Include`");
                    self.at = span.end as usize;
                    self.skip_to_heading();
                }
            }
        }
    }

    fn item(&mut self, word: &str, span: Span, file: &mut File) {
        if word == INCLUDE {
            self.at = span.end as usize;
            match self.include() {
                Ok(path) => file.items.push(Item::Include { path }),
                Err(Reported) => self.skip_to_heading(),
            }
        } else if word == PROVENANCE {
            self.provenance();
        } else if let Some((_, form)) = TYPE_HEADINGS.iter().find(|(name, _)| *name == word) {
            self.at = span.end as usize;
            match self.type_decl(*form) {
                Ok(decl) => file.items.push(Item::Type(decl)),
                Err(Reported) => self.skip_to_heading(),
            }
        } else if let Some((_, kind)) = DECL_HEADINGS.iter().find(|(name, _)| *name == word) {
            self.at = span.end as usize;
            match self.decl(*kind) {
                Ok(decl) => file.items.push(Item::Decl(decl)),
                Err(Reported) => self.skip_to_heading(),
            }
        } else {
            // A misspelt heading is read as what it most likely is.
            match self.unknown_heading(word, span) {
                Some(near) if is_item_heading(near) && near != word => self.item(near, span, file),
                _ => {
                    self.at = span.end as usize;
                    self.skip_to_heading();
                }
            }
        }
    }

    /// Reports a heading that is unknown or out of place; returns the known one that is nearest.
    fn unknown_heading(&mut self, word: &str, span: Span) -> Option<&'static str> {
        let types = TYPE_HEADINGS.iter().map(|(name, _)| *name);
        let decls = DECL_HEADINGS.iter().map(|(name, _)| *name);
        let sections = crate::ast::SectionKind::ALL.iter().map(|kind| kind.heading());
        let all = types.chain(decls).chain(sections).chain([INCLUDE, PROVENANCE, ENCODING]);
        let known = all.clone().any(|name| name == word);
        let mut diagnostic = if known {
            Diagnostic::error(span, format!("`{word}` stands outside a declaration"))
                .help("sections belong to a group, an optype or an opcode")
        } else {
            Diagnostic::error(span, format!("unknown heading `{word}`"))
        };
        let near = nearest(word, all).filter(|_| !known);
        if let Some(near) = near {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).fix(span, near);
        } else if !known {
            diagnostic = diagnostic.help("docs/isa-language.md lists the headings");
        }
        self.diagnostics.push(diagnostic.code(codes::HEADING));
        near
    }

    fn include(&mut self) -> Parse<Name> {
        let (token, span) = self.next();
        let Token::Text(Some(path)) = token else {
            return self.expected("a quoted file name", &token, span);
        };
        self.accept(";");
        Ok(Name { text: path, span })
    }

    /// `__Provenance measured "how";` at the current position. Holds until the next one.
    fn provenance(&mut self) {
        if self.provenance_words().is_err() {
            self.skip_statement();
        }
    }

    fn provenance_words(&mut self) -> Parse<()> {
        self.next();
        let kind = self.name("`document`, `measured` or `chosen`")?;
        let Some(provenance) = Provenance::ALL.into_iter().find(|p| p.word() == kind.text) else {
            let message = format!("`{}` is not a provenance", kind.text);
            self.error(kind.span, message)
                .help_last("a fact is `document`, `measured` or `chosen`");
            return Err(Reported);
        };
        let text = match self.peek() {
            (Token::Text(Some(text)), _) => {
                self.next();
                text
            }
            _ => String::new(),
        };
        self.mark(";")?;
        self.source = SourceId(self.sources.len());
        self.sources.push(Source { provenance, text });
        Ok(())
    }

    fn decl(&mut self, kind: Option<DeclKind>) -> Parse<Decl> {
        let name = self.name("a name")?;
        let parents = self.parents();
        self.accept(";");
        let mut decl = Decl {
            kind,
            name,
            parents,
            encoding: Vec::new(),
            operands: Vec::new(),
            prose: Vec::new(),
            type_statements: Vec::new(),
            source: self.source,
        };
        self.sections(&mut decl);
        Ok(decl)
    }

    fn sections(&mut self, decl: &mut Decl) {
        loop {
            let (token, span) = self.peek();
            match token {
                Token::End => return,
                Token::Ident(word) if word.starts_with("__") => {
                    if is_item_heading(&word) {
                        return;
                    }
                    self.section(decl, &word, span);
                }
                _ if decl.kind.is_none() => self.type_statement(&mut decl.type_statements),
                other => {
                    let message = format!("expected a section, found {}", other.describe());
                    self.error(span, message)
                        .help_last("sections begin with a heading such as `__Encoding`");
                    self.at = span.end as usize;
                    self.skip_to_heading();
                }
            }
        }
    }

    fn section(&mut self, decl: &mut Decl, word: &str, span: Span) {
        if word == PROVENANCE {
            self.provenance();
        } else if word == ENCODING {
            self.at = span.end as usize;
            self.encoding_section(decl, span);
        } else if let Some(kind) =
            crate::ast::SectionKind::ALL.into_iter().find(|kind| kind.heading() == word)
        {
            self.at = span.end as usize;
            self.prose_section(decl, kind, span);
        } else {
            match self.unknown_heading(word, span) {
                Some(near) if !is_item_heading(near) && near != word => {
                    self.section(decl, near, span);
                }
                _ => {
                    self.at = span.end as usize;
                    self.skip_to_heading();
                }
            }
        }
    }

    /// The parents of a declaration. Where they cannot be read, the rest of the line is skipped.
    fn parents(&mut self) -> Option<Vec<Name>> {
        let (token, span) = self.peek();
        if token == Token::Mark("[") {
            let _: Parse<()> = self.expected("`:`", &token, span);
            self.help_last("parents are written `: [NAME, NAME]`");
        } else if !self.accept(":") {
            return None;
        }
        let parents = self.bracketed_names();
        if parents.is_err() {
            self.help_last("parents are written `: [NAME, NAME]`");
            self.skip_statement();
        }
        parents.ok()
    }

    fn bracketed_names(&mut self) -> Parse<Vec<Name>> {
        self.mark("[")?;
        let mut names = Vec::new();
        if self.accept("]") {
            return Ok(names);
        }
        loop {
            names.push(self.name("a name")?);
            if self.accept("]") {
                return Ok(names);
            }
            self.mark(",")?;
        }
    }

    fn peek(&self) -> (Token, Span) {
        lexer::token(self.file, self.text, self.at, Mode::Statement)
    }

    fn next(&mut self) -> (Token, Span) {
        let (token, span) = self.peek();
        self.at = span.end as usize;
        (token, span)
    }

    fn accept(&mut self, mark: &str) -> bool {
        let (token, span) = self.peek();
        let found = matches!(token, Token::Mark(found) if found == mark);
        if found {
            self.at = span.end as usize;
        }
        found
    }

    fn mark(&mut self, mark: &'static str) -> Parse<Span> {
        let (token, span) = self.peek();
        if token == Token::Mark(mark) {
            self.at = span.end as usize;
            return Ok(span);
        }
        let before = self.text[..self.at].trim_end().len();
        let gap = &self.text[before..(span.start as usize).max(before)];
        if mark == ";" && (gap.contains('\n') || token == Token::End) {
            // The statement is complete but for its end, so that is all there is to say.
            let place = self.span(before, before);
            let diagnostic = Diagnostic::error(place, "expected `;` at the end of the statement")
                .help("add `;`")
                .fix(place, ";")
                .code(codes::SYNTAX);
            self.diagnostics.push(diagnostic);
            return Ok(place);
        }
        self.expected(&format!("`{mark}`"), &token, span)
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        let (token, span) = self.peek();
        match token {
            Token::Ident(text) if !text.starts_with("__") => {
                self.at = span.end as usize;
                Ok(Name { text, span })
            }
            other => self.expected(what, &other, span),
        }
    }

    fn int(&mut self, what: &str) -> Parse<(u128, Span)> {
        let (token, span) = self.peek();
        match token {
            Token::Int(Some(value)) => {
                self.at = span.end as usize;
                Ok((value, span))
            }
            other => self.expected(what, &other, span),
        }
    }

    fn expected<T>(&mut self, what: &str, found: &Token, span: Span) -> Parse<T> {
        if *found == Token::Int(None) {
            let written = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
            self.error(span, format!("`{written}` is not a number of at most 128 bits"))
                .help_last("numbers are decimal, `0x…` or `0b…`");
            return Err(Reported);
        }
        self.error(span, format!("expected {what}, found {}", found.describe()))
            .help_last(&format!("write {what} here"));
        Err(Reported)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.diagnostics.push(Diagnostic::error(span, message).code(codes::SYNTAX));
        self
    }

    fn help_last(&mut self, help: &str) {
        if let Some(last) = self.diagnostics.last_mut() {
            last.help = Some(help.to_owned());
        }
    }

    /// Skips to the end of a broken statement: past its `;` on this line, or to the next line.
    fn skip_statement(&mut self) {
        let rest = &self.text[self.at..];
        let end = rest.find(['\n', ';']).map_or(rest.len(), |end| end + 1);
        self.at += end;
    }

    /// Skips to the next line that begins with a heading.
    fn skip_to_heading(&mut self) {
        while self.at < self.text.len() {
            if let Some(newline) = self.text[self.at..].find('\n') {
                self.at += newline + 1;
            } else {
                self.at = self.text.len();
            }
            if self.text[self.at..].trim_start_matches([' ', '\t']).starts_with("__") {
                return;
            }
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }
}

/// Whether a word is a heading of the language.
fn is_heading(word: &str) -> bool {
    is_item_heading(word)
        || word == ENCODING
        || crate::ast::SectionKind::ALL.iter().any(|kind| kind.heading() == word)
}

/// Whether a heading begins a new top-level item.
fn is_item_heading(word: &str) -> bool {
    word == INCLUDE
        || TYPE_HEADINGS.iter().any(|(name, _)| *name == word)
        || DECL_HEADINGS.iter().any(|(name, _)| *name == word)
        || word.starts_with("__Def")
}
