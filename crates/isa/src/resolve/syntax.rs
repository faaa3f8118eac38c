//! Binding a syntax line to the fields of an opcode.

use super::collect::DeclBuild;
use super::resolver::{Resolver, undeclared};
use crate::ast::SectionKind;
use crate::codes;
use crate::model::{Field, Opcode};
use crate::names::nearest;
use crate::syntax::{Piece, Step, Syntax, pieces, syntax_line};
use crate::types::TypeKind;
use diag::{Diagnostic, Span};
use std::collections::BTreeMap;

impl Resolver<'_> {
    pub(super) fn syntax(&mut self, opcode: &mut Opcode, has_order: bool) {
        let Some(section) = opcode.sections.get(&SectionKind::Syntax) else { return };
        let Some(line) = syntax_line(section) else { return };
        let (text, start) = (line.text, line.span.start as usize);
        let file = line.span.file;
        let at = move |from: usize, to: usize| Span::new(file, start + from, start + to);
        let end = text.find(';').unwrap_or_else(|| {
            let end = text.trim_end().len();
            let diagnostic =
                Diagnostic::error(at(end, end), "the syntax line does not end with `;`")
                    .help("write `;` here")
                    .code(codes::SYNTAX);
            self.report(diagnostic);
            end
        });
        let pieces = match pieces(&text[..end], &at) {
            Ok(pieces) => pieces,
            Err((span, message)) => {
                let diagnostic = Diagnostic::error(span, message)
                    .help("a syntax line is `NAME.modifier operand, {optional, } operand ;`")
                    .code(codes::SYNTAX);
                self.report(diagnostic);
                return;
            }
        };
        let mut binder = Binder {
            opcode,
            operands: BTreeMap::new(),
            steps: Vec::new(),
            controls: Vec::new(),
            shown: Vec::new(),
            problems: Vec::new(),
        };
        let mnemonic = match pieces.first() {
            Some(Piece::Word(word, _)) => word.clone(),
            _ => {
                let diagnostic = Diagnostic::error(line.span, "the syntax line has no mnemonic")
                    .help("begin it with the name of the instruction")
                    .code(codes::SYNTAX);
                self.report(diagnostic);
                return;
            }
        };
        let guard = binder.bind_operands(&pieces[1..], has_order, line.span);
        if let Some(guard) = guard {
            binder.guard_steps(guard);
        }
        binder.steps.push(Step::Word(mnemonic.clone()));
        binder.pieces(&pieces[1..], None);
        let mut words = Vec::new();
        operand_words(&pieces[1..], &mut words);
        let operands = words
            .into_iter()
            .filter_map(|(word, span)| Some((word, *binder.operands.get(&span.start)?)))
            .collect();
        let Binder { mut steps, controls, shown, problems, .. } = binder;
        trim(&mut steps);
        let shown_line = text[..end].split('$').next().unwrap_or("").trim().to_owned();
        opcode.guard = guard;
        opcode.syntax =
            Some(Syntax { mnemonic, line: shown_line, steps, controls, shown, operands });
        self.diagnostics.extend(problems);
    }
}

/// Drops white space at the end of the line.
fn trim(steps: &mut Vec<Step>) {
    while steps.last() == Some(&Step::Space) {
        steps.pop();
    }
}

struct Binder<'a> {
    opcode: &'a Opcode,
    /// The field of each operand word, by where the word begins.
    operands: BTreeMap<u32, usize>,
    steps: Vec<Step>,
    controls: Vec<(String, Span)>,
    shown: Vec<usize>,
    problems: Vec<Diagnostic>,
}

impl Binder<'_> {
    fn fields(&self) -> &[Field] {
        &self.opcode.fields
    }

    /// Finds the operand of every operand word, and the guard: the operand that `Order` lists first and
    /// the line does not show. Words that name no field stand, in order, for the operands that no other
    /// word names.
    fn bind_operands(&mut self, pieces: &[Piece], has_order: bool, line: Span) -> Option<usize> {
        let mut words = Vec::new();
        operand_words(pieces, &mut words);
        let order = &self.opcode.order;
        let candidates: Vec<usize> =
            if has_order { order.clone() } else { (0..self.fields().len()).collect() };
        let mut unnamed: Vec<usize> = order.clone();
        let mut placeholders = Vec::new();
        for (word, span) in words {
            let named = candidates
                .iter()
                .copied()
                .find(|index| self.fields()[*index].name.text.eq_ignore_ascii_case(&word));
            match named {
                Some(index) => {
                    unnamed.retain(|other| *other != index);
                    self.operands.insert(span.start, index);
                }
                None if has_order && self.unlisted(&word, span) => {}
                None => placeholders.push((word, span)),
            }
        }
        let guard_left_out = unnamed.len() == placeholders.len() + 1
            && unnamed.first() == order.first()
            && has_order;
        let guard = if guard_left_out { Some(unnamed.remove(0)) } else { None };
        // With one word too many the guard, which comes first, would stand behind another operand.
        let misplaced_guard = unnamed.first() == order.first()
            && placeholders
                .first()
                .is_some_and(|(_, first)| self.operands.keys().any(|start| *start < first.start));
        if misplaced_guard && has_order {
            let surplus = placeholders.len().saturating_sub(1);
            self.operand_mismatch(&unnamed, &placeholders[surplus..], line);
        } else if unnamed.len() == placeholders.len() {
            for (index, (_, span)) in unnamed.iter().zip(&placeholders) {
                self.operands.insert(span.start, *index);
            }
        } else {
            self.operand_mismatch(&unnamed, &placeholders, line);
        }
        self.check_order(guard, line);
        guard
    }

    /// Reports a word of the line that names a field which `Order` does not list.
    fn unlisted(&mut self, word: &str, span: Span) -> bool {
        let mut fields = self.fields().iter();
        let Some(field) = fields.find(|field| field.name.text.eq_ignore_ascii_case(word)) else {
            return false;
        };
        let message =
            format!("`Order` of `{}` does not list `{}`", self.opcode.name, field.name.text);
        let diagnostic = Diagnostic::error(span, message)
            .label(field.name.span, "the field is declared here")
            .help("list it in `Order`, and in `InList` or `OutList`")
            .code(codes::SYNTAX_OPERAND);
        self.problems.push(diagnostic);
        true
    }

    fn operand_mismatch(&mut self, unnamed: &[usize], words: &[(String, Span)], line: Span) {
        let fields = &self.opcode.fields;
        let names: Vec<&str> = fields.iter().map(|field| field.name.text.as_str()).collect();
        for (word, span) in words {
            let message = format!("`{word}` is not an operand of `{}`", self.opcode.name);
            let diagnostic = undeclared(*span, message, word, &names, "name operands of `Order`")
                .label(self.opcode.span, "the opcode is declared here");
            self.problems.push(diagnostic.code(codes::SYNTAX_OPERAND));
        }
        // The guard may be left out.
        let unnamed = match unnamed {
            [first, rest @ ..] if !rest.is_empty() && self.opcode.order.first() == Some(first) => {
                rest
            }
            all => all,
        };
        for index in unnamed.iter().filter(|_| words.is_empty()) {
            let field = &fields[*index];
            let message = format!(
                "the syntax line of `{}` does not show operand `{}`",
                self.opcode.name, field.name.text
            );
            let diagnostic = Diagnostic::error(line, message)
                .label(field.name.span, "declared here")
                .help("only the guard, first in `Order`, may be left out of the line")
                .code(codes::SYNTAX_OPERAND);
            self.problems.push(diagnostic);
        }
    }

    fn check_order(&mut self, guard: Option<usize>, line: Span) {
        let shown: Vec<usize> = self.operands.values().copied().collect();
        let order: Vec<usize> =
            self.opcode.order.iter().copied().filter(|index| Some(*index) != guard).collect();
        let complete = shown.len() == order.len() && shown.iter().all(|i| order.contains(i));
        if complete && shown != order {
            let list = |indices: &[usize]| {
                let names: Vec<&str> =
                    indices.iter().map(|i| self.opcode.fields[*i].name.text.as_str()).collect();
                names.join(", ")
            };
            let message = format!(
                "the syntax line of `{}` shows {}, `Order` says {}",
                self.opcode.name,
                list(&shown),
                list(&order)
            );
            let diagnostic = Diagnostic::error(line, message)
                .label(self.opcode.span, "the opcode is declared here")
                .help("bring the line and `Order` into the same order")
                .code(codes::SYNTAX_OPERAND);
            self.problems.push(diagnostic);
        }
    }

    /// `@`, the guard with its negation, and a space; left out when the guard has its default.
    fn guard_steps(&mut self, guard: usize) {
        let start = self.steps.len();
        self.steps.push(Step::Optional { end: 0, fields: Vec::new() });
        self.steps.push(Step::Mark('@'));
        let mut fields = vec![guard];
        for (index, field) in self.opcode.fields.iter().enumerate() {
            let of_guard = field.name.base() == self.opcode.fields[guard].name.text;
            if of_guard && field.name.attribute().is_some() {
                self.steps.push(Step::Affix(index));
                fields.push(index);
            }
        }
        self.steps.push(Step::Operand(guard));
        self.steps.push(Step::Space);
        self.shown.extend(&fields);
        let end = self.steps.len();
        let has_default = fields.iter().all(|i| self.opcode.fields[*i].implied().is_some());
        if has_default {
            self.steps[start] = Step::Optional { end, fields };
        } else {
            self.steps.remove(start);
        }
    }

    fn pieces(&mut self, pieces: &[Piece], before: Option<usize>) {
        // The operand last seen: the one that a modifier such as `{.reuse}` may belong to.
        let mut last = before;
        for (nth, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Space => {
                    if self.steps.last() != Some(&Step::Space) {
                        self.steps.push(Step::Space);
                    }
                }
                Piece::Mark(mark) => self.steps.push(Step::Mark(*mark)),
                Piece::Control(name, span) => self.controls.push((name.clone(), *span)),
                Piece::Word(word, span) => match self.operands.get(&span.start).copied() {
                    Some(index) => {
                        self.steps.push(Step::Operand(index));
                        self.shown.push(index);
                        last = Some(index);
                    }
                    None => self.steps.push(Step::Word(word.clone())),
                },
                Piece::Modifier(name, span) => {
                    if let Some(index) = self.modifier(name, *span, last) {
                        self.steps.push(Step::Modifier(index));
                        self.shown.push(index);
                    }
                }
                Piece::Group(inner, span) => {
                    let next = pieces[nth + 1..].iter().find_map(|piece| match piece {
                        Piece::Word(_, span) => self.operands.get(&span.start).copied(),
                        _ => None,
                    });
                    self.group(inner, *span, last, next);
                }
            }
        }
    }

    fn modifier(&mut self, name: &str, span: Span, last: Option<usize>) -> Option<usize> {
        let of_operand = last.and_then(|index| {
            let attribute = format!("{}.{name}", self.fields()[index].name.text);
            self.opcode.field_index(&attribute)
        });
        let found = of_operand
            .or_else(|| self.opcode.field_index(name))
            .or_else(|| self.opcode.field_index(&format!("${name}")))
            .filter(|index| matches!(self.fields()[*index].ty.kind, TypeKind::Enumeration(_)));
        if found.is_none() {
            let names = self.opcode.fields.iter().filter_map(|field| match field.ty.kind {
                TypeKind::Enumeration(_) => Some(field.name.text.as_str()),
                TypeKind::Register(_) | TypeKind::Immediate(_) => None,
            });
            let message = format!("no field of `{}` is the modifier `.{name}`", self.opcode.name);
            let mut diagnostic = Diagnostic::error(span, message).code(codes::MODIFIER);
            diagnostic = match nearest(name, names) {
                Some(near) => diagnostic
                    .help(format!("did you mean `.{near}`?"))
                    .fix(span, format!(".{near}")),
                None => diagnostic.help("declare a field of this name with a bit field type"),
            };
            self.problems.push(diagnostic.label(self.opcode.span, "the opcode is declared here"));
        }
        found
    }

    /// A part in braces: `{!}` before an operand is its attribute, anything else may be left out.
    fn group(&mut self, inner: &[Piece], span: Span, last: Option<usize>, next: Option<usize>) {
        if let [Piece::Mark(mark)] = inner {
            self.affix(*mark, span, next);
            return;
        }
        let start = self.steps.len();
        let shown = self.shown.len();
        let problems = self.problems.len();
        self.steps.push(Step::Optional { end: 0, fields: Vec::new() });
        self.pieces(inner, last);
        let fields: Vec<usize> = self.shown[shown..].to_vec();
        let end = self.steps.len();
        self.steps[start] = Step::Optional { end, fields: fields.clone() };
        if fields.is_empty() && self.problems.len() == problems {
            let diagnostic = Diagnostic::error(span, "the part in braces shows no field")
                .help("nothing would say whether the text has it")
                .code(codes::OPTIONAL);
            self.problems.push(diagnostic);
        }
        for index in fields {
            let field = &self.opcode.fields[index];
            if field.implied().is_none() && !field.is_fixed() {
                let message =
                    format!("`{}` can be left out of the text but has no default", field.name.text);
                let diagnostic = Diagnostic::error(span, message)
                    .label(field.name.span, "declared here without `= value`")
                    .help("give the field a default, or remove the braces")
                    .code(codes::OPTIONAL);
                self.problems.push(diagnostic);
            }
        }
    }

    fn affix(&mut self, mark: char, span: Span, next: Option<usize>) {
        let spelled = mark.to_string();
        let found = next.and_then(|operand| {
            let base = &self.fields()[operand].name.text;
            self.fields().iter().position(|field| {
                field.name.attribute().is_some()
                    && field.name.base() == base
                    && matches!(&field.ty.kind, TypeKind::Enumeration(names)
                        if names.values.iter().any(|value| value.spelling == spelled))
            })
        });
        match found {
            Some(index) => {
                self.steps.push(Step::Affix(index));
                self.shown.push(index);
            }
            None => {
                let whose = next.map_or_else(
                    || "no operand follows".to_owned(),
                    |i| {
                        format!(
                            "`{}` has no attribute with this spelling",
                            self.fields()[i].name.text
                        )
                    },
                );
                let message = format!("`{{{mark}}}` stands for no field: {whose}");
                let diagnostic = Diagnostic::error(span, message)
                    .label(self.opcode.span, "the opcode is declared here")
                    .help("declare `field<bit, 1> PModi operand.not = False;` for `!`, with `SignModi` for `~`")
                    .code(codes::MODIFIER);
                self.problems.push(diagnostic);
            }
        }
    }
}

/// The words of a syntax line that are operands. A word before `[` stands for itself.
fn operand_words(pieces: &[Piece], into: &mut Vec<(String, Span)>) {
    for (nth, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Word(word, span) => {
                if !matches!(pieces.get(nth + 1), Some(Piece::Mark('['))) {
                    into.push((word.clone(), *span));
                }
            }
            Piece::Group(inner, _) => operand_words(inner, into),
            Piece::Modifier(..) | Piece::Control(..) | Piece::Mark(_) | Piece::Space => {}
        }
    }
}

/// A word that names no field is a placeholder such as `SrcB`, for operands that differ from form to
/// form. One that is the same operand in every form is more likely a slip.
pub(super) fn check_placeholders(
    opcodes: &[Opcode],
    decls: &[DeclBuild],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for decl in decls {
        let Some(section) = decl.decl.prose.iter().find(|s| s.kind == SectionKind::Syntax) else {
            continue;
        };
        let Some(line) = syntax_line(section) else { continue };
        let at = |from: usize, to: usize| {
            let start = line.span.start as usize;
            Span::new(line.span.file, start + from, start + to)
        };
        let end = line.text.find(';').unwrap_or(line.text.len());
        let Ok(pieces) = pieces(&line.text[..end], &at) else { continue };
        let mut words = Vec::new();
        operand_words(pieces.get(1..).unwrap_or_default(), &mut words);
        let users: Vec<&Opcode> = opcodes
            .iter()
            .filter(|opcode| {
                opcode.syntax.is_some()
                    && opcode
                        .sections
                        .get(&SectionKind::Syntax)
                        .is_some_and(|s| s.heading == section.heading)
            })
            .collect();
        for (nth, (word, span)) in words.iter().enumerate() {
            let mut meant: Vec<&str> = Vec::new();
            for opcode in &users {
                let shown = opcode.order.iter().filter(|index| Some(**index) != opcode.guard);
                let Some(index) = shown.clone().nth(nth) else { continue };
                let name = opcode.fields[*index].name.text.as_str();
                if !meant.contains(&name) {
                    meant.push(name);
                }
            }
            if let [name] = meant[..]
                && !name.eq_ignore_ascii_case(word)
                && users.iter().all(|opcode| opcode.field_index(&word.to_lowercase()).is_none())
            {
                let message = format!("`{word}` names no field; every form has `{name}` there");
                let diagnostic = Diagnostic::warning(*span, message)
                    .label(decl.decl.name.span, "in the syntax line of this declaration")
                    .help(format!("write `{name}`"))
                    .fix(*span, name)
                    .code(codes::SYNTAX_OPERAND);
                diagnostics.push(diagnostic);
            }
        }
    }
}
