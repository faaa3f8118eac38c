//! Lint against the recorded verdicts of NVIDIA's assembler.

use super::module::{Version, module};
use super::{BEFORE_REMOVAL, NEWEST, OLDEST, SINCE, VALIDITY};
use diag::{Severity, Sources};
use std::collections::HashMap;
use std::path::PathBuf;

fn table(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/lint");
    std::fs::read_to_string(folder.join(name)).expect("the table is there")
}

/// The first error about an instruction, if there is one.
fn error(version: Version, target: &str, instruction: &str) -> Option<String> {
    let (text, first) = module(version, target, &[instruction]);
    let mut sources = Sources::new();
    let file = sources.add("one.ptx", text);
    let found = ptx::lint(&sources, file, None);
    let error = found.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
    let span = error.span().expect("errors have places");
    // Where a type of a register is too new, its declaration is to blame.
    let line = sources.location(span).line as usize;
    assert!(line <= first, "{instruction}: line {line} of {first}\n{}", error.message);
    Some(error.message)
}

/// Instructions whose operands or modifiers the assembler does not look at closely.
const LENIENT: &[&str] = &[
    "cp.reduce.async.bulk",
    "cp.async.bulk",
    "fence.proxy",
    "st.async",
    "red.async",
    "sust.",
    "suld.",
    "sured.",
    "txq.",
    "tex.",
    "mma.",
    "wmma.",
    "st.volatile.v8",
    "st.v8.u8",
    "nanosleep.u32 b32_x|_",
];

/// Verdicts that differ on purpose, as docs/rules.md lists them.
fn is_deliberate(accepted: bool, instruction: &str, why: &str) -> bool {
    match accepted {
        true => {
            let words = instruction.split_whitespace().find(|word| !word.starts_with('@'));
            let has_pred =
                |word: &str| word.trim_end_matches(';').split('.').any(|it| it == "pred");
            words.is_some_and(has_pred)
                || instruction.contains("f16x2_x")
                || instruction.contains("[%laneid]")
                || instruction.contains("pred_x")
                || LENIENT.iter().any(|start| instruction.starts_with(start))
        }
        // The assembler crashed.
        false => why.is_empty(),
    }
}

#[test]
fn verdicts_are_those_of_the_assembler() {
    let (version, target) = NEWEST;
    let (mut rows, mut wrong, mut deliberate) = (0, Vec::new(), 0);
    for line in table(VALIDITY).lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        let accepted = cells.next() == Some("accept");
        let instruction = cells.next().expect("a row has an instruction");
        let why = cells.next().unwrap_or("");
        rows += 1;
        let found = error(version, target, instruction);
        if found.is_none() == accepted {
            continue;
        }
        match is_deliberate(accepted, instruction, why) {
            true => deliberate += 1,
            false => wrong.push(format!("{line}\n    {}", found.unwrap_or_default())),
        }
    }
    assert!(rows > 5_000, "{rows} rows");
    assert!(deliberate * 100 < rows, "{deliberate} deliberate differences");
    assert!(wrong.len() * 1000 <= rows, "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn forms_begin_and_end_where_the_assembler_says() {
    let targets: Vec<(String, Version)> = ptx::target::targets().collect();
    let introduced: HashMap<&str, Version> =
        targets.iter().map(|(name, first)| (name.trim_start_matches("sm_"), *first)).collect();
    let parse = |text: &str| {
        let (major, minor) = text.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let versions: Vec<Version> =
        ptx::target::versions().filter(|version| *version >= OLDEST).collect();
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in table(SINCE).lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [instruction, first, now, then] = cells[..] else { panic!("{line}") };
        let lists = [(NEWEST.0, now), (BEFORE_REMOVAL, then)];
        let mut check = |version: Version, target: &str, accepted: bool| {
            checked += 1;
            let found = error(version, &format!("sm_{target}"), instruction);
            if found.is_none() != accepted {
                wrong.push(format!("{instruction} {version:?} sm_{target} {accepted} {found:?}"));
            }
        };
        for (version, list) in lists {
            let list: Vec<&str> = list.split_whitespace().collect();
            for (target, since) in &introduced {
                if *since <= version {
                    check(version, target, list.contains(target));
                }
            }
        }
        let lowest = now.split_whitespace().chain(then.split_whitespace()).next();
        if let (Some(first), Some(target)) = (parse(first), lowest) {
            check(first, target, true);
            let before = versions.iter().rev().find(|version| **version < first);
            if let Some(before) = before.filter(|before| introduced[target] <= **before) {
                check(*before, target, false);
            }
        }
    }
    assert!(checked > 5_000, "{checked}");
    assert!(wrong.len() * 5000 <= checked, "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}
