//! Diagnostics as SARIF 2.1.0 (OASIS), the format that code-scanning tools read.

use crate::fingerprint::Fingerprints;
use crate::{Diagnostic, Fix, Label, Severity, Sources, Span, Suppression};
use serde::Serialize;

/// What a report says about a rule, whether it was broken or not.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo<'a> {
    /// The stable code, as diagnostics carry it.
    pub code: &'a str,
    /// A short name in words and hyphens.
    pub name: &'a str,
    /// The rule in one sentence.
    pub summary: &'a str,
    /// Where the rule is written, or why it exists.
    pub details: &'a str,
    /// How bad a breach is.
    pub severity: Severity,
}

/// The schema that the documents follow.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The parts of the format that are used, by their names in the specification.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    invocations: Vec<Invocation>,
    column_kind: &'static str,
    results: Vec<Outcome<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<serde_json::Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    rules: Vec<Descriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    id: &'a str,
    name: &'a str,
    short_description: Text<'a>,
    full_description: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: Vec<Location<'a>>,
    partial_fingerprints: PartialFingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Change<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Vec<Accepted>>,
    properties: Properties<'a>,
}

/// A `suppression` of the specification.
#[derive(Serialize)]
struct Accepted {
    kind: &'static str,
    status: &'static str,
    justification: &'static str,
}

#[derive(Serialize)]
struct PartialFingerprints {
    #[serde(rename = "warpwise/v1")]
    ours: String,
}

#[derive(Serialize)]
struct Properties<'a> {
    class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<&'a serde_json::Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'a> {
    decorated_name: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change<'a> {
    artifact_changes: [ArtifactChange<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange<'a> {
    artifact_location: Artifact,
    replacements: [Replacement<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement<'a> {
    deleted_region: Region,
    inserted_content: Text<'a>,
}

/// A run of `warpwise` and what it told.
#[derive(Clone, Debug, Default)]
pub struct Log<'a> {
    /// Diagnostics with the texts that they point into; each becomes a result.
    pub told: Vec<(&'a Sources, &'a [Diagnostic])>,
    /// Everything that was looked for. Diagnostics whose code is not among them are reported without a rule.
    pub rules: &'a [RuleInfo<'a>],
    /// Whether the command did what it was asked for, whatever it found, and its exit status.
    pub ended: Option<(bool, u8)>,
    /// What else the run gave.
    pub properties: Option<serde_json::Value>,
}

/// A SARIF document with one run of `warpwise` and one result for each diagnostic. `rules` is everything that
/// was looked for; diagnostics whose code is not among them are reported without a rule.
pub fn sarif(
    sources: &Sources,
    diagnostics: &[Diagnostic],
    rules: &[RuleInfo<'_>],
) -> serde_json::Value {
    Log { told: vec![(sources, diagnostics)], rules, ..Log::default() }.sarif()
}

impl Log<'_> {
    /// Every diagnostic with its texts.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = (&Sources, &Diagnostic)> {
        self.told.iter().flat_map(|(sources, found)| found.iter().map(move |it| (*sources, it)))
    }

    /// The SARIF document of the run.
    pub fn sarif(&self) -> serde_json::Value {
        document(self)
    }
}

fn document(log: &Log<'_>) -> serde_json::Value {
    let rules = log.rules;
    let driver = Driver {
        name: "warpwise",
        version: env!("CARGO_PKG_VERSION"),
        rules: rules.iter().map(descriptor).collect(),
    };
    let mut fingerprints = Fingerprints::default();
    let mut results = Vec::new();
    let suppresses = log.diagnostics().any(|(_, found)| found.suppressed.is_some());
    for (sources, diagnostic) in log.diagnostics() {
        let ours = fingerprints.of(sources, diagnostic);
        let mut result = outcome(sources, diagnostic, rules, PartialFingerprints { ours });
        // A report that has suppressions says of every result whether it has (3.27.23).
        result.suppressions =
            suppresses.then(|| diagnostic.suppressed.map(accepted).into_iter().collect());
        results.push(result);
    }
    let ended = log.ended.iter();
    let run = Run {
        tool: Tool { driver },
        invocations: ended
            .map(|(successful, code)| Invocation {
                execution_successful: *successful,
                exit_code: *code,
            })
            .collect(),
        column_kind: "unicodeCodePoints",
        results,
        properties: log.properties.clone(),
    };
    let document = Document { schema: SCHEMA, version: "2.1.0", runs: [run] };
    serde_json::to_value(document).unwrap_or_default()
}

fn descriptor<'a>(rule: &RuleInfo<'a>) -> Descriptor<'a> {
    Descriptor {
        id: rule.code,
        name: rule.name,
        short_description: Text { text: rule.summary },
        full_description: Message { text: format!("{} ({})", rule.summary, rule.details) },
        default_configuration: Configuration { level: rule.severity.word() },
    }
}

fn accepted(suppression: Suppression) -> Accepted {
    let justification = match suppression {
        Suppression::Allowed => "allowed on the command line",
        Suppression::Baseline => "in the baseline",
    };
    Accepted { kind: "external", status: "accepted", justification }
}

fn outcome<'a>(
    sources: &Sources,
    diagnostic: &'a Diagnostic,
    rules: &[RuleInfo<'_>],
    partial_fingerprints: PartialFingerprints,
) -> Outcome<'a> {
    let mut locations: Vec<_> =
        diagnostic.labels.iter().map(|label| location(sources, label)).collect();
    let related_locations = locations.split_off(locations.len().min(1));
    for location in &mut locations {
        let functions = diagnostic.functions.iter();
        let named = |name| LogicalLocation { decorated_name: name, kind: "function" };
        location.logical_locations = functions.map(|name| named(name)).collect();
    }
    Outcome {
        rule_id: diagnostic.code,
        rule_index: rules.iter().position(|rule| rule.code == diagnostic.code),
        level: diagnostic.severity.word(),
        message: Message { text: diagnostic.full_text() },
        locations,
        partial_fingerprints,
        related_locations,
        fixes: diagnostic.fix.iter().map(|fix| change(sources, fix)).collect(),
        suppressions: None,
        properties: Properties {
            class: diagnostic.class.word(),
            finding: diagnostic.finding.as_ref(),
        },
    }
}

fn location<'a>(sources: &Sources, label: &'a Label) -> Location<'a> {
    let physical_location = PhysicalLocation {
        artifact_location: artifact(sources, label.span),
        region: region(sources, label.span),
    };
    let message = (!label.text.is_empty()).then_some(Text { text: &label.text });
    Location { physical_location, logical_locations: Vec::new(), message }
}

fn artifact(sources: &Sources, span: Span) -> Artifact {
    Artifact { uri: uri(sources.file(span.file).name()) }
}

fn region(sources: &Sources, span: Span) -> Region {
    let file = sources.file(span.file);
    let (start, end) = (file.location(span.start), file.location(span.end));
    Region {
        start_line: start.line,
        start_column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}

fn change<'a>(sources: &Sources, fix: &'a Fix) -> Change<'a> {
    let replacement = Replacement {
        deleted_region: region(sources, fix.span),
        inserted_content: Text { text: &fix.replacement },
    };
    let artifact_location = artifact(sources, fix.span);
    Change { artifact_changes: [ArtifactChange { artifact_location, replacements: [replacement] }] }
}

/// A file name as a URI reference: what may not stand in one is percent-encoded.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    if name.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in name.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_uri_references() {
        for (name, expected) in [
            ("k.ptx", "k.ptx"),
            ("a folder/k.ptx", "a%20folder/k.ptx"),
            ("a\\b.ptx", "a/b.ptx"),
            ("/a/ü.ptx", "file:///a/%C3%BC.ptx"),
            ("C:\\k.ptx", "C%3A/k.ptx"),
        ] {
            assert_eq!(uri(name), expected);
        }
    }
}
