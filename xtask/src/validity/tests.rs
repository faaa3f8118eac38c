//! Lint against the recorded verdicts of NVIDIA's assembler.

use super::module::{Version, module};
use super::{BEFORE_REMOVAL, NEWEST, OLDEST, PICKED, SINCE, VALIDITY};
use crate::deviations::{self, table};
use diag::{Severity, Sources};
use std::collections::{BTreeSet, HashMap};

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

#[test]
fn verdicts_are_those_of_the_assembler() {
    let (mut rows, mut differing) = (0, BTreeSet::new());
    let text = table(VALIDITY);
    let mut target = "";
    for line in text.lines() {
        if let Some(version_and_target) = line.strip_prefix("# ") {
            target = version_and_target.split(' ').nth(1).expect("a target");
            continue;
        }
        let mut cells = line.split('\t');
        let accepted = cells.next() == Some("accept");
        let instruction = cells.next().expect("a row has an instruction");
        rows += 1;
        if error(NEWEST, target, instruction).is_none() != accepted {
            let verdict = if accepted { "accept" } else { "reject" };
            differing.insert(format!("{verdict} {instruction}"));
        }
    }
    assert!(rows > 5_000, "{rows} rows");
    deviations::check(VALIDITY, &differing);
}

#[test]
fn picked_instructions_have_the_verdicts_of_the_assembler() {
    let text = table(PICKED);
    let (mut count, mut differing) = (0, BTreeSet::new());
    for ((version, target, instruction), accepted) in super::rows(&text) {
        if error(version, &target, &instruction).is_none() != accepted {
            let verdict = if accepted { "accept" } else { "reject" };
            let (major, minor) = version;
            differing.insert(format!("{verdict} {major}.{minor} {target} {instruction}"));
        }
        count += 1;
    }
    deviations::check(PICKED, &differing);
    assert_eq!(count, text.lines().count() - 1, "a row is malformed");
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
    let (mut checked, mut differing) = (0, BTreeSet::new());
    for line in table(SINCE).lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [instruction, first, now, then] = cells[..] else { panic!("{line}") };
        let lists = [(NEWEST, now), (BEFORE_REMOVAL, then)];
        let mut check = |version: Version, target: &str, accepted: bool| {
            checked += 1;
            let found = error(version, &format!("sm_{target}"), instruction);
            if found.is_none() != accepted {
                let verdict = if accepted { "accept" } else { "reject" };
                let (major, minor) = version;
                differing.insert(format!("{verdict} {major}.{minor} sm_{target} {instruction}"));
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
        // The first version of a form that is gone by now was not searched for.
        let lowest = now.split_whitespace().next();
        if let (Some(first), Some(target)) = (parse(first), lowest) {
            check(first, target, true);
            let before = versions.iter().rev().find(|version| **version < first);
            if let Some(before) = before.filter(|before| introduced[target] <= **before) {
                check(*before, target, false);
            }
        }
    }
    assert!(checked > 5_000, "{checked}");
    deviations::check(SINCE, &differing);
}
