//! Diagnostics stand on the mistake: every single-token change of legal instructions.

mod tokens;

use diag::{Diagnostic, Severity, Sources, Span};
use std::collections::BTreeMap;
use std::ops::Range;
use tokens::{Kind, Mutant, Part, mutants};

const SKELETON: &str = include_str!("skeleton.ptx");
const LEGAL: &str = include_str!("legal.txt");

/// A legal instruction and where it is legal.
struct Legal {
    version: &'static str,
    target: &'static str,
    text: &'static str,
}

fn legal() -> impl Iterator<Item = Legal> {
    LEGAL.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (place, text) = line.split_once(" | ").expect("a place and an instruction");
        let (version, target) = place.split_once(' ').expect("a version and a target");
        Legal { version, target, text }
    })
}

/// A module with an instruction, and where the instruction begins.
fn module(legal: &Legal, instruction: &str) -> (String, usize) {
    let text = SKELETON.replace("VERSION", legal.version).replace("TARGET", legal.target);
    let at = text.find("INSTRUCTION").expect("a place for it");
    (text.replace("INSTRUCTION", instruction), at)
}

fn errors(text: &str) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("k.ptx", text);
    let mut found = warpwise_ptx::lint(&sources, file, None);
    for diagnostic in &found {
        let reason = diagnostic.reason.unwrap_or_else(|| panic!("no rule: {diagnostic:?}"));
        let number = reason.section.split(' ').next().unwrap_or("");
        let is_number =
            number.trim_end_matches(',').split('.').all(|part| part.parse::<u8>().is_ok());
        assert!(is_number, "{diagnostic:?}");
    }
    found.retain(|it| it.severity == Severity::Error);
    (sources, found)
}

/// Why the first error may stand elsewhere than on the mistake: the text up to there is legal, or has
/// another meaning.
fn excuse(mutant: &Mutant, code: &str, span: &Range<usize>) -> Option<&'static str> {
    let Mutant { text, part, kind, places } = mutant;
    let changed = places.first().and_then(|place| text.get(place.clone())).unwrap_or("");
    let at_end = || text[span.end..].trim_end_matches([';', ' ']).is_empty();
    let in_mnemonic = || !text[..span.start].trim_start_matches(['@', '!']).contains(", ");
    let is_operand_rule = code.starts_with("P03");
    let operand = matches!(part, Part::Operand(_));
    Some(match (kind, part, code) {
        (Kind::Replaced, Part::Opcode, _) if ["add", "ld", "shfl", "set"].contains(&changed) => {
            "the name of another instruction is no mistake; the rest does not go with it"
        }
        (Kind::Replaced, Part::Opcode, "P001") if text.contains('(') => {
            "only `call` has lists in parentheses"
        }
        (Kind::Deleted, Part::Opcode, "P001") => "the modifiers read as a declaration",
        (Kind::Replaced, Part::Operand(_), "P001") if text[places[0].end..].starts_with('|') => {
            "a constant and `|` begin a constant expression"
        }
        (Kind::Deleted | Kind::Inserted, _, "P001") if operand => {
            "a bracket that lost its partner is seen where that should be"
        }
        (Kind::Deleted, _, "P015") | (Kind::DeletedOperand, _, "P015") => {
            "the lists of a call may be missing; the others do not agree with the function then"
        }
        (Kind::DeletedOperand, Part::Comma, "P030") => {
            "the operands that are left fit the form with another one missing"
        }
        (Kind::Deleted | Kind::Replaced, Part::Comma, "P030") if at_end() => {
            "what the comma parted reads as one operand; the others fit the first ones of the form"
        }
        (Kind::Replaced, Part::Comma, "P001") if text[places[0].start..].starts_with("; {") => {
            "a block follows a statement"
        }
        (Kind::Replaced, Part::Comma, "P001") if changed.starts_with('+') => {
            "`register+!` could go on with a constant"
        }
        (_, Part::Suffix, "P021" | "P022") if in_mnemonic() => {
            "types fill the places of types from the first on; other modifiers have another form"
        }
        (Kind::Deleted | Kind::Replaced, Part::Suffix, _) if is_operand_rule => {
            "the modifiers that are left are those of another form"
        }
        _ => return None,
    })
}

/// Whether a span of the instruction that begins at `at` touches a place.
fn touches(mutant: &Mutant, span: Span, at: usize) -> bool {
    let (start, end) = (span.start as usize, span.end as usize);
    mutant.places.iter().any(|place| start <= at + place.end && end >= at + place.start)
}

/// Whether one of the places of an error touches the changed tokens.
fn is_on(mutant: &Mutant, error: &Diagnostic, at: usize) -> bool {
    error.labels.iter().any(|label| touches(mutant, label.span, at))
}

/// A span in bytes of the instruction.
fn local(span: Span, at: usize, mutant: &Mutant) -> Range<usize> {
    let inside = |offset: u32| (offset as usize).saturating_sub(at).min(mutant.text.len());
    inside(span.start)..inside(span.end)
}

#[test]
fn the_instructions_are_legal() {
    for legal in legal() {
        let (text, _) = module(&legal, legal.text);
        let (sources, found) = errors(&text);
        let said: Vec<_> = found.iter().map(|it| diag::render::text(&sources, it, false)).collect();
        assert!(found.is_empty(), "{}: {}", legal.text, said.concat());
    }
}

#[test]
fn the_first_error_stands_on_the_changed_token() {
    let (mut primary, mut secondary) = (0, 0);
    let mut excused: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for legal in legal() {
        for mutant in mutants(legal.text) {
            let (text, at) = module(&legal, &mutant.text);
            let (sources, found) = errors(&text);
            let Some(first) = found.first() else { continue };
            let span = first.span().expect("it has a place");
            if touches(&mutant, span, at) {
                primary += 1;
            } else if is_on(&mutant, first, at) {
                secondary += 1;
            } else if let Some(why) = excuse(&mutant, first.code, &local(span, at, &mutant)) {
                *excused.entry(why).or_default() += 1;
            } else {
                wrong.push(diag::render::text(&sources, first, false));
            }
        }
    }
    let excuses: usize = excused.values().sum();
    let all = primary + secondary + excuses;
    assert!(wrong.is_empty(), "{} elsewhere:\n{}", wrong.len(), wrong.concat());
    assert!(all > 15_000, "there are mutants: {all}");
    assert!(
        primary * 100 > all * 94,
        "{primary} of {all}, {secondary} by a second label, {excused:#?}"
    );
    println!("{primary} of {all}, {secondary} by a second label, {excused:#?}");
}

#[test]
fn the_first_error_covers_no_more_than_one_operand_or_the_mnemonic() {
    for legal in legal() {
        for mutant in mutants(legal.text) {
            let (text, at) = module(&legal, &mutant.text);
            let (sources, found) = errors(&text);
            let Some(first) = found.first() else { continue };
            let Some(marked) = first.span().map(|span| sources.slice(span)) else { continue };
            let mut depth = 0;
            let is_many = marked.char_indices().any(|(at, char)| {
                match char {
                    '{' | '[' | '(' => depth += 1,
                    '}' | ']' | ')' => depth -= 1,
                    _ => {}
                }
                matches!(char, ',' | ';') && depth == 0 && at > 0
            });
            let rendered = || diag::render::text(&sources, first, false);
            // Several operands too many are marked together.
            assert!(!is_many || first.code == "P030", "{}", rendered());
            assert!(first.span().is_some_and(|it| it.start as usize >= at), "{}", rendered());
        }
    }
}

/// The text with every blank made into a line end, a comment and a tab.
fn scattered(mutant: &Mutant) -> Mutant {
    const BLANK: &str = "\r\n\t/* \u{e9}\u{1F600} */ ";
    let moved = |at: usize| at + mutant.text[..at].matches(' ').count() * (BLANK.len() - 1);
    Mutant {
        text: mutant.text.replace(' ', BLANK),
        places: mutant.places.iter().map(|place| moved(place.start)..moved(place.end)).collect(),
        ..mutant.clone()
    }
}

#[test]
fn lines_and_comments_between_the_tokens_make_no_difference() {
    let mut all = 0;
    let mut wrong = Vec::new();
    for legal in legal() {
        for mutant in mutants(legal.text) {
            let (text, at) = module(&legal, &mutant.text);
            let (_, found) = errors(&text);
            let Some(first) = found.first() else { continue };
            // On a line of its own, a name and `:` are a label, and two names an instruction.
            let is_other = mutant.text.ends_with(':') || mutant.text.ends_with("LABEL%r7;");
            if is_other || !is_on(&mutant, first, at) {
                continue;
            }
            all += 1;
            let whole = scattered(&mutant);
            let (text, _) = module(&legal, &whole.text);
            let (sources, found) = errors(&text);
            let first = found.first().expect("it is wrong in this layout, too");
            if !is_on(&whole, first, at) {
                wrong.push(diag::render::text(&sources, first, false));
            }
        }
    }
    assert!(all > 15_000, "there are mutants: {all}");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.concat());
}
