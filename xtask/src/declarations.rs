//! `cargo xtask record declarations`: what NVIDIA's assembler says of declarations and directives.

use crate::oracle::Oracle;
use crate::validity::module::Version;
use std::fmt::Write as _;
use std::path::Path;

/// Modules that were picked by hand: verdict, version, target, what follows the head, the assembler's message.
const TABLE: &str = "declarations.tsv";

/// What a row of the table says.
struct Row {
    accepted: bool,
    version: Version,
    target: String,
    /// The module after its head, with `\n` for its lines.
    text: String,
}

fn row(line: &str) -> Option<Row> {
    let mut cells = line.split('\t');
    let accepted = cells.next()? == "accept";
    let (major, minor) = cells.next()?.split_once('.')?;
    let version = (major.parse().ok()?, minor.parse().ok()?);
    Some(Row { accepted, version, target: cells.next()?.into(), text: cells.next()?.into() })
}

fn rows(table: &str) -> Result<Vec<Row>, String> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| row(line).ok_or_else(|| format!("malformed: {line}"))).collect()
}

impl Row {
    fn module(&self) -> String {
        let (major, minor) = self.version;
        let size = if self.version >= (2, 3) { ".address_size 64\n" } else { "" };
        let text = self.text.replace("\\n", "\n");
        format!(".version {major}.{minor}\n.target {}\n{size}{text}\n", self.target)
    }

    fn key(&self) -> String {
        let Row { accepted, version: (major, minor), target, text } = self;
        let verdict = if *accepted { "accept" } else { "reject" };
        format!("{verdict}\t{major}.{minor}\t{target}\t{text}")
    }
}

/// Asks the assembler about the modules of the table again.
///
/// # Errors
/// The assembler cannot be run, or the table cannot be read or written.
pub(crate) fn record(folder: &Path) -> Result<(), String> {
    let path = folder.join(TABLE);
    let text =
        std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let rows = rows(&text)?;
    let modules: Vec<String> = rows.iter().map(Row::module).collect();
    let answers = Oracle::new()?.judge(&modules)?;
    let mut table = text.lines().next().unwrap_or_default().to_owned() + "\n";
    for (row, answer) in rows.into_iter().zip(answers) {
        let row = Row { accepted: answer.is_none(), ..row };
        let _ = writeln!(table, "{}\t{}", row.key(), answer.unwrap_or_default());
    }
    std::fs::write(&path, table).map_err(|why| format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deviations::{self, table};
    use diag::{Severity, Sources};
    use std::collections::BTreeSet;

    #[test]
    fn declarations_have_the_verdicts_of_the_assembler() {
        let rows = rows(&table(TABLE)).expect("the table is well-formed");
        assert!(rows.len() > 2_000, "{}", rows.len());
        let differs = |row: &&Row| {
            let mut sources = Sources::new();
            let file = sources.add("one.ptx", row.module());
            let found = ptx::lint(&sources, file, None);
            let is_legal = found.iter().all(|found| found.severity != Severity::Error);
            is_legal != row.accepted
        };
        let differing = rows.iter().filter(differs).map(|row| row.key().replace('\t', " "));
        deviations::check(TABLE, &differing.collect::<BTreeSet<String>>());
    }
}
