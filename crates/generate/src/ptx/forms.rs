//! The instruction of PTX that does what a row of the tables of the IR does.

use ir::BinaryOp;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::LazyLock;

/// A line a row: its name, the architecture from which on the instruction is there, and the instruction: `d` is the result, `a`, `b`
/// and `c` are the operands, those with `h` as 16 bits; `x` is a register of 64 bits in between; `@` is the rounding mode.
const TABLE: &str = include_str!("forms.tsv");

/// An instruction with places for operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    since: u32,
    /// The text.
    pub(super) text: &'static str,
}

static FORMS: LazyLock<HashMap<&'static str, Form>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let mut fields = line.split('\t');
        let (row, since, text) = (fields.next()?, fields.next()?, fields.next()?);
        Some((row, Form { since: since.parse().ok()?, text }))
    };
    TABLE.lines().filter_map(line).collect()
});

/// The row of an operation, and its rounding mode as PTX writes it.
pub(super) fn row_of(op: &impl Debug) -> (String, &'static str) {
    let told = format!("{op:?}");
    let Some((row, round)) = told.split_once('(') else { return (told, "") };
    let round = match round.trim_end_matches(')') {
        "NearestEven" => "rn",
        "TowardZero" => "rz",
        "Down" => "rm",
        "Up" => "rp",
        _ => "",
    };
    (row.to_owned(), round)
}

/// The instruction for an operation on an architecture, if there is one.
pub(super) fn form(op: &impl Debug, target: u32) -> Option<Form> {
    let (row, _) = row_of(op);
    FORMS.get(row.as_str()).copied().filter(|form| form.since <= target)
}

/// What atomics call an operation, and its type; `None` if they do not have it.
pub(super) fn updated(op: BinaryOp) -> Option<(&'static str, &'static str)> {
    const KNOWN: [(BinaryOp, &str, &str); 18] = [
        (BinaryOp::AddI32, "add", ".u32"),
        (BinaryOp::AddI64, "add", ".u64"),
        (BinaryOp::And32, "and", ".b32"),
        (BinaryOp::And64, "and", ".b64"),
        (BinaryOp::Or32, "or", ".b32"),
        (BinaryOp::Or64, "or", ".b64"),
        (BinaryOp::Xor32, "xor", ".b32"),
        (BinaryOp::Xor64, "xor", ".b64"),
        (BinaryOp::MinU32, "min", ".u32"),
        (BinaryOp::MinU64, "min", ".u64"),
        (BinaryOp::MinS32, "min", ".s32"),
        (BinaryOp::MinS64, "min", ".s64"),
        (BinaryOp::MaxU32, "max", ".u32"),
        (BinaryOp::MaxU64, "max", ".u64"),
        (BinaryOp::MaxS32, "max", ".s32"),
        (BinaryOp::MaxS64, "max", ".s64"),
        (BinaryOp::IncWrap32, "inc", ".u32"),
        (BinaryOp::DecWrap32, "dec", ".u32"),
    ];
    KNOWN.iter().find(|(known, ..)| *known == op).map(|(_, name, ty)| (*name, *ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{CompareOp, TernaryOp, UnaryOp};
    use std::collections::BTreeSet;

    fn rows() -> BTreeSet<String> {
        let unary = UnaryOp::all().map(|op| row_of(&op).0);
        let binary = BinaryOp::all().map(|op| row_of(&op).0);
        let ternary = TernaryOp::all().map(|op| row_of(&op).0);
        let compare = CompareOp::all().map(|op| row_of(&op).0);
        unary.chain(binary).chain(ternary).chain(compare).collect()
    }

    #[test]
    fn every_form_is_of_a_row() {
        let rows = rows();
        for row in FORMS.keys() {
            assert!(rows.contains(*row), "there is no row {row}");
        }
        assert_eq!(FORMS.len(), TABLE.lines().count());
    }

    /// What is replaced: steps of other instructions, functions that may differ by device, and NaN whose payload is not defined.
    #[test]
    fn rows_without_a_form_are_known() {
        let without: Vec<String> =
            rows().into_iter().filter(|row| !FORMS.contains_key(row.as_str())).collect();
        let known: Vec<&str> = include_str!("without.txt").split_whitespace().collect();
        assert_eq!(without, known);
    }
}
