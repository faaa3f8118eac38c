//! Tokens → field values, by the same steps that the printer follows.

use super::operand::{Got, describe_operand, read_operand};
use super::token::{AsmToken, TokenKind};
use crate::model::{Field, Opcode, Role};
use crate::syntax::{Step, Syntax};
use crate::types::TypeKind;
use std::collections::HashSet;

/// What a statement says about one field.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    pub field: usize,
    pub got: Got,
}

/// What could have stood somewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected<'d> {
    Word(&'d str),
    Mark(char),
    /// A value of a modifier; the flag says whether a dot belongs to it.
    Value(&'d str, bool),
    Operand(&'d Field),
    End,
}

impl Expected<'_> {
    /// In words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Expected::Word(word) => format!("`{word}`"),
            Expected::Mark(mark) => format!("`{mark}`"),
            Expected::Value(value, true) => format!("`.{value}`"),
            Expected::Value(value, false) => format!("`{value}`"),
            Expected::Operand(field) => describe_operand(field),
            Expected::End => "the end of the instruction".to_owned(),
        }
    }
}

/// The place that no way through the rule gets past, and what could have stood there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure<'d> {
    /// Index of the token; the number of tokens when the statement ends too early.
    pub at: usize,
    /// What would have been accepted there.
    pub expected: Vec<Expected<'d>>,
    /// What is wrong with the token itself, when it is almost right.
    pub problem: Option<String>,
}

impl<'d> Failure<'d> {
    fn note(&mut self, at: usize, expected: Expected<'d>) {
        if at < self.at {
            return;
        }
        if at > self.at {
            *self = Failure { at, ..Failure::default() };
        }
        self.expected.push(expected);
    }

    /// Keeps whichever of two failures got further; joins them when they got equally far.
    pub(crate) fn merge(&mut self, other: Failure<'d>) {
        if other.at > self.at {
            *self = other;
        } else if other.at == self.at {
            self.expected.extend(other.expected);
            self.problem = self.problem.take().or(other.problem);
        }
    }
}

/// Matches a whole statement. Takes time in proportion to steps times tokens, because a place that has
/// failed once is not tried again.
pub(crate) fn match_statement<'d>(
    opcode: &'d Opcode,
    syntax: &'d Syntax,
    tokens: &[AsmToken<'_>],
) -> Result<Vec<Capture>, Failure<'d>> {
    let mut matcher = Matcher {
        opcode,
        tokens,
        captures: Vec::new(),
        ways: Vec::new(),
        failure: Failure::default(),
    };
    let mut tried: HashSet<(usize, usize)> = HashSet::new();
    let mut place = Some((0, 0));
    while let Some((step, at)) = place {
        place = match syntax.steps.get(step) {
            _ if !tried.insert((step, at)) => matcher.back(),
            None if at == tokens.len() => return Ok(matcher.captures),
            None => {
                matcher.failure.note(at, Expected::End);
                matcher.back()
            }
            Some(rule) => match matcher.step(rule, step, at) {
                Some(next) => Some((step + 1, next)),
                None => matcher.back(),
            },
        };
    }
    Err(matcher.failure)
}

/// Whether a statement fits the rule of an opcode, whatever its numbers.
pub(crate) fn matches(opcode: &Opcode, syntax: &Syntax, tokens: &[AsmToken<'_>]) -> bool {
    match_statement(opcode, syntax, tokens).is_ok()
}

struct Matcher<'d, 'a> {
    opcode: &'d Opcode,
    tokens: &'a [AsmToken<'a>],
    captures: Vec<Capture>,
    /// Other ways to go on: step, token, and how many captures to keep.
    ways: Vec<(usize, usize, Vec<Capture>)>,
    failure: Failure<'d>,
}

impl<'d> Matcher<'d, '_> {
    fn back(&mut self) -> Option<(usize, usize)> {
        let (step, at, captures) = self.ways.pop()?;
        self.captures = captures;
        Some((step, at))
    }

    /// The token after the step, or `None` when it does not match.
    fn step(&mut self, rule: &'d Step, step: usize, at: usize) -> Option<usize> {
        match rule {
            Step::Space => Some(at),
            Step::Word(word) => self.literal(TokenKind::Word(word), at, Expected::Word(word)),
            Step::Mark(mark) => self.literal(TokenKind::Mark(*mark), at, Expected::Mark(*mark)),
            Step::Optional { end, .. } => {
                self.ways.push((*end, at, self.captures.clone()));
                Some(at)
            }
            Step::Modifier(index) => self.spelled(*index, at, step, true),
            Step::Affix(index) => self.spelled(*index, at, step, false),
            Step::Operand(index) => self.operand(*index, at),
        }
    }

    fn literal(
        &mut self,
        wanted: TokenKind<'_>,
        at: usize,
        expected: Expected<'d>,
    ) -> Option<usize> {
        if self.tokens.get(at).is_some_and(|token| token.kind == wanted) {
            return Some(at + 1);
        }
        self.failure.note(at, expected);
        None
    }

    fn capture(&mut self, field: usize, got: Got) {
        self.captures.push(Capture { field, got });
    }

    /// The values that a field may have, by spelling.
    fn spellings(&self, index: usize) -> Vec<(&'d str, u128)> {
        let field = &self.opcode.fields[index];
        match (&field.role, &field.ty.kind) {
            (Role::FixedOpen(name), _) => vec![(name.as_str(), 0)],
            (Role::Fixed(number), TypeKind::Enumeration(names)) => names
                .by_number(*number)
                .map(|v| (v.spelling.as_str(), *number))
                .into_iter()
                .collect(),
            (Role::Default(_) | Role::Free, TypeKind::Enumeration(names)) => names
                .values
                .iter()
                .filter_map(|value| Some((value.spelling.as_str(), value.number?)))
                .collect(),
            (_, TypeKind::Register(_) | TypeKind::Immediate(_)) => Vec::new(),
        }
    }

    /// A modifier or an attribute. A value without spelling matches nothing at all, after every other
    /// value has been tried.
    fn spelled(&mut self, index: usize, at: usize, step: usize, dotted: bool) -> Option<usize> {
        let spellings = self.spellings(index);
        let silent = spellings.iter().find(|(text, _)| text.is_empty()).map(|(_, number)| *number);
        let found = self.find_spelling(&spellings, at, dotted);
        match (found, silent) {
            (Some((number, next)), Some(silent)) => {
                let mut otherwise = self.captures.clone();
                otherwise.push(Capture { field: index, got: Got::Number(silent) });
                self.ways.push((step + 1, at, otherwise));
                self.capture(index, Got::Number(number));
                Some(next)
            }
            (Some((number, next)), None) => {
                self.capture(index, Got::Number(number));
                Some(next)
            }
            (None, silent) => {
                let at_modifier = dotted && self.tokens.get(at).is_some_and(|t| t.is_mark('.'));
                for (text, _) in spellings.iter().filter(|(text, _)| !text.is_empty()) {
                    self.failure.note(at + usize::from(at_modifier), Expected::Value(text, dotted));
                }
                let number = silent?;
                self.capture(index, Got::Number(number));
                Some(at)
            }
        }
    }

    fn find_spelling(
        &self,
        spellings: &[(&str, u128)],
        at: usize,
        dotted: bool,
    ) -> Option<(u128, usize)> {
        let at = match dotted {
            true if self.tokens.get(at).is_some_and(|token| token.is_mark('.')) => at + 1,
            true => return None,
            false => at,
        };
        let token = self.tokens.get(at)?;
        if dotted && !token.glued {
            return None;
        }
        let matches = |text: &str| match token.kind {
            TokenKind::Word(word) => word == text,
            TokenKind::Mark(mark) => text.chars().eq([mark]),
        };
        let (_, number) = spellings.iter().find(|(text, _)| matches(text))?;
        Some((*number, at + 1))
    }

    fn operand(&mut self, index: usize, at: usize) -> Option<usize> {
        let field = &self.opcode.fields[index];
        if let TypeKind::Enumeration(_) = field.ty.kind {
            let spellings = self.spellings(index);
            let Some((number, next)) = self.find_spelling(&spellings, at, false) else {
                for (text, _) in &spellings {
                    self.failure.note(at, Expected::Value(text, false));
                }
                return None;
            };
            self.capture(index, Got::Number(number));
            return Some(next);
        }
        match read_operand(field, self.tokens, at) {
            Ok((got, next)) => {
                self.capture(index, got);
                Some(next)
            }
            Err(problem) => {
                self.failure.note(at, Expected::Operand(field));
                if problem.is_some() && self.failure.at == at {
                    self.failure.problem = problem;
                }
                None
            }
        }
    }
}
