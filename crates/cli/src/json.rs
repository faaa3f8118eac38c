//! The JSON document of `run --json`. The field names are stable.

use crate::expect::position;
use crate::npy::Array;
use crate::spec::Subject;
use schemars::JsonSchema;
use serde::Serialize;
use warpwise::{Comparison, Coverage, Difference, ExploreEnd, Kind, Report, Scalar, Stats};

/// The whole document.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Document {
    /// `fine`, `usage`, `rejected` or `faulted`, as the exit status says.
    pub(crate) status: &'static str,
    pub(crate) kernel: Option<String>,
    pub(crate) stats: Option<JsonStats>,
    /// What the kernel printed with `printf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) printed: Option<String>,
    pub(crate) prints: Vec<JsonPrint>,
    pub(crate) outputs: Vec<JsonOutput>,
    /// What `--expect` has shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) expectations: Vec<JsonExpectation>,
    pub(crate) diagnostics: Vec<serde_json::Value>,
    /// What `check --explore` covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explored: Option<JsonCoverage>,
}

/// How many schedules were run, and whether all that matter were.
#[derive(Debug, Serialize)]
pub(crate) struct JsonCoverage {
    schedules: u64,
    complete: bool,
}

impl From<Coverage> for JsonCoverage {
    fn from(Coverage { schedules, end }: Coverage) -> JsonCoverage {
        JsonCoverage { schedules, complete: end == ExploreEnd::Covered }
    }
}

/// What the run did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JsonStats {
    thread_instructions: u64,
    warp_instructions: u64,
    divergences: u64,
    lanes_active: f64,
    ctas: u64,
    threads: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_instructions_per_second: Option<f64>,
}

impl JsonStats {
    /// Leaves out what differs from run to run.
    pub(crate) fn forget_times(&mut self) {
        (self.seconds, self.thread_instructions_per_second) = (None, None);
    }
}

impl From<&Stats> for JsonStats {
    fn from(stats: &Stats) -> JsonStats {
        JsonStats {
            thread_instructions: stats.thread_instructions,
            warp_instructions: stats.warp_instructions,
            divergences: stats.divergences,
            lanes_active: stats.lanes_active(),
            ctas: stats.ctas,
            threads: stats.threads,
            seconds: None,
            thread_instructions_per_second: None,
        }
    }
}

impl From<&Report> for JsonStats {
    fn from(report: &Report) -> JsonStats {
        let seconds = report.elapsed.as_secs_f64();
        let mut stats = JsonStats::from(&report.stats);
        stats.seconds = Some(seconds);
        stats.thread_instructions_per_second = Some(report.throughput());
        stats
    }
}

/// What was printed or written.
#[derive(Debug, Serialize)]
pub(crate) struct JsonSubject {
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl From<&Subject> for JsonSubject {
    fn from(subject: &Subject) -> JsonSubject {
        match subject {
            Subject::Argument(nth, field) => {
                JsonSubject { parameter: Some(*nth), field: *field, name: None }
            }
            Subject::Name(name) => {
                JsonSubject { parameter: None, field: None, name: Some(name.clone()) }
            }
        }
    }
}

/// The elements of a `--print`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonPrint {
    #[serde(flatten)]
    pub(crate) of: JsonSubject,
    #[serde(rename = "type")]
    pub(crate) ty: &'static str,
    pub(crate) values: Vec<JsonValue>,
}

/// A file that was written.
#[derive(Debug, Serialize)]
pub(crate) struct JsonOutput {
    #[serde(flatten)]
    pub(crate) of: JsonSubject,
    pub(crate) file: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) shape: Vec<u64>,
}

/// A result beside what was expected of it.
#[derive(Debug, Serialize)]
pub(crate) struct JsonExpectation {
    #[serde(flatten)]
    of: JsonSubject,
    /// The file that holds what was expected.
    file: String,
    matches: bool,
    elements: u64,
    differing: u64,
    /// The largest difference of floats, in units in the last place.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_ulps: Option<u64>,
    /// The first elements that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first: Vec<JsonDifference>,
}

/// An element that is not as expected.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JsonDifference {
    /// Where it stands in the array of the file.
    index: Vec<u64>,
    got: JsonValue,
    expected: JsonValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    ulps: Option<u64>,
}

impl JsonExpectation {
    pub(crate) fn new(
        of: JsonSubject,
        file: String,
        found: &Comparison,
        shape: &Array,
    ) -> JsonExpectation {
        let Comparison { elements, differing, max_ulps, .. } = *found;
        let (matches, first) = (found.matches(), differences(found, shape));
        JsonExpectation { of, file, matches, elements, differing, max_ulps, first }
    }
}

/// The first elements of a comparison that are not as expected.
pub(crate) fn differences(found: &Comparison, shape: &Array) -> Vec<JsonDifference> {
    let difference = |one: &Difference| JsonDifference {
        index: position(one.index, shape),
        got: one.got.into(),
        expected: one.expected.into(),
        ulps: one.ulps(),
    };
    found.first.iter().map(difference).collect()
}

/// One element. Numbers where JSON has them; NaN, infinities and bits are strings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum JsonValue {
    Unsigned(u64),
    Signed(i64),
    Single(f32),
    Double(f64),
    Text(String),
}

impl From<Scalar> for JsonValue {
    fn from(scalar: Scalar) -> JsonValue {
        let ty = scalar.ty();
        match (ty.kind(), scalar.integer(), scalar.float()) {
            (Kind::Unsigned, _, _) => JsonValue::Unsigned(scalar.bits()),
            (Kind::Signed, Some(value), _) => JsonValue::Signed(value as i64),
            (Kind::Float | Kind::Brain, _, Some(value)) if value.is_finite() => match ty.bytes() {
                8 => JsonValue::Double(value),
                _ => JsonValue::Single(value as f32),
            },
            _ => JsonValue::Text(scalar.to_string()),
        }
    }
}
