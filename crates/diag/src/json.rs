//! Diagnostics as JSON for programs. The field names are stable.

use crate::{Class, Diagnostic, Fingerprints, Log, Reason, Severity, Sources, Span};
use schemars::JsonSchema;
use serde::Serialize;

/// A diagnostic as documents carry it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Diagnostic")]
pub struct JsonDiagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Whose fault it is.
    pub class: Class,
    /// The code of the finding or rule; missing where there is none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The rule that is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<JsonRule>,
    /// Where; the first is the primary place.
    pub places: Vec<JsonPlace>,
    /// Further facts, one line or paragraph each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The replacement that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<JsonFix>,
    /// The functions that it is about by their names in the module, the innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// The finding that it tells of, as data: `docs/schemas/finding.json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<serde_json::Value>,
    /// By what it is known again when the text around it has changed, as in SARIF and baselines.
    pub fingerprint: String,
}

/// The rule that is broken.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rule")]
pub struct JsonRule {
    /// The rule in one sentence.
    pub summary: &'static str,
    /// The manual that states it.
    pub manual: &'static str,
    /// Where in the manual.
    pub section: &'static str,
}

/// A range of a file. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Place")]
pub struct JsonPlace {
    /// The file as it was named on the command line or by the module.
    pub file: String,
    /// The first line.
    pub line: u32,
    /// The first column.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
    /// What is said about this place.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// A replacement that mends the input.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Fix")]
pub struct JsonFix {
    /// What is replaced; an empty range inserts.
    #[serde(flatten)]
    pub place: JsonPlace,
    /// The new text.
    pub replacement: String,
}

impl From<Reason> for JsonRule {
    fn from(Reason { rule, manual, section }: Reason) -> Self {
        JsonRule { summary: rule, manual, section }
    }
}

impl JsonPlace {
    fn new(sources: &Sources, span: Span, text: &str) -> JsonPlace {
        let file = sources.file(span.file);
        let (start, end) = (file.location(span.start), file.location(span.end));
        JsonPlace {
            file: file.name().to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: text.to_owned(),
        }
    }
}

impl JsonDiagnostic {
    /// What a diagnostic says, and its fingerprint in the report.
    pub fn new(sources: &Sources, diagnostic: &Diagnostic, fingerprint: String) -> JsonDiagnostic {
        let places = diagnostic.labels.iter();
        JsonDiagnostic {
            severity: diagnostic.severity,
            class: diagnostic.class,
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            rule: diagnostic.reason.map(JsonRule::from),
            places: places.map(|it| JsonPlace::new(sources, it.span, &it.text)).collect(),
            notes: diagnostic.paragraphs().collect(),
            help: diagnostic.help.clone(),
            fix: diagnostic.fix.as_ref().map(|fix| JsonFix {
                place: JsonPlace::new(sources, fix.span, ""),
                replacement: fix.replacement.clone(),
            }),
            functions: diagnostic.functions.clone(),
            finding: diagnostic.finding.clone(),
            fingerprint,
        }
    }
}

impl Log<'_> {
    /// The diagnostics as JSON documents carry them.
    pub fn json(&self) -> Vec<JsonDiagnostic> {
        let mut fingerprints = Fingerprints::default();
        let all = self.diagnostics().map(|(sources, found)| {
            (found.suppressed, JsonDiagnostic::new(sources, found, fingerprints.of(sources, found)))
        });
        all.filter(|(suppressed, _)| suppressed.is_none()).map(|(_, json)| json).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::to_value;

    #[test]
    fn places_are_as_people_count() {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", ".version 8.0\nshfl.sync.left.b32 d, a;\n");
        let span = Span::new(file, 22, 27);
        let found = Diagnostic::error(span, "unknown").code("P001").fix(span, ".up");
        let value = to_value(JsonDiagnostic::new(&sources, &found, String::new())).expect("JSON");
        assert_eq!(value["places"][0]["line"], 2);
        assert_eq!(value["places"][0]["column"], 10);
        assert_eq!(value["fix"]["end_column"], 15);
        assert_eq!(value["fix"]["replacement"], ".up");
    }

    #[test]
    fn words_are_those_of_reports() {
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            assert_eq!(to_value(severity).ok(), Some(severity.word().into()));
        }
        let class = Class::BadInput;
        assert_eq!(to_value(class).ok(), Some(class.word().into()));
    }
}
