//! Tokens of one instruction, cut without the parser's help, and mistakes made with them.

use std::ops::Range;

/// The ranges of the tokens of an instruction.
pub(crate) fn tokens(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        if is_word(start) || matches!(bytes[start], b'.' | b'%') && is_word(at) {
            while is_word(at) || bytes[start] == b'.' && text[at..].starts_with("::") {
                at += if is_word(at) { 1 } else { 2 };
            }
        }
        found.push(start..at);
    }
    found
}

/// What a token is in its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The `@%p1` before the instruction.
    Guard,
    Opcode,
    Suffix,
    /// Operands and what is between them, by the number of the operand.
    Operand(usize),
    /// A comma between operands.
    Comma,
    Semicolon,
}

/// What each token is.
pub(crate) fn parts(text: &str, tokens: &[Range<usize>]) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut depth, mut operand) = (0, None);
    let mut opcode = false;
    for (nth, range) in tokens.iter().enumerate() {
        let token = &text[range.clone()];
        let part = match token {
            ";" => Part::Semicolon,
            "," if depth == 0 => {
                operand = operand.map(|nth: usize| nth + 1);
                Part::Comma
            }
            _ if !opcode
                && (nth == 0 && token == "@"
                    || nth > 0 && parts[0] == Part::Guard && nth < guard_end(text, tokens)) =>
            {
                Part::Guard
            }
            _ if !opcode => {
                opcode = true;
                Part::Opcode
            }
            _ if token.starts_with('.') && operand.is_none() => Part::Suffix,
            _ => {
                match token {
                    "[" | "{" | "(" => depth += 1,
                    "]" | "}" | ")" => depth -= 1,
                    _ => {}
                }
                Part::Operand(*operand.get_or_insert(0))
            }
        };
        parts.push(part);
    }
    parts
}

/// How many tokens the guard has.
fn guard_end(text: &str, tokens: &[Range<usize>]) -> usize {
    let negated = tokens.get(1).is_some_and(|range| &text[range.clone()] == "!");
    if negated { 3 } else { 2 }
}

/// A text with a mistake, and where.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) text: String,
    /// The changed tokens; where one was deleted, the gap between its neighbours.
    pub(crate) places: Vec<Range<usize>>,
    /// What was changed.
    pub(crate) part: Part,
    pub(crate) kind: Kind,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Deleted,
    /// An operand went together with its comma.
    DeletedOperand,
    Replaced,
    Doubled,
    Swapped,
    Inserted,
}

/// Every mistake with a single token of an instruction that the tests know.
pub(crate) fn mutants(text: &str) -> Vec<Mutant> {
    let tokens = tokens(text);
    let parts = parts(text, &tokens);
    let mut found = Vec::new();
    for (nth, (range, part)) in tokens.iter().zip(&parts).enumerate() {
        let token = &text[range.clone()];
        let mut add = |kind, with: &str, range: Range<usize>| {
            let mutated = format!("{}{with}{}", &text[..range.start], &text[range.end..]);
            if mutated == text {
                return;
            }
            let blanks = text[range.end..].len() - text[range.end..].trim_start().len();
            let place = if with.is_empty() {
                text[..range.start].trim_end().len()..range.start + blanks
            } else if *part == Part::Comma {
                // What makes a wrong separator wrong is what follows it.
                range.start..range.start + with.len() + blanks
            } else {
                range.start..range.start + with.len()
            };
            found.push(Mutant { text: mutated, places: vec![place], part: *part, kind });
        };
        add(Kind::Deleted, "", range.clone());
        match part {
            Part::Suffix => {
                add(Kind::Doubled, &format!("{token}{token}"), range.clone());
                for other in SUFFIXES {
                    add(Kind::Replaced, other, range.clone());
                }
                add(Kind::Inserted, ".bogus", range.start..range.start);
                add(Kind::Inserted, ".f64", range.end..range.end);
            }
            Part::Opcode => {
                for other in OPCODES {
                    add(Kind::Replaced, other, range.clone());
                }
                if token.len() > 3 {
                    add(Kind::Replaced, &token[..token.len() - 1], range.clone());
                }
            }
            Part::Operand(_) if is_value(token) => {
                for other in OPERANDS {
                    add(Kind::Replaced, other, range.clone());
                }
                add(Kind::Inserted, "[", range.start..range.start);
                add(Kind::Inserted, "|%p4", range.end..range.end);
            }
            Part::Guard if token.starts_with('%') => {
                for other in ["%r1", "%nothing", "7", "gv"] {
                    add(Kind::Replaced, other, range.clone());
                }
            }
            Part::Comma => {
                for other in [";", ".", ",,", "|", "+"] {
                    add(Kind::Replaced, other, range.clone());
                }
            }
            Part::Semicolon => {
                for other in [", %r7;", ":", "%r7;", ");", "];", "\u{e9};"] {
                    add(Kind::Replaced, other, range.clone());
                }
            }
            Part::Guard | Part::Operand(_) => {}
        }
        // What follows an operand's comma: the operand and its comma go.
        if *part == Part::Comma {
            let end = (nth + 1..tokens.len())
                .find(|at| matches!(parts[*at], Part::Comma | Part::Semicolon))
                .unwrap_or(nth + 1);
            let range = range.start..tokens[end].start;
            let mutated = format!("{}{}", &text[..range.start], &text[range.end..]);
            // Anywhere between its neighbours, on either side of the comma.
            let rest = &mutated[range.start..];
            let next = rest.len() - rest.trim_start_matches([',', ' ']).len();
            let place = range.start..range.start + next;
            let kind = Kind::DeletedOperand;
            found.push(Mutant { text: mutated, places: vec![place], part: *part, kind });
        }
    }
    found.extend(swaps(text, &tokens, &parts));
    found
}

/// Two operands in each other's place.
fn swaps(text: &str, tokens: &[Range<usize>], parts: &[Part]) -> Vec<Mutant> {
    let mut operands: Vec<Range<usize>> = Vec::new();
    for (range, part) in tokens.iter().zip(parts) {
        if let Part::Operand(nth) = part {
            match operands.get_mut(*nth) {
                Some(operand) => operand.end = range.end,
                None => operands.push(range.clone()),
            }
        }
    }
    let mut found = Vec::new();
    for (nth, first) in operands.iter().enumerate() {
        for second in &operands[nth + 1..] {
            let (one, other) = (&text[first.clone()], &text[second.clone()]);
            let (head, middle) = (&text[..first.start], &text[first.end..second.start]);
            let mutated = format!("{head}{other}{middle}{one}{}", &text[second.end..]);
            let places =
                vec![first.start..first.start + other.len(), second.end - one.len()..second.end];
            found.push(Mutant {
                text: mutated,
                places,
                part: Part::Operand(nth),
                kind: Kind::Swapped,
            });
        }
    }
    found
}

fn is_value(token: &str) -> bool {
    token.len() > 1 || token.starts_with(|char: char| char.is_ascii_digit() || char == '_')
}

const SUFFIXES: &[&str] = &[
    ".bogus",
    ".snyc",
    ".b3",
    ".f32",
    ".f16",
    ".b16",
    ".b64",
    ".s32",
    ".u64",
    ".pred",
    ".sync",
    ".left",
    ".idx",
    ".global",
    ".v4",
    ".cluster",
    ".L2::512B",
];

const OPCODES: &[&str] = &["frobnicate", "add", "ld", "shfl", "%r1", "7"];

const OPERANDS: &[&str] = &[
    "%r1",
    "%h1",
    "%d1",
    "%f1",
    "%fd1",
    "%p1",
    "%r99",
    "%nothing",
    "_",
    "17",
    "0f3F800000",
    "1.5",
    "99999999999",
    "-1",
    "99999999999999999999999",
    "0xfg",
    "[%d1]",
    "{%r1, %r2}",
    "%r1|%p2",
    "!%p1",
    "%tid.x",
    "%tid",
    "%laneid",
    "gv",
    "LABEL",
    "callee",
    "%r1.x",
    "gv[4]",
    "-%r1",
    "(3)",
    "\"text\"",
];
