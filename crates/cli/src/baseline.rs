//! Files of findings that are known and accepted.

use crate::form::Form;
use crate::output;
use crate::report::{Stop, read_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use warpwise::diag::{Diagnostic, Sources};

/// The form of its document.
pub(crate) const FORM: Form<Baseline> = Form::new("baseline");

/// A file of what is accepted. One serves many modules and kernels.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Baseline {
    /// What is accepted, sorted.
    accepted: Vec<Entry>,
}

/// A finding that is accepted. Code and fingerprint are what it is known by; the rest is for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Entry {
    /// The module, as it was named on the command line.
    pub(crate) module: String,
    /// The kernel that was checked; none for `lint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kernel: Option<String>,
    /// Where it stood: file, line and column.
    #[serde(default)]
    pub(crate) place: String,
    /// Its code.
    pub(crate) code: String,
    /// What stays the same when the text around it changes.
    pub(crate) fingerprint: String,
    /// What was said about it.
    #[serde(default)]
    pub(crate) message: String,
}

impl Entry {
    /// What is accepted of a module and a kernel with a diagnostic.
    pub(crate) fn new(
        (module, kernel): (&str, Option<&str>),
        sources: &Sources,
        found: &Diagnostic,
        fingerprint: String,
    ) -> Entry {
        let place = found.span().map_or(String::new(), |span| sources.place(span));
        Entry {
            module: module.to_owned(),
            kernel: kernel.map(str::to_owned),
            place,
            code: found.code.to_owned(),
            fingerprint,
            message: found.message.clone(),
        }
    }

    /// Whether it is of this module and kernel.
    fn is_of(&self, module: &str, kernel: Option<&str>) -> bool {
        self.module == module && self.kernel.as_deref() == kernel
    }
}

impl Baseline {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Baseline, Stop> {
        let text = read_text(path)?;
        let refuse = |why: String| Stop::rejected(format!("{}: {why}", path.display()));
        FORM.read(&text).map_err(refuse)
    }

    /// Whether a diagnostic is accepted.
    pub(crate) fn holds(&self, code: &str, fingerprint: &str) -> bool {
        self.accepted.iter().any(|it| it.code == code && it.fingerprint == fingerprint)
    }

    /// What is accepted of some module and kernel and is not among what was found.
    pub(crate) fn gone(
        &self,
        (module, kernel): (&str, Option<&str>),
        found: &[(&'static str, String)],
    ) -> Vec<Entry> {
        let occurs = |it: &Entry| {
            found.iter().any(|(code, print)| it.code == *code && it.fingerprint == *print)
        };
        let gone = self.accepted.iter().filter(|it| it.is_of(module, kernel) && !occurs(it));
        gone.cloned().collect()
    }

    /// Writes to a file what is accepted of some modules, or of a module and a kernel. What it holds of others stays.
    pub(crate) fn write(
        path: &Path,
        subjects: &[(&str, Option<&str>)],
        entries: Vec<Entry>,
    ) -> Result<(), Stop> {
        let mut baseline = match path.exists() {
            true => Baseline::read(path)?,
            false => Baseline::default(),
        };
        let replaced =
            |it: &Entry| subjects.iter().any(|(module, kernel)| it.is_of(module, *kernel));
        baseline.accepted.retain(|it| !replaced(it));
        baseline.accepted.extend(entries);
        baseline.accepted.sort();
        output::write_bytes(path, FORM.file(&baseline).as_bytes()).map_err(Stop::rejected)
    }
}
