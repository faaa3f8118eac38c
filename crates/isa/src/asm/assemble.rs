//! Assembly text → words.

use super::data::{Data, Hidden};
use super::matcher::{Capture, Failure, match_statement};
use super::operand::Got;
use super::statement::{Statement, statements};
use super::token::{AsmToken, TokenKind};
use super::{Assembly, Content, Line, Program, WORD_BYTES, Word};
use crate::codes;
use crate::instruction::Instruction;
use crate::model::{Description, Opcode, Role};
use crate::names::nearest;
use crate::types::{ImmediateError, RegisterForm, TypeKind};
use crate::unknown::Reason;
use diag::{Diagnostic, FileId, Sources, Span};
use std::collections::BTreeMap;

/// After so many errors the rest of a file is not looked at.
const MOST_ERRORS: usize = 100;
/// So many alternatives are listed in "expected …".
const MOST_EXPECTED: usize = 12;

/// Where a label stands.
#[derive(Clone, Copy)]
struct Label {
    /// The number of the section, 0 before the first `.section`.
    section: usize,
    /// Its address in the section.
    address: u64,
}

/// What an instruction's operands may refer to.
struct Context<'a> {
    section: usize,
    address: u64,
    labels: &'a BTreeMap<String, Label>,
}

impl Description {
    /// Assembles a file of `sources`. Addresses count from 0, 16 bytes a word.
    ///
    /// # Errors
    /// Every error found, with codes `A…`; nothing is assembled then.
    pub fn assemble(&self, sources: &Sources, file: FileId) -> Result<Assembly, Vec<Diagnostic>> {
        let program = self.program(sources, file)?;
        let mut errors = Vec::new();
        let mut words = Vec::with_capacity(program.lines.len());
        let mut warnings = program.warnings;
        for line in &program.lines {
            let word = match &line.content {
                Content::Word(word) => *word,
                Content::Instruction(instruction) => match word_of(instruction, line.span) {
                    Ok(word) => {
                        warnings.extend(stale(word, line.shown));
                        word
                    }
                    Err(diagnostic) => {
                        errors.push(*diagnostic);
                        0
                    }
                },
            };
            words.push(Word { address: line.address, word, span: line.span });
            if errors.len() >= MOST_ERRORS {
                break;
            }
        }
        if errors.is_empty() {
            Ok(Assembly { words, labels: program.labels, warnings })
        } else {
            Err(errors)
        }
    }

    /// Reads an assembly file without making words: instructions whose number the description leaves
    /// open are accepted.
    ///
    /// # Errors
    /// Every error found, with codes `A…`.
    pub fn program(&self, sources: &Sources, file: FileId) -> Result<Program<'_>, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let statements = statements(file, sources.file(file).text(), &mut errors);
        let labels = labels(&statements, &mut errors);
        let mut lines = Vec::new();
        let (mut section, mut address) = (0, 0);
        for statement in &statements {
            let (content, span, shown) = match statement {
                Statement::Label(..) => continue,
                Statement::Section => {
                    (section, address) = (section + 1, 0);
                    continue;
                }
                Statement::Word(word, span) => (Content::Word(*word), *span, None),
                Statement::Instruction { tokens, span, data } => {
                    let context = Context { section, address, labels: &labels };
                    match self.statement(tokens, *span, data.as_ref(), &context) {
                        Ok(instruction) => {
                            let shown = data.as_ref().and_then(Data::word);
                            (Content::Instruction(instruction), *span, shown)
                        }
                        Err(diagnostic) => {
                            errors.push(*diagnostic);
                            (Content::Word(0), *span, None)
                        }
                    }
                }
            };
            lines.push(Line { address, span, content, shown });
            address += WORD_BYTES;
            if errors.len() >= MOST_ERRORS {
                break;
            }
        }
        let labels = labels.into_iter().map(|(name, label)| (name, label.address)).collect();
        errors.truncate(MOST_ERRORS);
        let program = Program { lines, labels, warnings: Vec::new() };
        if errors.is_empty() { Ok(program) } else { Err(errors) }
    }

    /// The instruction that one line of text is, whether or not its number is known. Labels are not
    /// allowed. `file` and `start` say where the line stands.
    pub(crate) fn instruction_of_line<'d>(
        &'d self,
        file: FileId,
        line: &str,
        start: usize,
    ) -> Result<Instruction<'d>, Box<Diagnostic>> {
        let tokens = super::token::tokens(file, line, start);
        let labels = BTreeMap::new();
        let context = Context { section: 0, address: 0, labels: &labels };
        let span = Span::new(file, start, start + line.trim_end().len());
        self.statement(&tokens, span, None, &context)
    }

    fn statement<'d>(
        &'d self,
        tokens: &[AsmToken<'_>],
        span: Span,
        data: Option<&Data>,
        context: &Context<'_>,
    ) -> Result<Instruction<'d>, Box<Diagnostic>> {
        let (mnemonic, mnemonic_span) = mnemonic(tokens, span)?;
        let Some(forms) = self.by_mnemonic.get(mnemonic) else {
            return Err(self.unknown_mnemonic(mnemonic, mnemonic_span));
        };
        let mut failure = Failure::default();
        let mut found: Vec<Instruction<'d>> = Vec::new();
        let mut problem: Option<Box<Diagnostic>> = None;
        for index in forms {
            let opcode = &self.opcodes[*index];
            let Some(syntax) = &opcode.syntax else { continue };
            match match_statement(opcode, syntax, tokens) {
                Ok(captures) => match finish(opcode, &captures, span, data, context) {
                    Ok(instruction) => found.push(instruction),
                    Err(diagnostic) => problem = Some(diagnostic),
                },
                Err(other) => failure.merge(other),
            }
        }
        match found.len() {
            0 => Err(problem.unwrap_or_else(|| no_form(mnemonic, tokens, span, failure))),
            1 => Ok(found.remove(0)),
            _ => {
                let names: Vec<&str> = found.iter().map(|i| i.opcode().name.as_str()).collect();
                let message = format!("the text fits {}", names.join(" and "));
                let diagnostic = Diagnostic::error(span, message)
                    .help("give the forms different text in the description")
                    .code(codes::ASM_AMBIGUOUS);
                Err(Box::new(diagnostic))
            }
        }
    }

    fn unknown_mnemonic(&self, mnemonic: &str, span: Span) -> Box<Diagnostic> {
        let names = self.by_mnemonic.keys().map(String::as_str);
        let mut sorted: Vec<&str> = names.collect();
        sorted.sort_unstable();
        let message = format!("`{mnemonic}` is no instruction of {}", self.name);
        let diagnostic = Diagnostic::error(span, message).code(codes::ASM_MNEMONIC);
        Box::new(match nearest(mnemonic, sorted.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")).fix(span, near),
            None if sorted.len() <= 2 * MOST_EXPECTED => {
                diagnostic.help(format!("it has {}", sorted.join(", ")))
            }
            None => diagnostic.help("write a word that has no instruction as `.word 0x…`"),
        })
    }
}

fn labels(statements: &[Statement<'_>], errors: &mut Vec<Diagnostic>) -> BTreeMap<String, Label> {
    let mut labels: BTreeMap<String, Label> = BTreeMap::new();
    let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
    let (mut section, mut address) = (0, 0);
    for statement in statements {
        match statement {
            Statement::Label(name, span) => {
                if let Some(first) = spans.get(name.as_str()) {
                    let diagnostic =
                        Diagnostic::error(*span, format!("label `{name}` is defined twice"))
                            .label(*first, "first defined here")
                            .help("rename one of them")
                            .code(codes::ASM_LABEL);
                    errors.push(diagnostic);
                } else {
                    spans.insert(name, *span);
                    labels.insert(name.clone(), Label { section, address });
                }
            }
            Statement::Section => (section, address) = (section + 1, 0),
            Statement::Word(..) | Statement::Instruction { .. } => address += WORD_BYTES,
        }
    }
    labels
}

/// The word that names the instruction: the first one, after a guard if there is one.
fn mnemonic<'a>(tokens: &[AsmToken<'a>], span: Span) -> Result<(&'a str, Span), Box<Diagnostic>> {
    let guarded = tokens.first().is_some_and(|token| token.is_mark('@'));
    let mut words = tokens.iter().filter_map(|token| match token.kind {
        TokenKind::Word(word) => Some((word, token.span)),
        TokenKind::Mark(_) => None,
    });
    let first_is_word = tokens.first().is_some_and(|t| matches!(t.kind, TokenKind::Word(_)));
    let found = match guarded {
        true => words.nth(1),
        false if first_is_word => words.next(),
        false => None,
    };
    found.ok_or_else(|| {
        let diagnostic = Diagnostic::error(span, "expected an instruction")
            .help("a line is `[@guard] NAME.modifiers operands ;`, `label:`, or `.word number ;`")
            .code(codes::ASM_SYNTAX);
        Box::new(diagnostic)
    })
}

fn no_form(
    mnemonic: &str,
    tokens: &[AsmToken<'_>],
    span: Span,
    failure: Failure<'_>,
) -> Box<Diagnostic> {
    let mut expected: Vec<String> = Vec::new();
    for one in &failure.expected {
        let words = one.describe();
        if !expected.contains(&words) {
            expected.push(words);
        }
    }
    let more = expected.len() > MOST_EXPECTED;
    expected.truncate(MOST_EXPECTED);
    let mut list = expected.join(", ");
    if more {
        list.push_str(", …");
    }
    let (place, found) = match tokens.get(failure.at) {
        Some(token) => (token.span, token.describe()),
        None => (Span { start: span.end, ..span }, "the end".to_owned()),
    };
    let code = if failure.problem.is_some() { codes::ASM_VALUE } else { codes::ASM_FORM };
    let message =
        failure.problem.unwrap_or_else(|| format!("{found} cannot stand here in `{mnemonic}`"));
    let diagnostic = Diagnostic::error(place, message)
        .label(span, "")
        .help(format!("expected {list}"))
        .code(code);
    Box::new(diagnostic)
}

/// Captures → instruction: numbers are brought into their fields, hidden fields are taken from the data
/// comment, and the whole is validated.
fn finish<'d>(
    opcode: &'d Opcode,
    captures: &[Capture],
    span: Span,
    data: Option<&Data>,
    context: &Context<'_>,
) -> Result<Instruction<'d>, Box<Diagnostic>> {
    let hidden = match data {
        Some(data) => data.resolve(opcode)?,
        None => Hidden::default(),
    };
    let mut values: Vec<Option<u128>> = opcode.fields.iter().map(|f| f.implied()).collect();
    let mut set = vec![false; values.len()];
    for capture in captures {
        let number = number_of(opcode, capture, context)?;
        if set[capture.field] && values[capture.field] != Some(number) {
            let name = &opcode.fields[capture.field].name.text;
            let message = format!("`{name}` is written twice, with different values");
            return Err(Box::new(Diagnostic::error(span, message).code(codes::ASM_VALUE)));
        }
        set[capture.field] = true;
        values[capture.field] = Some(number);
    }
    for (index, number, _) in &hidden.fields {
        values[*index] = Some(*number);
    }
    let mut numbers = Vec::with_capacity(values.len());
    for (field, value) in opcode.fields.iter().zip(values) {
        match (value, &field.role) {
            (Some(number), _) => numbers.push(number),
            (None, Role::FixedOpen(_)) => numbers.push(0),
            (None, Role::Fixed(_) | Role::Default(_) | Role::Free) => {
                let message =
                    format!("nothing gives `{}` of {} a value", field.name.text, opcode.name);
                let diagnostic = Diagnostic::error(span, message)
                    .help(format!(
                        "add a comment after the `;`: /* @0x0 {}=0x0 */",
                        field.name.text
                    ))
                    .code(codes::ASM_DATA);
                return Err(Box::new(diagnostic));
            }
        }
    }
    check_pairs(opcode, captures, &numbers)?;
    opcode.validate(&numbers).map_err(|reason| Box::new(invalid(reason, span)))?;
    let ignored = hidden.ignored.unwrap_or(opcode.ignored.value);
    Ok(Instruction::new(opcode, numbers, ignored))
}

fn invalid(reason: Reason, span: Span) -> Diagnostic {
    let code = match reason {
        Reason::Requirement { .. } => codes::ASM_REQUIRE,
        Reason::NoOpcode
        | Reason::Reserved { .. }
        | Reason::Hole { .. }
        | Reason::NoPair { .. }
        | Reason::Ambiguous { .. } => codes::ASM_VALUE,
    };
    Diagnostic::error(span, reason.to_string())
        .help("the description does not allow this combination")
        .code(code)
}

fn number_of(
    opcode: &Opcode,
    capture: &Capture,
    context: &Context<'_>,
) -> Result<u128, Box<Diagnostic>> {
    let field = &opcode.fields[capture.field];
    let (shown, span) = match &capture.got {
        Got::Number(number) | Got::Register { number, .. } => return Ok(*number),
        Got::Shown { shown, span } => (*shown, *span),
        Got::Label { name, span } => match context.labels.get(name) {
            Some(label) if label.section == context.section => (i128::from(label.address), *span),
            Some(_) => {
                let message = format!("label `{name}` stands in another section");
                let diagnostic = Diagnostic::error(*span, message)
                    .help("addresses count from 0 in every section")
                    .code(codes::ASM_LABEL);
                return Err(Box::new(diagnostic));
            }
            None => {
                let names = context.labels.keys().map(String::as_str);
                let diagnostic = Diagnostic::error(*span, format!("label `{name}` is not defined"))
                    .code(codes::ASM_LABEL);
                return Err(Box::new(match nearest(name, names) {
                    Some(near) => {
                        diagnostic.help(format!("did you mean `{near}`?")).fix(*span, near)
                    }
                    None => diagnostic.help(format!("define it with `{name}:`")),
                }));
            }
        },
    };
    let TypeKind::Immediate(immediate) = &field.ty.kind else { return Ok(0) };
    let width = field.width();
    let name = &field.name.text;
    let number = immediate.parse(shown, width, context.address).map_err(|error| {
        let (message, help) = match error {
            ImmediateError::OutOfRange => {
                let (low, high) = immediate.shown_range(width, context.address);
                (
                    format!("{shown} does not fit `{name}` of {}", opcode.name),
                    format!("`{name}` has {width} bits: {low} to {high}"),
                )
            }
            ImmediateError::NotAMultiple => (
                format!("{shown} cannot be encoded in `{name}`"),
                format!("`{name}` counts in steps of {}", immediate.scale),
            ),
        };
        Box::new(Diagnostic::error(span, message).help(help).code(codes::ASM_VALUE))
    })?;
    match field.role {
        Role::Fixed(fixed) if fixed != number => {
            let message = format!("`{name}` of {} is always {fixed}", opcode.name);
            Err(Box::new(Diagnostic::error(span, message).code(codes::ASM_VALUE)))
        }
        Role::Fixed(_) | Role::FixedOpen(_) | Role::Default(_) | Role::Free => Ok(number),
    }
}

/// An operand has one spelling: a pair when its bit width asks for one, a single register otherwise.
fn check_pairs(
    opcode: &Opcode,
    captures: &[Capture],
    values: &[u128],
) -> Result<(), Box<Diagnostic>> {
    for capture in captures {
        let Got::Register { number, form: Some(form), span } = &capture.got else { continue };
        let field = &opcode.fields[capture.field];
        let TypeKind::Register(file) = &field.ty.kind else { continue };
        let bits = opcode.operand_bits(capture.field, values);
        let needed = file.form(bits);
        if needed == *form {
            continue;
        }
        let message = match (needed, bits) {
            (RegisterForm::Pair, Some(bits)) => {
                format!("`{}` has {bits} bits here and is a register pair", field.name.text)
            }
            (RegisterForm::Pair, None) | (RegisterForm::Single, _) => {
                format!("`{}` is a single register here", field.name.text)
            }
        };
        let mut diagnostic = Diagnostic::error(*span, message).code(codes::ASM_FORM);
        if let Some(text) = file.text(*number, field.width(), needed) {
            diagnostic = diagnostic.help(format!("write `{text}`")).fix(*span, text);
        }
        return Err(Box::new(diagnostic));
    }
    Ok(())
}

fn word_of(instruction: &Instruction<'_>, span: Span) -> Result<u128, Box<Diagnostic>> {
    instruction.word().ok_or_else(|| {
        let opcode = instruction.opcode();
        let open: Vec<String> = opcode
            .open_fields()
            .filter_map(|field| match &field.role {
                Role::FixedOpen(name) => Some(format!("{} == {name}", field.name.text)),
                Role::Fixed(_) | Role::Default(_) | Role::Free => None,
            })
            .collect();
        let message = format!("the description gives no number for {}", open.join(", "));
        let diagnostic = Diagnostic::error(span, message)
            .help("number the constants in an overlay: `__Refine Optype` and `NAME = number;`")
            .code(codes::ASM_OPEN);
        Box::new(diagnostic)
    })
}

/// The data comment shows the word that the line once had; edited text no longer makes it.
fn stale(word: u128, shown: Option<(u128, Span)>) -> Option<Diagnostic> {
    let (shown, span) = shown.filter(|(shown, _)| *shown != word)?;
    let message = format!("the line makes {word:#034x}, its comment says {shown:#034x}");
    let diagnostic = Diagnostic::warning(span, message)
        .help("the text counts; remove `word=…` from the comment after editing the line")
        .code(codes::ASM_DATA);
    Some(diagnostic)
}
