//! The syntax rule of an opcode: one list of steps that the printer and the matcher both follow.

use crate::ast::ProseSection;
use diag::Span;

/// The rule for the text of an opcode.
#[derive(Clone, Debug)]
pub(crate) struct Syntax {
    /// The first word.
    pub mnemonic: String,
    /// The line as written, without control fields and the closing `;`.
    pub line: String,
    /// The steps, the guard's first.
    pub steps: Vec<Step>,
    /// Control names such as `$sched`, and where they are written.
    pub controls: Vec<(String, Span)>,
    /// Fields that the steps show.
    pub shown: Vec<usize>,
    /// The operands as the line names them, with their fields.
    pub operands: Vec<(String, usize)>,
}

/// One step of the text. Indices are those of the opcode's fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A word that stands for itself.
    Word(String),
    /// A mark that stands for itself.
    Mark(char),
    /// White space.
    Space,
    /// `.VALUE`; nothing at all when the value's spelling is empty.
    Modifier(usize),
    /// The spelling of an attribute, such as `!`, glued to its operand.
    Affix(usize),
    /// An operand.
    Operand(usize),
    /// The steps up to `end` may be left out; they are when all their fields have default values.
    Optional { end: usize, fields: Vec<usize> },
}

/// The unbound pieces of a syntax line.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Word(String, Span),
    Modifier(String, Span),
    Control(String, Span),
    Mark(char),
    Space,
    Group(Vec<Piece>, Span),
}

/// Deepest nesting of braces in a syntax line.
const DEEPEST: usize = 8;

/// Reads a syntax line. `at` gives the span of a byte range of the line.
pub(crate) fn pieces(
    line: &str,
    at: &dyn Fn(usize, usize) -> Span,
) -> Result<Vec<Piece>, (Span, String)> {
    let mut reader = Reader { line, at, position: 0 };
    let pieces = reader.until_close(0)?;
    Ok(pieces)
}

struct Reader<'a> {
    line: &'a str,
    at: &'a dyn Fn(usize, usize) -> Span,
    position: usize,
}

impl Reader<'_> {
    fn until_close(&mut self, depth: usize) -> Result<Vec<Piece>, (Span, String)> {
        let mut pieces = Vec::new();
        loop {
            let start = self.position;
            let Some(c) = self.line[start..].chars().next() else {
                if depth > 0 {
                    return Err(((self.at)(start, start), "`{` is not closed".into()));
                }
                return Ok(pieces);
            };
            self.position += c.len_utf8();
            match c {
                '{' if depth >= DEEPEST => {
                    let message = format!("braces nest deeper than {DEEPEST} levels");
                    return Err(((self.at)(start, self.position), message));
                }
                '{' => {
                    let inner = self.until_close(depth + 1)?;
                    pieces.push(Piece::Group(inner, (self.at)(start, self.position)));
                }
                '}' if depth > 0 => return Ok(pieces),
                '}' => return Err(((self.at)(start, self.position), "`}` closes nothing".into())),
                c if c.is_whitespace() => {
                    if !matches!(pieces.last(), Some(Piece::Space)) {
                        pieces.push(Piece::Space);
                    }
                }
                '.' | '$' => {
                    let name = self.name().to_owned();
                    let span = (self.at)(start, self.position);
                    match c {
                        _ if name.is_empty() => {
                            return Err((span, format!("expected a name after `{c}`")));
                        }
                        '.' => pieces.push(Piece::Modifier(name, span)),
                        _ => pieces.push(Piece::Control(format!("${name}"), span)),
                    }
                }
                c if c.is_ascii_alphanumeric() || c == '_' => {
                    self.position = start;
                    let name = self.name().to_owned();
                    pieces.push(Piece::Word(name, (self.at)(start, self.position)));
                }
                c if c.is_ascii_graphic() => {
                    pieces.push(Piece::Mark(c));
                }
                c => {
                    let message = format!("`{c}` cannot stand in a syntax line");
                    return Err(((self.at)(start, self.position), message));
                }
            }
        }
    }

    fn name(&mut self) -> &str {
        let start = self.position;
        let bytes = self.line.as_bytes();
        while bytes.get(self.position).is_some_and(|byte| crate::lexer::is_name_byte(*byte)) {
            self.position += 1;
        }
        &self.line[start..self.position]
    }
}

/// The line of a `__Syntax` section that gives the rule, with its place.
pub(crate) struct SyntaxLine<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// The syntax line: the first line of the first fence that is not blank.
pub(crate) fn syntax_line(section: &ProseSection) -> Option<SyntaxLine<'_>> {
    let body = &section.fences().next()?.body;
    let mut offset = 0;
    for line in body.text.split_inclusive('\n') {
        let text = line.trim();
        if !text.is_empty() && !text.starts_with("//") {
            let start = body.span.start as usize + offset + (line.len() - line.trim_start().len());
            let span = Span::new(body.span.file, start, start + text.len());
            return Some(SyntaxLine { text, span });
        }
        offset += line.len();
    }
    None
}
