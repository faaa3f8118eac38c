//! What prose says about modifiers, instructions and register files, against what the fields say.

use super::Family;
use crate::ast::{Block, ProseSection, SectionKind, Text};
use crate::codes;
use crate::lexer::is_name_byte;
use crate::model::{Description, Field};
use crate::names::nearest;
use crate::types::TypeKind;
use diag::{Diagnostic, Span};
use std::collections::HashMap;

/// A name in prose, found between characters that cannot be part of it. Chinese or Japanese text sets no
/// blanks around names, so blanks are not what separates them.
struct Token<'a> {
    text: &'a str,
    span: Span,
    /// The character before it.
    before: Option<char>,
    /// The character after it.
    after: Option<char>,
}

fn names(text: &Text) -> Vec<Token<'_>> {
    let bytes = text.text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_name_byte(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_name_byte(**byte)).count();
        let start = text.span.start as usize + at;
        found.push(Token {
            text: &text.text[at..at + length],
            span: Span::new(text.span.file, start, start + length),
            before: text.text[..at].chars().next_back(),
            after: text.text[at + length..].chars().next(),
        });
        at += length;
    }
    found
}

/// What prose of a description may speak of.
pub(super) struct Terms<'d> {
    /// Names of instructions, each with the declarations that may use it and where it is declared.
    instructions: HashMap<&'d str, Vec<(&'d str, Span)>>,
    /// Names of register files, with where their types are declared.
    files: HashMap<&'d str, Span>,
}

impl<'d> Terms<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        Terms { instructions: vocabulary(description), files: register_files(description) }
    }
}

pub(super) fn check(terms: &Terms<'_>, family: &Family<'_>, found: &mut Vec<Diagnostic>) {
    let (vocabulary, files) = (&terms.instructions, &terms.files);
    for section in family.decl.sections.values() {
        for block in &section.blocks {
            match block {
                Block::Text(text) => {
                    modifiers(family, text, found);
                    other_instructions(family, vocabulary, text, found);
                    if matches!(section.kind, SectionKind::OperandInfo | SectionKind::Description) {
                        contradictions(family, files, text, found);
                    }
                }
                Block::Fence(fence) if holds_pseudo_code(section) => {
                    modifiers(family, &fence.body, found);
                }
                Block::Fence(_) => {}
            }
        }
    }
}

fn holds_pseudo_code(section: &ProseSection) -> bool {
    match section.kind {
        SectionKind::Semantics | SectionKind::ModifierInfo => true,
        SectionKind::Syntax
        | SectionKind::Examples
        | SectionKind::Description
        | SectionKind::OperandInfo => false,
    }
}

/// `.name` in prose is a modifier of the instruction or one of its values.
fn modifiers(family: &Family<'_>, text: &Text, found: &mut Vec<Diagnostic>) {
    let known = family.modifiers();
    if known.is_empty() {
        return;
    }
    for token in names(text) {
        let starts_name = token.text.starts_with(|c: char| c.is_ascii_alphabetic());
        if token.before != Some('.') || !starts_name {
            continue;
        }
        // `pp.not`, `[Thread].laneid`, `f().x` and an ellipsis are no modifiers.
        let dot = token.span.start as usize - text.span.start as usize - 1;
        let before_dot = text.text[..dot].chars().next_back();
        let mut words = text.text[..dot].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let follows_mnemonic = words.next().is_some_and(|word| family.is_mnemonic(word));
        let free = follows_mnemonic
            || before_dot.is_none_or(|c| {
                !(c.is_ascii_alphanumeric() || matches!(c, '_' | ']' | ')' | '.' | '*' | '/'))
            });
        let is_known = known.iter().any(|(name, values)| {
            name.split('.').any(|part| part == token.text) || values.contains(&token.text)
        });
        if !free || is_known {
            continue;
        }
        let span = Span { start: token.span.start - 1, ..token.span };
        let message = format!(
            "the prose speaks of `.{}`, which `{}` does not have",
            token.text, family.decl.name
        );
        let mut diagnostic = Diagnostic::warning(span, message).code(codes::MODIFIER);
        let fields = family.fields();
        let candidates = family.modifier_names().into_iter();
        let values = known.iter().flat_map(|(_, values)| values.iter().copied());
        diagnostic = match nearest(token.text, candidates.chain(values)) {
            Some(near) => {
                let field = fields.iter().find(|field| field.name.text == near);
                let help = format!("did you mean `.{near}`?");
                let diagnostic = diagnostic.help(help).fix(span, format!(".{near}"));
                match field {
                    Some(field) => {
                        diagnostic.label(field.name.span, format!("`.{near}` is declared here"))
                    }
                    None => diagnostic.label(family.decl.span, "in this declaration"),
                }
            }
            None => diagnostic
                .label(family.decl.span, "in this declaration")
                .help("name a modifier that a field of the instruction has"),
        };
        found.push(diagnostic);
    }
}

fn vocabulary(description: &Description) -> HashMap<&str, Vec<(&str, Span)>> {
    let declared: HashMap<&str, Span> =
        description.decls.iter().map(|decl| (decl.name.as_str(), decl.span)).collect();
    let mut names: HashMap<&str, Vec<(&str, Span)>> = HashMap::new();
    for opcode in &description.opcodes {
        let optype = opcode.optype.as_deref().unwrap_or(&opcode.name);
        let span = declared.get(optype).copied().unwrap_or(opcode.span);
        for name in [Some(optype), opcode.mnemonic(), Some(opcode.name.as_str())] {
            let owners = names.entry(name.unwrap_or(optype)).or_default();
            if !owners.iter().any(|(owner, _)| *owner == optype) {
                owners.push((optype, span));
            }
        }
    }
    names
}

/// The prose of one instruction names another. A cross-reference in brackets, `[VOTE]`, is meant.
fn other_instructions(
    family: &Family<'_>,
    vocabulary: &HashMap<&str, Vec<(&str, Span)>>,
    text: &Text,
    found: &mut Vec<Diagnostic>,
) {
    let own = |name: &str| {
        family.opcodes.iter().any(|opcode| opcode.lineage.iter().any(|ancestor| ancestor == name))
    };
    let values = family.chosen_values();
    for token in names(text) {
        let Some(owners) = vocabulary.get(token.text) else { continue };
        let referred = token.before == Some('[') && token.after == Some(']');
        let is_value = token.before == Some('.') || values.contains(&token.text);
        if referred || is_value || owners.iter().any(|(owner, _)| own(owner)) {
            continue;
        }
        let name = &family.decl.name;
        let message = format!("the prose of `{name}` speaks of `{}`", token.text);
        let mut diagnostic = Diagnostic::warning(token.span, message);
        if let Some((_, span)) = owners.first() {
            diagnostic =
                diagnostic.label(*span, format!("`{}` is another instruction", token.text));
        }
        found.push(
            diagnostic
                .label(family.decl.span, "the prose belongs to this one")
                .help(format!(
                    "write `{name}`; a reference that is meant is written `[{}]`",
                    token.text
                ))
                .code(codes::OTHER_INSTRUCTION),
        );
    }
}

fn register_files(description: &Description) -> HashMap<&str, Span> {
    let mut files = HashMap::new();
    for ty in &description.types {
        if let TypeKind::Register(file) = &ty.kind
            && let Some(name) = &file.file
        {
            files.entry(name.as_str()).or_insert(ty.span);
        }
    }
    files
}

fn file_of(field: &Field) -> Option<&str> {
    match &field.ty.kind {
        TypeKind::Register(file) => file.file.as_deref(),
        TypeKind::Enumeration(_) | TypeKind::Immediate(_) => None,
    }
}

/// A sentence that names operands and register files, where an operand is of none of these files.
fn contradictions(
    family: &Family<'_>,
    files: &HashMap<&str, Span>,
    text: &Text,
    found: &mut Vec<Diagnostic>,
) {
    let fields = family.fields();
    for sentence in sentences(text) {
        let tokens = names(&sentence);
        let named: Vec<(&str, Span)> = tokens
            .iter()
            .filter_map(|token| {
                let singular = token.text.strip_suffix('s').unwrap_or(token.text);
                let (name, _) =
                    files.get_key_value(token.text).or_else(|| files.get_key_value(singular))?;
                Some((*name, token.span))
            })
            .collect();
        let Some((first, place)) = named.first() else { continue };
        if denies(&sentence.text) {
            continue;
        }
        // What stands behind the file is not put into it: "the UR file does not depend on Rd".
        for token in tokens.iter().filter(|token| token.span.start < place.start) {
            let meant: Vec<&&Field> = fields
                .iter()
                .filter(|field| field.name.text.eq_ignore_ascii_case(token.text))
                .filter(|field| file_of(field).is_some())
                .collect();
            let agrees = meant
                .iter()
                .any(|field| named.iter().any(|(name, _)| file_of(field) == Some(*name)));
            let Some(field) = meant.first().filter(|_| !agrees) else { continue };
            let file = file_of(field).unwrap_or_default();
            let message = format!(
                "the prose puts `{}` into {first}, its field is of type `{}`, which is {file}",
                token.text, field.ty.name
            );
            let mut diagnostic = Diagnostic::warning(*place, message)
                .label(field.span, format!("`{}` is declared here", field.name.text))
                .help(format!("write `{file}`, or give the field a type of {first}"))
                .code(codes::REGISTER_FILE);
            if named.len() == 1 {
                diagnostic = diagnostic.fix(*place, file);
            }
            found.push(diagnostic);
        }
    }
}

/// Whether a sentence says what is not so, or where something else goes.
fn denies(sentence: &str) -> bool {
    const WORDS: &str = "not no never neither nor without cannot except into";
    const SIGNS: [&str; 5] = ["不", "非", "无", "没", "n't"];
    let mut words = sentence.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| WORDS.split(' ').any(|denial| word.eq_ignore_ascii_case(denial)))
        || SIGNS.iter().any(|sign| sentence.contains(sign))
}

/// The sentences of a text: pieces between line ends, full stops and semicolons.
fn sentences(text: &Text) -> Vec<Text> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let ends = text.text.char_indices().filter(|(at, c)| match c {
        '\n' | '。' | '；' | ';' => true,
        '.' => text.text[at + 1..].starts_with(char::is_whitespace),
        _ => false,
    });
    for end in ends.map(|(at, _)| at).chain([text.text.len()]) {
        if end > start {
            let from = text.span.start as usize + start;
            let span = Span::new(text.span.file, from, from + (end - start));
            let piece = text.text[start..end].to_owned();
            sentences.push(Text { text: piece, span, source: text.source });
        }
        start = end;
    }
    sentences
}
