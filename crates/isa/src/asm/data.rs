//! The data comment: what a disassembled line has to say that instruction text cannot carry.
//!
//! `/* @0x0010 $sched=0x1 ignored=0x80 word=0x… */`: the address, hidden fields that differ from their
//! defaults, ignored bits that differ from what the assembler writes, and the whole word for the reader.
//! A comment is data when it begins with `@0x`; the rest after `unknown:` is for people.

use crate::codes;
use crate::lexer::parse_int;
use crate::model::Opcode;
use crate::names::nearest;
use diag::{Diagnostic, FileId, Span};

/// The items of a data comment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    pub items: Vec<Item>,
}

/// `key=number`.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub key: String,
    pub number: u128,
    pub span: Span,
}

pub(crate) const IGNORED: &str = "ignored";
pub(crate) const WORD: &str = "word";
pub(crate) const UNKNOWN: &str = "unknown:";
const MARK: &str = "@0x";

/// Reads the inside of a `/* … */` comment; `None` when it is an ordinary comment.
pub(crate) fn read(
    file: FileId,
    text: &str,
    start: usize,
) -> Option<Result<Data, Box<Diagnostic>>> {
    let trimmed = text.trim_start();
    if !trimmed.starts_with(MARK) {
        return None;
    }
    Some(read_items(file, text, start))
}

fn read_items(file: FileId, text: &str, start: usize) -> Result<Data, Box<Diagnostic>> {
    let mut data = Data::default();
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim();
        let span = Span::new(file, start + at, start + at + word.len());
        at += piece.len();
        if word.is_empty() {
            continue;
        }
        if word == UNKNOWN {
            break;
        }
        if let Some(digits) = word.strip_prefix('@') {
            if parse_int(digits).is_none() {
                return Err(wrong(span, format!("`{word}` is not an address")));
            }
            continue;
        }
        let parsed = word.split_once('=').and_then(|(key, n)| Some((key, parse_int(n)?)));
        let Some((key, number)) = parsed else {
            return Err(wrong(span, format!("`{word}` is not `name=number`")));
        };
        data.items.push(Item { key: key.to_owned(), number, span });
    }
    Ok(data)
}

fn wrong(span: Span, message: String) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(span, message)
        .help("a comment that begins with `@0x` is data; begin an ordinary comment differently")
        .code(codes::ASM_DATA);
    Box::new(diagnostic)
}

/// What the comment says about an instruction: hidden fields and ignored bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden {
    pub fields: Vec<(usize, u128, Span)>,
    pub ignored: Option<u128>,
}

impl Data {
    /// The word that the comment shows.
    pub(crate) fn word(&self) -> Option<(u128, Span)> {
        let item = self.items.iter().find(|item| item.key == WORD)?;
        Some((item.number, item.span))
    }

    /// Resolves the items for an opcode.
    pub(crate) fn resolve(&self, opcode: &Opcode) -> Result<Hidden, Box<Diagnostic>> {
        let mut hidden = Hidden::default();
        for item in &self.items {
            match item.key.as_str() {
                IGNORED => {
                    let outside = item.number & !opcode.ignored.mask;
                    if outside != 0 {
                        let bits = crate::bits::describe(outside);
                        let message = format!("{bits} of `{}` cannot be ignored bits", opcode.name);
                        return Err(wrong(item.span, message));
                    }
                    hidden.ignored = Some(item.number);
                }
                WORD => {}
                name => {
                    hidden.fields.push((self.field(item, name, opcode)?, item.number, item.span))
                }
            }
        }
        Ok(hidden)
    }

    fn field(&self, item: &Item, name: &str, opcode: &Opcode) -> Result<usize, Box<Diagnostic>> {
        let hidden = || opcode.hidden();
        let Some(index) = hidden().find(|index| opcode.fields[*index].name.text == name) else {
            let names = hidden().map(|index| opcode.fields[index].name.text.as_str());
            let message = format!("`{}` has no hidden field `{name}`", opcode.name);
            let mut diagnostic = wrong(item.span, message);
            diagnostic.help = Some(match nearest(name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "what the text shows cannot be set in the comment".to_owned(),
            });
            return Err(diagnostic);
        };
        let field = &opcode.fields[index];
        if !crate::bits::fits(item.number, field.width()) {
            let message =
                format!("{} does not fit the {} bits of `{name}`", item.number, field.width());
            return Err(wrong(item.span, message));
        }
        Ok(index)
    }
}
