//! Type declarations → types.

use super::collect::TypeBuild;
use crate::ast::{Argument, NumberValue, Property, TypeForm, TypeStatement, ValueDecl};
use crate::bits::{WORD_BITS, fits};
use crate::codes;
use crate::types::{
    EnumValue, Enumeration, Immediate, LabelForm, NamedRegister, RegisterFile, Type, TypeKind,
    WIDEST_IMMEDIATE,
};
use diag::{Diagnostic, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// Types in order and by name.
pub(crate) struct Types {
    pub list: Vec<Arc<Type>>,
    by_name: HashMap<String, usize>,
}

impl Types {
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Type>> {
        self.by_name.get(name).map(|index| &self.list[*index])
    }
}

pub(crate) fn resolve(builds: Vec<TypeBuild>, diagnostics: &mut Vec<Diagnostic>) -> Types {
    let list: Vec<Arc<Type>> =
        builds.iter().map(|build| Arc::new(one(build, diagnostics))).collect();
    let by_name = list.iter().enumerate().map(|(i, ty)| (ty.name.clone(), i)).collect();
    Types { list, by_name }
}

fn one(build: &TypeBuild, diagnostics: &mut Vec<Diagnostic>) -> Type {
    let decl = &build.decl;
    let most = match decl.form {
        TypeForm::Immediate => WIDEST_IMMEDIATE,
        TypeForm::BitField | TypeForm::Open | TypeForm::Register => WORD_BITS,
    };
    let width = decl.width.and_then(|(bits, span)| {
        if bits >= 1 && bits <= most {
            return Some(bits);
        }
        let message = format!("type `{}` cannot have {bits} bits", decl.name.text);
        let diagnostic = Diagnostic::error(span, message)
            .help(format!("the width is 1 to {most}"))
            .code(codes::FIT);
        diagnostics.push(diagnostic);
        None
    });
    let kind = match decl.form {
        TypeForm::BitField => TypeKind::Enumeration(enumeration(build, width, false, diagnostics)),
        TypeForm::Open => TypeKind::Enumeration(enumeration(build, width, true, diagnostics)),
        TypeForm::Register => TypeKind::Register(register(build, diagnostics)),
        TypeForm::Immediate => TypeKind::Immediate(immediate(build, diagnostics)),
    };
    Type { name: decl.name.text.clone(), width, kind, span: decl.name.span, source: decl.source }
}

fn enumeration(
    build: &TypeBuild,
    width: Option<u32>,
    open: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Enumeration {
    let mut values: Vec<EnumValue> = Vec::new();
    let mut next = Some(0_u128);
    let own = build.decl.statements.iter().map(|statement| (statement, false));
    let refined = build.refinements.iter().map(|statement| (statement, true));
    for (statement, refines) in own.chain(refined) {
        let decl = match statement {
            TypeStatement::Value(decl) => decl,
            TypeStatement::Property(property) => {
                misplaced(property, "a type with named values", diagnostics);
                continue;
            }
        };
        let owner = decl.owner.as_ref().map(|owner| owner.text.clone());
        let old = values.iter().position(|v| v.name == decl.name.text && v.owner == owner);
        if let Some(old) = old.filter(|_| !refines) {
            let message = format!("value `{}` is declared twice", decl.name.text);
            let diagnostic = Diagnostic::error(decl.name.span, message)
                .label(values[old].span, "first declared here")
                .help("remove one of them, or rename it")
                .code(codes::DUPLICATE);
            diagnostics.push(diagnostic);
            continue;
        }
        let kept = old.and_then(|old| values[old].number);
        let number = match decl.number {
            Some(number) => Some(number.value.in_width(width.unwrap_or(WORD_BITS))),
            None if kept.is_some() || open => kept,
            None => next,
        };
        if decl.owner.is_none() && number.is_some() {
            next = number.and_then(|number| number.checked_add(1));
        }
        check_number(decl, number, width, build.decl.width, diagnostics);
        if !open {
            check_unique(decl, number, &values, old, diagnostics);
        }
        let spelling = match (&decl.spelling, old) {
            (Some((text, _)), _) => text.clone(),
            (None, Some(old)) => values[old].spelling.clone(),
            (None, None) => decl.name.text.clone(),
        };
        let name = decl.name.text.clone();
        let value =
            EnumValue { owner, name, number, spelling, span: decl.name.span, source: decl.source };
        match old {
            Some(old) => values[old] = value,
            None => values.push(value),
        }
    }
    check_spellings(&values, diagnostics);
    Enumeration { open, values }
}

fn check_number(
    decl: &ValueDecl,
    number: Option<u128>,
    width: Option<u32>,
    declared: Option<(u32, Span)>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (Some(number), Some(width)) = (number, width) else { return };
    if fits(number, width) {
        return;
    }
    let span = decl.number.map_or(decl.name.span, |number| number.span);
    let message = format!(
        "value `{}` is {number} and does not fit {}",
        decl.name.text,
        crate::bits::count(width)
    );
    let help = format!("widen the type, or number the value below {}", 1_u128 << width.min(127));
    let mut diagnostic = Diagnostic::error(span, message).help(help).code(codes::FIT);
    if let Some((_, place)) = declared {
        diagnostic = diagnostic.label(place, "the width of the type");
    }
    diagnostics.push(diagnostic);
}

fn check_unique(
    decl: &ValueDecl,
    number: Option<u128>,
    values: &[EnumValue],
    own: Option<usize>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let owner = decl.owner.as_ref().map(|owner| &owner.text);
    let clash = values.iter().enumerate().find(|(index, value)| {
        Some(*index) != own && value.number == number && value.owner.as_ref() == owner
    });
    if let (Some((_, other)), Some(number)) = (clash, number) {
        let message = format!("values `{}` and `{}` are both {number}", other.name, decl.name.text);
        let diagnostic = Diagnostic::error(decl.name.span, message)
            .label(other.span, "the first of them")
            .help("give each value a number of its own")
            .code(codes::DUPLICATE);
        diagnostics.push(diagnostic);
    }
}

/// Two values with the same text would make the text ambiguous.
fn check_spellings(values: &[EnumValue], diagnostics: &mut Vec<Diagnostic>) {
    for (index, value) in values.iter().enumerate() {
        let same = |other: &&EnumValue| {
            other.spelling == value.spelling
                && other.owner == value.owner
                && other.name != value.name
        };
        if let Some(other) = values[..index].iter().find(same) {
            let message = format!(
                "values `{}` and `{}` are both spelled `{}`",
                other.name, value.name, value.spelling
            );
            let diagnostic = Diagnostic::error(value.span, message)
                .label(other.span, "the first of them")
                .help("spell them differently: `NAME = number : \"spelling\";`")
                .code(codes::DUPLICATE);
            diagnostics.push(diagnostic);
        }
    }
}

fn register(build: &TypeBuild, diagnostics: &mut Vec<Diagnostic>) -> RegisterFile {
    let mut file = RegisterFile::default();
    for statement in build.decl.statements.iter().chain(&build.refinements) {
        match statement {
            TypeStatement::Value(value) => {
                let number = value.number.map_or(NumberValue::AllOnes, |number| number.value);
                file.named.retain(|named| named.name != value.name.text);
                file.named.push(NamedRegister { name: value.name.text.clone(), number });
            }
            TypeStatement::Property(property) => {
                match (property.keyword.text.as_str(), &property.argument) {
                    ("Prefix", Some(Argument::Name(name))) => file.prefix.clone_from(&name.text),
                    ("File", Some(Argument::Name(name))) => file.file = Some(name.text.clone()),
                    ("Pair", Some(Argument::Number(bits, span))) => match u32::try_from(*bits) {
                        Ok(bits) => file.pair = (bits > 0).then_some(bits),
                        Err(_) => diagnostics.push(
                            Diagnostic::error(*span, "a pair cannot be that wide").code(codes::FIT),
                        ),
                    },
                    _ => misplaced(property, "a register type", diagnostics),
                }
            }
        }
    }
    if file.prefix.is_empty() {
        let name = &build.decl.name;
        let message = format!("register type `{}` has no prefix", name.text);
        let diagnostic = Diagnostic::error(name.span, message)
            .help("say how registers begin, such as `Prefix<R>;` for `R0`")
            .code(codes::MISSING);
        diagnostics.push(diagnostic);
    }
    file
}

fn immediate(build: &TypeBuild, diagnostics: &mut Vec<Diagnostic>) -> Immediate {
    let mut immediate = Immediate::default();
    const HIGHEST: u128 = 1 << 32;
    for statement in build.decl.statements.iter().chain(&build.refinements) {
        let property = match statement {
            TypeStatement::Property(property) => property,
            TypeStatement::Value(value) => {
                let message = format!("`{}` stands in an immediate type", value.name.text);
                let diagnostic = Diagnostic::error(value.name.span, message)
                    .help("immediates have no named values; use `__DefBitFieldType`")
                    .code(codes::WRONG_HEADING);
                diagnostics.push(diagnostic);
                continue;
            }
        };
        match (property.keyword.text.as_str(), &property.argument) {
            ("Signed", None) => immediate.signed = true,
            ("Radix", Some(Argument::Number(10, _))) => immediate.radix = 10,
            ("Radix", Some(Argument::Number(16, _))) => immediate.radix = 16,
            ("Scale", Some(Argument::Number(scale @ 1..=HIGHEST, _))) => immediate.scale = *scale,
            ("Relative", Some(Argument::Number(offset @ 0..=HIGHEST, _))) => {
                immediate.relative = Some(*offset);
            }
            (keyword @ ("Label" | "IndirectLabel"), Some(Argument::Text(text, span))) => {
                match LabelForm::new(text, keyword == "IndirectLabel") {
                    Some(form) => immediate.label = Some(form),
                    None => diagnostics.push(unnumbered(*span)),
                }
            }
            (_, argument) => {
                let span = argument.as_ref().map_or(property.keyword.span, Argument::span);
                misplaced_at(property, span, "an immediate type", diagnostics);
            }
        }
    }
    immediate
}

fn unnumbered(label: Span) -> Diagnostic {
    Diagnostic::error(label, "the label has no number, or no name before it")
        .help("write the label of number 0 with the marks around it, such as `.L_0`")
        .code(codes::FIT)
}

fn misplaced(property: &Property, whose: &str, diagnostics: &mut Vec<Diagnostic>) {
    misplaced_at(property, property.keyword.span, whose, diagnostics);
}

fn misplaced_at(property: &Property, span: Span, whose: &str, diagnostics: &mut Vec<Diagnostic>) {
    let message = format!("{whose} cannot have this `{}`", property.keyword.text);
    let diagnostic = Diagnostic::error(span, message)
        .help(
            "registers take `Prefix<name>`, `File<name>`, `Pair<bits>`; immediates take `Signed`, \
             `Radix<10>`, `Radix<16>`, `Scale<n>`, `Relative<n>`, `Label<\"text\">`, `IndirectLabel<\"text\">`",
        )
        .code(codes::FIT);
    diagnostics.push(diagnostic);
}
