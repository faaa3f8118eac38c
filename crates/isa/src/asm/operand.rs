//! Operands in text: registers, register pairs, numbers, labels.

use super::label::is_label;
use super::token::{AsmToken, TokenKind};
use crate::model::{Field, Role};
use crate::types::{
    Immediate, RegisterError, RegisterFile, RegisterForm, TypeKind, is_label_char, register_number,
};
use diag::Span;

/// What text says about a field.
#[derive(Clone, Debug)]
pub(crate) enum Got {
    /// A number of the field itself: a modifier, an attribute.
    Number(u128),
    /// A register; `form` is `None` for one that is written the same alone and as a pair.
    Register { number: u128, form: Option<RegisterForm>, span: Span },
    /// A number as text shows it, before scale and base are taken off.
    Shown { shown: i128, span: Span },
    /// A label.
    Label { name: String, span: Span },
}

/// What would be an operand of a field, in words.
pub(crate) fn describe_operand(field: &Field) -> String {
    let name = &field.name.text;
    match (&field.role, &field.ty.kind) {
        (Role::Fixed(number), TypeKind::Register(_)) => {
            format!(
                "`{}` for `{name}`",
                field.ty.name_of(*number, field.width()).unwrap_or_default()
            )
        }
        (_, TypeKind::Register(file)) => {
            let last = file.last(field.width());
            let named: String =
                file.named.iter().map(|named| format!(" or `{}`", named.name)).collect();
            format!("`{0}0` … `{0}{last}`{named} for `{name}`", file.prefix)
        }
        (_, TypeKind::Immediate(immediate)) if immediate.relative.is_some() => {
            format!("an address or a label for `{name}`")
        }
        (_, TypeKind::Immediate(_)) => format!("a number for `{name}`"),
        (_, TypeKind::Enumeration(_)) => format!("a value for `{name}`"),
    }
}

/// Reads the operand of `field` at token `at`; returns it and the token after it. The error says what is
/// wrong with the token when it is almost right.
pub(crate) fn read_operand(
    field: &Field,
    tokens: &[AsmToken<'_>],
    at: usize,
) -> Result<(Got, usize), Option<String>> {
    let (got, next) = match &field.ty.kind {
        TypeKind::Register(file) => read_register(field, file, tokens, at)?,
        TypeKind::Immediate(immediate) => read_number(immediate, tokens, at).ok_or(None)?,
        TypeKind::Enumeration(_) => return Err(None),
    };
    // A register that the opcode fixes is part of what tells forms apart.
    match (&field.role, &got) {
        (Role::Fixed(fixed), Got::Register { number, .. }) if fixed != number => Err(None),
        _ => Ok((got, next)),
    }
}

fn read_register(
    field: &Field,
    file: &RegisterFile,
    tokens: &[AsmToken<'_>],
    at: usize,
) -> Result<(Got, usize), Option<String>> {
    let width = field.width();
    let token = tokens.get(at).ok_or(None)?;
    let TokenKind::Word(word) = token.kind else { return Err(None) };
    let bracket = tokens.get(at + 1).is_some_and(|next| next.is_mark('[') && next.glued);
    if word == file.prefix && bracket {
        return read_pair(width, tokens, at).map_err(Some);
    }
    match file.parse(word, width) {
        Ok(number) => {
            let named = file.named.iter().any(|named| named.name == word);
            let form = (!named).then_some(RegisterForm::Single);
            Ok((Got::Register { number, form, span: token.span }, at + 1))
        }
        Err(RegisterError::NotARegister) => Err(None),
        Err(RegisterError::Named(name)) => {
            Err(Some(format!("register `{word}` is called `{name}`")))
        }
        Err(RegisterError::OutOfRange) => {
            Err(Some(format!("`{word}` is past the last register of the field")))
        }
    }
}

/// `R[2:3]`, at the token of the prefix. The error says what is wrong.
fn read_pair(width: u32, tokens: &[AsmToken<'_>], at: usize) -> Result<(Got, usize), String> {
    const SHAPE: &str = "a register pair is written like `R[2:3]`";
    let number = |at: usize| match tokens.get(at).map(|token| token.kind) {
        Some(TokenKind::Word(word)) => register_number(word).ok_or(SHAPE),
        Some(TokenKind::Mark(_)) | None => Err(SHAPE),
    };
    let mark = |at: usize, mark: char| match tokens.get(at) {
        Some(token) if token.is_mark(mark) => Ok(token.span),
        _ => Err(SHAPE),
    };
    let first = number(at + 2)?;
    mark(at + 3, ':')?;
    let second = number(at + 4)?;
    let end = mark(at + 5, ']')?;
    if second != first + 1 {
        return Err(format!("the second register of the pair is {}, not {second}", first + 1));
    }
    if !crate::bits::fits(first, width) {
        return Err(format!("register {first} is past the last register of the field"));
    }
    let span = tokens[at].span.to(end);
    Ok((Got::Register { number: first, form: Some(RegisterForm::Pair), span }, at + 6))
}

fn read_number(immediate: &Immediate, tokens: &[AsmToken<'_>], at: usize) -> Option<(Got, usize)> {
    let first = tokens.get(at)?;
    let negative = first.is_mark('-');
    let digits_at = at + usize::from(negative);
    let digits = tokens.get(digits_at)?;
    if let TokenKind::Word(word) = digits.kind
        && word.starts_with(|c: char| c.is_ascii_digit())
    {
        let magnitude = i128::try_from(crate::lexer::parse_int(word)?).ok()?;
        let shown = if negative { -magnitude } else { magnitude };
        return Some((Got::Shown { shown, span: first.span.to(digits.span) }, digits_at + 1));
    }
    immediate.relative?;
    // With the marks of the type around it, or bare.
    let marked = immediate.label.as_ref().and_then(|form| {
        let (name, span, next) = read_label(tokens, skip_marks(tokens, at, &form.before)?)?;
        Some((name, span, skip_marks(tokens, next, &form.after)?))
    });
    let (name, span, next) = marked.or_else(|| read_label(tokens, at))?;
    Some((Got::Label { name, span }, next))
}

/// The token after some marks.
fn skip_marks(tokens: &[AsmToken<'_>], at: usize, marks: &str) -> Option<usize> {
    marks.chars().filter(|mark| !mark.is_whitespace()).try_fold(at, |at, mark| {
        tokens.get(at).is_some_and(|token| token.is_mark(mark)).then_some(at + 1)
    })
}

/// A label at token `at`: its name, its span, and the token after it.
pub(crate) fn read_label(tokens: &[AsmToken<'_>], at: usize) -> Option<(String, Span, usize)> {
    let part = |token: &AsmToken<'_>| match token.kind {
        TokenKind::Word(_) => true,
        TokenKind::Mark(mark) => is_label_char(mark),
    };
    let rest = tokens.get(at..)?;
    let more = rest.iter().skip(1).take_while(|token| token.glued && part(token)).count();
    let parts = rest.get(..=more).filter(|parts| parts.iter().all(part))?;
    let mut name = String::new();
    for token in parts {
        match token.kind {
            TokenKind::Word(word) => name.push_str(word),
            TokenKind::Mark(mark) => name.push(mark),
        }
    }
    let span = parts.first()?.span.to(parts.last()?.span);
    is_label(&name).then_some((name, span, at + parts.len()))
}
