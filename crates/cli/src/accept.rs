//! What the user has accepted: codes, and findings of a baseline. They are not reported, and do not change the exit status.

use crate::arguments::{Accepting, Allow};
use crate::baseline::{Baseline, Entry};
use crate::output;
use crate::report::Stop;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use warpwise::diag::{Class, Diagnostic, Fingerprints, Severity, Sources, Suppression};
use warpwise::rules::RULES;
use warpwise::{Code, is_called, nearest};

/// What was left out of a report.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Suppressed")]
pub(crate) struct Suppressed {
    /// By `--allow`.
    pub(crate) allowed: u64,
    /// By the baseline.
    pub(crate) baseline: u64,
    /// What stands in the baseline and was not found any more.
    pub(crate) gone: Vec<Entry>,
}

/// Judges the diagnostics of a report, in its order.
#[derive(Debug, Default)]
pub(crate) struct Acceptance {
    allow: Vec<Allow>,
    baseline: Option<Baseline>,
    write: Option<PathBuf>,
    /// Whether errors can stand in the baseline that are no findings of a run: those of `lint`.
    takes_errors: bool,
    fingerprints: Fingerprints,
    /// What can stand in a baseline and was found, allowed or not.
    found: Vec<(&'static str, String)>,
    /// What is to be written.
    entries: Vec<Entry>,
    suppressed: Suppressed,
}

impl Acceptance {
    /// What the arguments ask for.
    pub(crate) fn new(accepting: &Accepting, takes_errors: bool) -> Result<Acceptance, Stop> {
        let allow: Vec<Allow> = accepting.allowed().cloned().collect();
        for Allow { code, .. } in &allow {
            is_known(code)?;
        }
        if let Some(path) = &accepting.write_baseline {
            output::check(path).map_err(Stop::usage)?;
        }
        Ok(Acceptance {
            allow,
            baseline: accepting.baseline.as_deref().map(Baseline::read).transpose()?,
            write: accepting.write_baseline.clone(),
            takes_errors,
            ..Acceptance::default()
        })
    }

    /// Whether a diagnostic is allowed by its code and function.
    pub(crate) fn allows(&self, found: &Diagnostic) -> bool {
        let can_be = found.severity != Severity::Error || found.class == Class::Undefined;
        can_be && self.allow.iter().any(|allow| allow.allows(found))
    }

    /// Marks what is accepted among diagnostics of a module and a kernel.
    pub(crate) fn judge(
        &mut self,
        subject: (&str, Option<&str>),
        sources: &Sources,
        diagnostics: &mut [Diagnostic],
    ) {
        for found in diagnostics {
            let fingerprint = self.fingerprints.of(sources, found);
            let is_error = found.severity == Severity::Error && found.class != Class::Undefined;
            if found.code.is_empty() || is_error && !self.takes_errors {
                continue;
            }
            self.found.push((found.code, fingerprint.clone()));
            let known = |it: &Baseline| it.holds(found.code, &fingerprint);
            if self.allows(found) {
                found.suppressed = Some(Suppression::Allowed);
                self.suppressed.allowed += 1;
            } else if self.write.is_some() || self.baseline.as_ref().is_some_and(known) {
                self.entries.push(Entry::new(subject, sources, found, fingerprint));
                found.suppressed = Some(Suppression::Baseline);
                self.suppressed.baseline += 1;
            }
        }
    }

    /// Leaves the baseline that was asked for unwritten: the report will not hold everything.
    pub(crate) fn write_nothing(&mut self) {
        self.write = None;
    }

    /// Ends a report about some modules, or a module and a kernel: writes the baseline that was asked for. What was left out,
    /// if the user accepts anything. Of a report that is not whole, nothing is said to be gone.
    pub(crate) fn finish(
        self,
        subjects: &[(&str, Option<&str>)],
        is_whole: bool,
    ) -> Result<Option<Suppressed>, Stop> {
        let Acceptance { allow, baseline, write, found, entries, mut suppressed, .. } = self;
        if let Some(path) = &write {
            Baseline::write(path, subjects, entries)?;
        }
        if let Some(baseline) = baseline.as_ref().filter(|_| is_whole) {
            let gone = |subject: &(&str, Option<&str>)| baseline.gone(*subject, &found);
            suppressed.gone = subjects.iter().flat_map(gone).collect();
        }
        let asked = !allow.is_empty() || baseline.is_some() || write.is_some();
        Ok(asked.then_some(suppressed))
    }
}

impl Suppressed {
    /// The same as lines for people.
    pub(crate) fn text(&self) -> String {
        let Suppressed { allowed, baseline, gone } = self;
        let mut text = match allowed + baseline {
            0 => "nothing suppressed".to_owned(),
            all => format!("{all} suppressed"),
        };
        match (allowed, baseline) {
            (0, 0) => {}
            (_, 0) => text += " by --allow",
            (0, _) => text += " by the baseline",
            _ => text += &format!(", {allowed} by --allow and {baseline} by the baseline"),
        }
        text.push('\n');
        for Entry { code, place, message, .. } in gone {
            text +=
                &format!("the baseline has {code} at {place}, which was not found: {message}\n");
        }
        text
    }
}

impl Allow {
    fn allows(&self, found: &Diagnostic) -> bool {
        let is_here = |name: &String| found.functions.iter().any(|it| is_called(it, name));
        self.code == found.code && self.function.as_ref().is_none_or(is_here)
    }
}

/// Refuses a code that does not exist, or that means that input is refused.
fn is_known(code: &str) -> Result<(), Stop> {
    let codes = || Code::ALL.iter().map(|code| code.word()).chain(RULES.iter().map(|it| it.code));
    if let Some(rule) = RULES.iter().find(|rule| rule.code == code) {
        return match rule.severity {
            Severity::Error => {
                Err(Stop::usage(format!("{code} is an error and cannot be allowed")))
            }
            Severity::Warning | Severity::Note => Ok(()),
        };
    }
    if codes().any(|known| known == code) {
        return Ok(());
    }
    let near = nearest(&code.to_uppercase(), codes());
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "docs/findings.md lists what `check` finds, `warpwise lint --list` the rules".to_owned()
        }
    };
    Err(Stop::usage(format!("--allow {code}: there is no such code")).help(&help))
}
