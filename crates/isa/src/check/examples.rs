//! Examples must assemble, as instructions of the declaration that they stand in.

use super::Family;
use crate::ast::{SectionKind, Text};
use crate::codes;
use crate::model::Description;
use diag::{Diagnostic, Span};

/// A line of a code block that holds an instruction.
pub(crate) struct Line<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// The instructions of a code block: comments, labels and the closing `;` are cut off.
pub(crate) fn lines(body: &Text) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut at = body.span.start as usize;
    for line in body.text.split_inclusive('\n') {
        let ends = [line.find("//"), line.find("/*")];
        let code = &line[..ends.into_iter().flatten().min().unwrap_or(line.len())];
        let mut from = at;
        for statement in code.split_inclusive(';') {
            let text = statement.trim_end_matches(';').trim();
            let start = from + (statement.len() - statement.trim_start().len());
            if !text.is_empty() && !text.ends_with(':') {
                let span = Span::new(body.span.file, start, start + text.len());
                lines.push(Line { text, span });
            }
            from += statement.len();
        }
        at += line.len();
    }
    lines
}

pub(super) fn check(description: &Description, family: &Family<'_>, found: &mut Vec<Diagnostic>) {
    let Some(section) = family.section(SectionKind::Examples) else { return };
    // Without a syntax line there is nothing to hold the example against; that is reported once.
    if family.opcodes.iter().all(|opcode| opcode.mnemonic().is_none()) {
        return;
    }
    for line in section.fences().flat_map(|fence| lines(&fence.body)) {
        let assembled =
            description.instruction_of_line(line.span.file, line.text, line.span.start as usize);
        let diagnostic = match assembled {
            Ok(instruction) => {
                let own = family.opcodes.iter().any(|o| std::ptr::eq(*o, instruction.opcode()));
                if own {
                    continue;
                }
                let name = &instruction.opcode().name;
                Diagnostic::warning(
                    line.span,
                    format!("the example is `{name}`, not `{}`", family.decl.name),
                )
                .label(family.decl.span, "the example stands in this declaration")
                .help("move the example, or correct its mnemonic")
            }
            Err(why) => {
                let place = why.span().unwrap_or(line.span);
                let mut diagnostic = Diagnostic::warning(
                    place,
                    format!("the example does not assemble: {}", why.message),
                )
                .label(line.span, "in this line")
                .label(family.decl.span, "in the examples of this declaration");
                diagnostic.help = why.help.clone();
                diagnostic.fix = why.fix.clone();
                diagnostic
            }
        };
        found.push(diagnostic.code(codes::EXAMPLE));
    }
}
