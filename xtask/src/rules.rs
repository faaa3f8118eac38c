//! `cargo xtask rules`: docs/rules.md from the catalogue and the rules of `lint`.

use ptx::catalogue::{Entry, Form, Need, Only, Samplers, Since, entries};
use ptx::rules::RULES;
use std::fmt::Write as _;
use std::path::Path;

/// The generated document.
const FILE: &str = "docs/rules.md";

/// What stands above the generated tables.
const HEAD: &str = include_str!("rules/head.md");

/// Writes the document, or finds out whether that would change it.
///
/// # Errors
/// The file cannot be written, or `check` found a difference.
pub(crate) fn rules(root: &Path, check: bool) -> Result<(), String> {
    let text = document();
    let path = root.join(FILE);
    let fail = |why: std::io::Error| format!("{FILE}: {why}");
    if check {
        return match std::fs::read_to_string(&path).map_err(fail)? == text {
            true => Ok(()),
            false => Err(format!("`cargo xtask rules` would change {FILE}")),
        };
    }
    std::fs::write(&path, text).map_err(fail)
}

fn document() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("\n## Rules\n\n| code | severity | rule | PTX ISA 9.1 |\n|---|---|---|---|\n");
    for rule in RULES {
        let severity = rule.severity.word();
        let _ = writeln!(
            text,
            "| {} | {severity} | **{}**: {} | {} |",
            rule.code, rule.name, rule.summary, rule.section
        );
    }
    text.push_str(
        "\n## Forms\n\nThe notation is that of `crates/ptx/src/catalogue/pattern.rs`. *PTX* and *target* are \
         the lowest with the form; words in the last column need more, or are where the form ends.\n",
    );
    for entry in entries().filter(|entry| !entry.forms.is_empty()) {
        section(&mut text, entry);
    }
    text
}

fn section(text: &mut String, entry: &Entry) {
    let _ = writeln!(
        text,
        "\n### {}\n\nPTX ISA 9.1, {}\n\n| form | PTX | target | also |\n|---|---|---|---|",
        entry.name, entry.section
    );
    for form in entry.forms {
        let syntax =
            form.syntax.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let (major, minor) = form.since.ptx;
        let _ = writeln!(
            text,
            "| `{syntax}` | {major}.{minor} | {} | {} |",
            targets(form.only, form.since),
            also(form)
        );
    }
}

fn targets(only: Only, since: Since) -> String {
    let list = |all: &[u32], ends: &[&str]| {
        let names = all.iter().flat_map(|sm| ends.iter().map(move |end| format!("sm_{sm}{end}")));
        let known = |name: &String| ptx::target::targets().any(|(target, _)| target == *name);
        names.filter(known).collect::<Vec<_>>().join(", ")
    };
    match only {
        Only::All => format!("sm_{}", since.sm),
        Only::Family(all) => list(all, &["a", "f"]),
        Only::Architecture(all) => list(all, &["a"]),
        Only::FamilyOrArchitecture(families, others) => {
            format!("{}, {}", list(families, &["a", "f"]), list(others, &["a"]))
        }
    }
}

fn also(form: &Form) -> String {
    let need = |need: &Need| {
        let (major, minor) = need.since.ptx;
        format!("`.{}` PTX {major}.{minor}, {}", need.word, targets(need.only, need.since))
    };
    let in_form = |need: &&Need| {
        form.syntax
            .split(|char: char| !char.is_ascii_alphanumeric() && !":_".contains(char))
            .any(|word| word == need.word)
    };
    let mut all: Vec<String> = form.needs.iter().filter(in_form).map(need).collect();
    if let Some(gone) = form.removed {
        let (major, minor) = gone.ptx;
        all.push(format!("gone for sm_{} and later from PTX {major}.{minor} on", gone.sm));
    }
    match form.samplers {
        Samplers::Any => {}
        Samplers::Unified => all.push("not with `texmode_independent`".to_owned()),
        Samplers::Apart => all.push("only with `texmode_independent`".to_owned()),
    }
    all.join("; ")
}
