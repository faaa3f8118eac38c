//! `cargo xtask record validity`: what NVIDIA's assembler accepts.

mod generate;
pub(crate) mod module;
#[cfg(test)]
mod tests;

use crate::oracle::{Oracle, Question};
use module::Version;
use ptx::catalogue::Entry;
use ptx::target::Target;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Instructions and whether they are accepted, for one version and target.
const VALIDITY: &str = "validity.tsv";

/// For instructions, the PTX versions that accept them, by target.
const SINCE: &str = "since.tsv";

/// Instructions that were picked by hand, with their version and target.
const PICKED: &str = "picked.tsv";

/// The version that instructions are asked about.
const NEWEST: Version = (9, 5);

/// The targets that instructions are asked about: the first that has the most forms of an entry.
const TARGETS: &[&str] = &["sm_100a", "sm_90a", "sm_120a", "sm_110a"];

/// A version that has what later ones removed.
const BEFORE_REMOVAL: Version = (6, 3);

/// The oldest version that takes kernels with parameters in parentheses.
const OLDEST: Version = (1, 4);

/// The share of the instructions that is recorded, one in so many.
const SAMPLE: u64 = 30;

/// How many instructions of an entry are recorded, about, if the share would be more.
const MOST: usize = 400;

/// How many forms and words of an entry are recorded, about, if there are more.
const MOST_WORDS: usize = 150;

/// Asks the assembler and writes both tables. With `all`, nothing is left out.
///
/// # Errors
/// The assembler cannot be run, or a table cannot be written.
pub(crate) fn record(folder: &Path, all: bool, filter: Option<&str>) -> Result<(), String> {
    let oracle = Oracle::new()?;
    let chosen = |entry: &&Entry| filter.is_none_or(|filter| filter == entry.name);
    let entries: Vec<&'static Entry> =
        ptx::catalogue::entries().filter(chosen).filter(|entry| !entry.forms.is_empty()).collect();
    if filter.is_none() {
        write(&folder.join(PICKED), &picked(&oracle, folder)?)?;
    }
    let since = since(&oracle, &entries)?;
    write(&folder.join(SINCE), &since)?;
    let validity = validity(&oracle, &entries, all)?;
    write(&folder.join(VALIDITY), &validity)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()))
}

/// The picked instructions with today's verdicts.
fn picked(oracle: &Oracle, folder: &Path) -> Result<String, String> {
    let path = folder.join(PICKED);
    let text =
        std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let questions = rows(&text).map(|(question, _)| question).collect::<Vec<_>>();
    let answers = oracle.ask(&questions)?;
    let mut table = text.lines().next().unwrap_or_default().to_owned() + "\n";
    for ((version, target, text), answer) in questions.iter().zip(answers) {
        let (verdict, why) = match &answer {
            None => ("accept", ""),
            Some(why) => ("reject", why.as_str()),
        };
        let _ = writeln!(table, "{verdict}\t{}\t{target}\t{text}\t{why}", show(*version));
    }
    Ok(table)
}

/// The rows of the picked instructions: each with whether it is accepted.
fn rows(text: &str) -> impl Iterator<Item = (Question, bool)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.split('\t');
        let accepted = cells.next()? == "accept";
        let (major, minor) = cells.next()?.split_once('.')?;
        let version = (major.parse().ok()?, minor.parse().ok()?);
        Some(((version, cells.next()?.to_owned(), cells.next()?.to_owned()), accepted))
    })
}

fn validity(oracle: &Oracle, entries: &[&'static Entry], all: bool) -> Result<String, String> {
    let sample = |entry: &&'static Entry| {
        let instructions = generate::entry(entry);
        let share = if all { 1 } else { SAMPLE.max(share(instructions.len(), MOST)) };
        let target = target(entry);
        let chosen = instructions.into_iter().filter(move |text| hash(text).is_multiple_of(share));
        chosen.map(move |text| (NEWEST, target.to_owned(), text))
    };
    let questions: Vec<Question> = entries.iter().flat_map(sample).collect();
    eprintln!("{} instructions", questions.len());
    let answers = oracle.ask(&questions)?;
    let mut table = String::new();
    let mut last = "";
    for ((version, target, text), answer) in questions.iter().zip(answers) {
        if target != last {
            let _ = writeln!(table, "# {} {target}", show(*version));
            last = target;
        }
        match answer {
            None => _ = writeln!(table, "accept\t{text}\t"),
            Some(why) => _ = writeln!(table, "reject\t{text}\t{why}"),
        }
    }
    Ok(table)
}

/// The target that an entry's instructions are asked about.
fn target(entry: &Entry) -> &'static str {
    let forms = |name: &str| {
        let target = Target::named(NEWEST, name);
        entry.forms.iter().filter(|form| target.is_some_and(|it| it.has_form(form))).count()
    };
    // The first of several that have as many.
    TARGETS.iter().rev().copied().max_by_key(|name| forms(name)).unwrap_or(TARGETS[0])
}

/// For each representative, the targets that accept it at the newest version, and the versions between which
/// the lowest of them does.
fn since(oracle: &Oracle, entries: &[&'static Entry]) -> Result<String, String> {
    let sample = |entry: &&'static Entry| {
        let instructions = generate::representatives(entry);
        let share = share(instructions.len(), MOST_WORDS);
        instructions.into_iter().filter(move |text| hash(text).is_multiple_of(share))
    };
    let instructions: Vec<String> = entries.iter().flat_map(sample).collect();
    let targets: Vec<(String, Version)> = ptx::target::targets().collect();
    let versions: Vec<Version> =
        ptx::target::versions().filter(|version| *version >= OLDEST).collect();
    let ask = |version: Version| {
        let of = |text: &String| {
            let there = targets.iter().filter(move |(_, first)| *first <= version);
            let text = text.clone();
            there.map(move |(target, _)| (version, target.clone(), text.clone()))
        };
        let questions: Vec<Question> = instructions.iter().flat_map(of).collect();
        let answers = oracle.ask(&questions)?;
        let mut accepting: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((_, target, text), answer) in questions.into_iter().zip(answers) {
            if answer.is_none() {
                accepting.entry(text).or_default().push(target);
            }
        }
        Ok::<_, String>(accepting)
    };
    eprintln!("{} forms and words", instructions.len());
    let newest = ask(NEWEST)?;
    let before_removal = ask(BEFORE_REMOVAL)?;
    let lowest: Vec<Option<&String>> = instructions
        .iter()
        .map(|text| newest.get(text).or(before_removal.get(text)).and_then(|all| all.first()))
        .collect();
    let first = first_versions(oracle, &instructions, &lowest, &versions)?;
    let mut table = String::from(
        "# instruction, first version on the lowest target, targets at 9.5, targets at 6.3\n",
    );
    for ((text, version), lowest) in instructions.iter().zip(first).zip(lowest) {
        let list = |targets: Option<&Vec<String>>| {
            let names = targets.into_iter().flatten().map(|name| name.trim_start_matches("sm_"));
            names.collect::<Vec<_>>().join(" ")
        };
        let version = lowest.map_or_else(String::new, |_| show(versions[version]));
        let (now, then) = (list(newest.get(text)), list(before_removal.get(text)));
        let _ = writeln!(table, "{text}\t{version}\t{now}\t{then}");
    }
    Ok(table)
}

/// The first version that accepts each instruction for its target, as its place in `versions`. All
/// instructions are bisected together.
fn first_versions(
    oracle: &Oracle,
    instructions: &[String],
    targets: &[Option<&String>],
    versions: &[Version],
) -> Result<Vec<usize>, String> {
    let last = versions.len() - 1;
    // The first version lies after the first bound, or at the last.
    let mut bounds: Vec<(usize, usize)> = targets
        .iter()
        .map(|target| match target.as_ref().map(|target| ptx::sm_number(target)) {
            Some(_) => (0, last),
            None => (last, last),
        })
        .collect();
    while bounds.iter().any(|(low, high)| low < high) {
        let open: Vec<usize> =
            (0..bounds.len()).filter(|at| bounds[*at].0 < bounds[*at].1).collect();
        let questions: Vec<Question> = open
            .iter()
            .filter_map(|at| {
                let middle = (bounds[*at].0 + bounds[*at].1) / 2;
                Some((versions[middle], targets[*at]?.clone(), instructions[*at].clone()))
            })
            .collect();
        let answers = oracle.ask(&questions)?;
        for (at, answer) in open.into_iter().zip(answers) {
            let (low, high) = &mut bounds[at];
            let middle = (*low + *high) / 2;
            match answer {
                None => *high = middle,
                Some(_) => *low = middle + 1,
            }
        }
    }
    Ok(bounds.into_iter().map(|(low, _)| low).collect())
}

fn show((major, minor): Version) -> String {
    format!("{major}.{minor}")
}

/// One in how many, so that about `most` are left.
fn share(count: usize, most: usize) -> u64 {
    u64::try_from((count / most).max(1)).unwrap_or(1)
}

/// FNV-1a: a fixed sample.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
